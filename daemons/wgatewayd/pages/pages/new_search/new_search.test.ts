import assert from 'node:assert/strict';
import {test} from 'node:test';
import {
  argsOf,
  FRESH_SEARCH,
  freshParam,
  missingIn,
  paramFault,
  paramOf,
  type ParamTexts,
  searchOf,
  suggested,
} from './rules.ts';

const param = (more: Partial<ParamTexts>): ParamTexts => ({...freshParam('k'), ...more});

test('a parameter is a range of numbers, or values of one type', () => {
  const lr = param({name: ' lr ', low: '1e-4', high: '1', log: true});
  assert.deepEqual(paramOf(lr), {
    name: 'lr',
    type: 'Range',
    dataType: 'double',
    minDbVal: 0.0001,
    maxDbVal: 1,
    log: true,
  });
  assert.deepEqual(paramOf(param({name: 'n', whole: true, low: '1', high: '8'})), {
    name: 'n',
    type: 'Range',
    dataType: 'int',
    minIntVal: 1,
    maxIntVal: 8,
  });
  const values = (text: string) => paramOf(param({name: 'v', kind: 'values', values: text}));
  assert.deepEqual(values('16, 32,64').discreteIntVal, [16, 32, 64]);
  assert.deepEqual(values('0.1, 1').discreteDbVal, [0.1, 1]);
  assert.deepEqual(values('adam, sgd, 1').discreteStrVal, ['adam', 'sgd', '1']);
});

test('what cannot be searched over is said before anybody is asked', () => {
  assert.equal(paramFault(param({name: 'lr', low: '0.1', high: '1', log: true})), '');
  assert.equal(paramFault(param({name: 'o', kind: 'values', values: 'a'})), '');
  assert.match(paramFault(param({name: ''})), /name/);
  assert.match(paramFault(param({name: 'a b', low: '0', high: '1'})), /name/);
  assert.match(paramFault(param({name: 'x', low: '', high: '1'})), /Numbers are wanted/);
  assert.match(paramFault(param({name: 'x', whole: true, low: '0.5', high: '2'})), /Whole/);
  assert.match(paramFault(param({name: 'x', low: '2', high: '2'})), /smaller/);
  assert.match(paramFault(param({name: 'x', low: '0', high: '2', log: true})), /above 0/);
  assert.match(paramFault(param({name: 'x', kind: 'values', values: ' , '})), /values/);
});

test('each trial is words of --exec-start; the search is what dlicmd reads', () => {
  const texts = {...FRESH_SEARCH, command: 'train.py --epochs 3', plan: '/research', name: 's'};
  assert.equal(
    argsOf(texts),
    '--exec-start PyTorch --numWorker 1 --workerDeviceType cpu --workerDeviceNum 1 ' +
      '--consumer /research --model-main train.py -- --epochs 3',
  );
  const made = searchOf({...texts, minutes: '', trials: ''}, [
    param({name: 'lr', low: '0', high: '1'}),
  ]);
  assert.equal(made.hpoName, 's');
  assert.equal(made.hyperParams.length, 1);
  assert.deepEqual(made.algoDef, {
    algorithm: 'auto',
    objectiveMetric: 'loss',
    objective: 'minimize',
    maxJobNum: -1,
    maxParalleJobNum: 4,
    maxRunTime: -1,
  });
  assert.ok(!('hpoName' in searchOf(FRESH_SEARCH, [])));
});

test('Hyperband says what grows, and up to how much', () => {
  const texts = {...FRESH_SEARCH, algorithm: 'Hyperband', most: '27'};
  assert.deepEqual(searchOf(texts, []).algoDef.algoParams, [
    {name: 'ResourceName', value: 'epochs'},
    {name: 'ResourceValue', value: '27'},
  ]);
  const lr = [param({name: 'lr', low: '0', high: '1'})];
  assert.deepEqual(missingIn({...texts, most: 'x'}, lr, true), {
    most: 'Up to how much? A number from 1.',
  });
  assert.deepEqual(missingIn(texts, lr, true), {});
});

test('what is wanting is told at its field', () => {
  const texts = {
    ...FRESH_SEARCH,
    command: ' ',
    metric: '',
    trials: '0',
    parallel: '',
    minutes: 'x',
  };
  const wrong = missingIn(texts, [], false);
  assert.deepEqual(Object.keys(wrong).sort(), [
    'code',
    'command',
    'metric',
    'minutes',
    'parallel',
    'params',
    'trials',
  ]);
  const twice = [param({name: 'lr'}), param({name: 'lr'})];
  assert.equal(missingIn(FRESH_SEARCH, twice, true).params, 'lr is there twice.');
});

test('settings of a run suggest a space around them', () => {
  const lr = suggested('lr', '0.01', 'a');
  assert.deepEqual([lr.low, lr.high, lr.log, lr.whole], ['0.001', '0.1', true, false]);
  const layers = suggested('layers', '4', 'b');
  assert.deepEqual([layers.low, layers.high, layers.whole], ['1', '40', true]);
  const none = suggested('drop', '0', 'c');
  assert.deepEqual([none.low, none.high, none.log], ['0', '1', false]);
  assert.deepEqual(suggested('opt', 'adam', 'd').values, 'adam');
  for (const one of [lr, layers, none, suggested('opt', 'adam', 'd')])
    assert.equal(paramFault(one), '', one.name);
});
