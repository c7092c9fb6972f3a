import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {Members} from './members_model.ts';

let asked: {path: string; body: unknown}[] = [];
let answer = () => Response.json({});
globalThis.fetch = async (path, options) => {
  asked.push({path: String(path), body: JSON.parse(String(options?.body))});
  return answer();
};
beforeEach(() => {
  asked = [];
  answer = () => Response.json({});
});
const opened = () => {
  const members = new Members();
  members.open([
    {name: 'ann', role: 'viewer'},
    {name: '@team', role: 'editor'},
  ]);
  return members;
};
const names = (members: Members) => members.list.value.map(({name, role}) => `${name} ${role}`);

test('one who is added again has the role that was said last, and is there once', () => {
  const members = opened();
  members.added.value = {name: ' ann ', role: 'admin'};
  members.add();
  assert.deepEqual(names(members), ['@team editor', 'ann admin']);
  assert.deepEqual(members.added.value, {name: '', role: 'admin'}, 'the next one likely the same');
  members.add();
  assert.equal(members.list.value.length, 2, 'nobody is nobody');
});

test('a role is changed, one is taken away', () => {
  const members = opened();
  members.setRole('@team', 'viewer');
  members.setRole('unknown', 'admin');
  members.remove('ann');
  assert.deepEqual(names(members), ['@team viewer']);
});

test('whoever is typed and not added yet is kept as well', async () => {
  const members = opened();
  members.added.value = {name: 'eve', role: 'viewer'};
  assert.equal(await members.save('/api/v1/x'), true);
  assert.equal(asked[0]?.path, '/api/v1/x/members');
  const sent = (asked[0]?.body as {members: unknown[]} | undefined)?.members ?? [];
  assert.equal(sent.length, 3);
  assert.equal(members.shown.value, false);
});

test('a refusal is told, and keeps the dialog with what was changed', async () => {
  answer = () => Response.json({title: 'no account eve'}, {status: 400});
  const members = opened();
  members.remove('ann');
  assert.equal(await members.save('/api/v1/x'), false);
  assert.deepEqual([members.shown.value, members.problem.value], [true, 'no account eve']);
  assert.deepEqual(names(members), ['@team editor']);
  members.open([]);
  assert.equal(members.problem.value, '', 'opened again it begins without');
});
