import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {JobRow} from '../api/shapes.ts';
import {arrayOf, chosen, folded, inOrder} from './jobs.ts';

const job = (jobid: string, more: Partial<JobRow> = {}): JobRow =>
  ({jobid, user: 'ann', wm_state: 'running', exec_host: [], submit_time: 1, ...more}) as JobRow;

test('an element knows its array, other jobs have none', () => {
  assert.deepEqual(['12[3]', '12', ''].map(arrayOf), ['12', null, null]);
});

test('elements are one row where the first of them stands, with how many are in each state', () => {
  const rows = [
    job('9'),
    job('7[2]', {nalloc_slot: 2, job_name: 'sweep[2]'}),
    job('8'),
    job('7[1]', {nalloc_slot: 1, wm_state: 'pending'}),
    job('7[3]', {wm_state: 'pending'}),
    job('6[1]'),
  ];
  const made = folded(rows);
  assert.deepEqual(
    made.map((row) => row.jobid),
    ['9', '7', '8', '6[1]'],
    'a lone element stays what it is',
  );
  assert.deepEqual(made[1]?.folded, {running: 1, pending: 2});
  assert.equal(made[1]?.nalloc_slot, 3);
  assert.equal(made[1]?.job_name, 'sweep');
  assert.equal(made[0]?.folded, undefined);
  assert.deepEqual(folded([]), []);
});

test('the elements of one array are found by its number', () => {
  const view = {mine: false, group: '', sort: '', from: 0, to: 10};
  const jobs = [job('7[1]'), job('7[2]'), job('17[1]'), job('8')];
  const {rows, problems} = chosen(jobs, {...view, filter: 'array:7'}, 'ann', 0);
  assert.deepEqual(problems, []);
  assert.equal(rows.filter((row) => arrayOf(row.jobid) === '7').length, 2);
  assert.ok(!rows.some((row) => row.jobid === '8'));
});

test('by no order mine come first among those that run, that wait and that are over', () => {
  const jobs = [
    job('1', {user: 'bob', submit_time: 9}),
    job('2', {submit_time: 1}),
    job('3', {wm_state: 'pending'}),
    job('4', {user: 'bob', wm_state: 'finished', submit_time: 99}),
    job('5', {wm_state: 'finished', submit_time: 1}),
  ];
  const ids = (user: string) => inOrder(jobs, '', 100, user).map((row) => row.jobid);
  assert.deepEqual(ids('ann'), ['2', '1', '3', '5', '4']);
  assert.deepEqual(ids(''), ['1', '2', '3', '4', '5']);
  assert.deepEqual(
    inOrder(jobs, 'user', 100, 'ann').map((row) => row.jobid)[0],
    '5',
    'an order that was asked for is that order',
  );
});
