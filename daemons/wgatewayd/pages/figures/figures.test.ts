import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {SlotsApp} from '../api/shapes.ts';
import {assigned, NEUTRAL, propertyOf} from './colours.ts';
import {area, bucketed, layersOf, summed} from './slots.ts';
import {columnsOf, type FigureSpec, valuesDrawn, rowsOf, sentence, usualGap} from './spec.ts';

const PLAIN = {log: null, smooth: 0};
const spec = (more: Partial<FigureSpec>): FigureSpec => ({
  title: 't',
  x: 'number',
  lines: [],
  ...more,
});
const line = (points: [number, number | null][], more = {}) => ({
  name: 'a',
  colour: 'k1',
  points,
  ...more,
});

test('a figure of nothing, of one point, of NaN and infinities is drawn', () => {
  assert.deepEqual(columnsOf(spec({}), PLAIN).range, [0, 1]);
  assert.deepEqual(columnsOf(spec({lines: [line([[1, 4]])]}), PLAIN).range, [2, 6]);
  const odd = columnsOf(
    spec({
      lines: [
        line([
          [3, NaN],
          [1, 1],
          [2, Infinity],
          [4, 2],
        ]),
      ],
    }),
    PLAIN,
  );
  assert.deepEqual(odd.data, [
    [1, 2, 3, 4],
    [1, null, null, 2],
  ]);
});

test('steps out of order are in order, and what is far apart is not joined', () => {
  const made = columnsOf(
    spec({
      gap: 5,
      lines: [
        line([
          [20, 2],
          [0, 1],
          [1, 1],
        ]),
      ],
    }),
    PLAIN,
  );
  assert.deepEqual(made.data[1], [1, 1, null, 2]);
  assert.equal(
    usualGap([
      [0, 1],
      [1, 1],
      [2, 1],
      [3, 1],
      [90, 1],
    ]),
    8,
  );
  assert.equal(usualGap([[0, 1]]), Infinity);
});

test('a curve that spans much is logarithmic unless asked otherwise; limits are in sight', () => {
  const wide = spec({
    canLog: true,
    lines: [
      line([
        [0, 0.001],
        [1, 1],
      ]),
    ],
  });
  assert.equal(columnsOf(wide, PLAIN).log, true);
  assert.equal(columnsOf(wide, {log: false, smooth: 0}).log, false);
  assert.equal(
    columnsOf(
      spec({
        canLog: true,
        lines: [
          line([
            [0, 0],
            [1, 1],
          ]),
        ],
      }),
      {log: true, smooth: 0},
    ).log,
    false,
  );
  assert.ok(
    columnsOf(spec({lines: [line([[0, 1]])], limits: [{value: 9, text: ''}]}), PLAIN).range[1] >= 9,
  );
});

test('areas stack', () => {
  const stacked = spec({
    lines: [
      line(
        [
          [0, 1],
          [1, 2],
        ],
        {stacked: true},
      ),
      line(
        [
          [0, 3],
          [1, 4],
        ],
        {name: 'b', stacked: true},
      ),
    ],
  });
  assert.deepEqual(columnsOf(stacked, PLAIN).data.slice(1), [
    [1, 2],
    [4, 6],
  ]);
});

test('bands and smoothing are in the rows of the file', () => {
  const banded = spec({
    canSmooth: true,
    lines: [
      line(
        [
          [0, 0],
          [1, 1],
        ],
        {
          low: [
            [0, 0],
            [1, 0],
          ],
          high: [
            [0, 1],
            [1, 2],
          ],
        },
      ),
    ],
  });
  const rows = rowsOf(banded, columnsOf(banded, {log: null, smooth: 0.5}));
  assert.deepEqual(rows, [
    ['x', 'a', 'a least', 'a most'],
    [0, 0, 0, 1],
    [1, 0.5, 0, 2],
  ]);
  assert.equal(sentence(spec({lines: [line([[0, 7]])]}), String), 't: a 7');
});

const app = (id: string, steps: [number, number][]): SlotsApp => ({
  id,
  name: `n${id}`,
  user: 'u',
  steps,
});

test('slots: areas, sums and buckets of step functions', () => {
  assert.equal(
    area(
      [
        [0, 4],
        [5, 2],
      ],
      2,
      10,
    ),
    22,
  );
});

test('step functions are summed and bucketed', () => {
  assert.deepEqual(
    summed([
      [
        [0, 4],
        [5, 2],
      ],
      [
        [5, 2],
        [8, 0],
      ],
    ]),
    [
      [0, 4],
      [5, 4],
      [8, 2],
    ],
  );
  assert.deepEqual(
    bucketed(
      [
        [0, 4],
        [5, 2],
      ],
      0,
      10,
      2,
    ),
    [4, 2],
  );
  assert.deepEqual(
    bucketed(
      [
        [1, 1],
        [2, 0],
      ],
      0,
      4,
      2,
    ),
    [0.5, 0],
  );
});

test('the largest applications have areas of their own, all others one', () => {
  const apps = [
    app('10', [
      [0, 1],
      [9, 0],
    ]),
    app('2', [[0, 4]]),
    app('3', [[0, 2]]),
    app('4', [[0, 1]]),
  ];
  const layers = layersOf(apps, 0, 10, 3, 100);
  assert.deepEqual(
    layers.map((l) => [l.name, l.now]),
    [
      ['2 n2', 4],
      ['3 n3', 2],
      ['2 others', 1],
    ],
  );
  assert.deepEqual(
    layers[2]?.points.map(([, v]) => v),
    [2, 1, 1],
  );
  assert.deepEqual(layersOf([], 0, 10, 3, 100), []);
});

test('10,000 short jobs make a figure as quickly as few, of no more points than pixels', () => {
  const apps = Array.from({length: 10_000}, (_, i) =>
    app(String(i), [
      [0, 0],
      [i / 20, 2],
      [i / 20 + 1, 0],
    ]),
  );
  const begun = process.cpuUsage();
  const layers = layersOf(apps, 0, 501, 7, 720);
  const {user, system} = process.cpuUsage(begun); // microseconds: what others do does not count
  assert.ok(user + system < 1e6, `${user + system} us`);
  assert.equal(layers.length, 7);
  assert.ok(layers.every((l) => l.points.length <= 720));
});

test('a name keeps its colour where it is free; the eighth is neutral', () => {
  const made = assigned(['a', 'b', 'c'], {b: 'k1', c: 'k1'});
  assert.deepEqual(
    [...made],
    [
      ['b', 'k1'],
      ['a', 'k2'],
      ['c', 'k3'],
    ],
  );
  const many = assigned([...'abcdefgh'], {});
  assert.equal(many.get('h'), NEUTRAL);
  assert.deepEqual([propertyOf('k3'), propertyOf('kt')], ['--c3', '--line2']);
});

test('it is told how many values of each line are drawn', () => {
  const lines = [line([[1, 4]]), line([]), line([[1, null]])].map((l, i) => ({...l, name: `${i}`}));
  assert.deepEqual(valuesDrawn(columnsOf(spec({lines}), PLAIN)), [1, 0, 0]);
  assert.deepEqual(valuesDrawn(columnsOf(spec({}), PLAIN)), []);
});
