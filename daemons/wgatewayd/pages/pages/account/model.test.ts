import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {session, standing} from '../../state/session.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {Account} from './model.ts';

let server = new FakeServer();
beforeEach(() => {
  server = new FakeServer()
    .on('GET /api/v1/keys', {now: 100, keys: []})
    .on('GET /api/v1/budgets', {budgets: []})
    .on('GET /api/v1/usage', {
      rows: [
        {name: 'ann', jobs: 3},
        {name: 'bob', jobs: 9},
      ],
      days: [],
    });
  session.value = {user: 'ann', cluster: 'c', version: '1', admin: false, now: 0};
});

test('what one used is one’s own', async () => {
  const account = new Account();
  await account.known.refresh();
  assert.equal(account.known.value.value?.used?.jobs, 3);
  session.value = {user: 'eve', cluster: 'c', version: '1', admin: false, now: 0};
  await account.known.refresh();
  assert.equal(account.known.value.value?.used, null);
});

test('a key is asked for as it was typed, and its secret is there once', async () => {
  const account = new Account();
  account.form.set('name', ' laptop ');
  account.form.set('scopes', 'read');
  account.form.set('days', '7');
  let sent: unknown;
  server.on('POST /api/v1/keys', (body: unknown) => {
    sent = body;
    return {name: 'laptop', scopes: 'read', created: 1, expires: 2, secret: 'wmkey_1'};
  });
  await account.make();
  assert.deepEqual(sent, {name: 'laptop', scopes: 'read', days: 7});
  assert.equal(account.made.value?.secret, 'wmkey_1');
  assert.equal(account.form.value.value.name, '', 'the next one begins anew');
});

test('a name that is taken keeps what was typed; one that is none is not asked for', async () => {
  const account = new Account();
  await account.make();
  assert.deepEqual(Object.keys(account.form.errors.value), ['name']);
  assert.deepEqual(server.words(), []);
  account.form.set('name', 'ci');
  server.on('POST /api/v1/keys', new No(409, 'name: there is a key ci already'));
  await account.make();
  assert.equal(account.form.problem.value, 'name: there is a key ci already');
  assert.deepEqual([account.form.value.value.name, account.made.value], ['ci', null]);
});

test('a key that is revoked takes its secret from the page', async () => {
  const account = new Account();
  account.made.value = {name: 'a', scopes: '', created: 0, expires: 0, secret: 's'};
  server.on('DELETE /api/v1/keys/b', {}).on('DELETE /api/v1/keys/a', {});
  await account.revoke('b');
  assert.equal(account.made.value?.secret, 's', 'another’s');
  await account.revoke('a');
  assert.equal(account.made.value, null);
  await account.revoke('none');
  assert.match(account.doing.problem.value, /^none: .*does not exist/);
});

test('ended sessions end here, too; where that is refused one stays', async () => {
  const account = new Account();
  standing.value = 'on';
  server.on('DELETE /api/v1/sessions', new No(503, 'the master does not answer'));
  await account.endAll();
  assert.equal(standing.value, 'on');
  server.on('DELETE /api/v1/sessions', {}).on('POST /auth/v1/logoff', {});
  await account.endAll();
  assert.equal(standing.value, 'none');
});
