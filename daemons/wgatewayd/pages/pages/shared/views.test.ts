import assert from 'node:assert/strict';
import {test} from 'node:test';
import {FakeServer, No} from './fake_server.ts';
import {oldViews, Views, viewTitle} from './views.ts';

const view = (name: string, page = '/runs') => ({name, page, search: '?q=x', by: 'ann'});
const shared = {name: 'p', description: '', plan: '/', members: [], owner: 'bob', role: 'viewer'};
const SHARED = '/api/v1/projects/bob~p/views';
const store = (text: string | null) => ({
  text,
  getItem(): string | null {
    return this.text;
  },
  removeItem() {
    this.text = null;
  },
});

test('one’s own views come first, then those of projects, of this page alone', async () => {
  new FakeServer()
    .on('GET /api/v1/projects', {projects: [{name: 'default'}, shared]})
    .on('GET /api/v1/views', {views: [view('mine'), view('elsewhere', '/apps')]})
    .on('GET /api/v1/projects/default/views', {views: []})
    .on(`GET ${SHARED}`, {views: [view('theirs')]});
  const views = new Views('/runs', undefined);
  await views.load();
  assert.deepEqual(views.list.value.map(viewTitle), ['mine', 'theirs (bob~p)']);
  assert.deepEqual(views.projects.value, ['default', 'bob~p']);
});

test('a project whose owner does not answer keeps the others from nobody', async () => {
  const server = new FakeServer()
    .on('GET /api/v1/projects', {projects: [shared]})
    .on('GET /api/v1/views', {views: [view('mine')]})
    .on(`GET ${SHARED}`, new No(503, 'away'));
  const views = new Views('/runs', undefined);
  await views.load();
  assert.deepEqual(views.list.value.map(viewTitle), ['mine']);
  server.on('GET /api/v1/views', new No(503, 'away'));
  await views.load();
  assert.deepEqual(views.list.value, []);
});

test('a view is kept where it is said, and dropped from there', async () => {
  const server = new FakeServer()
    .on('GET /api/v1/projects', {projects: [shared]})
    .on('GET /api/v1/views', {views: []})
    .on(`GET ${SHARED}`, {views: [view('a b')]})
    .on(`PUT ${SHARED}/a%20b`, {views: []})
    .on(`DELETE ${SHARED}/a%20b`, {});
  const views = new Views('/runs', undefined);
  await views.load();
  views.open();
  await views.keep('?q=x');
  assert.equal(views.form.errors.value.name, 'Which name?');
  views.form.set('name', ' a b ');
  views.form.set('project', 'bob~p');
  server.words();
  await views.keep('?q=x');
  const put = {what: `PUT ${SHARED}/a%20b`, body: {page: '/runs', search: '?q=x'}};
  assert.deepEqual(server.asked[0], put);
  assert.equal(views.shown.value, false);
  server.words();
  const [kept] = views.list.value;
  if (kept) await views.drop(kept);
  assert.equal(server.words()[0], `DELETE ${SHARED}/a%20b`);
});

test('who may not keep one is told so, and keeps what was typed', async () => {
  new FakeServer().on('PUT /api/v1/views/x', new No(413, 'there are 200 views'));
  const views = new Views('/runs', undefined);
  views.open();
  views.form.set('name', 'x');
  await views.keep('');
  assert.deepEqual([views.form.problem.value, views.shown.value], ['there are 200 views', true]);
});

test('what this browser kept before is handed over once; what is damaged is as none', async () => {
  const server = new FakeServer()
    .on('GET /api/v1/projects', {projects: []})
    .on('PUT /api/v1/views/old', {views: []})
    .on('GET /api/v1/views', {views: [view('old')]});
  const kept = store('[{"name": "old", "search": "?q=x"}, 5]');
  await new Views('/runs', kept).load();
  assert.equal(kept.text, null);
  assert.deepEqual(server.words(), [
    'GET /api/v1/projects',
    'PUT /api/v1/views/old',
    'GET /api/v1/views',
  ]);
  for (const text of ['{', '{"a":1}', '[1,null,{"name":2}]', null])
    assert.deepEqual(oldViews(store(text)), [], String(text));
  assert.deepEqual(oldViews(undefined), []);
});

test('each page has its own, and none takes the name of another’s', async () => {
  const server = new FakeServer()
    .on('GET /api/v1/projects', {projects: [{name: 'default'}]})
    .on('GET /api/v1/views', {views: [view('late'), view('mine', '/apps')]})
    .on('GET /api/v1/projects/default/views', {views: []})
    .on('PUT /api/v1/projects/default/views/late', {});
  const views = new Views('/apps', undefined);
  await views.load();
  assert.deepEqual(views.list.value.map(viewTitle), ['mine']);
  server.words();
  views.open();
  views.form.set('name', 'late');
  await views.keep('?state=failed');
  assert.equal(views.form.errors.value.name, 'Runs has a view of this name: take another.');
  assert.deepEqual([server.words(), views.shown.value], [[], true], 'nobody was asked');
  views.form.set('project', 'default');
  await views.keep('?state=failed');
  assert.deepEqual(server.asked[0]?.body, {page: '/apps', search: '?state=failed'});
});
