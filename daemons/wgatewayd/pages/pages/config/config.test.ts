import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Preview} from '../../api/shapes_config.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {Editing} from './model.ts';
import {applyLines, FILES, moveWords, placeOf, previewWords, wrongOf} from './rules.ts';

test('what is wrong is told with its line, where it is about this file', () => {
  assert.deepEqual(wrongOf("queues.conf:14: unknown key 'x'", 'queues.conf'), {
    line: 14,
    text: "unknown key 'x'",
  });
  assert.deepEqual(wrongOf('plans.conf:2: no', 'queues.conf'), {
    line: 0,
    text: 'plans.conf:2: no',
  });
  assert.deepEqual(wrongOf('queues.conf: gone', 'queues.conf').line, 0);
  assert.equal(wrongOf('queues.conf:3: a\nb', 'queues.conf').text, 'a\nb');
});

test('the place of a line, past the end too', () => {
  assert.deepEqual(placeOf('ab\ncde\nf', 1), [0, 2]);
  assert.deepEqual(placeOf('ab\ncde\nf', 2), [3, 6]);
  assert.deepEqual(placeOf('ab\ncde\nf', 3), [7, 8]);
  assert.deepEqual(placeOf('ab\ncde\nf', 9), [8, 8]);
  assert.deepEqual(placeOf('', 1), [0, 0]);
});

test('the shell gets the file, then looks, then puts it in force', () => {
  assert.deepEqual(applyLines('queues.conf', '/etc/w m/queues.conf'), [
    "install -m 644 queues.conf '/etc/w m/queues.conf'",
    'badmin ckconfig && badmin reconfig --diff',
    'badmin reconfig',
  ]);
  assert.ok(FILES.every(([file]) => file !== 'wm.conf'));
});

const told = (more: Partial<Preview>): Preview => ({
  at: 1000,
  gains: 0,
  waits: 0,
  same: 0,
  users: [],
  queues: [],
  jobs: [],
  ...more,
});

test('who gains and who waits, in words', () => {
  assert.equal(previewWords(told({})), 'No job waits.');
  assert.equal(previewWords(told({same: 2})), 'Nobody’s start moves: 2 jobs looked at.');
  assert.equal(
    previewWords(told({gains: 1, waits: 2, same: 3})),
    '1 job would start earlier, 2 jobs later, 3 as now.',
  );
  const job = {id: '1', name: '', user: '', queue: '', plan: '', verdict: 'gains'} as const;
  const move = (now: number | null, then: number | null, runs = false) =>
    moveWords({...job, now, then, runs});
  assert.equal(move(5000, 1400), '1h 00m earlier');
  assert.equal(move(1400, 1460), '1m 00s later');
  assert.equal(move(null, 10), 'gets a date');
  assert.equal(move(10, null), 'has a date no more');
  assert.equal(move(10, null, true), 'makes way, and starts no more');
  assert.equal(move(10, 20, true), 'makes way, starts again');
});

class Store {
  readonly kept = new Map<string, string>();
  getItem = (name: string) => this.kept.get(name) ?? null;
  setItem = (name: string, text: string) => void this.kept.set(name, text);
  removeItem = (name: string) => void this.kept.delete(name);
}
const PATH = '/api/v1/config/queues.conf';
const file = (text: string, hash = 'h1') => ({
  file: 'queues.conf',
  path: '/etc/wm/queues.conf',
  text,
  hash,
  parts: [],
  wrong: [],
  pending: [],
});
const checked = (wrong: string[] = []) => ({wrong, warnings: [], changes: []});

async function opened(server: FakeServer, store = new Store()) {
  server.on(`GET ${PATH}`, file('[a]\n')).on(`POST ${PATH}/check`, checked());
  const model = new Editing('queues.conf', store);
  await model.there.refresh();
  await model.judge();
  server.words();
  return {model, store};
}

test('what is typed is judged, and is not written', async () => {
  const server = new FakeServer();
  const {model} = await opened(server);
  assert.deepEqual([model.text.value, model.changed.value], ['[a]\n', false]);
  server.on(`POST ${PATH}/check`, checked(['queues.conf:2: unknown key']));
  model.type('[a]\nx = 1\n');
  await model.judge();
  assert.deepEqual(model.wrong.value, [{line: 2, text: 'unknown key'}]);
  assert.deepEqual(server.asked.at(-1)?.body, {text: '[a]\nx = 1\n'});
  assert.deepEqual(server.words(), [`POST ${PATH}/check`]);
  assert.equal(model.lines.value.filter((line) => line.kind === 'new').length, 1);
  model.end();
});

test('a draft outlives the page, and says when the file was changed meanwhile', async () => {
  const server = new FakeServer();
  const {model, store} = await opened(server);
  model.type('[b]\n');
  model.end();
  server.on(`GET ${PATH}`, file('[c]\n', 'h2'));
  const again = new Editing('queues.conf', store);
  await again.there.refresh();
  assert.deepEqual([again.text.value, again.overtaken.value], ['[b]\n', true]);
  again.discard();
  assert.deepEqual([again.text.value, again.overtaken.value], ['[c]\n', false]);
  assert.equal(store.kept.size, 0);
});

test('typed back to what is there, no draft is kept', async () => {
  const {model, store} = await opened(new FakeServer());
  model.type('[b]\n');
  assert.equal(store.kept.size, 1);
  model.type('[a]\n');
  assert.deepEqual([store.kept.size, model.changed.value], [0, false]);
  model.end();
});

test('a preview is of the text that was sent; a refusal is said', async () => {
  const server = new FakeServer();
  const {model} = await opened(server);
  server.on(`POST ${PATH}/preview`, told({gains: 1}));
  model.type('[b]\n');
  await model.lookAhead();
  assert.deepEqual([model.preview.value?.of, model.preview.value?.told.gains], ['[b]\n', 1]);
  server.on(`POST ${PATH}/preview`, new No(403, 'for administrators'));
  await model.lookAhead();
  assert.equal(model.previewing.problem.value, 'for administrators');
  assert.equal(model.preview.value?.told.gains, 1);
  model.end();
});

test('where the server does not answer, it says that nothing is judged', async () => {
  const server = new FakeServer();
  const {model} = await opened(server);
  server.on(`POST ${PATH}/check`, new No(503, 'the master is away'));
  await model.judge();
  assert.equal(model.problem.value, 'the master is away');
});
