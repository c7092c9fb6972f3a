import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {ApiKey} from '../../api/shapes_admin.ts';
import {keyShown, missingOf, scopeWords, usingLines} from './rules.ts';

const DAY = 86_400;
const key = (expires: number): ApiKey => ({name: 'k', scopes: 'read', created: 0, expires});

test('a key opens something until its end, and says so before', () => {
  assert.deepEqual(keyShown(key(100), 100).word, 'Over');
  assert.deepEqual(keyShown(key(50), 100).kind, '');
  assert.deepEqual(keyShown(key(100 + 13 * DAY), 100), {
    word: '13d 00h left',
    icon: 'what',
    kind: 'warn',
  });
  assert.equal(keyShown(key(100 + 15 * DAY), 100).kind, 'run');
});

test('scopes are words; unknown ones are shown as they are', () => {
  assert.equal(scopeWords('read'), 'Look only');
  assert.equal(scopeWords('read,submit,inference'), 'Everything');
  assert.equal(scopeWords('submit,inference'), 'submit, inference');
});

test('a key has a name and an end', () => {
  const missing = (name: string, days: string) =>
    Object.keys(missingOf({name, scopes: 'read', days}));
  assert.deepEqual(missing('laptop', '90'), []);
  assert.deepEqual(missing(' ci.1 ', ' 3650 '), []);
  for (const name of ['', ' ', '../x', 'a b', '-x', 'ü'])
    assert.deepEqual(missing(name, '1'), ['name']);
  for (const days of ['', '0', '-1', '3651', '1.5', 'x'])
    assert.deepEqual(missing('k', days), ['days'], days);
});

test('the lines that use a key are quoted', () => {
  const lines = usingLines('https://wm:8443', "o'neil", 'wmkey_1').split('\n');
  assert.equal(lines.length, 3);
  assert.equal(lines[0], 'export WM_GATEWAY_URL=https://wm:8443');
  assert.equal(lines[2], "python3 dlicmd.py --logon --username 'o'\\''neil' --password wmkey_1");
});
