import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Host} from '../../api/shapes_admin.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {ClusterMap} from './model.ts';

const host = (host_name: string, more: Partial<Host> = {}) =>
  ({
    host_name,
    state: 'ok',
    connected: true,
    closed: false,
    run: 0,
    max: 2,
    gpus: [],
    ...more,
  }) as unknown as Host;

test('a map is the hosts that the server has, a cell found by its place', async () => {
  new FakeServer().on('GET /api/v1/hosts', {hosts: [host('a'), host('b', {run: 1})]});
  const map = new ClusterMap();
  const end = map.begin();
  assert.deepEqual([map.names.value, map.counts.value], [[], []]);
  await map.hosts.refresh();
  assert.deepEqual(
    [map.names.value, map.counts.value],
    [
      ['a', 'b'],
      [2, 2],
    ],
  );
  assert.deepEqual([map.by.value, map.table.value], ['state', false]);
  assert.deepEqual(
    map.legend.value.map(({tone, count}) => [tone.name, count]),
    [
      ['used', 1],
      ['free', 3],
    ],
  );
  assert.equal(map.cell({box: 1, cell: 0})?.key, 'b:slot0');
  assert.equal(map.cell({box: 9, cell: 0}), null);
  assert.equal(map.cell(null), null);
  end();
});

test('a map that is known stays where asking again fails', async () => {
  const server = new FakeServer().on('GET /api/v1/hosts', {hosts: [host('a')]});
  const map = new ClusterMap();
  await map.hosts.refresh();
  server.on('GET /api/v1/hosts', new No(503, 'the master does not answer'));
  await map.hosts.refresh();
  assert.deepEqual(map.names.value, ['a']);
  assert.equal(map.hosts.failure.value?.message, 'the master does not answer');
});

test('hosts come in parts, each once', async () => {
  const server = new FakeServer();
  const answers = [{hosts: [host('a'), host('b b')], next: 'b b'}, {hosts: [host('c')]}];
  server.on('GET /api/v1/hosts', () => answers.shift());
  const map = new ClusterMap();
  await map.refresh();
  assert.deepEqual(map.names.value, ['a', 'b b', 'c']);
  assert.deepEqual(server.words(), [
    'GET /api/v1/hosts?limit=500',
    'GET /api/v1/hosts?limit=500&after=b%20b',
  ]);
});

test('while an answer is under way, and a while after, nobody asks again', async () => {
  const server = new FakeServer().on('GET /api/v1/hosts', {hosts: [host('a')]});
  const map = new ClusterMap();
  await Promise.all([map.refresh(), map.refresh(), map.refresh()]);
  assert.equal(server.words().length, 1);
});
