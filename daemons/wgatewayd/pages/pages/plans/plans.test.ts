import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Loan, Plan} from '../../api/shapes_admin.ts';
import {barOf, loansOf, mostOf, planWords, treeOf} from './rules.ts';

const plan = (name: string, more: Partial<Plan> = {}): Plan => ({
  plan: name,
  shares: 1,
  owns: 0,
  limit: null,
  used: 0,
  demand: 0,
  deserved: 0,
  lent: 0,
  borrowed: 0,
  policy: '',
  users: [],
  description: '',
  loans: [],
  ...more,
});

test('a plan stands before those below it, also where names begin alike', () => {
  const names = ['/b', '/a/z', '/a-b', '/', '/a', '/a/b/c', '/a/b'];
  const rows = treeOf(names.map((name) => plan(name)));
  assert.deepEqual(
    rows.map((row) => [row.plan.plan, row.depth, row.name]),
    [
      ['/', 0, '/'],
      ['/a', 1, 'a'],
      ['/a/b', 2, 'b'],
      ['/a/b/c', 3, 'c'],
      ['/a/z', 2, 'z'],
      ['/a-b', 1, 'a-b'],
      ['/b', 1, 'b'],
    ],
  );
  assert.deepEqual(treeOf([]), []);
});

test('a bar has parts of one scale; what is borrowed is a part of what is used', () => {
  const one = plan('/a', {used: 6, borrowed: 2, deserved: 5, demand: 8, owns: 4});
  assert.deepEqual(barOf(one, 10), {own: 40, borrowed: 20, deserved: 50, wanted: 80, owned: 40});
  assert.equal(barOf(plan('/a'), 10).owned, null);
  assert.equal(barOf(plan('/a', {used: 1, borrowed: 5}), 10).borrowed, 10);
  assert.equal(barOf(plan('/a', {demand: 500}), 10).wanted, 100, 'never past the end');
  assert.equal(mostOf([plan('/a', {demand: 8}), plan('/b', {owns: 9})]), 9);
  assert.equal(mostOf([]), 1);
  assert.equal(mostOf([plan('/a', {used: null, deserved: null, demand: null, owns: null})]), 1);
});

test('what a plan has is said against what it deserves and may have', () => {
  const words = (used: number, deserved: number, demand: number, limit: number | null = null) =>
    planWords(plan('/a', {used, deserved, demand, limit}));
  assert.equal(words(1, 4, 6), 'Wants 6: has 3 less than it deserves.');
  assert.equal(words(6, 4, 6), 'Has 2 more than it deserves, until wanted.');
  assert.equal(words(4, 4, 6), 'Wants 6, has what it deserves.');
  assert.equal(words(4, 9, 6, 4), 'At its limit of 4 slots; wants 6.');
  assert.equal(words(2, 2, 2), '');
  assert.equal(words(0, 3, 0), '');
});

test('a loan that both its sides name is one', () => {
  const loan = (from: string, to: string, amount: number): Loan => ({from, to, amount});
  const both = loan('/a', '/b', 2);
  const plans = [
    plan('/a', {loans: [both, loan('/a', '/c', 5)]}),
    plan('/b', {loans: [both, loan('/b', '/c', 0)]}),
  ];
  assert.deepEqual(
    loansOf(plans).map((one) => [one.to, one.amount]),
    [
      ['/c', 5],
      ['/b', 2],
    ],
  );
});
