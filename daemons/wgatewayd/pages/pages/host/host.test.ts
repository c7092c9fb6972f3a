import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Gpu, Host} from '../../api/shapes_admin.ts';
import type {JobRow} from '../../api/shapes.ts';
import {gpuShown, hostShown, hostWhy, jobsOn} from './rules.ts';

const host = (more: Partial<Host>) =>
  ({state: 'ok', connected: true, closed: false, status: 'ok', comments: '', ...more}) as Host;
const gpu = (more: Partial<Gpu>) => ({gpu_status: 'ok', jobids: [], ...more}) as unknown as Gpu;

test('a host takes jobs, is closed, is silent or is dead', () => {
  const words = [
    host({}),
    host({closed: true}),
    host({connected: false}),
    host({state: 'silent', closed: true}),
    host({state: 'dead'}),
  ].map((one) => hostShown(one).word);
  assert.deepEqual(words, ['Open', 'Closed', 'Silent', 'Silent', 'Dead']);
});

test('why it takes nothing is said, with what to do where one can do something', () => {
  assert.equal(hostWhy(host({}), 0), '');
  assert.match(hostWhy(host({state: 'silent', silent_since: 100}), 165), /for 1m 05s.*systemctl/);
  assert.match(hostWhy(host({connected: false, silent_since: null}), 5), /^Nothing was heard/);
  assert.equal(hostWhy(host({closed: true, comments: 'root: fan'}), 0), 'Closed by root: fan.');
  assert.equal(hostWhy(host({closed: true}), 0), 'Closed by an administrator.');
  assert.equal(
    hostWhy(host({closed: true, draining: true, moving: 3, comments: 'root: fan'}), 0),
    'Closed by root: fan. Tasks of 3 slots move elsewhere.',
  );
  assert.equal(
    hostWhy(host({closed: true, draining: true, moving: 0, comments: 'root: fan'}), 0),
    'Closed by root: fan. What could move has moved.',
  );
  assert.equal(hostWhy(host({status: 'closed_Full'}), 0), 'Takes nothing now: closed_Full.');
});

test('a GPU that is out of order is never free', () => {
  assert.deepEqual(gpuShown(gpu({jobids: ['1']})).word, 'In use');
  assert.deepEqual(gpuShown(gpu({})).word, 'Free');
  assert.deepEqual(gpuShown(gpu({gpu_status: 'stuck', jobids: ['1']})).kind, 'bad');
  assert.deepEqual(gpuShown(gpu({gpu_status: 'closed'})), {
    word: 'Closed',
    icon: 'hold',
    kind: 'warn',
  });
});

test('jobs of hosts whose names only begin alike are not on it', () => {
  const jobs = [{exec_host: ['node1']}, {exec_host: ['node12', 'node2']}] as unknown as JobRow[];
  assert.equal(jobsOn(jobs, 'node1').length, 1);
  assert.equal(jobsOn(jobs, 'node2').length, 1);
  assert.equal(jobsOn(jobs, 'node').length, 0);
});
