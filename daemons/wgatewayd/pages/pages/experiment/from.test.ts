import assert from 'node:assert/strict';
import {test} from 'node:test';
import {clonedFrom, wordsIn} from './from.ts';
import {FRESH, manifestOf, wordsOf} from './words.ts';

test('words are divided as a shell divides them', () => {
  assert.deepEqual(wordsIn(`a 'b c' "d e" f='g h' ''`), ['a', 'b c', 'd e', 'f=g h', '']);
  assert.deepEqual(wordsIn('  '), []);
});

test('a run is the form again: what it was asked for with comes back', () => {
  const args =
    '--exec-start edtPyTorch --appName mnist --numWorker 4 --workerDeviceType gpu ' +
    '--workerDeviceNum 2 --workerMemory 8g --consumer /research ' +
    '--cs-datastore-meta type=fs,data_path=mnist/small --msd-env A=1 --msd-env B=2 ' +
    '--model-main train.py -- --lr 0.1';
  const {experiment, definition} = clonedFrom(args, 'x');
  assert.deepEqual(experiment, {name: 'mnist-2', data: 'mnist/small', plan: '/research'});
  assert.equal(definition.type, 'elastic');
  assert.equal(definition.command, 'train.py --lr 0.1');
  const words = wordsOf({...FRESH, name: 'mnist', data: 'mnist/small'}, manifestOf(definition), '');
  assert.deepEqual(
    wordsIn(args).filter((word) => !words.includes(word)),
    ['--consumer', '/research'],
    'the plan is the project’s to say',
  );
});

test('what was not said is as a new form has it', () => {
  const {experiment, definition} = clonedFrom('--exec-start PyTorch --model-main a.py', 'my run!');
  assert.equal(experiment.name, 'my-run--2');
  assert.deepEqual(
    [definition.device, definition.per_worker, definition.nodes, definition.type],
    ['cpu', '1', '2', 'single'],
  );
  assert.equal(clonedFrom('', '').definition.framework, 'PyTorch');
  assert.equal(clonedFrom('', '').experiment.name, '');
});
