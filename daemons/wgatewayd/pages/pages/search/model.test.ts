import '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Search, Trial} from '../../api/shapes_more.ts';
import {go} from '../../state/address.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {axesOf, brushWords, fits, place, valueAt} from './axes.ts';
import {levelsOf} from './levels.ts';
import {inOrder, SearchModel, shownState, sortOf, trialColumns} from './model.ts';

const trial = (index: number, config: Trial['config'], more: Partial<Trial> = {}): Trial => ({
  index,
  job: `1[${index}]`,
  exec_id: `c-1.${index}`,
  state: 'finished',
  value: index / 10,
  config,
  metrics: {},
  start_time: 1,
  finish_time: 2,
  why: '',
  ...more,
});
const search = (trials: readonly Trial[], more: Partial<Search['search']> = {}): Search => ({
  job: 1,
  name: 's',
  user: 'a',
  state: 'running',
  paused: false,
  reason: '',
  submit_time: 0,
  finish_time: null,
  parallel: 1,
  total: 4,
  running: 0,
  failed: 0,
  over: 0,
  best: null,
  search: {metric: 'loss', goal: 'minimize', ...more},
  trials,
});
const axis = (values: readonly Trial['config'][string][], more: Partial<Search['search']> = {}) => {
  const trials = values.map((x, i) => trial(i + 1, x === null ? {} : {x}));
  const [found] = axesOf(search(trials, {space: [{name: 'x'}], ...more}));
  return found ?? assert.fail('no axis');
};

test('an axis of numbers spans them, one of words has each once', () => {
  assert.deepEqual([axis([1, 5, 3]).low, axis([1, 5, 3]).high], [1, 5]);
  assert.deepEqual(axis(['b', 'a', 'b']).words, ['a', 'b']);
  assert.deepEqual(axis([true, false]).words, ['false', 'true']);
  assert.deepEqual(axis([1, 'a']).words, ['1', 'a'], 'one word makes it words');
  assert.deepEqual([axis([4]).low, axis([4]).high], [2, 6], 'one value has room');
  assert.deepEqual([axis([0]).low, axis([0]).high], [-0.5, 0.5]);
  assert.deepEqual(axis([null]).words, [], 'a setting that no trial has is an axis all the same');
});

test('it is logarithmic where it spans much, or where the space says so, never from 0', () => {
  assert.equal(axis([1, 100]).log, true);
  assert.equal(axis([1, 10]).log, false);
  assert.equal(axis([1, 10], {space: [{name: 'x', log: true}]}).log, true);
  assert.equal(axis([1, 10], {space: [{name: 'x', power: 2}]}).log, true);
  assert.equal(axis([0, 100], {space: [{name: 'x', log: true}]}).log, false);
  assert.equal(axis([-1, 100]).log, false);
});

test('a place is that of its value, there and back, on every kind of axis', () => {
  for (const values of [
    [1, 5, 3],
    [0.001, 1, 0.01],
    [-4, 0, 9],
  ]) {
    const made = axis(values);
    for (const value of values) {
      const at = place(made, value) ?? Number.NaN;
      assert.ok(at >= 0 && at <= 1, `${value} at ${at}`);
      assert.ok(Math.abs(Number(valueAt(made, at)) - value) < 1e-9, String(value));
    }
  }
  const words = axis(['a', 'b', 'c']);
  assert.deepEqual(
    ['a', 'b', 'c'].map((word) => place(words, word)),
    [0, 0.5, 1],
  );
  assert.deepEqual(
    [0, 0.5, 1].map((at) => valueAt(words, at)),
    ['a', 'b', 'c'],
  );
  assert.equal(place(axis(['a']), 'a'), 0.5, 'the only one stands in the middle');
  assert.deepEqual(
    [place(words, null), place(words, undefined), place(axis([1, 2]), 'x')],
    [null, null, null],
  );
});

test('the metric is the last axis, and what is gone on from is none', () => {
  const axes = axesOf(
    search([trial(1, {lr: 1, wm_resume: 3}), trial(2, {extra: 2})], {space: [{name: 'lr'}]}),
  );
  assert.deepEqual(
    axes.map(({name, result}) => [name, result]),
    [
      ['lr', false],
      ['extra', false],
      ['loss', true],
    ],
  );
});

test('words of the filter bound settings, the metric, states and numbers', () => {
  const s = search([
    trial(1, {lr: 0.1, opt: 'adam'}),
    trial(2, {lr: 0.5, opt: 'sgd'}, {state: 'stopped'}),
    trial(12, {lr: 1}, {state: 'failed', value: null}),
  ]);
  const of = (words: string) => s.trials.filter((t) => fits(s, t, words)).map((t) => t.index);
  assert.deepEqual(of(''), [1, 2, 12]);
  assert.deepEqual(of('lr>0.5'), [2, 12]);
  assert.deepEqual(of('lr>0.5 lr<0.5'), [2]);
  assert.deepEqual(of('opt:s'), [2]);
  assert.deepEqual(of('state:pruned'), [2]);
  assert.deepEqual(of('loss<9'), [1, 2], 'one without a value is below nothing');
  assert.deepEqual(of('1'), [1, 12]);
  assert.deepEqual(of('FAIL'), [12]);
});

test('a brush takes the place of what was said of its axis, of no other', () => {
  const lr = {...axis([0.1, 0.2]), name: 'lr'};
  const words = brushWords('lr>0.1 lrx<3 opt:adam lr:5', lr, 0.123456, 0.2);
  assert.equal(words, 'lrx<3 opt:adam lr>0.1235 lr<0.2');
});

test('trials are in the order that is asked for, the best first without; none last', () => {
  const s = search([
    trial(1, {lr: 3}, {value: 0.5}),
    trial(2, {lr: null}, {value: null}),
    trial(3, {lr: 1}, {value: 0.1, start_time: null}),
  ]);
  const order = (sort: string, of = s) =>
    inOrder(of.trials, trialColumns(of, 10), sortOf(of, sort)).map((t) => t.index);
  assert.deepEqual(order(''), [3, 1, 2]);
  assert.deepEqual(order('', search(s.trials, {goal: 'maximize'})), [1, 3, 2]);
  assert.deepEqual(order('lr'), [3, 1, 2]);
  assert.deepEqual(order('-lr'), [1, 3, 2]);
  assert.deepEqual(order('-index'), [3, 2, 1]);
  assert.deepEqual(order('time').at(-1), 3, 'one that has not started has no time');
  assert.deepEqual(order('unheard'), [1, 2, 3]);
});

test('one that was stopped early is called pruned', () => {
  assert.deepEqual(
    ['stopped', 'failed'].map((word) => shownState(word).word),
    ['Pruned', 'Failed'],
  );
});

test('levels of progress: how many came so far, and who was left there', () => {
  const at = (step: number) => ({metrics: {step: {latest: step}}});
  const s = search([
    trial(1, {}, {...at(27), value: 0.1}),
    trial(2, {}, {...at(9), state: 'stopped', value: 0.3}),
    trial(3, {}, {...at(3), state: 'stopped', value: 0.5}),
    trial(4, {}, {...at(1), state: 'running', value: null}),
  ]);
  const {unit, list} = levelsOf(s);
  assert.equal(unit, 'Steps');
  assert.deepEqual(
    list.map((level) => [level.at, level.trials, level.left, level.running, level.best]),
    [
      [1, 4, 0, 1, 0.1],
      [3, 3, 1, 0, 0.1],
      [9, 2, 1, 0, 0.1],
      [27, 1, 0, 0, 0.1],
    ],
  );
  const most = search(s.trials, {goal: 'maximize', params: {ETA: 9}});
  assert.deepEqual(
    levelsOf(most).list.map(({at: level, best}) => [level, best]),
    [
      [3, 0.5],
      [27, 0.1],
    ],
  );
});

test('what is done to a search is told, and it is looked at again', async () => {
  go('/searches/a b');
  const server = new FakeServer()
    .on('GET /api/v1/searches/a%20b', {search: search([trial(1, {lr: 1}), trial(2, {lr: 9})])})
    .on('POST /api/v1/searches/a%20b/pause', new No(409, 'it is over'));
  const model = new SearchModel('a b');
  assert.deepEqual([model.axes.value, model.chosen.value], [[], []]);
  await model.act('pause');
  assert.equal(model.doing.problem.value, 'it is over');
  assert.deepEqual(server.words(), [
    'POST /api/v1/searches/a%20b/pause',
    'GET /api/v1/searches/a%20b',
  ]);
  go('/searches/a b?q=lr>5');
  assert.deepEqual(
    model.chosen.value.map((t) => t.index),
    [2],
  );
  assert.equal(model.axes.value.length, 2);
});
