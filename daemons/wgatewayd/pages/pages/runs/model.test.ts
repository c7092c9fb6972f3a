import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import type {RunRow} from '../../api/shapes_more.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {Runs} from './model.ts';

const run = (id: string, more: Partial<RunRow> = {}): RunRow => ({
  id,
  exec_id: id,
  state: 'finished',
  kept: false,
  own: true,
  elements: 0,
  counts: {},
  description: '',
  note: '',
  tags: [],
  starred: false,
  shelved: false,
  etag: '',
  ...more,
});
let server = new FakeServer();
beforeEach(() => {
  server = new FakeServer();
});
const page = (ids: readonly string[], next = '') => ({
  runs: ids.map((id) => run(id)),
  count: 3,
  ...(next ? {next} : {}),
});
const ids = (runs: Runs) => runs.rows.value?.map((one) => one.id);

test('the first page is what is asked for, and more comes behind it', async () => {
  const runs = new Runs();
  assert.equal(runs.rows.value, null, 'none is known yet, which is not none');
  server.on('GET /api/v1/runs', page(['3', '2'], 'c2'));
  await runs.refresh();
  assert.deepEqual([ids(runs), runs.next.value, runs.count.value], [['3', '2'], 'c2', 3]);
  server.on('GET /api/v1/runs', page(['1']));
  await runs.more();
  assert.deepEqual([ids(runs), runs.next.value], [['3', '2', '1'], '']);
  const [first, second] = server.words();
  assert.equal(first, 'GET /api/v1/runs?limit=100&count=1', 'mine, without a word');
  assert.match(second ?? '', /cursor=c2/);
  await runs.more();
  assert.deepEqual(server.words(), [], 'there is no more');
});

test('what was known stays where asking again fails', async () => {
  const runs = new Runs();
  server.on('GET /api/v1/runs', page(['1']));
  await runs.refresh();
  server.on('GET /api/v1/runs', new No(503, 'the master does not answer'));
  await runs.refresh();
  assert.deepEqual([ids(runs), runs.failure.value?.message], [['1'], 'the master does not answer']);
  server.on('GET /api/v1/runs', page(['1']));
  await runs.refresh();
  assert.equal(runs.failure.value, null);
});

test('metrics are asked of one’s own runs, fifty at a time, each once', async () => {
  const runs = new Runs();
  const rows = Array.from({length: 60}, (_, i) => run(String(i + 1), {own: i !== 0}));
  server.on('GET /api/v1/runs', {runs: rows, count: 60});
  await runs.refresh();
  server.words();
  server.on('GET /api/v1/runs/compare', {
    runs: rows.map((one) => ({...one, settings: {lr: '1'}, metrics: {'m a': 1}, extremes: {}})),
  });
  await runs.compare(true);
  const asked = server.words().map((what) => what.split('ids=')[1]?.split(',').length);
  assert.deepEqual(asked, [50, 9], 'not of another’s');
  await runs.compare(true);
  assert.deepEqual(server.words(), []);
  assert.deepEqual(runs.names.value, ['s:lr', 'm:m a']);
  await runs.compare();
  assert.deepEqual(server.words(), [], 'no column shows a metric');
});

test('of several that are deleted each has its result; the refused ones stay chosen', async () => {
  const runs = new Runs();
  server.on('GET /api/v1/runs', page(['3', '2', '1']));
  await runs.refresh();
  for (const id of ['3', '1', '2']) runs.choose(id);
  runs.choose('3');
  assert.deepEqual([...runs.chosen.value].sort(), ['1', '2']);
  server.on('DELETE /api/v1/runs/1', {});
  server.on('DELETE /api/v1/runs/2', new No(409, 'run 2 has not ended: stop it first'));
  server.words();
  await runs.remove();
  assert.deepEqual(server.words(), [
    'DELETE /api/v1/runs/1',
    'DELETE /api/v1/runs/2',
    'GET /api/v1/runs?limit=100&count=1',
  ]);
  assert.deepEqual(runs.outcomes.value, [
    {id: '1', problem: ''},
    {id: '2', problem: 'run 2 has not ended: stop it first'},
  ]);
  assert.deepEqual([...runs.chosen.value], ['2']);
  assert.equal(runs.busy.value, false);
});

test('tags are added to those that each has; a star that is refused says so', async () => {
  const runs = new Runs();
  server.on('GET /api/v1/runs', {runs: [run('1', {tags: ['old', 'gone']})], count: 1});
  await runs.refresh();
  runs.choose('1');
  let sent: unknown;
  server.on('PATCH /api/v1/runs/1', (body: unknown) => {
    sent = body;
    return {run: run('1', {tags: ['old', 'new']})};
  });
  await runs.tag(['new', '-gone']);
  assert.deepEqual(sent, {tags: ['old', 'new']});
  server.on('PATCH /api/v1/runs/1', new No(404, 'run 1 does not exist'));
  await runs.star(run('1'));
  assert.deepEqual(runs.outcomes.value, [{id: '1', problem: 'run 1 does not exist'}]);
});
