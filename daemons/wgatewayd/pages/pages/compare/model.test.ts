import '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import type {ComparedRun} from '../../api/shapes_more.ts';
import {csv} from '../../base/text.ts';
import {go, setParam} from '../../state/address.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {Comparison} from './model.ts';
import {settingOf, settingsOf, tableRows} from './rules.ts';

const run = (id: string, more: Partial<ComparedRun> = {}): ComparedRun => ({
  id,
  state: 'finished',
  settings: {},
  metrics: {},
  extremes: {},
  ...more,
});
const settled = async () => {
  for (let turn = 0; turn < 10; ++turn) await new Promise((done) => setImmediate(done));
};
let server = new FakeServer();
const metrics = Object.fromEntries(Array.from({length: 9}, (_, i) => [`train m${i}`, i]));
beforeEach(() => {
  go('/compare?runs=1,2');
  server = new FakeServer()
    .on('GET /api/v1/runs/compare', {runs: [run('1', {metrics}), run('2')]})
    .on('GET /api/v1/runs/series', {width: 1, runs: [{series: []}, {series: []}]});
});

test('settings and ends are asked for once, curves of the drawn metrics alone', async () => {
  const model = new Comparison();
  const end = model.begin();
  await settled();
  const asked = server.words().map(decodeURIComponent);
  assert.equal(asked[0], 'GET /api/v1/runs/compare?ids=1,2');
  assert.equal(asked.filter((what) => what.includes('/series')).length, 1);
  assert.match(asked[1] ?? '', /names=train m0\ntrain m1\ntrain m2\ntrain m3\ntrain m4\ntrain m5&/);
  model.whole.value = true;
  await settled();
  assert.match(decodeURIComponent(server.words()[0] ?? ''), /train m8/);
  end();
});

test('one run is no comparison: nothing is asked', async () => {
  go('/compare?runs=1');
  const model = new Comparison();
  const end = model.begin();
  await settled();
  assert.deepEqual(server.words(), []);
  end();
});

test('a filter chooses metrics by a part of their name; only those are asked for', async () => {
  setParam('q', 'M7');
  const model = new Comparison();
  const end = model.begin();
  await settled();
  assert.deepEqual(model.drawn.value, ['train m7']);
  assert.match(decodeURIComponent(server.words()[1] ?? ''), /names=train m7&/);
  end();
});

test('epochs are asked for as well: another axis is made of them', async () => {
  server.on('GET /api/v1/runs/compare', {
    runs: [run('1', {metrics: {'train loss': 1, 'train Epoch': 3}}), run('2')],
  });
  setParam('q', 'loss');
  const model = new Comparison();
  const end = model.begin();
  await settled();
  assert.match(decodeURIComponent(server.words()[1] ?? ''), /names=train loss\ntrain Epoch&/);
  end();
});

test('over running time each run’s waits are asked for, once', async () => {
  server.on('GET /api/v1/jobs/1/timeline', {events: [{event: 'DISPATCH', t: 5, from: 0, to: 1}]});
  server.on('GET /api/v1/jobs/2/timeline', new No(404, 'gone'));
  const model = new Comparison();
  const end = model.begin();
  await settled();
  server.words();
  setParam('x', 'running');
  await settled();
  assert.deepEqual(server.words(), ['GET /api/v1/jobs/1/timeline', 'GET /api/v1/jobs/2/timeline']);
  assert.deepEqual(model.clockOf('1').events.length, 1);
  assert.deepEqual(model.clockOf('2').events, []);
  setParam('x', 'step');
  setParam('x', 'running');
  await settled();
  assert.deepEqual(server.words(), []);
  end();
});

test('what goes on is asked for again, what is over is not', async () => {
  const model = new Comparison();
  const end = model.begin();
  await settled();
  server.words();
  await model.refresh();
  assert.deepEqual(server.words(), []);
  server.on('GET /api/v1/runs/compare', {runs: [run('1', {state: 'running'}), run('2')]});
  await model.known.refresh();
  server.words();
  await model.refresh();
  assert.equal(server.words()[0], 'GET /api/v1/runs/compare?ids=1,2');
  end();
});

test('an axis or a baseline that is none is the first one', () => {
  const model = new Comparison();
  setParam('x', 'sideways');
  setParam('base', '99');
  assert.deepEqual([model.axis.value, model.baseline.value], ['step', '1']);
  setParam('base', '2');
  assert.equal(model.baseline.value, '2');
});

test('settings in which runs differ come apart from those in which all agree', () => {
  const runs = [
    run('1', {settings: {lr: '0.1', seed: '1'}, plan: '/a', user: 'ann'}),
    run('2', {settings: {lr: '0.2', seed: '1'}, plan: '/b', user: 'ann'}),
    run('3', {settings: {seed: '1'}, plan: '/a', user: 'ann'}),
  ];
  assert.deepEqual(settingsOf(runs), {differing: ['lr', 'plan'], equal: ['seed', 'user']});
  assert.equal(settingOf(runs[2] ?? run(''), 'lr'), undefined, 'a run without it stays, without');
  assert.deepEqual(settingsOf(runs.slice(0, 1)).differing, []);
  const named = [
    run('1', {settings: {plan: 'mine'}, plan: '/a'}),
    run('2', {settings: {plan: 'mine'}}),
  ];
  assert.deepEqual(settingsOf(named).equal, ['plan'], 'a setting of that name goes before');
  assert.deepEqual(settingsOf([]), {differing: [], equal: []});
});

test('the file of the table has what differs, each metric’s best and last, and no formula', () => {
  const rows = tableRows([
    run('1', {
      name: '=cmd()',
      settings: {lr: '1'},
      metrics: {'train loss': 2},
      extremes: {'train loss': [1, 3]},
    }),
    run('2', {settings: {lr: '2'}}),
  ]);
  assert.deepEqual(rows, [
    ['run', 'name', 'state', 'lr', 'loss, best', 'loss, last'],
    ['1', '=cmd()', 'finished', '1', 1, 2],
    ['2', '', 'finished', '2', '', ''],
  ]);
  assert.ok(csv(rows).includes("'=cmd()"));
});
