import assert from 'node:assert/strict';
import {test} from 'node:test';
import {FakeServer, No} from '../shared/fake_server.ts';
import {Files} from './files.ts';

const found = {files: [], count: 0, bytes: 0, complete: true};

test('files are asked for when the list is opened, each time anew', async () => {
  const server = new FakeServer().on('GET /api/v1/runs/7.2/files', found);
  const files = new Files('7.2');
  assert.deepEqual([files.shown.value, server.words()], [false, []]);
  await files.open();
  assert.deepEqual([files.shown.value, files.known.value], [true, found]);
  files.close();
  assert.equal(files.shown.value, false);
  server.on('GET /api/v1/runs/7.2/files', {...found, count: 3});
  await files.open();
  assert.equal(files.known.value?.count, 3);
});

test('where they cannot be listed the reason is said, and nothing old is shown', async () => {
  const server = new FakeServer().on('GET /api/v1/runs/7/files', found);
  const files = new Files('7');
  await files.open();
  server.on('GET /api/v1/runs/7/files', new No(404, 'run 7 does not exist'));
  await files.open();
  assert.equal(files.known.value, null);
  assert.match(files.doing.problem.value, /does not exist/);
});
