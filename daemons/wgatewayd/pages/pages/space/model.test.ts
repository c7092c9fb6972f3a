import {fakeHistory} from '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {FakeServer, No} from '../shared/fake_server.ts';
import {promoted} from '../shared/promote.ts';
import {isMine, plainName} from '../shared/space.ts';
import {SpaceModel} from './model.ts';

const BASE = '/api/v1/spaces/bob~s';
const DEPLOY = `POST ${BASE}/models/m%201/deploy`;

test('a model is deployed with what was said, and its test is gone to', async () => {
  const server = new FakeServer().on(DEPLOY, {});
  const model = new SpaceModel('bob~s');
  model.choose('m 1');
  assert.equal(model.form.value.value.name, 'm 1');
  model.form.set('name', ' digits ');
  model.form.set('gpu', 'shared');
  await model.deploy();
  assert.deepEqual(server.asked[0], {
    what: DEPLOY,
    body: {
      name: 'digits',
      profile: {
        policy: {kernel_min: 1, kernel_max: 4, task_batch_size: 16},
        kernel: {gpu: 'shared'},
      },
    },
  });
  assert.equal(fakeHistory.gone.at(-1), '/services/digits?tab=test');
});

test('a refusal keeps the form; another model begins with a fresh one', async () => {
  new FakeServer().on(DEPLOY, new No(409, 'there is a service of that name'));
  const model = new SpaceModel('bob~s');
  model.choose('m 1');
  model.form.set('max', '9');
  await model.deploy();
  assert.equal(model.form.problem.value, 'there is a service of that name');
  assert.equal(model.form.value.value.max, '9');
  model.form.set('name', '');
  await model.deploy();
  assert.equal(model.form.errors.value.name, 'Which name?');
  model.choose('other');
  assert.deepEqual([model.form.value.value.max, model.form.problem.value], ['4', '']);
});

test('one that is taken away is told, and the space looked at again', async () => {
  const server = new FakeServer().on(`DELETE ${BASE}/models/m`, new No(409, 'a service uses it'));
  const model = new SpaceModel('bob~s');
  await model.remove('m');
  assert.equal(model.doing.problem.value, 'a service uses it');
  assert.deepEqual(server.words(), [`DELETE ${BASE}/models/m`, `GET ${BASE}`]);
});

test('a space of another has its owner’s name before its own', () => {
  const mine = {name: 's', owner: 'ann', role: 'owner'};
  const theirs = {name: 'bob~s', owner: 'bob', role: 'viewer'};
  assert.deepEqual([isMine(mine), isMine(theirs)], [true, false]);
  assert.deepEqual([plainName(mine), plainName(theirs)], ['s', 's']);
});

test('a model goes to a space; one of its name there is told', async () => {
  const server = new FakeServer().on('POST /m/promote', {});
  assert.equal(await promoted('/m', 's'), true);
  assert.deepEqual(server.asked[0]?.body, {space: 's'});
  server.on('POST /m/promote', new No(409, 'there'));
  assert.equal(await promoted('/m', 's'), false);
  server.on('POST /m/promote', new No(403, 'you may not'));
  await assert.rejects(promoted('/m', 's'), /you may not/);
});
