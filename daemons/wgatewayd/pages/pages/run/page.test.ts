import {fakeDocument, fakeHistory} from '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';
import type {JobFacts, JobFull} from '../../api/shapes.ts';
import {go} from '../../state/address.ts';
import {session} from '../../state/session.ts';
import {answerAll} from '../shared/fake_answers.ts';
import {jobFull, task} from '../shared/fake_rows.ts';
import {FakeHub} from '../shared/fake_hub.ts';
import {FakePage} from '../../parts/fake_page.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import RunPage from './page.tsx';

const BASE = '/api/v1/jobs/12';
new FakeHub();
let page: FakePage | null = null;
let server = new FakeServer();
beforeEach(() => {
  session.value = {user: 'ann', cluster: 'c', version: '1', admin: false, now: 900};
  go('/apps/12');
  server = answerAll(new FakeServer());
});
afterEach(() => {
  page?.end();
  page = null;
});
async function shown(job: Partial<JobFull> = {}, facts: Partial<JobFacts> = {}) {
  const exec = {args: '--exec-start PyTorch', framework: 'PyTorch', bsub: "bsub -J 'a b' x"};
  const of = {now: 900, own: true, exec_id: 'c-12', exec, groups: []};
  const all = {...of, job: jobFull(undefined, job), ...facts};
  server.on(`GET ${BASE}`, all);
  page = await FakePage.of(RunPage, {args: ['12']});
  return page;
}
const buttons = (of: FakePage) => of.texts('.acts button, .acts a').filter(Boolean);

test('what can be done follows its state', async () => {
  const running = buttons(await shown());
  assert.ok(
    running.includes('Stop') && !running.includes('Hold') && !running.includes('Save model'),
  );
  page?.end();
  const pending = buttons(await shown({wm_state: 'pending'}));
  assert.ok(pending.includes('Hold') && pending.includes('Stop') && !pending.includes('Release'));
  page?.end();
  assert.ok(buttons(await shown({wm_state: 'held'})).includes('Release'));
  page?.end();
  const finished = buttons(await shown({wm_state: 'finished', finish_time: 800}));
  assert.ok(finished.includes('Save model') && finished.includes('Results .zip'));
  assert.ok(!finished.includes('Stop'));
});

test('of another’s run nothing is offered, and what is hidden is not said to be none', async () => {
  const theirs = await shown({wm_state: 'running'}, {own: false, exec: null});
  assert.deepEqual(
    buttons(theirs).filter((text) => text !== 'Connecting'),
    [],
  );
  assert.match(theirs.text(), /Metrics: not visible to you/);
  assert.match(theirs.text('.facts'), /not visible to you/);
  assert.doesNotMatch(theirs.text(), /nothing reported|No output/);
});

test('a stop asks first, says what stays, and is done once', async () => {
  const run = await shown();
  server.on(`POST ${BASE}/stop`, {});
  server.words();
  await run.press('Stop');
  assert.match(run.text('#confirm'), /Stop mnist \?.*checkpoints included, stays/);
  assert.ok(!server.words().some((what) => what.startsWith('POST')));
  await run.press('Stop it');
  assert.equal(server.words().filter((what) => what === `POST ${BASE}/stop`).length, 1);
});

test('an act that is refused says why, on the page', async () => {
  const run = await shown({wm_state: 'pending'});
  server.on(`POST ${BASE}/hold`, new No(409, 'job 12 has started'));
  await run.press('Hold');
  assert.equal(run.text('[role=alert]'), 'hold: job 12 has started');
});

test('why it waits is what the scheduler says, each reason with what mends it', async () => {
  const run = await shown({
    wm_state: 'pending',
    start_time: null,
    estimated_start_time: 9e9,
    reasons: [
      {code: 'gang', text: 'needs 4 slots at once', fix: 'ask for fewer'},
      {code: 'budget'},
    ],
  });
  const why = run.text('[aria-labelledby=h-w]');
  assert.match(why, /Why it waits.*needs 4 slots at once.*ask for fewer/);
  assert.match(why, /Why is not visible to you/);
  assert.match(why, /Expected/);
  assert.match(why, /\$ bwhy 12/);
});

test('a size has its reason too: fixed, or what binds an elastic one', async () => {
  const fixed = await shown({elastic: false, nalloc_slot: 1, reasons: []});
  assert.match(fixed.text('[aria-labelledby=h-w]'), /Has 1 slot, a fixed number/);
  page?.end();
  const elastic = await shown({reasons: [{code: 'budget', text: 'the budget of /r is used'}]});
  assert.match(
    elastic.text('[aria-labelledby=h-w]'),
    /Has 2 slots of 1–4\..*the budget of \/r is used/,
  );
});

test('how it ended is told in words, not only as a number', async () => {
  const said = async (job: Partial<JobFull>) => {
    const text = (await shown({finish_time: 800, ...job})).text('[aria-labelledby=h-w]');
    page?.end();
    return text;
  };
  assert.match(
    await said({wm_state: 'failed', exit_reason: 'CUDA out of memory'}),
    /CUDA out of memory/,
  );
  assert.match(await said({wm_state: 'failed', exit_code: 3}), /Exit code 3/);
  assert.match(await said({wm_state: 'killed', exit_code: null}), /before it could say how/);
  assert.match(await said({wm_state: 'finished'}), /It ended by itself/);
});

test('a batch job’s output that is in a file is said to be there', async () => {
  server.on(`GET ${BASE}/logs`, {workers: []});
  const run = await shown({wm_state: 'finished', output_file: '/data/ann/out.txt'}, {exec: null});
  assert.match(
    run.text('[aria-labelledby=h-l]'),
    /Its output is in its file: \/data\/ann\/out.txt/,
  );
  assert.doesNotMatch(run.text(), /equivalent bsub line/);
  assert.match(run.text(), /What it runs python train.py/);
});

test('before it starts there is no output yet, and no curve yet', async () => {
  server.on(`GET ${BASE}/logs`, {workers: []}).on(`GET ${BASE}/metrics`, {series: []});
  const run = await shown({wm_state: 'pending', start_time: null, tasks: []});
  assert.match(run.text('[aria-labelledby=h-l]'), /No output yet: it has not started/);
  assert.match(run.text('[aria-labelledby=h-t]'), /Curves begin with the training/);
});

test('more workers than buttons have room for are in a list; all of them are there', async () => {
  const workers = Array.from({length: 64}, (_, task) => ({task, stdout: 1, stderr: 0}));
  server.on(`GET ${BASE}/logs`, {workers}).on(`GET ${BASE}/logs/63/stdout`, 'of the last');
  const run = await shown();
  assert.equal(run.field('Worker').querySelectorAll('option').length, 65, 'and all as one');
  await run.type('Worker', '63');
  assert.match(run.text('#log'), /of the last/);
});

test('all workers as one have each line’s rank; errors are found in all of them', async () => {
  const part = {stream: 'stdout', from: 0, to: 4, size: 4, changed: 300, text: 'one\n'};
  server
    .on(`GET ${BASE}/logs/merged`, {
      parts: [
        {...part, task: 0},
        {...part, task: 1},
      ],
      left_out: 3,
    })
    .on(`GET ${BASE}/logs/search`, {
      matches: [{task: 1, stream: 'stderr', at: 5, line: 2, text: 'ValueError: <b>'}],
      count: 1,
      complete: true,
    })
    .on(`GET ${BASE}/logs/1/stderr`, 'the file');
  const run = await shown();
  await run.press('All');
  assert.deepEqual(run.texts('#merged .ml'), ['0 one', '1 one']);
  assert.match(run.text(), /3 workers more are left out/);
  await run.press('Find errors');
  assert.match(run.text('.found'), /1 line with the beginning of an error.*ValueError: <b>/);
  await run.press('worker 1 stderr:2');
  assert.equal(run.all('#merged').length, 0);
  assert.match(run.text('#log'), /the file/);
  assert.equal(fakeDocument.marked, 'file"', 'from the place that was found to the line’s end');
});

test('a resize is told with who caused it, and what it cost', async () => {
  const event = {t: 300, event: 'RESIZE', from: 4, to: 2, reason: '102 arrived', pause_ms: null};
  const epoch = {...event, t: 300.2, event: 'EPOCH', reason: '', pause_ms: 38, steps_lost: 0};
  server.on(`GET ${BASE}/timeline`, {events: [event, epoch]});
  const row = (await shown()).text('.evs .rows');
  assert.match(row, /4 → 2 102 arrived 38 ms 0/);
});

test('fifty metrics are found by name; those that are not asked for are not drawn', async () => {
  const series = Array.from({length: 50}, (_, i) => ({
    group: 'train',
    name: `m${i}`,
    count: 1,
    points: [[0, 1, 1, 1, 1]],
  }));
  server.on(`GET ${BASE}/metrics`, {series});
  const run = await shown();
  assert.match(run.text('[aria-labelledby=h-t]'), /50 metrics, 12 shown/);
  await run.type('50 metrics, 12 shown', 'm49');
  assert.match(run.text('[aria-labelledby=h-t]'), /m49/);
  assert.doesNotMatch(run.text('[aria-labelledby=h-t]'), /m48/);
});

test('saved under its name it is a model; run again it is another job', async () => {
  const run = await shown({wm_state: 'finished', finish_time: 800});
  server.on('POST /api/v1/projects/default/models', {});
  await run.press('Save model');
  await run.submit('#save-model form');
  assert.equal(fakeHistory.gone.at(-1), '/models');
  go('/apps/12');
  server
    .on(`GET ${BASE}/checkpoints`, {checkpoints: [], resumable: false})
    .on(`POST ${BASE}/again`, {id: '13'});
  await run.press('Run again');
  await run.submit('#again form');
  assert.equal(fakeHistory.gone.at(-1), '/apps/13');
});

test('tags, a note and a star are its owner’s words; who comes second is told', async () => {
  const run = await shown();
  assert.equal(run.text('.tag'), 'paper');
  await run.press('Edit');
  await run.type('note', 'good one');
  server.on('PATCH /api/v1/runs/12', new No(412, 'it was changed meanwhile'));
  await run.submit('#words form');
  assert.match(run.text('#words [role=alert]'), /changed meanwhile/);
  assert.equal(run.field('note').value, 'good one');
});

test('a run that goes is not found', async () => {
  server.on(`GET ${BASE}`, new No(404, 'no job 12'));
  page = await FakePage.of(RunPage, {args: ['12']});
  assert.equal(page.text('h1'), 'Not found');
});

test('a run with a group of servers shows them beside its workers, each by its role', async () => {
  const servers = [{...task(0), role: 'ps', host: 'n9'}];
  server.on('GET /api/v1/jobs/13', {now: 900, job: jobFull(undefined, {tasks: servers})});
  const groups = [
    {jobid: '12', name: 'worker'},
    {jobid: '13', name: 'ps'},
  ];
  const run = await shown({tasks: [{...task(0), role: 'worker'}]}, {groups});
  const panel = '[aria-labelledby=h-n]';
  assert.equal(run.texts(`${panel} [role=columnheader]`)[0], 'Role');
  const rows = run.texts(`${panel} .rows [role=row]`);
  assert.equal(rows.length, 2);
  assert.match(rows[0] ?? '', /^worker 0 n0/);
  assert.match(rows[1] ?? '', /^server 0 n9/);
});

test('what a run left on disk is in a dialog; why it cannot be told, too', async () => {
  const file = {path: 'epoch-1/model.pt', kind: 'model', size: 2 ** 20, time: 300};
  server.on('GET /api/v1/runs/12/files', {
    files: [file],
    count: 3,
    bytes: 2 ** 21,
    complete: false,
  });
  const run = await shown();
  assert.equal(run.text('#files').includes('model.pt'), false);
  await run.press('Files');
  assert.match(run.text('#files'), /3 files or more, 2 MiB in all/);
  assert.match(run.text('#files li'), /epoch-1\/model.pt , 1 MiB, model/);
  assert.match(run.text('#files'), /and 2 smaller ones/);
  server.on('GET /api/v1/runs/12/files', new No(404, 'run 12 does not exist'));
  await run.press('Files');
  assert.equal(run.text('#files [role=alert]'), 'run 12 does not exist');
});
