// Role: tests of which groups of its job a page shows beside its own tasks.

import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {JobFull} from '../../api/shapes.ts';
import {otherGroups} from './model.ts';

const groups = [
  {jobid: '7[1]', name: 'worker'},
  {jobid: '7[2]', name: 'ps'},
];
const of = (jobid: string, list = groups) =>
  otherGroups({job: {jobid} as JobFull, groups: list});

test('beside a group the others, beside the whole job those behind the first', () => {
  assert.deepEqual(of('7[1]'), ['7[2]']);
  assert.deepEqual(of('7[2]'), ['7[1]']);
  assert.deepEqual(of('7'), ['7[2]']);
  assert.deepEqual(of('8', []), []);
});
