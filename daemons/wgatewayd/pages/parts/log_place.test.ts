import assert from 'node:assert/strict';
import {test} from 'node:test';
import {LogText} from './log_model.ts';

/** A file of these bytes, and what was asked of it. */
function fileOf(text: string) {
  const bytes = new TextEncoder().encode(text);
  const asked: string[] = [];
  const read = async (from: number | null, tail: number, most: number) => {
    asked.push(`${from} ${tail} ${most}`);
    const begin = from ?? Math.max(0, bytes.length - tail);
    const end = most > 0 ? begin + most : bytes.length;
    return {from: begin, bytes: bytes.subarray(begin, end)};
  };
  return {read, asked};
}
const textOf = (log: LogText) => log.pieces.value.map((piece) => piece.text).join('');

test('a place deep in a long file is gone to, and read on to its end', async () => {
  const whole = Array.from({length: 120_000}, (_, i) => `line ${i}\n`).join('');
  const {read, asked} = fileOf(whole);
  const log = new LogText(read);
  await log.follow();
  const at = whole.indexOf('line 20000\n');
  await log.goTo(at);
  assert.deepEqual([log.parted.value, log.wanted.value], [true, at]);
  assert.equal(textOf(log).includes('line 20000\n'), true);
  assert.equal(log.cut.value, at - (16 << 10));
  const before = asked.length;
  await log.follow();
  assert.equal(asked.length, before, 'nothing is added below another place');
  await log.later();
  assert.equal(log.parted.value, true);
  while (log.parted.value) await log.later();
  assert.equal(textOf(log).endsWith('line 119999\n'), true);
  await log.follow();
  assert.equal(asked.at(-1), `${whole.length} ${64 << 10} 0`);
});

test('from a place one goes back to the end', async () => {
  const whole = 'x\n'.repeat(200_000);
  const {read} = fileOf(whole);
  const log = new LogText(read);
  await log.goTo(10);
  await log.toEnd();
  assert.deepEqual([log.parted.value, log.wanted.value], [false, null]);
  assert.equal(log.cut.value, whole.length - (64 << 10));
});

test('a place that cannot be read is said', async () => {
  const log = new LogText(async () => {
    throw new Error('away');
  });
  await log.goTo(10);
  assert.equal(log.problem.value.includes('away'), true);
  assert.equal(log.loaded.value, true);
});
