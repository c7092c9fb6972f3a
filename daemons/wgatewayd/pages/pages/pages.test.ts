import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Search, Trial} from '../api/shapes_more.ts';
import {
  dataOf,
  FRESH,
  FRESH_DEFINITION,
  frameworkFor,
  located,
  manifestOf,
  textsOf,
  wordsOf,
} from './experiment/words.ts';
import {axesOf, brushWords, fits, place, valueAt} from './search/axes.ts';
import {levelsOf} from './search/levels.ts';
import {framed, ranking, reduced, request} from './service/sample.ts';

test('a picture is reduced by area', () => {
  const four = [
    [1, 1, 0, 0],
    [1, 1, 0, 0],
    [0, 0, 0, 1],
    [0, 0, 1, 0],
  ];
  assert.deepEqual(reduced(four, 2, 2), [
    [1, 0],
    [0, 0.5],
  ]);
  assert.deepEqual(
    reduced([[0, 1, 0]], 2, 1)[0]?.map((v) => Math.round(v * 100)),
    [33, 33],
  );
});

test('a drawing is cut out square with its margin', () => {
  const drawn = [
    [0, 0, 0, 0],
    [0, 1, 0, 0],
    [0, 1, 0, 0],
    [0, 0, 0, 0],
  ];
  assert.deepEqual(framed(drawn, 0), [
    [1, 0],
    [1, 0],
  ]);
  assert.equal(framed(drawn, 0.25).length, 4);
  assert.deepEqual(framed([[0, 0]], 0), [[0, 0]]);
});

test('a request has the signature’s shape and an answer its ranking', () => {
  const [input] = request(
    [
      [1, 0],
      [0, 0],
    ],
    [3, 1, 1],
  ).inputs;
  assert.deepEqual(input?.shape, [1, 3, 1, 1]);
  assert.deepEqual(input?.data, [0.25, 0.25, 0.25]);
  const outputs = [
    {name: 'probability', data: [0.1, 0.7, 0.2]},
    {name: 'label', data: ['one']},
  ];
  assert.deepEqual(ranking({outputs}), [
    ['one', 0.7],
    ['2', 0.2],
    ['0', 0.1],
  ]);
  assert.equal(ranking({predictions: []}), null);
  assert.equal(ranking('text'), null);
});

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
const search = (trials: Trial[], params: Search['search']['params'] = []): Search => ({
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
  search: {metric: 'loss', goal: 'minimize', space: [{name: 'lr'}], ...(params ? {params} : {})},
  trials,
});

test('settings are axes: logarithmic where they span much, words where they are no numbers', () => {
  const s = search([
    trial(1, {lr: 0.001, opt: 'adam'}),
    trial(2, {lr: 0.1, opt: 'sgd', wm_resume: 1}),
  ]);
  const [lr, opt, loss] = axesOf(s);
  assert.deepEqual([lr?.log, opt?.words, loss?.result], [true, ['adam', 'sgd'], true]);
  assert.equal(axesOf(s).length, 3);
  if (!lr || !opt) return assert.fail();
  assert.equal(Math.round((place(lr, 0.01) ?? 0) * 100), 50);
  assert.equal(place(opt, 'other'), null);
  assert.ok(Math.abs(Number(valueAt(lr, 0.5)) - 0.01) < 1e-9);
});

test('a brush is words of the filter in place of those of its axis, and trials fit them', () => {
  const s = search([
    trial(1, {lr: 0.001, opt: 'adam'}),
    trial(2, {lr: 0.1, opt: 'sgd'}, {state: 'stopped'}),
  ]);
  const [lr, opt] = axesOf(s);
  if (!lr || !opt) return assert.fail();
  assert.equal(brushWords('lr<1 state:failed', lr, 0.01, 0.2), 'state:failed lr>0.01 lr<0.2');
  assert.equal(brushWords('', opt, 'adam', 'sgd'), 'opt:adam,sgd');
  const fitting = (words: string) => s.trials.filter((t) => fits(s, t, words)).map((t) => t.index);
  assert.deepEqual(fitting('lr>0.01'), [2]);
  assert.deepEqual(fitting('opt:adam,sgd state:pruned'), [2]);
  assert.deepEqual(fitting('loss<0.1'), [1]);
  assert.deepEqual(fitting('none:x'), []);
});

test('trials that were cut short are levels', () => {
  const none = search([trial(1, {})]);
  assert.deepEqual(levelsOf(none).list, []);
  const s = search(
    [trial(1, {epochs: 1}), trial(2, {epochs: 3, wm_resume: 1})],
    [{name: 'resourceName', value: 'epochs'}],
  );
  assert.deepEqual(
    levelsOf(s).list.map((l) => [l.at, l.trials, l.left, l.best]),
    [
      [1, 1, 0, 0.1],
      [3, 1, 1, 0.2],
    ],
  );
});

const D = {
  ...FRESH_DEFINITION,
  definition: 'cnn',
  framework: 'edtPyTorch',
  command: 'train.py --lr 0.1',
  env: 'A=1\n\n B=2 ',
};

test('a definition is the words of --exec-start; a global command takes its place', () => {
  const d = manifestOf(D);
  assert.deepEqual(d.env, ['A=1', 'B=2']);
  const words = wordsOf({...FRESH, name: 'exp', data: 'mnist'}, d, '/research');
  assert.equal(
    words.join(' '),
    '--exec-start edtPyTorch --appName exp-cnn --numWorker 2 ' +
      '--workerDeviceType gpu --workerDeviceNum 1 ' +
      '--consumer /research --cs-datastore-meta type=fs,data_path=mnist ' +
      '--msd-env A=1 --msd-env B=2 ' +
      '--model-main train.py -- --lr 0.1',
  );
  assert.ok(
    wordsOf({...FRESH, allCommand: 'all.py'}, d, '')
      .join(' ')
      .endsWith('--model-main all.py'),
  );
  assert.equal(manifestOf({...D, framework: 'PyTorch'}).nodes, '1');
});

test('one that is there is the form and back, whatever it asks for', () => {
  const all = [
    manifestOf(D),
    manifestOf({...D, framework: 'PyTorch', device: 'cpu'}),
    manifestOf({...D, gpu_kind: 'slice', mig: '1g.10gb'}),
    manifestOf({...D, hardware: 'two'}),
    manifestOf({...D, framework: 'disttensorflow', nodes: '3', memory: '8g'}),
  ];
  for (const one of all) assert.deepEqual(manifestOf(textsOf(one)), one);
});

test('hardware, slices and volumes are said beside the words', () => {
  const slice = manifestOf({...D, gpu_kind: 'slice', mig: '1g.10gb'});
  assert.equal(
    dataOf(FRESH, slice),
    JSON.stringify({
      hardwareSpec: {nodes: {gpu: {num_gpu: '1', kind: 'slice', mig_profile: '1g.10gb'}}},
    }),
  );
  assert.equal(
    dataOf(FRESH, manifestOf({...D, hardware: 'two'})),
    '{"hardwareSpec":{"name":"two"}}',
  );
  assert.equal(dataOf(FRESH, manifestOf({...D, device: 'cpu'})), '');
  assert.match(
    dataOf({...FRESH, volume: 'v', data: 'below'}, slice),
    /"volume":"v","paths":"below"/,
  );
});

test('a training type chooses the framework of the same library', () => {
  assert.equal(frameworkFor('elastic', 'PyTorch'), 'edtPyTorch');
  assert.equal(frameworkFor('multi', 'tensorflow'), 'disttensorflow');
  assert.equal(frameworkFor('single', 'distPyTorch'), 'PyTorch');
});

test('a refusal in the words of dlicmd is at its field, in the form’s words', () => {
  assert.deepEqual(located('--workerDeviceNum: 65 is more than 64'), {
    field: 'per_worker',
    text: 'each worker: 65 is more than 64',
  });
  assert.equal(located('framework tensorflow: the module is not installed').field, 'framework');
  assert.equal(located("storage volume 'x' does not exist").field, 'volume');
  assert.deepEqual(located('hardwareSpec: gpu.kind slice and gpu.mig_profile go together'), {
    field: 'mig',
    text: 'A slice wants its MIG profile.',
  });
  assert.equal(located('something else').field, '');
});
