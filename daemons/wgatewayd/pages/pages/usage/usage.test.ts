import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Limit, Usage, UsageDay, UsageRow} from '../../api/shapes_admin.ts';
import {amountsOf, boundWords, daysOf, layersOf, rowsOf, told, usualUnit} from './rules.ts';

const DAY = 86_400;
const FROM = 20_000 * DAY;
const row = (name: string, more: Partial<UsageRow> = {}): UsageRow => ({
  name,
  jobs: 1,
  done: 1,
  slot_s: 3600,
  gpu_s: 0,
  cpu_s: 0,
  wait_s: 0,
  ...more,
});
const day = (at: number, user: string, gpu_h: number): UsageDay => ({
  t: FROM + at * DAY,
  user,
  jobs: 1,
  slot_s: 7200 * gpu_h,
  gpu_s: 3600 * gpu_h,
});
const usage = (days: readonly UsageDay[], rows: readonly UsageRow[] = []): Usage => ({
  now: FROM + 2 * DAY + 100,
  from: FROM,
  by: 'user',
  rows,
  days,
});

test('a day on which nothing was used is zero, not a gap', () => {
  const made = usage([day(0, 'ann', 2), day(2, 'ann', 1), day(2, 'ann', 3)]);
  assert.deepEqual(daysOf(made), [FROM, FROM + DAY, FROM + 2 * DAY]);
  assert.deepEqual(layersOf(made, 'gpu', 7), [
    {
      user: 'ann',
      name: 'ann',
      points: [
        [FROM, 2],
        [FROM + DAY, 0],
        [FROM + 2 * DAY, 4],
        [made.now, 4],
      ],
    },
  ]);
  assert.deepEqual(layersOf(usage([]), 'gpu', 7), []);
});

test('the largest users have areas of their own, all others one', () => {
  const days = ['a', 'b', 'c', 'd'].map((user, i) => day(1, user, i + 1));
  const layers = layersOf(usage([...days, day(1, 'none', 0)]), 'gpu', 3);
  assert.deepEqual(
    layers.map((layer) => [layer.name, layer.points[1]?.[1]]),
    [
      ['d', 4],
      ['c', 3],
      ['2 others', 3],
    ],
  );
  assert.equal(layersOf(usage(days), 'gpu', 4).length, 4);
  assert.equal(layersOf(usage(days), 'slot', 4)[0]?.points[1]?.[1], 8);
});

test('hours are of GPUs where any were used, and the most used comes first', () => {
  const rows = [row('cpu', {slot_s: 7200}), row('gpu', {gpu_s: 3600})];
  assert.equal(usualUnit(usage([], rows)), 'gpu');
  assert.equal(usualUnit(usage([], [row('cpu')])), 'slot');
  const names = (unit: 'gpu' | 'slot') => rowsOf(usage([], rows), unit).map((one) => one.name);
  assert.deepEqual(
    [names('gpu'), names('slot')],
    [
      ['gpu', 'cpu'],
      ['cpu', 'gpu'],
    ],
  );
});

const limit = (more: Partial<Limit>): Limit => ({
  name: '',
  users: '',
  queues: '',
  hosts: '',
  plans: '',
  projects: '',
  apps: '',
  slots: '-',
  jobs: '',
  mem: '',
  ...more,
});

test('a limit says whom it bounds, what is in use and how much of it', () => {
  assert.equal(boundWords(limit({})), 'everybody');
  assert.equal(boundWords(limit({users: 'ann', queues: 'night'})), 'user ann, queue night');
  assert.deepEqual(amountsOf(limit({})), []);
  assert.deepEqual(amountsOf(limit({slots: '4/16', jobs: '2/2', mem: '512M/2G'})), [
    {text: '4 of 16 slots', share: 0.25},
    {text: '2 of 2 jobs', share: 1},
    {text: '512M of 2G memory', share: 0.25},
  ]);
  assert.deepEqual(amountsOf(limit({slots: '9/4'})), [{text: '9 of 4 slots', share: 1}]);
  assert.equal(amountsOf(limit({mem: 'x/y'}))[0]?.share, 0);
  assert.equal(amountsOf(limit({slots: '0/0'}))[0]?.share, 0);
});

test('shares and means of nothing are none', () => {
  assert.deepEqual(told(row('a', {jobs: 4, done: 3, wait_s: 40, cpu_s: 1800})), {
    name: 'a',
    gpu_h: 0,
    slot_h: 1,
    jobs: 4,
    done: 0.75,
    wait: 10,
    cpu: 0.5,
  });
  const none = told(row('b', {jobs: 0, done: 0, slot_s: 0}));
  assert.deepEqual([none.done, none.wait, none.cpu], [null, null, null]);
});
