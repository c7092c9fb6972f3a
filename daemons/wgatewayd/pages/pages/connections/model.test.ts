import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {FakeServer, No} from '../shared/fake_server.ts';
import {Connections, keysOf, TYPES, wanted} from './model.ts';

const LIST = 'GET /api/v1/connections';
let server = new FakeServer();
beforeEach(() => {
  server = new FakeServer().on(LIST, {connections: [{name: 'there', type: 's3'}]});
});
async function filled(keys: string, name = ' new ') {
  const model = new Connections();
  await model.list.refresh();
  model.form.set('name', name);
  model.form.set('keys', keys);
  server.asked.length = 0;
  return model;
}

test('keys are lines; a value may hold what it likes, one without is none', () => {
  assert.deepEqual(keysOf('a = 1\n b=x = y \n\nc =\n= d\nno line'), {a: '1', b: 'x = y'});
  assert.deepEqual(keysOf(''), {});
});

test('each type has keys that it wants, once', () => {
  assert.equal(new Set(TYPES).size, TYPES.length);
  assert.ok(TYPES.every((type) => wanted(type).length > 0));
  assert.ok(wanted('s3').includes('secret_access_key'));
});

test('one is made with its keys; nothing that is secret stays on the page', async () => {
  server.on('POST /api/v1/connections', {});
  const model = await filled('secret_access_key = x');
  await model.save();
  assert.deepEqual(server.asked[0]?.body, {secret_access_key: 'x', name: 'new', type: 's3'});
  assert.deepEqual(model.form.value.value, {name: '', type: 's3', keys: ''});
  assert.equal(server.words().at(-1), LIST);
});

test('a key of a connection is never its name or its type', async () => {
  server.on('POST /api/v1/connections', {});
  const model = await filled('name = other\ntype = ftp\nhost = h');
  await model.save();
  assert.deepEqual(server.asked[0]?.body, {name: 'new', type: 's3', host: 'h'});
});

test('one that is there is changed', async () => {
  server.on('PUT /api/v1/connections/there', {});
  await (await filled('a = 1', 'there')).save();
  assert.equal(server.words()[0], 'PUT /api/v1/connections/there');
});

test('what is wanting is told at its field, before anybody is asked', async () => {
  const model = await filled('none', ' ');
  await model.save();
  assert.deepEqual(Object.keys(model.form.errors.value), ['name', 'keys']);
  assert.deepEqual(server.words(), []);
});

test('a test says what came of it, by name', async () => {
  const model = new Connections();
  server.on('POST /api/v1/connections/a%20b/test', {});
  server.on('POST /api/v1/connections/c/test', new No(502, 'connection refused by host h:9000'));
  const both = [model.test('a b'), model.test('c')];
  assert.deepEqual(model.words.value, {'a b': 'is asked…', c: 'is asked…'});
  await Promise.all(both);
  assert.deepEqual(model.words.value, {
    'a b': 'can be used',
    c: 'connection refused by host h:9000',
  });
});

test('one that is used is not taken away, and says by what', async () => {
  const model = new Connections();
  server.on('DELETE /api/v1/connections/c', new No(409, 'data asset d names it'));
  await model.remove('c');
  assert.equal(model.doing.problem.value, 'data asset d names it');
});
