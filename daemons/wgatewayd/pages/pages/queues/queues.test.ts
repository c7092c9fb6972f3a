import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Queue} from '../../api/shapes_admin.ts';
import {limitWords, queueShown} from './rules.ts';

const queue = (more: Partial<Queue>) =>
  ({
    max: null,
    jl_u: null,
    jl_h: null,
    runlimit_s: null,
    closed: false,
    inactive: false,
    ...more,
  }) as Queue;

test('a queue says what bounds it, and whether it takes and starts jobs', () => {
  assert.equal(limitWords(queue({})), '');
  assert.equal(
    limitWords(queue({max: 64, jl_u: 1, jl_h: 8, runlimit_s: 3600})),
    '64 slots in all, 1 slot a user, 8 slots a host, runs 1h 00m at most',
  );
  assert.equal(queueShown(queue({})).word, 'Open');
  assert.equal(queueShown(queue({closed: true, inactive: true})).word, 'Closed');
  assert.equal(queueShown(queue({inactive: true})).word, 'Starts nothing');
});
