import {fakeHistory} from '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {go} from '../../state/address.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {FakeUpload} from '../shared/fake_upload.ts';
import {NewExperiment} from './model.ts';

const PROJECT = '/api/v1/projects/default';
const DEFINED = {
  name: 'cnn',
  framework: 'edtPyTorch',
  command: 'train.py',
  device: 'gpu',
  per_worker: '1',
  memory: '',
  nodes: '4',
  hardware: '',
  gpu_kind: '',
  mig: '',
  code_name: 'c.zip',
  env: [],
};
let server = new FakeServer();
beforeEach(() => {
  sessionStorage.clear();
  FakeUpload.sent.length = 0;
  go('/new/experiment');
  server = new FakeServer()
    .on('GET /api/v1/frameworks', {frameworks: []})
    .on('GET /api/v1/plans', {plans: [{plan: '/'}, {plan: '/research'}]})
    .on('GET /api/v1/capacity', {gpus_all: 4})
    .on('GET /api/v1/projects', {projects: [{name: 'default', plan: '/research'}]})
    .on('GET /api/v1/hwspecs', {hwspecs: []})
    .on('GET /api/v1/volumes', {volumes: []})
    .on('GET /api/v1/lines', {bsub: 'bsub x', dlicmd: 'dlicmd x'})
    .on(`GET ${PROJECT}/definitions`, {definitions: [DEFINED]})
    .on(`GET ${PROJECT}/experiments`, {experiments: [{name: 'old', runs: []}]});
});
async function begun() {
  const model = new NewExperiment();
  await model.choices.refresh();
  server.words();
  return model;
}
const first = (model: NewExperiment) => model.parts.value[0] ?? assert.fail('no definition');
const sent = () => server.asked.splice(0).filter(({what}) => !what.startsWith('GET'));
/** One definition with its code, all that is wanted. */
async function filled() {
  const model = await begun();
  model.form.set('name', 'exp');
  first(model).form.set('definition', 'mlp');
  model.choose(first(model), new File(['x'], 'code.zip'));
  return model;
}
const MADE = (name: string) => ({name, version: 'v1'});

test('a new form has one definition, on GPUs where there are any', async () => {
  const model = await begun();
  assert.equal(model.parts.value.length, 1);
  assert.equal(first(model).form.value.value.device, 'gpu');
  server.on('GET /api/v1/capacity', {gpus_all: 0});
  sessionStorage.clear();
  assert.equal(first(await begun()).form.value.value.device, 'cpu');
});

test('the plan is the project’s unless another is chosen, of a new project its own', async () => {
  const model = await begun();
  assert.equal(model.plan.value, '/research');
  model.form.set('plan', '/');
  assert.equal(model.plan.value, '/');
  model.form.set('plan', '');
  model.form.set('project', '');
  model.form.set('projectPlan', '/own');
  assert.equal(model.plan.value, '/own');
});

test('what was typed is there after a reload, files are to be chosen again', async () => {
  const model = await begun();
  model.form.set('name', 'kept');
  first(model).form.set('command', 'mine.py --a b');
  model.addExisting('cnn');
  const again = await begun();
  assert.equal(again.form.value.value.name, 'kept');
  assert.equal(first(again).form.value.value.command, 'mine.py --a b');
  assert.deepEqual(
    again.parts.value.map((one) => one.existing),
    ['', 'cnn'],
  );
});

test('a definition that is removed leaves no draft behind', async () => {
  const model = await begun();
  first(model).form.set('command', 'gone.py');
  model.remove(first(model));
  model.addNew();
  assert.equal(first(model).form.value.value.command, 'train.py');
  assert.equal(first(await begun()).form.value.value.command, 'train.py');
});

test('what is wanting is told at its field, and nobody is asked', async () => {
  const model = await begun();
  await model.submit(true);
  assert.match(model.form.errors.value.name ?? '', /Which name/);
  assert.deepEqual(first(model).form.errors.value, {
    definition: 'Which name?',
    code: 'Which code? Choose a zip, a tar, or one script.',
  });
  model.remove(first(model));
  await model.submit(true);
  assert.match(model.form.errors.value.existing ?? '', /A definition is wanted/);
  model.form.set('project', '');
  await model.submit(true);
  assert.match(model.form.errors.value.newProject ?? '', /Which name/);
  assert.deepEqual(sent(), []);
});

test('create and run: definition, experiment, run, each once; its page is gone to', async () => {
  server
    .on(`POST ${PROJECT}/definitions`, MADE('mlp'))
    .on(`POST ${PROJECT}/experiments`, MADE('exp'))
    .on(`POST ${PROJECT}/experiments/exp/run`, {runs: ['c-12']});
  const model = await filled();
  model.form.set('data', ' mnist ');
  await model.submit(true);
  const made = sent();
  assert.deepEqual(
    made.map(({what}) => what),
    [
      `POST ${PROJECT}/definitions`,
      `POST ${PROJECT}/experiments`,
      `POST ${PROJECT}/experiments/exp/run`,
    ],
  );
  assert.equal(FakeUpload.sent[0]?.file, 'code.zip');
  assert.equal(JSON.parse(FakeUpload.sent[0]?.data ?? '{}').name, 'mlp');
  assert.deepEqual(made[1]?.body, {
    name: 'exp',
    description: '',
    data: 'mnist',
    volume: '',
    plan: '',
    command: '',
    definitions: ['mlp'],
  });
  assert.equal(fakeHistory.gone.at(-1), '/apps/12');
  assert.equal(first(await begun()).form.value.value.definition, '', 'no draft is left');
});

test('several runs lead to one’s own; created without running, to the project', async () => {
  server
    .on(`POST ${PROJECT}/definitions`, MADE('mlp'))
    .on(`POST ${PROJECT}/experiments`, MADE('exp'))
    .on(`POST ${PROJECT}/experiments/exp/run`, {runs: ['c-12', 'c-13']});
  await (await filled()).submit(true);
  assert.equal(fakeHistory.gone.at(-1), '/apps?whose=mine');
  await (await filled()).submit(false);
  assert.equal(fakeHistory.gone.at(-1), '/projects/default');
  assert.ok(
    !sent()
      .slice(3)
      .some(({what}) => what.endsWith('/run')),
  );
});

test('pressed twice it is made once', async () => {
  server
    .on(`POST ${PROJECT}/definitions`, MADE('mlp'))
    .on(`POST ${PROJECT}/experiments`, MADE('exp'))
    .on(`POST ${PROJECT}/experiments/exp/run`, {runs: ['c-12']});
  const model = await filled();
  await Promise.all([model.submit(true), model.submit(true)]);
  assert.equal(sent().length, 3);
});

test('an existing definition is not sent; a name that is there is its next version', async () => {
  server
    .on(`PUT ${PROJECT}/experiments/old`, MADE('old'))
    .on(`PUT ${PROJECT}/definitions/cnn`, MADE('cnn'));
  const model = await begun();
  model.form.set('name', 'old');
  model.remove(first(model));
  model.addExisting('cnn');
  await model.submit(false);
  assert.deepEqual(
    sent().map(({what}) => what),
    [`PUT ${PROJECT}/experiments/old`],
  );
  const other = await filled();
  other.form.set('name', 'old');
  first(other).form.set('definition', 'cnn');
  await other.submit(false);
  assert.deepEqual(
    sent().map(({what}) => what),
    [`PUT ${PROJECT}/definitions/cnn`, `PUT ${PROJECT}/experiments/old`],
  );
});

test('where a later part is refused what was made goes again, and the draft stays', async () => {
  server
    .on(`POST ${PROJECT}/definitions`, MADE('mlp'))
    .on(`DELETE ${PROJECT}/definitions/mlp`, {})
    .on(`POST ${PROJECT}/experiments`, new No(400, 'data: no such folder'));
  const model = await filled();
  const key = model.form.key;
  await model.submit(true);
  assert.deepEqual(
    sent().map(({what}) => what),
    [
      `POST ${PROJECT}/definitions`,
      `POST ${PROJECT}/experiments`,
      `DELETE ${PROJECT}/definitions/mlp`,
    ],
  );
  assert.equal(model.form.problem.value, 'data: no such folder');
  assert.deepEqual([model.form.value.value.name, model.sent.value], ['exp', null]);
  assert.notEqual(model.form.key, key, 'the next try is another one');
});

test('of a next version that version alone is taken back', async () => {
  server
    .on(`PUT ${PROJECT}/definitions/cnn`, {name: 'cnn', version: 'v 2'})
    .on(`DELETE ${PROJECT}/definitions/cnn/versions/v%202`, {})
    .on(`POST ${PROJECT}/experiments`, new No(403, 'you may not'));
  const model = await filled();
  first(model).form.set('definition', 'cnn');
  await model.submit(true);
  assert.equal(sent().at(-1)?.what, `DELETE ${PROJECT}/definitions/cnn/versions/v%202`);
});

test('a project that is new is made first, and is the one from then on', async () => {
  server
    .on('POST /api/v1/projects', {})
    .on('POST /api/v1/projects/mine/definitions', new No(413, 'the code is too large'));
  const model = await filled();
  model.form.set('project', '');
  model.form.set('newProject', ' mine ');
  model.form.set('projectPlan', '/research');
  await model.submit(true);
  const [project, definition] = sent();
  assert.deepEqual(project?.body, {name: 'mine', plan: '/research'});
  assert.equal(definition?.what, 'POST /api/v1/projects/mine/definitions');
  assert.equal(model.form.value.value.project, 'mine', 'a second try makes no second project');
  assert.equal(model.form.problem.value, 'the code is too large');
});

test('who went to another page meanwhile is not thrown out there', async () => {
  server
    .on(`POST ${PROJECT}/definitions`, MADE('mlp'))
    .on(`POST ${PROJECT}/experiments`, MADE('exp'));
  const model = await filled();
  const leave = model.begin();
  const done = model.submit(false);
  leave();
  go('/runs');
  await done;
  assert.equal(fakeHistory.gone.at(-1), '/runs');
});
