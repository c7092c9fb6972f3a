import {fakeHistory, fire} from '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';
import type {Row} from '../../live/messages.ts';
import {counts, trouble} from '../../live/port.ts';
import {go} from '../../state/address.ts';
import {answerAll} from '../shared/fake_answers.ts';
import {jobRow} from '../shared/fake_rows.ts';
import {FakeHub} from '../shared/fake_hub.ts';
import {FakePage, settled} from '../../parts/fake_page.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import Applications from './page.tsx';

const hub = new FakeHub();
let page: FakePage | null = null;
let server = new FakeServer();
beforeEach(() => {
  go('/apps');
  counts.value = null;
  trouble.value = '';
  server = answerAll(new FakeServer());
});
afterEach(() => {
  page?.end();
  page = null;
});
async function shown(rows: readonly Row[] | null, all = rows?.length ?? 0) {
  page = await FakePage.of(Applications, {});
  if (rows) {
    hub.counts({all, alive: 1, slots: 2, gpuSlots: 3});
    hub.window('applications', rows);
    await settled();
  }
  return page;
}
const cells = (of: FakePage, row = 0) =>
  (of.all('.rows [role=row]')[row]?.children ?? []).map((cell) => cell.textContent.trim());
const now = () => fakeHistory.gone.at(-1);

test('while no list has come it says so: neither empty, nor grey without a word', async () => {
  const apps = await shown(null);
  assert.equal(apps.all('.ghost').length, 1);
  assert.match(apps.text('.sub'), /Not known yet/);
  hub.live(false, 'the master does not answer');
  await settled();
  assert.match(apps.text('[role=alert]'), /list of jobs has not come: the master does not answer/);
  assert.equal(apps.all('.ghost').length, 0);
  hub.live(true);
  hub.counts({all: 1});
  hub.window('applications', [jobRow('12')]);
  await settled();
  assert.equal(apps.all('[role=alert]').length, 0);
  assert.equal(cells(apps)[2], '12');
});

test('GPUs that are taken are told beside slots, and of how many', async () => {
  const apps = await shown([jobRow('12')]);
  assert.equal(apps.text('.sub'), '1 running, 0 pending. 2 of 4 slots, 3 GPUs in use.');
  page?.end();
  server.on('GET /api/v1/slots', {now: 1, from: 0, capacity: 0, apps: [], changes: []});
  assert.match((await shown([jobRow('12')])).text('.sub'), / 2 slots, 3 GPUs in use/, 'never of 0');
});

test('a row says what a job has and does, why it waits, or how it ended', async () => {
  const apps = await shown([
    jobRow('1', undefined, {step: 1200, loss: 0.5, complete_percent: 45}),
    jobRow('2', undefined, {
      wm_state: 'pending',
      start_time: null,
      pend_reason: 'needs 4 at once',
      max_req_proc: 8,
    }),
    jobRow('3', undefined, {wm_state: 'failed', exit_reason: 'CUDA out of memory'}),
    jobRow('4', undefined, {wm_state: 'finished', accuracy: 0.98, finish_time: 260}),
    jobRow('5', undefined, {wm_state: 'killed', exit_code: 9, finish_time: 260}),
  ]);
  assert.match(cells(apps, 0).join('|'), /2 of 1–4\|step 1,200, loss 0.5/);
  assert.match(cells(apps, 1).join('|'), /asks 8\|needs 4 at once Why/);
  assert.match(cells(apps, 2).join('|'), /ended\|CUDA out of memory/);
  assert.match(cells(apps, 3).join('|'), /ended\|accuracy 0.98\|1m 00s/);
  assert.match(cells(apps, 4).join('|'), /ended\|exit 9/);
});

test('a name that is not visible is told to be so, and its job is linked', async () => {
  const {job_name: _, ...hidden} = jobRow('7[3]');
  const apps = await shown([hidden]);
  assert.equal(apps.text('.name'), '(not visible to you)');
  assert.equal(apps.one('.name').getAttribute('href'), '/apps/7%5B3%5D');
});

test('an array is a row with its counts, leads to its elements, and is not chosen', async () => {
  const apps = await shown([
    {...jobRow('7', undefined, {job_name: 'hpo'}), folded: {running: 2, failed: 1}},
  ]);
  assert.equal(apps.text('.name'), 'hpo [3]');
  assert.equal(apps.one('.name').getAttribute('href'), '/apps?each=1&q=array%3A7');
  assert.match(cells(apps).join('|'), /2 running, 1 failed/);
  assert.equal(apps.all('input[type=checkbox]').length, 0);
});

test('chips, words and headings are in the address', async () => {
  const apps = await shown([jobRow('12')]);
  await apps.press('Mine');
  await apps.press('Failed 0');
  await apps.type('Filter applications', 'user:bob');
  await apps.press('Elapsed');
  assert.equal(now(), '/apps?whose=mine&state=failed&q=user%3Abob&sort=elapsed');
  await apps.press('Failed 0');
  await apps.press('Everyone');
  assert.equal(now(), '/apps?q=user%3Abob&sort=elapsed');
});

test('where no job answers to the filter that is said, with a way out', async () => {
  const apps = await shown([], 9214);
  assert.match(apps.text('.empty'), /0 of 9,214 match/);
  go('/apps?q=x');
  await apps.press('Clear the filter');
  assert.equal(now(), '/apps');
});

test('those that are chosen are stopped after a question; who is left out is told', async () => {
  const apps = await shown([jobRow('1'), jobRow('2')]);
  server
    .on('POST /api/v1/jobs/1/stop', {})
    .on('POST /api/v1/jobs/2/stop', new No(403, 'not yours'));
  for (const box of apps.all('input[type=checkbox]')) fire(box, 'change');
  await settled();
  assert.match(apps.text('.bulk'), /2 chosen/);
  assert.equal(apps.called('Compare').getAttribute('href'), '/compare?runs=1,2');
  await apps.press('Stop');
  assert.match(apps.text('#confirm'), /Stop 2 applications\?/);
  await apps.press('Stop 2');
  assert.match(apps.text('.bulk'), /1 chosen.*1 done\. 2: not yours/);
});

test('a view is kept by a name, and is a link', async () => {
  server.on('GET /api/v1/views', {
    views: [{name: 'failed ones', page: '/apps', search: '?state=failed', by: 'ann'}],
  });
  const apps = await shown([jobRow('12')]);
  assert.equal(apps.called('failed ones').getAttribute('href'), '/apps?state=failed');
  go('/apps?q=user:bob');
  await apps.press('Keep this view');
  server.on('PUT /api/v1/views/bob', {});
  await apps.type('view-name', 'bob').catch(() => apps.type('name', 'bob'));
  await apps.submit('#view form');
  const put = server.asked.find(({what}) => what === 'PUT /api/v1/views/bob');
  assert.deepEqual(put?.body, {page: '/apps', search: '?q=user:bob'});
});

test('one’s own view is forgotten at once, a project’s after a question', async () => {
  const view = (name: string) => ({views: [{name, page: '/apps', search: '?q=x', by: 'ann'}]});
  server
    .on('GET /api/v1/views', view('own'))
    .on('GET /api/v1/projects/default/views', view('theirs'))
    .on('DELETE /api/v1/views/own', {})
    .on('DELETE /api/v1/projects/default/views/theirs', {});
  const apps = await shown([jobRow('12')]);
  const gone = () => server.words().filter((what) => what.startsWith('DELETE'));
  await apps.press('Forget the view own');
  assert.deepEqual(gone(), ['DELETE /api/v1/views/own']);
  await apps.press('Forget the view theirs');
  assert.deepEqual(gone(), []);
  await apps.press('Forget it');
  assert.deepEqual(gone(), ['DELETE /api/v1/projects/default/views/theirs']);
});

test('slots that are not known are told to be so; what changed last is in words', async () => {
  const change = {t: Date.now() / 1000 - 5, id: '7', name: 'm', reason: 'bob came', pause_ms: null};
  const slots = {now: 1, from: 0, capacity: 4, apps: []};
  server.on('GET /api/v1/slots', {
    ...slots,
    changes: [
      {...change, event: 'RESIZE', from: 4, to: 2},
      {...change, event: 'DISPATCH', from: 0, to: 1, t: change.t - 1},
      {...change, event: 'END', from: 1, to: 0, t: change.t - 2},
    ],
  });
  const apps = await shown([jobRow('12')]);
  assert.deepEqual(
    apps.texts('.ev2 p').map((text) => text.replace(/^\d \S+ /, '')),
    ['7 m 4 → 2 : bob came', '7 m started on 1 slot', '7 m ended'],
  );
  page?.end();
  server.on('GET /api/v1/slots', new No(503, 'the master does not answer'));
  assert.match(
    (await shown([jobRow('12')])).text(),
    /Slots are not known: the master does not answer/,
  );
});
