import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {MergedPart} from '../../api/shapes_logs.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {dated, merged, MergedLog} from './merged.ts';

const part = (task: number, text: string, more: Partial<MergedPart> = {}): MergedPart => ({
  task,
  stream: 'stdout',
  from: 0,
  to: text.length,
  size: text.length,
  changed: 100,
  text,
  ...more,
});
const words = (lines: readonly {task: number; text: string}[]) =>
  lines.map(({task, text}) => `${task} ${text}`);

test('lines of a file lie between its start and its last change, in their order', () => {
  const lines = dated(part(0, 'aaa\nbbb\nccc\n'), 40);
  assert.deepEqual(
    lines.map(({text, t}) => [text, Math.round(t)]),
    [
      ['aaa', 60],
      ['bbb', 80],
      ['ccc', 100],
    ],
  );
  assert.deepEqual(dated(part(0, ''), 40), []);
  assert.equal(dated(part(0, 'x\n', {changed: 10}), 40)[0]?.t, 40, 'a clock that is wrong');
  assert.equal(dated(part(0, 'x\n', {size: 0}), 40)[0]?.t, 100);
});

test('two workers are woven, each in its own order', () => {
  const lines = merged([part(0, 'a\nb\nc\nd\n'), part(1, 'x\ny\n')], 0);
  assert.deepEqual(words(lines), ['0 a', '0 b', '1 x', '0 c', '0 d', '1 y']);
});

const PATH = '/api/v1/jobs/7';
const MERGED = `GET ${PATH}/logs/merged`;

test('what is asked for again is what is new, and stays behind what was shown', async () => {
  const server = new FakeServer();
  const log = new MergedLog(PATH, 0);
  server.on(MERGED, {parts: [part(0, 'a\n'), part(1, 'ä\n', {to: 3})], left_out: 0});
  await log.follow();
  assert.deepEqual(server.words(), [`${MERGED}?have=`]);
  server.on(MERGED, {
    parts: [
      part(0, 'b\n', {from: 2, to: 4, size: 4, changed: 200}),
      part(1, '', {from: 3, to: 3, size: 3}),
      part(2, 'new\n', {changed: 150}),
    ],
    left_out: 5,
  });
  await log.follow();
  assert.deepEqual(server.words(), [`${MERGED}?have=2,3`]);
  const pieces = log.pieces.value.map(({lines}) => words(lines));
  assert.deepEqual(pieces, [
    ['0 a', '1 ä'],
    ['2 new', '0 b'],
  ]);
  assert.deepEqual([log.leftOut.value, log.cut.value], [5, false]);
});

test('nothing new is nothing drawn; no output yet is no error', async () => {
  const server = new FakeServer();
  const log = new MergedLog(PATH, 0);
  await log.follow();
  assert.deepEqual([log.problem.value, log.loaded.value], ['', true]);
  server.on(MERGED, {parts: [part(0, '')], left_out: 0});
  await log.follow();
  assert.equal(log.pieces.value.length, 0);
  server.on(MERGED, new No(503, 'away'));
  await log.follow();
  assert.equal(log.problem.value, 'away');
});

test('the oldest go where there are too many, and it says that there were some', async () => {
  const server = new FakeServer();
  const log = new MergedLog(PATH, 0);
  const many = Array.from({length: 3000}, (_, i) => `line ${i}\n`).join('');
  for (let i = 0; i < 3; ++i) {
    server.on(MERGED, {parts: [part(0, many, {from: i * many.length})], left_out: 0});
    await log.follow();
  }
  assert.equal(log.pieces.value.length, 1);
  assert.equal(log.cut.value, true);
});

test('what is written to stderr at the end is together, at the end', () => {
  const text = 'Traceback:\n  File\nValueError: x\n';
  const lines = dated(part(0, text, {stream: 'stderr'}), 40);
  assert.deepEqual(
    lines.map(({t}) => t),
    [100, 100, 100],
  );
});
