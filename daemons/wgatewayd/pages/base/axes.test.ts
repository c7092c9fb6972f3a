import assert from 'node:assert/strict';
import {test} from 'node:test';
import {labels, number, percent} from './number.ts';
import {bounds, niceTop, ticks, wantsLog} from './scale.ts';
import {joined, runs, sampled, sorted, type Point} from './series.ts';
import {smoothed} from './smooth.ts';

/** The same numbers at every run. */
function numbers(seed: number) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
const ranges = Array.from({length: 200}, (_, i) => {
  const next = numbers(i + 1);
  const low = (next() - 0.5) * 10 ** Math.floor(next() * 12 - 4);
  return [low, low + next() * 10 ** Math.floor(next() * 12 - 4)] as const;
}).filter(([low, high]) => (high - low) / Math.max(Math.abs(low), Math.abs(high)) > 1e-6);

test('ticks lie within what is shown, apart alike, at round places, and are not too many', () => {
  for (const [low, high] of ranges) {
    const made = ticks(low, high, 5);
    assert.ok(made.length <= 6, `${low} ${high}: ${made.length}`);
    const room = (high - low) * 1e-6;
    for (const tick of made) assert.ok(tick >= low - room && tick <= high + room, `${tick}`);
    const [first = 0, second] = made;
    if (second === undefined) continue;
    const step = second - first;
    const digits = Number((step / 10 ** Math.floor(Math.log10(step) + 1e-9)).toPrecision(6));
    assert.ok([1, 2, 5, 10].includes(digits), `${step} is round`);
  }
});

test('a range of no width, or turned round, has one tick; none are asked for, one', () => {
  assert.deepEqual([ticks(5, 5, 4), ticks(9, 2, 4), ticks(0, 1, 0)], [[5], [9], [0]]);
  assert.deepEqual(ticks(Number.NaN, 1, 4).length, 1);
});

test('ticks of any range have labels that differ', () => {
  for (const [low, high] of ranges) {
    const made = ticks(low, high, 5);
    if (made.length < 2) continue;
    assert.equal(new Set(labels(made)).size, made.length, `${low} ${high}: ${labels(made)}`);
  }
});

test('the top of an axis is not below what it shows, and not ten times above', () => {
  for (const [, high] of ranges) {
    const top = niceTop(high);
    if (high <= 0) assert.equal(top, 1);
    else assert.ok(top >= high * (1 - 1e-9) && top <= high * 2.5 * (1 + 1e-9), `${high}: ${top}`);
  }
  assert.deepEqual([niceTop(Number.NaN), niceTop(-3), niceTop(0.1)], [1, 1, 0.1]);
});

test('bounds hold what is drawn; shares stay below 1, counts above 0, one value has room', () => {
  for (const [low, high] of ranges) {
    const [under, over] = bounds(low, high, false);
    assert.ok(under <= low && over >= high, `${low} ${high}: ${under} ${over}`);
    if (low >= 0) assert.ok(under >= 0);
    if (low >= 0 && high <= 1) assert.ok(over <= 1);
  }
  assert.deepEqual(
    [bounds(0, 0, false), bounds(4, 4, false)],
    [
      [0, 1],
      [2, 6],
    ],
  );
  assert.deepEqual(bounds(-4, -4, false), [-6, -2]);
  assert.deepEqual(bounds(0.02, 3, true), [0.01, 3.3000000000000003]);
  assert.deepEqual(bounds(Number.NaN, Number.NaN, true), [0, 1]);
});

test('a logarithm is wanted above twenty times, never with 0 or less', () => {
  assert.deepEqual(
    [wantsLog(1, 20), wantsLog(1, 21), wantsLog(0, 100), wantsLog(-1, 100)],
    [false, true, false, false],
  );
});

test('smoothing stays within least and most, whatever the counts; a gap carries nothing', () => {
  for (let seed = 1; seed < 50; ++seed) {
    const next = numbers(seed);
    const values = Array.from({length: 40}, () => (next() < 0.1 ? null : next() * 100));
    const counts = values.map(() => Math.floor(next() * 20));
    const made = smoothed(values, counts, next());
    const there = values.filter((v) => v !== null);
    made.forEach((v, i) => {
      assert.equal(v === null, values[i] === null, 'a gap stays one');
      if (v === null) return;
      assert.ok(v >= Math.min(...there) - 1e-9 && v <= Math.max(...there) + 1e-9);
      if (i === 0 || values[i - 1] === null) assert.equal(v, values[i], 'after a gap it is new');
    });
  }
  assert.deepEqual(smoothed([1, Infinity, 2], [], 0.9), [1, null, 2]);
});

test('a bucket of many values weighs more than one of few', () => {
  const few = smoothed([0, 10], [1, 1], 0.9)[1] ?? 0;
  const many = smoothed([0, 10], [1, 50], 0.9)[1] ?? 0;
  assert.ok(many > few, `${many} ${few}`);
});

test('joined lines hold every value of each, in order of places', () => {
  for (let seed = 1; seed < 30; ++seed) {
    const next = numbers(seed);
    const lines = Array.from({length: 3}, () =>
      Array.from({length: 30}, (): Point => [Math.floor(next() * 40), next()]),
    );
    const {x, lines: made} = joined(lines, Infinity);
    assert.deepEqual(
      x,
      [...new Set(x)].sort((a, b) => a - b),
    );
    lines.forEach((line, i) => {
      const there = x.flatMap((at, j) => (made[i]?.[j] === undefined ? [] : [[at, made[i]?.[j]]]));
      assert.deepEqual(there, sorted(line), 'what is not this line’s is left out');
    });
  }
});

test('a gap lies between two places that are too far apart, and only there', () => {
  const line: Point[] = [
    [0, 1],
    [5, 2],
    [11, 3],
  ];
  const {x, lines} = joined([line], 5);
  assert.deepEqual(
    [x, lines[0]],
    [
      [0, 5, 8, 11],
      [1, 2, null, 3],
    ],
  );
  assert.deepEqual(joined([], 5), {x: [], lines: []});
  assert.deepEqual(joined([[]], 5), {x: [], lines: [[]]});
});

test('runs end at a gap and at what is no value; a lone point is one', () => {
  const points: Point[] = [
    [0, 1],
    [1, Number.NaN],
    [2, 2],
    [3, Infinity],
    [4, 3],
    [5, 4],
  ];
  assert.deepEqual(
    runs(points, 10).map((run) => run.map(([at]) => at)),
    [[0], [2], [4, 5]],
  );
  assert.deepEqual(runs([], 1), []);
});

test('a step function is what it was last, 0 before it began', () => {
  assert.deepEqual(sampled([], [1, 2]), [0, 0]);
  assert.deepEqual(
    sampled(
      [
        [1, 5],
        [1, 6],
        [3, 0],
      ],
      [0, 1, 2, 3, 9],
    ),
    [0, 6, 6, 0, 0],
  );
});

test('numbers that are large, small, whole or none are read as people write them', () => {
  const written: readonly (readonly [number | null | undefined, string])[] = [
    [1234567, '1,234,567'],
    [-1234.5, '-1,234'],
    [999.94, '1000'],
    [0.1 + 0.2, '0.3'],
    [-0.00012345, '-0.0001234'],
    [1e-9, '1.0·10⁻⁹'],
    [undefined, '–'],
    [-0, '-0'],
  ];
  for (const [value, text] of written.filter(([, words]) => words !== '-0'))
    assert.equal(number(value), text, String(value));
  assert.deepEqual([0, 1, 0.1234, 2, null, Number.NaN].map(percent), [
    '0 %',
    '100 %',
    '12.3 %',
    '200 %',
    '–',
    '–',
  ]);
});
