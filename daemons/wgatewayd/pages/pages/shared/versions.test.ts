import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Version} from '../../api/shapes_more.ts';
import {Saving} from '../../parts/save_model.tsx';
import {FakeServer, No} from './fake_server.ts';
import {promoted} from './promote.ts';
import {aboutVersion, standing, Versions} from './versions_model.ts';

const version = (name: string, more: Partial<Version> = {}): Version => ({
  version: name,
  made: 1,
  made_by: 'ann',
  ...more,
});
const PATH = '/api/v1/projects/p%201/definitions/d';
const NAMED = {kind: 'definitions', project: 'p 1', name: 'd'} as const;

test('what a version is told from others by', () => {
  const code = version('2', {code_name: 'a.zip', hash: '0123456789', command: 'm.py'});
  assert.equal(aboutVersion('definitions', code), 'a.zip, 01234567, m.py');
  assert.equal(aboutVersion('models', version('1', {run: 'c-7'})), 'c-7');
  const both = version('1', {definitions: ['a', 'b'], definition_versions: ['3']});
  assert.equal(aboutVersion('experiments', both), 'a 3, b');
  assert.equal(aboutVersion('experiments', version('1')), '');
  assert.equal(standing(version('1', {state: 'present'})), 'in use');
  assert.equal(standing(version('1', {state: 'undone'})), 'gone back from');
});

test('going back changes what is in use, and the page hears of it', async () => {
  let changed = 0;
  const versions = new Versions(() => ++changed);
  const server = new FakeServer()
    .on(`GET ${PATH}/versions`, {versions: [version('2', {state: 'present'}), version('1')]})
    .on(`POST ${PATH}/rollback`, {});
  await versions.open(NAMED);
  assert.equal(versions.list.value?.length, 2);
  assert.equal(versions.codeOf(version('2')), `${PATH}/versions/2/code`);
  await versions.goBack();
  assert.deepEqual(server.words(), [
    `GET ${PATH}/versions`,
    `POST ${PATH}/rollback`,
    `GET ${PATH}/versions`,
  ]);
  assert.equal(changed, 1);
});

test('a version that is in use by another is not taken away, and that is said', async () => {
  const versions = new Versions(() => {});
  const server = new FakeServer()
    .on(`GET ${PATH}/versions`, {versions: [version('1')]})
    .on(`DELETE ${PATH}/versions/1`, new No(409, 'an experiment runs it'));
  await versions.open(NAMED);
  await versions.remove('1');
  assert.equal(versions.doing.problem.value, 'an experiment runs it');
  assert.equal(versions.list.value?.length, 1);
  versions.close();
  await versions.goBack();
  assert.equal(server.words().length, 2, 'closed, it does nothing');
});

test('only definitions have code of their own', async () => {
  new FakeServer().on('GET /api/v1/projects/p/models/m/versions', {versions: []});
  const versions = new Versions(() => {});
  await versions.open({kind: 'models', project: 'p', name: 'm'});
  assert.equal(versions.codeOf(version('1')), '');
});

test('a model is promoted, or its name is taken; anything else is an error', async () => {
  const server = new FakeServer().on('POST /m/promote', {});
  assert.equal(await promoted('/m', 's'), true);
  server.on('POST /m/promote', new No(409, 'there is one'));
  assert.equal(await promoted('/m', 's'), false);
  server.on('POST /m/promote', new No(403, 'you may not'));
  await assert.rejects(promoted('/m', 's'), /you may not/);
});

test('a model saved under a name that is there becomes its next version, when asked', async () => {
  const base = '/api/v1/projects/default/models';
  const server = new FakeServer()
    .on('GET /api/v1/projects', {projects: [{name: 'default'}]})
    .on(`POST ${base}`, new No(409, 'there is one'))
    .on(`PUT ${base}/m`, {});
  Object.assign(globalThis, {history: {pushState: () => {}}, scrollTo: () => {}});
  const saving = new Saving();
  await saving.open('c-7', 'm');
  await saving.save();
  assert.match(saving.form.errors.value.name ?? '', /next version/);
  assert.equal(saving.shown.value, true);
  await saving.save();
  assert.equal(saving.shown.value, false);
  assert.deepEqual(server.words().slice(1), [`POST ${base}`, `PUT ${base}/m`]);
});
