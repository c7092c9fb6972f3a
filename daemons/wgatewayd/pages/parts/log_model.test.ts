import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Refused} from '../api/problem.ts';
import {LogText, occurrences, type Part, whole} from './log_model.ts';

/** A file that grows, as the server has it; what it was asked for is kept. */
class File {
  bytes: Uint8Array;
  readonly asked: string[] = [];
  fails: Refused | null = null;
  constructor(text: string) {
    this.bytes = new TextEncoder().encode(text);
  }
  add(text: string) {
    this.bytes = new TextEncoder().encode(new TextDecoder().decode(this.bytes) + text);
  }
  read = async (from: number | null, tail: number, most: number): Promise<Part> => {
    this.asked.push(`${from} ${tail} ${most}`);
    if (this.fails) throw this.fails;
    const begin = Math.min(this.bytes.length, from ?? Math.max(0, this.bytes.length - tail));
    return {from: begin, bytes: this.bytes.subarray(begin, most ? begin + most : undefined)};
  };
}
const textOf = (log: LogText) => log.pieces.value.map((piece) => piece.text).join('');
/** So many lines, each with its number. */
const numbered = (count: number) =>
  Array.from({length: count}, (_, i) => `line ${String(i).padStart(7, '0')}\n`).join('');
const LINE = 13;

test('no output yet is no error; another refusal is told, and what was read stays', async () => {
  const file = new File('');
  file.fails = new Refused(404, 'no file');
  const log = new LogText(file.read);
  await log.follow();
  assert.deepEqual([log.problem.value, log.loaded.value, log.pieces.value], ['', true, []]);
  file.fails = null;
  file.add('a\n');
  await log.follow();
  file.fails = new Refused(503, 'away');
  await log.follow();
  assert.deepEqual([log.problem.value, textOf(log)], ['away', 'a\n']);
  file.fails = null;
  await log.follow();
  assert.equal(log.problem.value, '');
});

test('only what was added is asked for, and is a piece of its own', async () => {
  const file = new File('one\n');
  const log = new LogText(file.read);
  await log.follow();
  file.add('two\n');
  await log.follow();
  await log.follow();
  assert.deepEqual(
    log.pieces.value.map((piece) => [piece.at, piece.text]),
    [
      [0, 'one\n'],
      [4, 'two\n'],
    ],
  );
  assert.deepEqual(file.asked, ['null 65536 0', '4 65536 0', '8 65536 0']);
});

test('half a character waits for its other half', async () => {
  const file = new File('');
  file.bytes = new TextEncoder().encode('größe').subarray(0, 3);
  const log = new LogText(file.read);
  await log.follow();
  assert.equal(textOf(log), 'gr');
  file.bytes = new TextEncoder().encode('größe');
  await log.follow();
  assert.equal(textOf(log), 'größe');
  for (const text of ['a', 'ä', '€', '😀']) {
    const bytes = new TextEncoder().encode(text);
    assert.equal(whole(bytes), bytes.length, text);
    for (let cut = 1; cut < bytes.length; ++cut) assert.equal(whole(bytes.subarray(0, cut)), 0);
  }
  assert.equal(whole(Uint8Array.of(0x80, 0x80, 0x80, 0x80)), 4, 'what is no UTF-8 is shown');
});

test('a file that begins anew is read from its end', async () => {
  const file = new File('a long first run\n');
  const log = new LogText(file.read);
  await log.follow();
  file.bytes = new TextEncoder().encode('2\n');
  await log.follow();
  assert.deepEqual(log.pieces.value, []);
  await log.follow();
  assert.equal(textOf(log), '2\n');
});

test('what is before is read a window at a time, to the beginning', async () => {
  const file = new File(numbered(40_000));
  const log = new LogText(file.read);
  await log.follow();
  const before: number[] = [];
  while (log.cut.value > 0) {
    before.push(log.cut.value);
    await log.earlier();
  }
  assert.equal(before.length, 2, String(before));
  assert.equal(textOf(log), numbered(40_000));
  const asked = file.asked.length;
  await log.earlier();
  assert.equal(file.asked.length, asked, 'there is no more before it');
});

test('a place anywhere is gone to; what is between is not read, nor the end followed', async () => {
  const file = new File(numbered(100_000));
  const log = new LogText(file.read);
  await log.follow();
  const at = 50_000 * LINE;
  await log.goTo(at);
  assert.deepEqual([log.wanted.value, log.parted.value], [at, true]);
  const [piece] = log.pieces.value;
  const index = at - (piece?.at ?? 0);
  assert.equal(piece?.text.slice(index, index + LINE - 1), 'line 0050000');
  const asked = file.asked.length;
  await log.follow();
  assert.equal(file.asked.length, asked, 'a reader within is left where he is');
});

test('from a place what follows is loaded, and at the end it is followed again', async () => {
  const file = new File(numbered(60_000));
  const log = new LogText(file.read);
  await log.goTo(10_000 * LINE);
  for (let turn = 0; turn < 20 && log.parted.value; ++turn) await log.later();
  assert.equal(log.parted.value, false);
  assert.ok(textOf(log).endsWith('line 0059999\n'));
  file.add('more\n');
  await log.follow();
  assert.ok(textOf(log).endsWith('more\n'));
});

test('back to the end what was within is put away', async () => {
  const file = new File(numbered(30_000));
  const log = new LogText(file.read);
  await log.goTo(0);
  assert.ok(textOf(log).startsWith('line 0000000'));
  await log.toEnd();
  assert.deepEqual([log.parted.value, log.wanted.value], [false, null]);
  assert.ok(textOf(log).endsWith('line 0029999\n'));
  assert.ok(!textOf(log).includes('line 0000000'));
});

test('a place that cannot be read is told', async () => {
  const file = new File('x');
  file.fails = new Refused(410, 'the log was purged');
  const log = new LogText(file.read);
  await log.goTo(0);
  assert.deepEqual([log.problem.value, log.loaded.value], ['the log was purged', true]);
});

test('of a log without end the oldest is let go, and the place of the first is told', async () => {
  const file = new File('');
  const log = new LogText(file.read);
  await log.follow();
  const piece = 'x'.repeat(300_000);
  for (let turn = 0; turn < 6; ++turn) {
    file.add(piece);
    await log.follow();
  }
  assert.ok(textOf(log).length <= 1 << 20, String(textOf(log).length));
  assert.equal(log.cut.value, log.pieces.value[0]?.at);
  assert.ok(log.cut.value > 0);
});

test('the last error is where it begins, in the newest piece that has one', async () => {
  const file = new File('ValueError: old\n');
  const log = new LogText(file.read);
  await log.follow();
  assert.equal(log.lastError()?.index, 0);
  file.add('fine\nRuntimeError: CUDA out of memory\n');
  await log.follow();
  const found = log.lastError();
  assert.equal(found?.piece.text.slice(found.index, found.index + 12), 'RuntimeError');
  file.add('no error here, an Error only in words\n');
  await log.follow();
  assert.equal(log.lastError()?.piece.at, found?.piece.at);
  assert.equal(new LogText(file.read).lastError(), null);
});

test('words are found in any case, not across each other, no more than are wanted', () => {
  const pieces = [
    {at: 0, text: 'aaaa'},
    {at: 4, text: 'Loss loss'},
  ];
  assert.deepEqual(
    occurrences(pieces, 'aa').map((one) => one.index),
    [0, 2],
  );
  assert.deepEqual(
    occurrences(pieces, 'LOSS').map((one) => [one.piece.at, one.index]),
    [
      [4, 0],
      [4, 5],
    ],
  );
  assert.equal(occurrences(pieces, 'a', 3).length, 3);
  assert.deepEqual(occurrences(pieces, '(.*'), [], 'a word is no pattern');
});
