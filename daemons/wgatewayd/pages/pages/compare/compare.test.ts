import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {JobEvent} from '../../api/shapes.ts';
import type {ComparedRun, GridSeries} from '../../api/shapes_more.ts';
import {
  activeTimes,
  bestOf,
  metricsOf,
  metricWords,
  ordering,
  placed,
  runningAt,
  runsIn,
  settingsOf,
  tableRows,
} from './rules.ts';

const run = (id: string, settings: Record<string, string>, loss: [number, number, number] | null) =>
  ({
    id,
    name: `run-${id}`,
    state: 'finished',
    framework: 'PyTorch',
    settings,
    metrics: loss ? {'train loss': loss[0]} : {},
    extremes: loss ? {'train loss': [loss[1], loss[2]]} : {},
  }) satisfies ComparedRun;

const event = (name: string, t: number, to = 0): JobEvent => ({
  t,
  event: name,
  from: 0,
  to,
  reason: '',
  pause_ms: null,
  steps_lost: null,
});

test('an address names each run once, and no more than are compared', () => {
  assert.deepEqual(runsIn('3, 1,3,,2'), {ids: ['3', '1', '2'], left: 0});
  assert.deepEqual(runsIn(''), {ids: [], left: 0});
  const many = runsIn(Array.from({length: 60}, (_, i) => i).join(','));
  assert.deepEqual([many.ids.length, many.left], [50, 10]);
});

test('only what differs is shown; a run without a setting stays', () => {
  const runs = [
    run('1', {lr: '0.1', steps: '9'}, null),
    run('2', {lr: '0.5', steps: '9'}, null),
    run('3', {steps: '9'}, null),
  ];
  assert.deepEqual(settingsOf(runs), {differing: ['lr'], equal: ['steps', 'framework']});
  assert.deepEqual(settingsOf(runs.slice(0, 1)).differing, []);
  assert.deepEqual(settingsOf([]), {differing: [], equal: []});
});

test('the best loss is the least, the best accuracy the most', () => {
  const one = run('1', {}, [0.5, 0.1, 2]);
  assert.equal(bestOf(one, 'train loss'), 0.1);
  const two = {...one, extremes: {'test accuracy': [0.2, 0.9] as const}};
  assert.equal(bestOf(two, 'test accuracy'), 0.9);
  assert.equal(bestOf(two, 'train loss'), null);
  assert.deepEqual(metricsOf([one, run('2', {}, null)]), ['train loss']);
  assert.deepEqual(['train loss', 'test loss', 'my own'].map(metricWords), [
    'loss',
    'loss, validation',
    'own, my',
  ]);
});

test('numbers are ordered as such, and what is missing as missing', () => {
  assert.deepEqual(['10', '1e-3', 'adam', '', undefined].map(ordering), [
    10,
    0.001,
    'adam',
    null,
    null,
  ]);
});

test('running time leaves waits out', () => {
  const active = activeTimes([
    event('SUBMIT', 0),
    event('DISPATCH', 10, 2),
    event('RESIZE', 15, 1),
    event('REQUEUE', 20),
    event('DISPATCH', 50, 2),
  ]);
  assert.deepEqual(active, [
    [10, 20],
    [50, Infinity],
  ]);
  assert.deepEqual(
    [5, 15, 40, 60].map((t) => runningAt(active, t)),
    [0, 5, 10, 20],
  );
});

const losses: GridSeries = {
  group: 'train',
  name: 'loss',
  points: [
    [100, 1000, 2, 1, 3, 4],
    [104, 1010, 1, 1, 1, 4],
    [108, 0, 0.5, 0.4, 0.6, 1],
  ],
};

test('points lie on the axis that is asked for; what has no place there is left out', () => {
  const epoch: GridSeries = {
    group: 'train',
    name: 'epoch',
    points: [
      [96, 0, 3, 3, 3, 1],
      [104, 0, 4, 4, 4, 1],
    ],
  };
  const clock = {series: [losses, epoch], events: [event('DISPATCH', 990, 1)]};
  const places = (axis: Parameters<typeof placed>[1]) =>
    placed(losses, axis, clock).mean.map(([at]) => at);
  assert.deepEqual(places('step'), [100, 104, 108]);
  assert.deepEqual(places('relative'), [4, 8, 12], 'since the first step that it reported');
  assert.deepEqual(places('time'), [1000, 1010]);
  assert.deepEqual(places('running'), [10, 20]);
  assert.deepEqual(places('epoch'), [3, 4, 4]);
  const alone = {series: [losses], events: []};
  assert.deepEqual(placed(losses, 'running', alone).mean, []);
  assert.deepEqual(placed(losses, 'epoch', alone).mean, []);
  const made = placed(losses, 'step', clock);
  assert.deepEqual([made.least[0], made.most[0], made.counts[0]], [[100, 1], [100, 3], 4]);
});

test('the file of the table has all runs and metrics, missing ones empty', () => {
  const rows = tableRows([run('1', {lr: '0.1'}, [0.5, 0.1, 2]), run('2', {}, null)]);
  assert.deepEqual(rows, [
    ['run', 'name', 'state', 'lr', 'loss, best', 'loss, last'],
    ['1', 'run-1', 'finished', '0.1', 0.1, 0.5],
    ['2', 'run-2', 'finished', '', '', ''],
  ]);
});
