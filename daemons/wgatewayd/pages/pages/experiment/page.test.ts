import {fire} from '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';
import {go} from '../../state/address.ts';
import {answerAll} from '../shared/fake_answers.ts';
import {FakePage, settled} from '../../parts/fake_page.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {FakeUpload} from '../shared/fake_upload.ts';
import NewExperiment from './page.tsx';

const PROJECT = '/api/v1/projects/default';
const OLD = {
  name: 'old',
  framework: 'PyTorch',
  command: 'a.py',
  device: 'cpu',
  per_worker: '1',
  memory: '',
  nodes: '1',
  hardware: '',
  gpu_kind: '',
  mig: '',
  code_name: 'c.zip',
  env: [],
};
let page: FakePage | null = null;
let server = new FakeServer();
beforeEach(() => {
  sessionStorage.clear();
  go('/new/experiment');
  server = answerAll(new FakeServer())
    .on('GET /api/v1/capacity', {gpus_all: 4})
    .on(`GET ${PROJECT}/definitions`, {definitions: [OLD]})
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

test('MIG profiles that there are can be chosen for a slice; else one is typed', async () => {
  const form = await shown();
  const choose = async (what: string) => {
    form.one(`[data-choice=${what}]`).click();
    await settled();
  };
  assert.throws(() => form.field('mig'));
  server.on('GET /api/v1/hosts', {
    hosts: [{gpus: [{mig: '3g.40gb'}, {mig: '1g.10gb'}, {mig: ''}, {mig: '1g.10gb'}]}],
  });
  await choose('kind-slice');
  const offered = form
    .field('mig')
    .querySelectorAll('option')
    .map((option) => option.value);
  assert.deepEqual(offered, ['', '1g.10gb', '3g.40gb']);
  await choose('device-cpu');
  assert.throws(() => form.field('mig'), 'a CPU has none');
  page?.end();
  server.on('GET /api/v1/hosts', new No(503, 'away'));
  sessionStorage.clear();
  const other = await shown();
  other.one('[data-choice=kind-slice]').click();
  await settled();
  assert.equal(other.field('mig').localName, 'input');
});

test('one that is there is changed: its attributes are the form, its code stays', async () => {
  server.on(`PUT ${PROJECT}/definitions/old`, {name: 'old', version: 'v2'});
  server.on(`POST ${PROJECT}/experiments`, {name: 'exp', version: 'v1'});
  const form = await shown();
  await form.type('name', 'exp');
  await form.type('Add an existing definition', 'old');
  form
    .all('.card button')
    .find((button) => button.textContent === 'Remove')
    ?.click();
  await settled();
  await form.press('Change');
  assert.equal(form.field('command').value, 'a.py');
  assert.equal(form.field('definition').getAttribute('readOnly'), 'true');
  assert.match(form.text('.card'), /its next version.*Without another one its code stays/);
  await form.type('command', 'b.py');
  server.words();
  await form.submit('#experiment');
  assert.deepEqual(sent().slice(0, 2), [
    `PUT ${PROJECT}/definitions/old`,
    `POST ${PROJECT}/experiments`,
  ]);
  const [upload] = FakeUpload.sent.splice(0);
  assert.deepEqual([upload?.file, JSON.parse(upload?.data ?? '{}').command], [undefined, 'b.py']);
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
  await form.type('Add an existing definition', 'old');
  form
    .all('.card button')
    .find((button) => button.textContent === 'Remove')
    ?.click();
  await settled();
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
  await form.type('Add an existing definition', 'old');
  form
    .all('.card button')
    .find((button) => button.textContent === 'Remove')
    ?.click();
  await settled();
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
