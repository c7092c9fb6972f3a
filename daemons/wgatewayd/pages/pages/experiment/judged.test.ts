import '../../base/fake_document.ts';
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
/** One definition with its code, all that is wanted. */
async function filled() {
  const model = await begun();
  model.form.set('name', 'exp');
  first(model).form.set('definition', 'mlp');
  model.choose(first(model), new File(['x'], 'code.zip'));
  return model;
}

test('a training type is a framework, and a framework its type', async () => {
  const model = await begun();
  model.setType(first(model), 'elastic');
  assert.equal(first(model).form.value.value.framework, 'edtPyTorch');
  model.setFramework(first(model), 'disttensorflow');
  assert.equal(first(model).form.value.value.type, 'multi');
});

test('another project has other definitions; those of the one before go', async () => {
  const model = await begun();
  model.addExisting('cnn');
  model.form.set('project', 'unknown');
  model.setProject();
  await new Promise((done) => setImmediate(done));
  assert.deepEqual(
    model.parts.value.map((one) => one.existing),
    [''],
  );
  assert.deepEqual(model.existing.value, []);
});

/** Longer than what is judged waits for. */
const judged = () => new Promise((done) => setTimeout(done, 450));

test('what is typed is judged: its lines, or what is wrong at its field', async () => {
  const model = await filled();
  const end = model.begin();
  await judged();
  assert.equal(model.verdicts.value[0]?.bsub, 'bsub x');
  server.on('GET /api/v1/lines', new No(400, '--workerDeviceNum: 65 is more than 64'));
  first(model).form.set('per_worker', '65');
  await judged();
  assert.deepEqual(first(model).form.errors.value, {per_worker: 'each worker: 65 is more than 64'});
  assert.equal(model.verdicts.value[0]?.bsub, '');
  server.on('GET /api/v1/lines', new No(400, "storage volume 'x' does not exist"));
  model.form.set('volume', 'x');
  await judged();
  assert.match(model.form.errors.value.volume ?? '', /does not exist/);
  end();
});

test('a run is the form again, its own code to be chosen', async () => {
  go('/new/experiment?from=12');
  const args = '--exec-start edtPyTorch --appName mnist --numWorker 4 --model-main a.py -- --lr 1';
  server.on('GET /api/v1/jobs/12', {exec: {args}, job: {job_name: 'x'}});
  const model = await begun();
  assert.deepEqual([model.cloned.value, model.form.value.value.name], ['12', 'mnist-2']);
  assert.equal(first(model).form.value.value.command, 'a.py --lr 1');
  model.form.set('name', 'changed');
  await model.choices.refresh();
  assert.equal(model.form.value.value.name, 'changed', 'asked for again it stays as it is typed');
});

test('a project in the address is the one that is chosen', async () => {
  go('/new/experiment?project=other');
  assert.equal((await begun()).form.value.value.project, 'other');
});
