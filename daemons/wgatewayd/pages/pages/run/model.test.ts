import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import type {JobEvent, JobFull, Metric, MetricPoint} from '../../api/shapes.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {costOf} from './events.tsx';
import {bestOf, firstOutput, Run} from './model.ts';

const JOB = {
  jobid: '12',
  user: 'ann',
  wm_state: 'running',
  submit_time: 100,
  start_time: 200,
  finish_time: null,
} as JobFull;
const facts = (job: Partial<JobFull> = {}, own = true) => ({
  now: 900,
  own,
  exec_id: 'c-12',
  groups: [],
  exec: null,
  job: {...JOB, ...job},
});
const BASE = '/api/v1/jobs/12';
let server = new FakeServer();
beforeEach(() => {
  server = new FakeServer()
    .on(`GET ${BASE}`, facts())
    .on(`GET ${BASE}/timeline`, {events: []})
    .on(`GET ${BASE}/metrics`, {series: []})
    .on(`GET ${BASE}/logs`, {workers: []})
    .on(`GET ${BASE}/data`, {data: null})
    .on(`GET ${BASE}/use`, {hosts: []});
});
const metric = (group: string, name: string, ends: readonly [number, number][]): Metric => ({
  group,
  name,
  count: ends.length,
  points: ends.map(([least, most], i): MetricPoint => [i, i, most, least, most]),
});
const worker = (task: number, stdout = 1, stderr = 0) => ({task, stdout, stderr});

test('all that is drawn together is asked for together', async () => {
  const run = new Run('12');
  await run.known.refresh();
  assert.deepEqual(server.words().sort(), [
    `GET ${BASE}`,
    `GET ${BASE}/data`,
    `GET ${BASE}/logs`,
    `GET ${BASE}/metrics`,
    `GET ${BASE}/timeline`,
  ]);
  assert.equal(run.job.value?.jobid, '12');
  assert.equal(run.goesOn(), true);
});

test('of another’s run only what may be seen is asked for', async () => {
  server.on(`GET ${BASE}`, facts({}, false));
  const run = new Run('12');
  await run.known.refresh();
  assert.deepEqual(server.words().sort(), [`GET ${BASE}`, `GET ${BASE}/timeline`]);
  assert.deepEqual(run.known.value.value?.workers, []);
  await run.readOutput();
  assert.deepEqual(server.words(), [], 'and no output');
});

test('an element of an array has an address of its own', async () => {
  server.on('GET /api/v1/jobs/7%5B3%5D', new No(404, 'no job 7[3]'));
  const run = new Run('7[3]');
  await run.known.refresh();
  assert.equal(run.known.failure.value?.status, 404);
  await run.kept.load();
  assert.ok(!server.words().some((what) => what.includes('/runs/')), 'its array has the words');
});

test('the best is of validation before training, of accuracy before loss', () => {
  const all = [
    metric('train', 'loss', [[9, 9]]),
    metric('test', 'loss', [
      [3, 8],
      [1, 7],
    ]),
    metric('train', 'accuracy', [[0.2, 0.4]]),
    metric('test', 'accuracy', [
      [0.5, 0.9],
      [0.1, 0.8],
    ]),
  ];
  assert.deepEqual(bestOf(all), {name: 'accuracy', group: 'test', value: 0.9});
  assert.equal(bestOf(all.slice(0, 3))?.group, 'train');
  assert.deepEqual(bestOf(all.slice(0, 2)), {name: 'loss', group: 'test', value: 1});
  assert.equal(
    bestOf([metric('test', 'accuracy', []), metric('train', 'loss', [[0, 1]])])?.value,
    0,
  );
  assert.equal(bestOf([metric('train', 'other', [[0, 1]])]), null);
  const odd = [metric('train', 'loss', [[Number.NaN, Number.NaN]])];
  assert.equal(bestOf(odd)?.value, null, 'what is no number is no best');
});

test('a failed job shows first where it says why', () => {
  assert.equal(firstOutput('failed', worker(0, 10, 5)), 'stderr');
  assert.equal(firstOutput('error', worker(0, 10, 5)), 'stderr');
  assert.equal(firstOutput('failed', worker(0, 10, 0)), 'stdout', 'it wrote nothing there');
  assert.equal(firstOutput('finished', worker(0, 10, 5)), 'stdout');
  assert.equal(firstOutput('failed', undefined), 'stdout');
});

test('output is of the first worker until another is chosen; that one stays chosen', async () => {
  server.on(`GET ${BASE}/logs`, {workers: [worker(2), worker(5, 1, 1)]});
  for (const path of ['2/stdout', '5/stderr']) server.on(`GET ${BASE}/logs/${path}`, '');
  const run = new Run('12');
  await run.known.refresh();
  await run.readOutput();
  assert.deepEqual([run.task.value, run.output.value], [2, 'stdout']);
  run.choose(5, 'stderr');
  const chosen = run.log.value;
  await run.readOutput();
  assert.equal(run.log.value, chosen, 'the same text goes on');
  assert.deepEqual([run.task.value, run.output.value], [5, 'stderr']);
});

test('of a failed job its errors come first, and an ended worker’s output stays', async () => {
  server.on(`GET ${BASE}`, facts({wm_state: 'failed'}));
  server.on(`GET ${BASE}/logs`, {workers: [worker(0, 9, 4)]});
  const run = new Run('12');
  await run.known.refresh();
  await run.readOutput();
  assert.equal(run.output.value, 'stderr');
  assert.equal(run.goesOn(), false);
});

test('all workers as one, then the line that was found in one of them', async () => {
  server
    .on(`GET ${BASE}/logs`, {workers: [worker(0), worker(1)]})
    .on(`GET ${BASE}/logs/merged`, {parts: [], left_out: 3})
    .on(`GET ${BASE}/logs/1/stdout`, '');
  const run = new Run('12');
  await run.known.refresh();
  run.chooseAll();
  await run.readOutput();
  assert.equal(run.all.value?.leftOut.value, 3);
  server.words();
  run.goToLine({task: 1, stream: 'stdout', at: 70_000, line: 9, text: 'x'});
  await new Promise((done) => setImmediate(done));
  assert.equal(run.all.value, null);
  assert.deepEqual([run.task.value, run.log.value?.parted.value], [1, true]);
  assert.match(server.words()[0] ?? '', /logs\/1\/stdout\?from=53616&most=/);
});

test('what is done is told with what it was, and looked at again', async () => {
  server.on(`POST ${BASE}/hold`, new No(409, 'job 12 runs already'));
  const run = new Run('12');
  await run.act('hold');
  assert.equal(run.doing.problem.value, 'hold: job 12 runs already');
  assert.ok(server.words().includes(`GET ${BASE}`));
});

test('an act with words is sent with them', async () => {
  server.on(`POST ${BASE}/resize`, {});
  const run = new Run('12');
  await run.acting.act('resize', ['12'], {why: '', queue: '', tasks: '4'});
  assert.deepEqual(server.asked[0], {what: `POST ${BASE}/resize`, body: {tasks: 4}});
});

test('use is asked for while it runs; what cannot be told stays as it was', async () => {
  const use = {host_name: 'n1', ut: 0.5, mem_bytes: 1, total_mem_bytes: 2, gpus: []};
  server.on(`GET ${BASE}/use`, {hosts: [use]});
  const run = new Run('12');
  await run.readUse();
  assert.equal(run.use.value.size, 0, 'it is not known yet that it runs');
  await run.known.refresh();
  await run.readUse();
  assert.equal(run.use.value.get('n1')?.ut, 0.5);
  server.on(`GET ${BASE}/use`, new No(503, 'away'));
  await run.readUse();
  assert.equal(run.use.value.size, 1);
});

test('the time that is shown ends now, or when it ended, and is never without length', async () => {
  const window = async (job: Partial<JobFull>) => {
    server.on(`GET ${BASE}`, facts(job));
    const run = new Run('12');
    await run.known.refresh();
    return run.window();
  };
  assert.deepEqual(await window({finish_time: 500}), [200, 500]);
  assert.deepEqual(await window({finish_time: 200}), [200, 201]);
  const [from, to] = await window({start_time: 0, finish_time: 0});
  assert.equal(from, 100, 'it has not started: from its submission');
  assert.ok(to > 1e9, 'until now');
});

const event = (name: string, t: number, pause_ms: number | null = null): JobEvent => ({
  t,
  event: name,
  from: 4,
  to: 2,
  reason: '',
  pause_ms,
  steps_lost: pause_ms === null ? null : 0,
});

test('a change of size cost what the epoch that began with it paused', () => {
  const resize = event('RESIZE', 100);
  const epochs = [event('EPOCH', 50, 9), event('EPOCH', 100.5, 38), event('EPOCH', 101, 77)];
  assert.equal(costOf(resize, epochs)?.pause_ms, 38);
  assert.equal(costOf(resize, [event('EPOCH', 161, 38)]), undefined, 'a minute later is another');
  assert.equal(costOf(resize, [event('EPOCH', 100)]), undefined, 'of one that says no pause');
  assert.equal(costOf(event('DISPATCH', 100), epochs), undefined);
});
