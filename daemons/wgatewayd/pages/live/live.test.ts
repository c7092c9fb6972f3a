import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {JobRow} from '../api/shapes.ts';
import {Hub} from './hub.ts';
import {chosen, countsOf, elapsed, inOrder, windowOf} from './jobs.ts';
import {type FromHub, VERSION, type ViewAsked} from './messages.ts';
import {EventReader} from './sse.ts';
import {pause, Stream, type World} from './stream.ts';

const JOB: JobRow = {
  jobid: '1',
  user: 'ann',
  queue: 'normal',
  application: 'batch',
  job_name: 'mnist',
  exec_host: [],
  nalloc_slot: 2,
  min_req_proc: 1,
  max_req_proc: 4,
  submit_time: 100,
  start_time: 110,
  finish_time: null,
  pend_time_s: 10,
  exit_code: null,
  estimated_start_time: null,
  gpu_num: null,
  app_type: 'batch',
  wm_state: 'running',
  plan: '/',
  nresize: 0,
  elastic: false,
  is_array: false,
};
const job = (more: Partial<JobRow>): JobRow => ({...JOB, ...more});
const VIEW: ViewAsked = {mine: false, group: '', filter: '', sort: '', from: 0, to: 10};

test('events are whole whatever pieces they come in', () => {
  const text = 'id: 7-1\nevent: job\ndata: {"a":1}\n\nevent: tick\r\ndata: x\r\n\r\n';
  for (const size of [1, 3, 1000]) {
    const reader = new EventReader();
    const found = [];
    for (let at = 0; at < text.length; at += size)
      found.push(...reader.take(text.slice(at, at + size)));
    assert.deepEqual(
      found.map((e) => [e.name, e.data]),
      [
        ['job', '{"a":1}'],
        ['tick', 'x'],
      ],
    );
    assert.equal(reader.lastId, '7-1');
  }
});

test('the pause before another try grows, ends at 15 s, and is what the server says', () => {
  assert.equal(pause(0, null, 1), 1);
  assert.equal(pause(9, null, 1), 15);
  assert.ok(pause(9, null, 0) >= 7.5);
  assert.equal(pause(0, '30', 0), 30);
});

/** Answers in turn; what is to happen later is kept. */
function worldOf(answers: (() => Response)[]) {
  const later: {what: () => void; ms: number}[] = [];
  const asked: {path: string; id: string | null}[] = [];
  const world: World = {
    fetch: async (path, options) => {
      asked.push({path, id: new Headers(options.headers).get('Last-Event-ID')});
      const next = answers.shift();
      if (!next) return new Promise(() => {});
      return next();
    },
    later: (what, ms) => later.push({what, ms}),
    cancel: () => {},
    random: () => 1,
  };
  return {world, later, asked};
}
const settled = () => new Promise((done) => setTimeout(done, 20));

test('a stream goes on after its last id; 401 ends it, and is not tried again', async () => {
  const said: string[] = [];
  const {world, later, asked} = worldOf([
    () => new Response('id: 5-9\nevent: tick\ndata: {}\n\n'),
    () => new Response('', {status: 503, headers: {'Retry-After': '4'}}),
    () => new Response('', {status: 401}),
  ]);
  const hearer = {
    opened: (resumed: boolean) => said.push(resumed ? 'resumed' : 'opened'),
    heard: (e: {name: string}) => said.push(e.name),
    broke: () => said.push('broke'),
    lost: () => said.push('lost'),
  };
  new Stream('/s', hearer, world).open();
  await settled();
  assert.deepEqual(said, ['opened', 'tick', 'broke']);
  later.pop()?.what();
  await settled();
  assert.equal(asked[1]?.id, '5-9');
  assert.equal(later[later.length - 1]?.ms, 4000);
  later.pop()?.what();
  await settled();
  const waiting = later.filter((l) => l.ms < 10_000).length;
  assert.deepEqual(said, ['opened', 'tick', 'broke', 'broke', 'lost']);
  assert.equal(asked.length, 3);
  assert.equal(waiting, 0);
});

const list = (jobs: JobRow[]) => () => Response.json({now: Date.now() / 1000, jobs});
/** A stream that stays open, and what puts words into it. */
function openStream() {
  let put: (text: string) => void = () => {};
  const body = new ReadableStream({
    start: (controller) => {
      put = (text) => controller.enqueue(new TextEncoder().encode(text));
    },
  });
  return {answer: () => new Response(body), say: (text: string) => put(text)};
}
const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

function tabOf(hub: Hub) {
  const heard: FromHub[] = [];
  const line = {send: (message: FromHub) => heard.push(message)};
  hub.hear(line, {say: 'hello', user: 'ann', version: VERSION});
  const lives = () => heard.flatMap((m) => (m.say === 'live' ? [m.live] : []));
  return {heard, line, lives};
}

test('while the master is away nothing is live, however often the door ticks', async () => {
  const stream = openStream();
  const {world} = worldOf([stream.answer, list([job({})]), list([job({})])]);
  const hub = new Hub(world);
  const tab = tabOf(hub);
  await settled();
  assert.equal(tab.lives().pop(), true);
  stream.say(event('stale', {}) + event('tick', {now: 5}) + event('tick', {now: 7}));
  await settled();
  assert.equal(tab.lives().pop(), false);
  stream.say(event('reset', {}));
  await settled();
  assert.equal(tab.lives().pop(), true);
});

test('until a list has come nothing is told of jobs: none known is not none there', async () => {
  let answer: (response: Response) => void = () => {};
  const stream = openStream();
  const slow = () => new Promise<Response>((done) => (answer = done));
  const {world} = worldOf([stream.answer]);
  const fetch = world.fetch;
  const hub = new Hub({
    ...world,
    fetch: (path, o) => (path.endsWith('jobs') ? slow() : fetch(path, o)),
  });
  const tab = tabOf(hub);
  hub.hear(tab.line, {say: 'view', key: 'v', view: VIEW});
  await settled();
  stream.say(event('job', job({jobid: '9'})));
  await new Promise((done) => setTimeout(done, 150));
  const told = () => tab.heard.filter((m) => m.say === 'counts' || m.say === 'window');
  assert.deepEqual(told(), []);
  answer(Response.json({now: 1, jobs: [job({}), job({jobid: '9'})]}));
  await new Promise((done) => setTimeout(done, 150));
  const totals = told().map((m) => (m.say === 'window' ? m.window.total : 0));
  assert.deepEqual(totals, [0, 2], 'counts, and the window');
});

test('several tabs have one stream; a hidden one hears nothing until it is seen', async () => {
  const stream = openStream();
  const {world, asked} = worldOf([stream.answer, list([job({})])]);
  const hub = new Hub(world);
  const [one, two] = [tabOf(hub), tabOf(hub)];
  await settled();
  hub.hear(one.line, {say: 'view', key: 'v', view: VIEW});
  hub.hear(two.line, {say: 'view', key: 'v', view: VIEW});
  hub.hear(two.line, {say: 'hidden', hidden: true});
  const before = two.heard.length;
  stream.say(event('job', job({jobid: '2', job_name: 'new'})));
  await new Promise((done) => setTimeout(done, 250));
  const shown = one.heard.flatMap((m) => (m.say === 'window' ? [m.window.total] : [])).pop();
  assert.equal(shown, 2);
  assert.equal(two.heard.length, before);
  hub.hear(two.line, {say: 'hidden', hidden: false});
  assert.ok(two.heard.length > before);
  assert.equal(asked.filter((a) => a.path.endsWith('stream')).length, 1);
});

test('a session that is over is told to every tab', async () => {
  const {world} = worldOf([() => new Response('', {status: 401})]);
  const hub = new Hub(world);
  const [one, two] = [tabOf(hub), tabOf(hub)];
  await settled();
  assert.ok(one.heard.some((m) => m.say === 'lost') && two.heard.some((m) => m.say === 'lost'));
});

test('a tab of another build is told so', () => {
  const hub = new Hub(worldOf([]).world);
  const heard: FromHub[] = [];
  const line = {send: (m: FromHub) => heard.push(m)};
  hub.hear(line, {say: 'hello', user: 'a', version: VERSION + 1});
  assert.deepEqual(heard, [{say: 'old'}]);
});

test('views: mine, groups, words; a window of them; the newest of each rank first', () => {
  const jobs = [
    job({jobid: '1', wm_state: 'finished', finish_time: 200}),
    job({jobid: '2', user: 'bob', wm_state: 'pending', start_time: null}),
    job({jobid: '3', submit_time: 300}),
    job({jobid: '4', submit_time: 400}),
  ];
  const ids = (view: Partial<ViewAsked>) => {
    const asked = {...VIEW, ...view};
    const {rows} = chosen(jobs, asked, 'ann', 500);
    return windowOf(inOrder(rows, asked.sort, 500), asked, []).rows.map((r) => r.jobid);
  };
  assert.deepEqual(ids({}), ['4', '3', '2', '1']);
  assert.deepEqual(ids({mine: true, group: 'running'}), ['4', '3']);
  assert.deepEqual(ids({filter: 'user:bob'}), ['2']);
  assert.deepEqual(ids({sort: 'jobid', from: 1, to: 3}), ['2', '3']);
  assert.deepEqual(ids({sort: '-elapsed'})[0], '2');
  assert.equal(elapsed(job({start_time: null, wm_state: 'killed'}), 500), null);
  const counts = countsOf(jobs, 'ann');
  assert.deepEqual(
    [counts.all, counts.alive, counts.waiting, counts.slots, counts.mineAlive],
    [4, 2, 1, 4, 2],
  );
});

test('10,000 jobs are filtered and put in order within a few frames', () => {
  const jobs = Array.from({length: 10_000}, (_, i) =>
    job({jobid: String(i), job_name: `many${i}`}),
  );
  const begun = process.cpuUsage();
  const {rows} = chosen(jobs, {...VIEW, filter: 'many1 user:ann'}, 'ann', 500);
  inOrder(rows, '-jobid', 500);
  const {user, system} = process.cpuUsage(begun); // microseconds: what others do does not count
  assert.ok(user + system < 5e5, `${user + system} us`);
  assert.equal(rows.length, 1111);
});
