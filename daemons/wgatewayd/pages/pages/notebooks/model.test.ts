import {fakeDocument} from '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import type {JobRow} from '../../api/shapes.ts';
import type {Notebook, NotebookWeb} from '../../api/shapes_more.ts';
import {go} from '../../state/address.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {shownOf} from './card.tsx';
import {lineOf, NotebooksModel} from './model.ts';

const FRESH = {
  profile: '',
  name: '',
  gpus: '',
  minutes: '',
  queue: '',
  plan: '',
  folder: '',
  memory: '',
};
const notebook = (wm_state: string, web: Partial<NotebookWeb> | null = null): Notebook => ({
  id: '9',
  job: {jobid: '9', wm_state} as JobRow,
  web: web as NotebookWeb | null,
  shared: [],
});
const LIST = {now: 1, profiles: [{name: 'jupyter', description: ''}], notebooks: []};
let server = new FakeServer();
beforeEach(() => {
  sessionStorage.clear();
  go('/notebooks');
  server = new FakeServer().on('GET /api/v1/notebooks', LIST);
});

test('the line asks for the same, in hours of minutes, its words quoted', () => {
  assert.equal(lineOf(FRESH, 'jupyter'), 'bsub -app jupyter');
  const all = {
    ...FRESH,
    name: ' my notes ',
    queue: 'night',
    plan: '/r',
    folder: '/data/a b',
    memory: '16G',
    gpus: '2',
    minutes: '1.5',
  };
  assert.equal(
    lineOf(all, 'jupyter'),
    "bsub -app jupyter -J 'my notes' -q night -plan /r -cwd '/data/a b' -M 16G -gpu num=2 -W 90",
  );
});

test('it is started with what was said and no more; then the form is empty', async () => {
  const model = new NotebooksModel('');
  await model.known.refresh();
  assert.equal(model.profile(), 'jupyter', 'the first that the site offers');
  server.on('POST /api/v1/notebooks', {id: '9'});
  model.form.set('gpus', '1');
  model.form.set('minutes', '0.5');
  model.form.set('name', ' a ');
  model.form.set('folder', '  ');
  server.words();
  await model.start();
  const body = {profile: 'jupyter', name: 'a', gpus: 1, minutes: 30};
  assert.deepEqual(server.asked[0], {what: 'POST /api/v1/notebooks', body});
  assert.equal(model.form.value.value.name, '');
});

test('a refusal is at its field, what was typed stays', async () => {
  const model = new NotebooksModel('');
  server.on('POST /api/v1/notebooks', new No(400, 'no queue x'));
  model.form.set('queue', 'x');
  await model.start();
  assert.deepEqual([model.form.problem.value, model.form.value.value.queue], ['no queue x', 'x']);
});

test('one that is not there is told for it, until it is; then the list is shown', async () => {
  const model = new NotebooksModel('77');
  await model.known.refresh();
  assert.equal(model.known.failure.value?.status, 404);
  server.on('GET /api/v1/notebooks/77', {});
  await model.known.refresh();
  assert.equal(model.known.value.value?.notebooks.length, 0);
  go('/notebooks/77?owner=bob');
  server.words();
  await new NotebooksModel('77').known.refresh();
  assert.deepEqual(server.words(), ['GET /api/v1/notebooks'], 'another’s is not in one’s list');
});

test('it is worth asking again while one lives or waits', async () => {
  const model = new NotebooksModel('');
  for (const [state, goes] of [
    ['running', true],
    ['pending', true],
    ['finished', false],
  ] as const) {
    server.on('GET /api/v1/notebooks', {...LIST, notebooks: [notebook(state)]});
    await model.known.refresh();
    assert.equal(model.goesOn(), goes, state);
  }
});

test('it is shared with names, which are then those that the server has', async () => {
  const model = new NotebooksModel('');
  server.on('POST /api/v1/notebooks/9/share', {});
  model.names.value = {'9': 'bob, eve', '8': 'x'};
  await model.share('9', 'bob, eve');
  assert.deepEqual(server.asked[0]?.body, {users: ['bob', 'eve']});
  assert.deepEqual(model.names.value, {'8': 'x'});
});

test('it is opened by a ticket in a form, on its own origin, and no address has it', async () => {
  const model = new NotebooksModel('');
  const ticket = {action: 'https://apps.test/open', ticket: 'secret'};
  server.on('POST /auth/v1/app', ticket);
  const forms: {action: string; target: string; rel: string}[] = [];
  const made = fakeDocument.createElement.bind(fakeDocument);
  fakeDocument.createElement = (name: string) => {
    const element = made(name);
    if (name === 'form') forms.push(element as never);
    return element;
  };
  await model.open('9', 'bob');
  fakeDocument.createElement = made;
  assert.deepEqual(server.asked[0]?.body, {job: '9', owner: 'bob'});
  assert.deepEqual(
    forms.map(({action, target, rel}) => [action, target, rel]),
    [['https://apps.test/open', '_blank', 'noopener']],
  );
  assert.equal(fakeDocument.body.querySelector('form'), null, 'nothing of it stays on the page');
  server.on('POST /auth/v1/app', new No(403, 'it is not shared with you'));
  await model.open('9');
  assert.deepEqual(server.asked.at(-1)?.body, {job: '9'});
  assert.equal(model.doing.problem.value, 'it is not shared with you');
});

test('a notebook is ready, idle, starting, or what its job is', () => {
  const words = (state: string, web: Partial<NotebookWeb> | null) =>
    shownOf(notebook(state, web)).word;
  assert.equal(words('pending', null), 'Pending');
  assert.equal(words('running', null), 'Starting');
  assert.equal(words('running', {state: 'starting'}), 'Starting');
  assert.equal(words('running', {state: 'ready'}), 'Ready');
  assert.equal(words('running', {state: 'warned'}), 'Idle');
  assert.equal(words('finished', {state: 'idle'}), 'Stopped, idle');
  assert.equal(words('failed', {state: 'ready'}), 'Failed', 'what failed is not ready');
  assert.equal(words('running', {state: 'unheard'}), 'Starting');
});
