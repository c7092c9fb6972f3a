import {fakeHistory} from '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {go} from '../../state/address.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {jobOf, ProjectModel} from './model.ts';

const BASE = '/api/v1/projects/bob~p';
const runs = Array.from({length: 12}, (_, i) => `c-${i}`);
let server = new FakeServer();
beforeEach(() => {
  go('/projects/bob~p');
  server = new FakeServer()
    .on(`GET ${BASE}`, {name: 'p', members: []})
    .on(`GET ${BASE}/definitions`, {definitions: []})
    .on(`GET ${BASE}/experiments`, {experiments: [{name: 'e 1', runs, definitions: []}]});
});

test('what there is in it is asked for together', async () => {
  const model = new ProjectModel('bob~p');
  await model.known.refresh();
  assert.deepEqual(server.words().sort(), [
    `GET ${BASE}`,
    `GET ${BASE}/definitions`,
    `GET ${BASE}/experiments`,
  ]);
  assert.equal(model.known.value.value?.experiments.length, 1);
  model.leave();
});

test('one that one may not see is not there, without asking what is in it', async () => {
  const model = new ProjectModel('eve~x');
  await model.known.refresh();
  assert.equal(model.known.failure.value?.status, 404);
});

test('a run of an experiment is gone to; several lead to one’s own', async () => {
  const model = new ProjectModel('bob~p');
  server.on(`POST ${BASE}/experiments/e%201/run`, {runs: ['c-7']});
  await model.run('e 1');
  assert.equal(fakeHistory.gone.at(-1), '/apps/7');
  server.on(`POST ${BASE}/experiments/e%201/run`, {runs: ['c-7', 'c-8']});
  await model.run('e 1');
  assert.equal(fakeHistory.gone.at(-1), '/apps?whose=mine');
});

test('a run that is refused says why; pressed twice it is asked for once', async () => {
  const model = new ProjectModel('bob~p');
  server.on(`POST ${BASE}/experiments/e%201/run`, new No(409, 'the budget of /research is used'));
  await Promise.all([model.run('e 1'), model.run('e 1')]);
  assert.equal(server.words().filter((what) => what.startsWith('POST')).length, 1);
  assert.equal(model.doing.problem.value, 'the budget of /research is used');
  assert.equal(fakeHistory.gone.at(-1), '/projects/bob~p');
});

test('what is deleted is asked for anew; where that is refused it stays', async () => {
  const model = new ProjectModel('bob~p');
  server.on(`DELETE ${BASE}/definitions/a%2Fb`, new No(409, 'experiment e 1 names it'));
  await model.remove('definitions', 'a/b');
  assert.equal(model.doing.problem.value, 'experiment e 1 names it');
  assert.ok(server.words().includes(`GET ${BASE}`));
  model.leave();
});

test('members are kept, and shown as the server has them then', async () => {
  const model = new ProjectModel('bob~p');
  server.on(`PUT ${BASE}/members`, {});
  model.members.open([{name: 'ann', role: 'viewer'}]);
  model.members.setRole('ann', 'editor');
  model.members.added.value = {name: ' @team ', role: 'viewer'};
  await model.saveMembers();
  const [put, ...rest] = server.asked;
  assert.deepEqual(put?.body, {
    members: [
      {name: 'ann', role: 'editor'},
      {name: '@team', role: 'viewer'},
    ],
  });
  assert.ok(rest.length > 0);
  model.leave();
});

test('the job of an execution is the end of its id', () => {
  assert.deepEqual(['c-12', 'my-c-12', '12'].map(jobOf), ['12', '12', '12']);
});
