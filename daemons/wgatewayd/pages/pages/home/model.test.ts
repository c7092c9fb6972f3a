import {fakeDocument} from '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import type {JobRow} from '../../api/shapes.ts';
import {now} from '../../state/clock.ts';
import {session} from '../../state/session.ts';
import {FakeHub} from '../shared/fake_hub.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {Home} from './model.ts';

const hub = new FakeHub();
session.value = {user: 'ann', cluster: 'c', version: '1', admin: false, now: 0};
const job = (jobid: string, wm_state: string, more: Partial<JobRow> = {}) =>
  ({jobid, wm_state, plan: '/r', ...more}) as JobRow;
const came = (group: string, rows: readonly JobRow[], total = rows.length) =>
  hub.window(`home-${group}`, rows, total);
beforeEach(() => {
  hub.said.length = 0;
  localStorage.clear();
  assert.equal(fakeDocument.hidden, false);
});

test('it looks at one’s own alone, in four windows, until it is left', () => {
  const end = new Home().begin();
  assert.deepEqual(
    hub.views().map(([key, view]) => [key, view.mine, view.group, view.filter, view.to]),
    [
      ['home-running', true, 'running', '', 10],
      ['home-pending', true, 'pending', '', 10],
      ['home-failed', true, 'failed', '', 50],
      ['home-recent', true, '', 'state:finished', 8],
    ],
  );
  end();
  assert.equal(hub.said.filter(({say}) => say === 'close').length, 4);
});

test('nothing is said to be none until all four have come', () => {
  const home = new Home();
  const end = home.begin();
  for (const group of ['running', 'pending', 'failed']) {
    came(group, []);
    assert.equal(home.known.value, false, group);
  }
  came('recent', []);
  assert.equal(home.known.value, true);
  end();
});

test('more than are shown are counted; a host that is silent is told of', () => {
  const home = new Home();
  const end = home.begin();
  came('running', [job('1', 'running'), job('2', 'unknown')], 40);
  assert.deepEqual(
    [home.total('running'), home.running.value.length, home.total('recent')],
    [40, 2, 0],
  );
  assert.deepEqual(
    home.silent.value.map((one) => one.jobid),
    ['2'],
  );
  end();
});

test('a failure that was seen is told no more, here and after a reload', () => {
  const home = new Home();
  const end = home.begin();
  came('failed', [job('1', 'failed', {finish_time: now() - 60})]);
  assert.equal(home.failed.value.length, 1);
  home.seen();
  assert.equal(home.failed.value.length, 0);
  end();
  const again = new Home();
  const stop = again.begin();
  came('failed', [
    job('1', 'failed', {finish_time: now() - 60}),
    job('2', 'failed', {finish_time: now() + 1}),
  ]);
  assert.deepEqual(
    again.failed.value.map((one) => one.jobid),
    ['2'],
  );
  stop();
});

test('plans are those that one’s jobs draw on; hosts those that take none', async () => {
  const server = new FakeServer()
    .on('GET /api/v1/plans', {plans: [{plan: '/'}, {plan: '/r'}, {plan: '/other', users: []}]})
    .on('GET /api/v1/hosts', {hosts: [{host_name: 'n7'}]});
  const home = new Home();
  const end = home.begin();
  await home.cluster.refresh();
  assert.deepEqual(server.words(), ['GET /api/v1/plans', 'GET /api/v1/hosts?out=yes&limit=7']);
  assert.deepEqual(home.plans.value, []);
  came('pending', [job('1', 'pending')]);
  assert.deepEqual(
    home.plans.value.map(({plan}) => plan),
    ['/r'],
  );
  server.on('GET /api/v1/plans', new No(503, 'the master does not answer'));
  await home.cluster.refresh();
  assert.equal(home.plans.value.length, 1, 'what was known stays');
  end();
});
