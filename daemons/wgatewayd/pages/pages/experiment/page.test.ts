import {fire} from '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';
import {go} from '../../state/address.ts';
import {answerAll} from '../shared/fake_answers.ts';
import {FakePage, settled} from '../shared/fake_page.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import '../shared/fake_upload.ts';
import NewExperiment from './page.tsx';

const PROJECT = '/api/v1/projects/default';
let page: FakePage | null = null;
let server = new FakeServer();
beforeEach(() => {
  sessionStorage.clear();
  go('/new/experiment');
  server = answerAll(new FakeServer())
    .on('GET /api/v1/capacity', {gpus_all: 4})
    .on(`GET ${PROJECT}/definitions`, {definitions: [{name: 'old', framework: 'PyTorch', nodes: '1', per_worker: '1', device: 'cpu', code_name: 'c.zip', command: 'a.py', env: []}]})
    .on(`GET ${PROJECT}/experiments`, {experiments: []});
});
afterEach(() => {
  page?.end();
  page = null;
});
async function shown() {
  page = await FakePage.of(NewExperiment, {});
  return page;
}
const sent = () => server.words().filter((what) => !what.startsWith('GET'));

test('what is wanting stands at its field and above, and nothing is sent', async () => {
  const form = await shown();
  await form.submit('#experiment');
  const summary = form.text('[role=alert]');
  assert.match(summary, /Which name\? The experiment needs one\./);
  assert.match(summary, /Definition 1: Which/);
  assert.equal(form.field('name').getAttribute('aria-invalid'), 'true');
  assert.deepEqual(sent(), []);
});

test('a definition that is there is added with what it is, and taken away again', async () => {
  const form = await shown();
  await form.type('Add an existing definition', 'old');
  assert.equal(form.all('.card').length, 2);
  assert.match(form.text(), /PyTorch, 1 × 1 CPU , c.zip: a.py/);
  assert.throws(() => form.field('Add an existing definition'), 'there is no other');
  const removes = form.all('.card button').filter((button) => button.textContent === 'Remove');
  removes.at(-1)?.click();
  await settled();
  assert.equal(form.all('.card').length, 1);
  assert.ok(form.field('Add an existing definition'));
});

test('a new project asks for its name and its plan', async () => {
  const form = await shown();
  await form.type('project', '');
  assert.ok(form.field('newProject') && form.field('projectPlan'));
  assert.throws(() => form.field('plan'));
});

test('a MIG profile is asked for where a slice is, and no GPU’s words on CPUs', async () => {
  const form = await shown();
  const choose = async (what: string) => {
    form.one(`[data-choice=${what}]`).click();
    await settled();
  };
  assert.throws(() => form.field('mig'));
  await choose('gpu_kind-slice');
  assert.ok(form.field('mig'));
  await choose('device-cpu');
  assert.throws(() => form.field('mig'));
});

test('a cluster without a GPU says so, and offers none', async () => {
  server.on('GET /api/v1/capacity', {gpus_all: 0});
  const form = await shown();
  assert.match(form.text(), /The cluster has no GPU/);
  assert.equal(form.one('[data-choice=device-gpu]').disabled, true);
});

test('pressed twice it is created once, and the button says what goes on', async () => {
  let release = () => {};
  const form = await shown();
  await form.type('name', 'exp');
  form.all('.card button').find((button) => button.textContent === 'Remove')?.click();
  await settled();
  await form.type('Add an existing definition', 'old');
  const real = globalThis.fetch;
  globalThis.fetch = async (path, options) => {
    if (options?.method === 'POST' && String(path).endsWith('/experiments'))
      await new Promise<void>((done) => (release = done));
    return real(path, options);
  };
  server.on(`POST ${PROJECT}/experiments`, {name: 'exp', version: 'v1'});
  server.words();
  form.called('Create').click();
  form.called('Create').click();
  fire(form.one('#experiment'), 'submit');
  await settled();
  assert.equal(form.called('Creating…').disabled, true);
  release();
  await settled();
  assert.deepEqual(sent(), [`POST ${PROJECT}/experiments`]);
});

test('a refusal of the server stands above the form, which keeps what was typed', async () => {
  const form = await shown();
  await form.type('name', 'exp');
  form.all('.card button').find((button) => button.textContent === 'Remove')?.click();
  await settled();
  await form.type('Add an existing definition', 'old');
  server.on(`POST ${PROJECT}/experiments`, new No(400, 'the budget of /research is used'));
  await form.submit('#experiment');
  assert.equal(form.text('[role=alert]'), 'the budget of /research is used');
  assert.equal(form.field('name').value, 'exp');
});

test('what it is in a shell stands beside, or why it is not possible', async () => {
  const form = await shown();
  await new Promise((done) => setTimeout(done, 450));
  await settled();
  assert.equal(form.text('.bsub-line'), 'bsub x');
  assert.match(form.text(), /curl -u/);
  server.on('GET /api/v1/lines', new No(400, '--numWorker: 9 is more than 4'));
  await form.type('name', 'x');
  await new Promise((done) => setTimeout(done, 450));
  await settled();
  assert.match(form.text('.side'), /nodes: 9 is more than 4/);
});

test('beginning anew leaves nothing of before', async () => {
  const form = await shown();
  await form.type('name', 'exp');
  await form.press('Start over');
  assert.equal(form.field('name').value, '');
  assert.equal(form.all('.card').length, 1);
});
