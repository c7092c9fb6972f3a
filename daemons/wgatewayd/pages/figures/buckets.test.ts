import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {SlotsApp} from '../api/shapes.ts';
import {assigned, colours, COLOURS, mixed, NEUTRAL} from './colours.ts';
import {area, bucketed, layersOf, summed} from './slots.ts';
import {columnsOf, type FigureSpec, type LineSpec, rowsOf, sentence} from './spec.ts';

/** A step function of some changes, the same at every run. */
function stepsOf(seed: number, count = 12): [number, number][] {
  let state = seed;
  const next = () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
  let t = 0;
  return Array.from({length: count}, () => {
    t += next() * 10;
    return [t, Math.floor(next() * 5)];
  });
}
const close = (a: number, b: number) => Math.abs(a - b) < 1e-6 * Math.max(1, Math.abs(a));

test('buckets hold as much as the function does, however many there are', () => {
  for (let seed = 1; seed < 40; ++seed) {
    const steps = stepsOf(seed);
    for (const [from, to] of [
      [0, 100],
      [13, 41],
      [-50, 500],
    ] as const) {
      for (const buckets of [1, 7, 720]) {
        const made = bucketed(steps, from, to, buckets);
        const sum = (made.reduce((a, b) => a + b, 0) * (to - from)) / buckets;
        assert.ok(close(sum, area(steps, from, to)), `${seed} ${from} ${to} ${buckets}: ${sum}`);
        assert.equal(made.length, buckets);
      }
    }
  }
});

test('no bucket is above the most or below the least of the function in it', () => {
  for (let seed = 1; seed < 40; ++seed) {
    const made = bucketed(stepsOf(seed), 0, 100, 33);
    for (const mean of made) assert.ok(mean >= 0 && mean <= 4 + 1e-9, String(mean));
  }
});

test('a sum of functions is at each moment what they are together', () => {
  const all = [1, 2, 3].map((seed) => stepsOf(seed));
  const value = (steps: readonly (readonly [number, number])[], t: number) =>
    steps.filter(([at]) => at <= t).at(-1)?.[1] ?? 0;
  const made = summed(all);
  for (let t = -1; t < 130; t += 0.7) {
    const sum = all.reduce((a, steps) => a + value(steps, t), 0);
    assert.equal(value(made, t), sum, String(t));
  }
  assert.deepEqual(summed([]), []);
});

const app = (id: string, steps: [number, number][]): SlotsApp => ({
  id,
  name: `n${id}`,
  user: 'u',
  steps,
});

test('layers are together what the applications were, the others as one', () => {
  const apps = Array.from({length: 20}, (_, i) => app(String(i), stepsOf(i + 1)));
  const layers = layersOf(apps, 0, 100, 7, 10_000);
  assert.equal(layers.length, 7);
  assert.equal(layers.at(-1)?.name, '14 others');
  const drawn = layers.reduce((sum, layer) => {
    const steps = layer.points.map(([t, v]) => [t, v ?? 0] as const);
    return sum + area(steps, 0, 100);
  }, 0);
  const were = apps.reduce((sum, {steps}) => sum + area(steps, 0, 100), 0);
  assert.ok(close(drawn, were), `${drawn} ${were}`);
});

test('an application that had nothing in the range has no layer; names are in order of ids', () => {
  const apps = [app('10', [[0, 1]]), app('9', [[0, 1]]), app('8', [[200, 4]])];
  assert.deepEqual(
    layersOf(apps, 0, 100, 7, 100).map((layer) => layer.name),
    ['9 n9', '10 n10'],
  );
});

test('more changes than pixels are means of buckets, a point each', () => {
  const layers = layersOf([app('1', stepsOf(5, 4000))], 0, 20_000, 7, 100);
  assert.equal(layers[0]?.points.length, 100);
});

test('a name keeps its colour while others come and go', () => {
  const first = assigned(['a', 'b'], {});
  const kept = Object.fromEntries(first);
  assert.equal(assigned(['b'], kept).get('b'), first.get('b'));
  assert.equal(assigned(['c', 'd', 'b'], kept).get('b'), first.get('b'));
  const many = assigned([...'abcdefghij'], kept);
  const used = [...many.values()].filter((colour) => colour !== NEUTRAL);
  assert.deepEqual(new Set(used).size, COLOURS.length, 'no two are alike');
});

test('colours are remembered by the browser’s tab, damaged ones made anew', () => {
  const store = new Map<string, string>();
  Object.assign(globalThis, {
    sessionStorage: {
      getItem: (name: string) => store.get(name) ?? null,
      setItem: (name: string, text: string) => store.set(name, text),
    },
  });
  const own = colours(['x', 'y']).get('y');
  assert.equal(colours(['y']).get('y'), own);
  store.set('wm-colours', '{');
  assert.equal(colours(['y']).get('y'), 'k1');
  for (let i = 0; i < 300; ++i) colours([`id${i}`]);
  assert.ok(Object.keys(JSON.parse(store.get('wm-colours') ?? '')).length <= 200);
});

test('a colour on a ground', () => {
  assert.equal(mixed('#000', '#fff', 50), '#808080');
  assert.equal(mixed('#123456', '#ffffff', 100), '#123456');
  assert.equal(mixed(' #123456 ', '#ffffff', 0), '#ffffff');
});

const spec = (lines: readonly LineSpec[], more: Partial<FigureSpec> = {}): FigureSpec => ({
  title: 'Loss',
  x: 'number',
  lines,
  ...more,
});
const line = (
  name: string,
  points: LineSpec['points'],
  more: Partial<LineSpec> = {},
): LineSpec => ({
  name,
  colour: 'k1',
  points,
  ...more,
});
const PLAIN = {log: null, smooth: 0};

test('lines of unlike places share an axis; a band goes with its own line', () => {
  const made = columnsOf(
    spec([line('a', [[0, 1]], {low: [[0, 0.5]], high: [[0, 2]]}), line('b', [[1, 3]])]),
    PLAIN,
  );
  assert.deepEqual(made.places, [
    {value: 1, band: [2, 3]},
    {value: 4, band: null},
  ]);
  assert.deepEqual(made.data, [
    [0, 1],
    [1, undefined],
    [0.5, undefined],
    [2, undefined],
    [undefined, 3],
  ]);
});

test('smoothing is drawn only where it is offered, and never of dots', () => {
  const points: LineSpec['points'] = [
    [0, 0],
    [1, 10],
  ];
  const values = (more: Partial<FigureSpec>, kind: 'line' | 'dots') =>
    columnsOf(spec([line('a', points, {kind})], more), {log: null, smooth: 0.9}).data[1];
  assert.deepEqual(values({}, 'line'), [0, 10]);
  assert.deepEqual(values({canSmooth: true}, 'dots'), [0, 10]);
  assert.ok(Number(values({canSmooth: true}, 'line')?.[1]) < 5);
});

test('what is drawn is in the file, gaps as nothing; times are called so', () => {
  const figure = spec(
    [
      line('a', [
        [0, 1],
        [9, Number.NaN],
      ]),
    ],
    {x: 'time'},
  );
  assert.deepEqual(rowsOf(figure, columnsOf(figure, PLAIN)), [
    ['time', 'a'],
    [0, 1],
    [9, ''],
  ]);
});

test('a figure in a sentence: what it is of, its unit, each line’s last value', () => {
  const told = (v: number | null) => (v === null ? 'none' : String(v));
  assert.equal(sentence(spec([], {unit: 'ms'}), told), 'Loss, ms: nothing yet');
  assert.equal(
    sentence(
      spec([
        line('a', [
          [0, 1],
          [1, null],
        ]),
        line('b', []),
      ]),
      told,
    ),
    'Loss: a none, b none',
  );
});

test('an axis from zero has its zero, and room at the top where it is asked for', () => {
  const range = (more: Partial<FigureSpec>) =>
    columnsOf(
      spec(
        [
          line('a', [
            [0, 5],
            [1, 6],
          ]),
        ],
        more,
      ),
      PLAIN,
    ).range;
  assert.equal(range({fromZero: true})[0], 0);
  assert.ok(range({})[0] > 0);
  assert.equal(range({top: 20})[1], 20);
  const empty = columnsOf(spec([line('a', [[0, 0]])], {fromZero: true}), PLAIN).range;
  assert.ok(empty[1] > 0, 'a line along zero is drawn');
});
