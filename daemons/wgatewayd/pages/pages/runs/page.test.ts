import {fakeHistory, fire} from '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';
import {go} from '../../state/address.ts';
import {answerAll} from '../shared/fake_answers.ts';
import {compared, runRow} from '../shared/fake_rows.ts';
import {FakePage, settled} from '../../parts/fake_page.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import RunsPage from './page.tsx';

let page: FakePage | null = null;
let server = new FakeServer();
beforeEach(() => {
  go('/runs');
  server = answerAll(new FakeServer());
});
afterEach(() => {
  page?.end();
  page = null;
});
/** Longer than what is typed waits for. */
const asked = async () => {
  await new Promise((done) => setTimeout(done, 270));
  await settled();
};
async function shown() {
  page = await FakePage.of(RunsPage, {});
  await settled();
  return page;
}
const ids = (of: FakePage) =>
  of.all('.rows [role=row]').map((row) => row.children[3]?.textContent.trim());
const rows = (...list: ReturnType<typeof runRow>[]) =>
  server.on('GET /api/v1/runs', {runs: list, count: list.length});

test('words of the filter are the server’s to answer; wrong ones are told', async () => {
  const runs = await shown();
  server.words();
  await runs.type('Filter runs', 'tag:paper stat:x');
  await asked();
  const lists = server.words().filter((what) => what.startsWith('GET /api/v1/runs?'));
  assert.deepEqual(lists, ['GET /api/v1/runs?tag=paper&limit=100&count=1']);
  assert.match(runs.text('.filter-err'), /no field "stat:"; state:\?/);
  await runs.press('Everyone');
  await asked();
  assert.match(server.words()[0] ?? '', /user=all/);
});

test('settings and metrics are columns, chosen by name, to order by', async () => {
  rows(
    runRow('1', undefined, {args: 'a -- --lr 0.5'}),
    runRow('2', undefined, {args: 'a'}),
    runRow('3', undefined, {args: 'a -- --lr 0.1'}),
  );
  server.on('GET /api/v1/runs/compare', {runs: [compared('1')]});
  const runs = await shown();
  await runs.press('Columns');
  await runs.type('Settings and metrics of these runs', 'LR');
  const box = runs.all('.choices input')[0];
  if (box) fire(box, 'change');
  await settled();
  assert.equal(fakeHistory.gone.at(-1), '/runs?cols=s%3Alr');
  await runs.press('lr');
  assert.equal(ids(runs).at(-1), '2', 'a run without it stays, last');
  await runs.press('lr ↑');
  assert.equal(ids(runs).at(-1), '2');
  assert.match(fakeHistory.gone.at(-1) ?? '', /sort=-s%3Alr/);
});

test('a column that none has is told; of very many some are listed', async () => {
  const many = Array.from({length: 300}, (_, i) => `--s${i} 1`).join(' ');
  rows(runRow('1', undefined, {args: `a -- ${many}`, own: false}));
  const runs = await shown();
  await runs.press('Columns');
  assert.match(runs.text('.choices'), /100 more: find by name/);
  await runs.type('Settings and metrics of these runs', 'nowhere');
  assert.match(runs.text('.choices'), /None has one of that name/);
});

test('deleting asks first, and says what stays; each has its result', async () => {
  const runs = await shown();
  server.on('DELETE /api/v1/runs/9', {}).on('DELETE /api/v1/runs/12', new No(409, 'it runs'));
  for (const box of runs.all('.rows input[type=checkbox]')) fire(box, 'change');
  await settled();
  await runs.press('Delete');
  assert.match(runs.text('#confirm'), /Delete 2 runs\?.*Models that were saved of them stay/);
  await runs.press('Delete 2');
  assert.match(runs.text('.bulk'), /1 chosen.*1 done\. 12: it runs/);
});

test('tags are added and taken away as words; none are sent where none are said', async () => {
  const runs = await shown();
  for (const box of runs.all('.rows input[type=checkbox]').slice(0, 1)) fire(box, 'change');
  await settled();
  Object.assign(globalThis, {prompt: () => null});
  server.words();
  await runs.press('Tag');
  assert.deepEqual(server.words(), []);
  Object.assign(globalThis, {prompt: () => 'good, -paper'});
  server.on('PATCH /api/v1/runs/12', {run: runRow('12', undefined, {tags: ['good']})});
  await runs.press('Tag');
  assert.deepEqual(server.asked[0]?.body, {tags: ['good']});
});

test('another’s run is neither chosen nor starred', async () => {
  rows(runRow('1', undefined, {own: false}), runRow('2'));
  const runs = await shown();
  assert.equal(runs.all('.rows input[type=checkbox]').length, 1);
  assert.throws(() => runs.called('Star 1'));
  server.on('PATCH /api/v1/runs/2', {run: runRow('2', undefined, {starred: true})});
  await runs.press('Star 2');
  assert.equal(runs.called('Star 2').getAttribute('aria-pressed'), 'true');
});

test('more than a page come when they are asked for; an order of a part says so', async () => {
  server.on('GET /api/v1/runs', {runs: [runRow('12')], count: 2, next: 'c'});
  const runs = await shown();
  assert.match(runs.text('.fine'), /1 of 2/);
  go('/runs?sort=id');
  await settled();
  assert.match(runs.text('.fine'), /Ordered are those that are here/);
  server.on('GET /api/v1/runs', {runs: [runRow('9')], count: 2});
  await runs.press('More');
  assert.deepEqual(ids(runs), ['9', '12']);
});

test('an array has its counts, a run of an archive its name still', async () => {
  rows(runRow('7', undefined, {state: '', elements: 30, counts: {running: 4, finished: 26}}));
  const runs = await shown();
  assert.match(runs.text('.rows'), /Array.*30 elements: 4 running, 26 finished/);
});

test('where the list cannot be had that is told, with a way to ask again', async () => {
  server.on('GET /api/v1/runs', new No(503, 'the archive does not answer'));
  const runs = await shown();
  assert.match(runs.text('[role=alert]'), /the archive does not answer/);
  assert.doesNotMatch(runs.text(), /Nothing of yours has run/);
  rows(runRow('12'));
  await runs.press('Try again');
  assert.deepEqual(ids(runs), ['12']);
});
