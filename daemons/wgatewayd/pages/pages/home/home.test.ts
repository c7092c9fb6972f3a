import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {JobRow} from '../../api/shapes.ts';
import type {Plan} from '../../api/shapes_admin.ts';
import {failedSince, plansOf, shareWords, silent} from './rules.ts';

const job = (jobid: string, wm_state: string, more: Partial<JobRow> = {}) =>
  ({jobid, wm_state, plan: '/', ...more}) as JobRow;
const plan = (name: string, more: Partial<Plan> = {}) => ({plan: name, users: [], ...more}) as Plan;

test('what failed since the last look is told, of a day at most', () => {
  const jobs = [
    job('1', 'failed', {finish_time: 100_000}),
    job('2', 'error', {finish_time: 199_000}),
    job('3', 'finished', {finish_time: 199_000}),
    job('4', 'failed', {finish_time: 198_000}),
  ];
  const ids = (looked: number) => failedSince(jobs, looked, 200_000).map((one) => one.jobid);
  assert.deepEqual(ids(0), ['2', '4'], 'the first was more than a day ago');
  assert.deepEqual(ids(198_500), ['2']);
  assert.deepEqual(ids(200_000), []);
  assert.deepEqual(
    silent([job('1', 'unknown'), job('2', 'running')]).map((one) => one.jobid),
    ['1'],
  );
});

test('plans are those of my jobs, of my name, and those that name me', () => {
  const plans = [plan('/'), plan('/a'), plan('/a/ann'), plan('/b', {users: ['ann']}), plan('/c')];
  const names = plansOf(plans, [job('1', 'running', {plan: '/a'})], 'ann').map((p) => p.plan);
  assert.deepEqual(names, ['/a/ann', '/a', '/b']);
  assert.deepEqual(plansOf([], [], 'ann'), []);
});

test('a share is one sentence: whose slots, and who comes next', () => {
  const words = (used: number, deserved: number, demand: number) =>
    shareWords(plan('/a', {used, deserved, demand}));
  assert.match(words(4, 2, 4), /4 slots, 2 more than it deserves now/);
  assert.match(words(1, 2, 4), /1 slot of the 2 that it deserves, and wants 4/);
  assert.match(words(2, 2, 2), /^Uses 2 slots, deserves 2, wants 2\.$/);
  assert.equal(words(0, 3, 0), 'Nothing runs or waits in it.');
});
