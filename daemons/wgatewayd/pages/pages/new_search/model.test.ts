import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {FakeServer} from '../shared/fake_server.ts';
import {NewSearch} from './model.ts';

const sent: {path: string; key: string; data: unknown; file: unknown}[] = [];
let answer = {status: 200, text: '"made"'};
class FakeUpload {
  status = 0;
  responseText = '';
  readonly upload = {};
  onload: (() => void) | null = null;
  private path = '';
  private key = '';
  open(_method: string, path: string) {
    this.path = path;
  }
  setRequestHeader(_name: string, value: string) {
    this.key = value;
  }
  getResponseHeader() {
    return 'application/problem+json';
  }
  send(body: FormData) {
    const data = JSON.parse(String(body.get('data')));
    sent.push({path: this.path, key: this.key, data, file: body.get('file')});
    this.status = answer.status;
    this.responseText = answer.text;
    queueMicrotask(() => this.onload?.());
  }
}
Object.assign(globalThis, {XMLHttpRequest: FakeUpload});
const went: string[] = [];
Object.assign(globalThis, {
  history: {pushState: (_: unknown, __: string, to: string) => went.push(to)},
  scrollTo: () => {},
});

let server = new FakeServer();
beforeEach(() => {
  sent.length = went.length = 0;
  answer = {status: 200, text: '"made"'};
  server = new FakeServer()
    .on('GET /api/v1/frameworks', {
      frameworks: [
        {name: 'PyTorch', available: true},
        {name: 'gone', available: false},
      ],
    })
    .on('GET /api/v1/plans', {plans: [{plan: '/'}]})
    .on('GET /api/v1/capacity', {gpus_all: 8});
});

test('frameworks that are there are offered; GPUs are the usual where there are any', async () => {
  const search = new NewSearch();
  await search.choices.refresh();
  assert.deepEqual(search.choices.value.value, {frameworks: ['PyTorch'], plans: ['/']});
  assert.equal(search.form.value.value.device, 'gpu');
  assert.equal(search.params.value.length, 1, 'one to begin with');
  search.change(search.params.value[0]?.key ?? '', {name: 'lr'});
  await search.choices.refresh();
  assert.equal(search.params.value[0]?.name, 'lr', 'what was typed stays');
});

test('a run’s settings are parameters to begin with', async () => {
  Object.assign(globalThis, {location: {pathname: '/new/search', search: '?from=7'}});
  server.on('GET /api/v1/jobs/7', {
    exec: {
      args: '--exec-start edtPyTorch --model-main t.py -- --lr 0.1 --opt=adam',
      framework: 'edtPyTorch',
    },
    job: {},
  });
  const {go} = await import('../../state/address.ts');
  go('/new/search?from=7');
  const search = new NewSearch();
  await search.choices.refresh();
  assert.deepEqual(
    search.params.value.map((one) => [one.name, one.kind]),
    [
      ['lr', 'range'],
      ['opt', 'values'],
    ],
  );
  assert.equal(search.form.value.value.command, 't.py');
  assert.equal(search.form.value.value.framework, 'edtPyTorch');
});

test('what is wanting is told, at the parameter too, and nothing is sent', async () => {
  const search = new NewSearch();
  search.add();
  await search.submit();
  const key = search.params.value[0]?.key ?? '';
  assert.match(search.faults.value[key] ?? '', /name/);
  assert.ok(search.form.errors.value.code && search.form.errors.value.params);
  assert.deepEqual(sent, []);
  search.change(key, {name: 'lr'});
  assert.equal(search.faults.value[key], undefined, 'what is changed is judged anew');
  search.remove(key);
  assert.deepEqual(search.params.value, []);
});

const whole = () => {
  const search = new NewSearch();
  search.add();
  search.change(search.params.value[0]?.key ?? '', {name: 'lr', low: '0.1', high: '1'});
  search.file.value = new File(['x'], 'code.zip');
  return search;
};

test('it is sent with its code, once a key, and its page is gone to', async () => {
  const search = whole();
  const key = search.form.key;
  await search.submit();
  assert.equal(sent[0]?.path, '/api/v1/searches');
  assert.equal(sent[0]?.key, key);
  assert.ok(sent[0]?.file instanceof File);
  const {hyperParams} = (sent[0]?.data ?? {}) as {hyperParams?: unknown};
  assert.deepEqual(hyperParams, [
    {name: 'lr', type: 'Range', dataType: 'double', minDbVal: 0.1, maxDbVal: 1},
  ]);
  assert.deepEqual(went, ['/searches/made']);
});

test('a refusal keeps what was typed, and the same key for the next try', async () => {
  const search = whole();
  const key = search.form.key;
  answer = {status: 409, text: '{"status":409,"title":"search x is there already"}'};
  await search.submit();
  assert.equal(search.form.problem.value, 'search x is there already');
  assert.deepEqual([went, search.sent.value], [[], null]);
  answer = {status: 200, text: '"made"'};
  await search.submit();
  assert.deepEqual(
    sent.map((one) => one.key),
    [key, key],
  );
});
