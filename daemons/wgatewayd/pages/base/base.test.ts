import assert from 'node:assert/strict';
import {test} from 'node:test';
import {known, HIDDEN, LOADING, words} from './known.ts';
import {newest, paced} from './limiter.ts';
import {bytes, labels, number} from './number.ts';
import {byId, compare, ordered} from './order.ts';
import {amount, completions, parse} from './query.ts';
import {bounds, niceTop, ticks, wantsLog} from './scale.ts';
import {joined, runs, sampled, sorted} from './series.ts';
import {smoothed} from './smooth.ts';
import {isAlive, isOver, isWaiting, slotRange, state} from './states.ts';
import {clock, duration, momentOr} from './time.ts';
import {at, placed, told, typed} from './values.ts';

test('durations, clocks, numbers and bytes', () => {
  assert.deepEqual([5, 75, 3720, 273600, null, -3].map(duration), [
    '5s',
    '1m 15s',
    '1h 02m',
    '3d 04h',
    '–',
    '0s',
  ]);
  assert.deepEqual(
    [18760, 0.98684, 12.345, 0, 1, 3.2e-8, null, NaN, Infinity, -Infinity].map(number),
    ['18,760', '0.9868', '12.3', '0', '1', '3.2·10⁻⁸', '–', '–', '∞', '−∞'],
  );
  assert.deepEqual([8 * 2 ** 30, 0, null, 3 * 2 ** 50].map(bytes), ['8 GiB', '–', '–', '3 PiB']);
  assert.equal(clock(0), '–');
  const noon = new Date(2026, 10, 23, 12, 5, 9).getTime() / 1000;
  assert.equal(clock(noon, noon + 60), '12:05:09');
  assert.equal(clock(noon, noon + 86400), '23 Nov 12:05');
});

test('no two labels of an axis are alike', () => {
  assert.deepEqual(labels([0.98, 0.985, 0.99]), ['0.98', '0.985', '0.99']);
  assert.deepEqual(labels([0, 1000, 2000]), ['0', '1,000', '2,000']);
  assert.equal(new Set(labels([1e-9, 2e-9, 3e-9])).size, 3);
  assert.deepEqual(labels([1e6, 2e6]), ['1e6', '2e6']);
});

test('a state is alive, waits or is over; a new word is shown as it came', () => {
  const all = [
    'pending',
    'held',
    'launching',
    'running',
    'suspended',
    'unknown',
    'array',
    'finished',
    'failed',
    'killed',
    'error',
  ];
  for (const word of all) {
    assert.equal([isAlive(word), isWaiting(word), isOver(word)].filter(Boolean).length, 1, word);
  }
  assert.equal(state('new-word').word, 'new-word');
  assert.deepEqual(
    [slotRange(2, 1, 4), slotRange(4, 4, 4), slotRange(0, 4, 4)],
    ['of 1–4', '', 'of 4'],
  );
});

const FIELDS = {
  texts: {user: (r: Row) => r.user, state: (r: Row) => r.state},
  numbers: {slots: (r: Row) => r.slots},
  bare: (r: Row, word: string) => r.name.toLowerCase().includes(word) || r.id === word,
};
interface Row {
  id: string;
  name: string;
  user: string;
  state: string;
  slots: number | null;
}
const ROW: Row = {id: '12', name: 'Mnist-ann', user: 'ann', state: 'running', slots: 4};

test('a filter is words that all fit', () => {
  const fits = (text: string) => parse(text, FIELDS).fits(ROW);
  assert.deepEqual(
    [
      'mnist',
      '12',
      '1',
      'user:ann run',
      'user:ann state:run',
      '-state:pending',
      '-user:ann',
      '',
    ].map(fits),
    [true, true, false, false, true, true, false, true],
  );
  assert.deepEqual(['slots>4', 'slots>5', 'slots<1h', '-slots>5'].map(fits), [
    true,
    false,
    true,
    true,
  ]);
  assert.equal(parse('slots>1', FIELDS).fits({...ROW, slots: null}), false);
});

test('a wrong word is told with its place, and asks for nothing', () => {
  const made = parse('mnist stat:x slots>many', FIELDS);
  assert.deepEqual(
    made.problems.map((p) => p.at),
    [6, 13],
  );
  assert.match(made.problems[0]?.text ?? '', /no field "stat:"; state:/);
  assert.equal(made.fits(ROW), true);
  assert.deepEqual(
    [amount('1d'), amount('90m'), amount('1e-3'), amount('x')],
    [86400, 5400, 0.001, null],
  );
});

test('a filter is completed by its fields and their values', () => {
  assert.deepEqual(completions('us', 2, ['user', 'state'], {}), ['user:']);
  assert.deepEqual(completions('a user:b', 8, ['user'], {user: ['ann', 'bob']}), ['user:bob']);
  assert.deepEqual(completions('', 0, ['user'], {}), []);
});

test('what is missing or NaN is last in both directions', () => {
  const rows = [{v: 2}, {v: null}, {v: 1}, {v: NaN}];
  const order = (down: boolean) =>
    ordered(
      rows,
      (r) => r.v,
      down,
      () => 0,
    ).map((r) => r.v);
  assert.deepEqual(order(false).slice(0, 2), [1, 2]);
  assert.deepEqual(order(true).slice(0, 2), [2, 1]);
  assert.equal(compare(null, NaN, true), 0);
  assert.deepEqual(['101[10]', '12', '101[2]', '101'].sort(byId), [
    '12',
    '101',
    '101[2]',
    '101[10]',
  ]);
});

test('axes have round ticks, room, and a logarithm where values span much', () => {
  assert.deepEqual([0, 0.3, 1, 7, 11, 200, 201].map(niceTop), [1, 0.5, 1, 10, 20, 200, 500]);
  assert.deepEqual(ticks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticks(3, 3, 5), [3]);
  assert.equal(wantsLog(0.001, 1), true);
  assert.equal(wantsLog(0, 1), false);
  assert.ok(bounds(0.9, 0.99, false)[1] <= 1);
  assert.deepEqual(bounds(Infinity, -Infinity, false), [0, 1]);
  assert.equal(bounds(0, 7, false)[0], 0);
});

test('gaps are gaps, places are in order, and steps are sampled', () => {
  assert.deepEqual(
    runs(
      [
        [0, 1],
        [2, 2],
        [4, null],
        [6, 3],
        [30, 4],
      ],
      10,
    ),
    [
      [
        [0, 1],
        [2, 2],
      ],
      [[6, 3]],
      [[30, 4]],
    ],
  );
  assert.deepEqual(
    sorted([
      [3, 1],
      [1, 2],
      [3, 5],
      [NaN, 1],
    ]),
    [
      [1, 2],
      [3, 5],
    ],
  );
});

test('lines are joined on one axis', () => {
  const made = joined(
    [
      [
        [0, 1],
        [1, 2],
        [20, 3],
      ],
      [[1, NaN]],
    ],
    10,
  );
  assert.deepEqual(made.x, [0, 1, 10.5, 20]);
  assert.deepEqual(made.lines, [
    [1, 2, null, 3],
    [undefined, null, undefined, undefined],
  ]);
  assert.deepEqual(
    sampled(
      [
        [0, 4],
        [5, 2],
      ],
      [-1, 0, 4, 5, 9],
    ),
    [0, 4, 4, 2, 2],
  );
});

test('a smoothed line stays within what it is made of, and carries nothing over a gap', () => {
  const line = smoothed([0, 1, 0, 1, null, 5], [1, 1, 9, 1, 1, 1], 0.6);
  assert.ok(line.slice(0, 4).every((v) => v !== null && v >= 0 && v <= 1));
  assert.deepEqual(line.slice(4), [null, 5]);
  assert.deepEqual(smoothed([1, 2], [], 0), [1, 2]);
});

test('what is hidden is not said to be none', () => {
  assert.equal(words(HIDDEN, String), 'not visible to you');
  assert.equal(words(LOADING, String), '');
  assert.equal(words(known<number>(null), String, 'none yet'), 'none yet');
  assert.equal(words(known(0), String), '0');
});

test('fields of a profile are placed and keep the rest; metrics come in order', () => {
  assert.deepEqual(placed({policy: {a: 1, b: 2}, x: 3}, 'policy.a', 9), {
    policy: {a: 9, b: 2},
    x: 3,
  });
  assert.equal(at({a: {b: 1}}, 'a.b'), 1);
  assert.equal(at({a: null}, 'a.b.c'), undefined);
  const fields = [
    {where: 'p.max', numeric: true},
    {where: 'p.min', numeric: true},
    {where: 'k.gpu', numeric: false},
  ];
  const edits = new Map([
    ['p.max', '-1'],
    ['p.min', 'x'],
    ['k.gpu', 'shared'],
  ]);
  assert.deepEqual(typed({p: {max: 4, b: 2}, k: {gpu: 'no'}}, edits, fields), {
    p: {max: -1, min: 'x', b: 2},
    k: {gpu: 'shared'},
  });
  assert.equal(told({'train loss': 1, loss: 0.5, accuracy: 0.98}), 'accuracy 0.98, loss 0.5');
  assert.equal(told(null), '–');
});

test('the newest question alone has an answer, and what is paced is not lost', async () => {
  const answers: ((v: number) => void)[] = [];
  const ask = newest(() => new Promise<number>((done) => answers.push(done)));
  const [first, second] = [ask(), ask()];
  answers[1]?.(2);
  answers[0]?.(1);
  assert.deepEqual(await Promise.all([first, second]), [null, 2]);
  let calls = 0;
  const call = paced(() => ++calls, 5);
  call();
  call();
  await new Promise((done) => setTimeout(done, 30));
  assert.equal(calls, 1);
});

test('a moment that has not been is 0 or nothing', () => {
  assert.deepEqual(
    [momentOr(0, 7), momentOr(null, 7), momentOr(undefined, 7), momentOr(3, 7)],
    [7, 7, 7, 3],
  );
});
