import assert from 'node:assert/strict';
import {test} from 'node:test';
import {FakeServer, No} from '../shared/fake_server.ts';
import {Again} from './again.ts';
import {foundWords, LogSearch} from './search_log.ts';
import {busyOf, gpusOf} from './use.ts';

const PATH = '/api/v1/jobs/7';
const saved = {name: 'checkpoint.pt', size: 9, time: 5, newest: true};
const ARGS = '--exec-start PyTorch --model-main m.py -- --lr 1';
const words = {state: '', pushState: () => {}};
Object.assign(globalThis, {history: words, scrollTo: () => {}});

test('where there is a checkpoint it is offered first, and begun once', async () => {
  const server = new FakeServer()
    .on(`GET ${PATH}/checkpoints`, {checkpoints: [saved], resumable: true})
    .on(`POST ${PATH}/again`, {id: '8'});
  const again = new Again(PATH);
  await again.open(ARGS);
  assert.equal(again.form.value.value.from, 'checkpoint');
  await again.submit();
  assert.deepEqual(server.asked.at(-1), {
    what: `POST ${PATH}/again`,
    body: {args: ARGS, resume: true},
  });
  assert.equal(again.shown.value, false);
});

test('without one it begins at the start; words that are none are said there', async () => {
  const server = new FakeServer().on(`POST ${PATH}/again`, {id: '8'});
  const again = new Again(PATH);
  await again.open(ARGS);
  assert.deepEqual([again.form.value.value.from, again.known.value?.checkpoints], ['start', []]);
  again.form.set('args', 'python3 m.py');
  await again.submit();
  assert.match(again.form.errors.value.args ?? '', /--exec-start/);
  again.form.set('args', ` ${ARGS} 2 `);
  await again.submit();
  assert.deepEqual(server.asked.at(-1)?.body, {args: `${ARGS} 2`, resume: false});
});

test('a refusal keeps the dialog and what was typed', async () => {
  const server = new FakeServer().on(`POST ${PATH}/again`, new No(404, 'its code is gone'));
  const again = new Again(PATH);
  await again.open(ARGS);
  await again.submit();
  assert.deepEqual([again.form.problem.value, again.shown.value], ['its code is gone', true]);
  server.words();
});

test('lines are looked for on the server, errors without a word', async () => {
  const server = new FakeServer();
  const search = new LogSearch(PATH);
  const line = {task: 1, stream: 'stderr', at: 5, line: 2, text: 'x'};
  server.on(`GET ${PATH}/logs/search`, {matches: [line], count: 3, complete: true});
  await search.look('a b');
  await search.look('');
  assert.deepEqual(server.words(), [
    `GET ${PATH}/logs/search?q=a%20b`,
    `GET ${PATH}/logs/search?errors=yes`,
  ]);
  assert.equal(search.found.value?.matches.length, 1);
  search.close();
  assert.equal(search.found.value, null);
  server.on(`GET ${PATH}/logs/search`, new No(503, 'away'));
  await search.look('x');
  assert.equal(search.doing.problem.value, 'away');
});

test('what was found, in words', () => {
  const found = {matches: [], count: 0, complete: true, word: 'loss'};
  assert.equal(foundWords(found), 'No line holds “loss”.');
  assert.match(foundWords({...found, complete: false}), /ten seconds/);
  assert.equal(
    foundWords({...found, count: 300, word: ''}),
    '300 lines with the beginning of an error, the first 0 are shown.',
  );
});

test('a worker’s GPUs are those of its host that were given to it', () => {
  const gpu = (gpu_id: number, ut: number | null) => ({
    gpu_id,
    ut,
    mused_bytes: null,
    mtotal_bytes: null,
  });
  const host = {host_name: 'a', ut: null, mem_bytes: null, total_mem_bytes: null};
  const uses = new Map([['a', {...host, gpus: [gpu(0, 90), gpu(1, 10), gpu(2, null)]}]]);
  const task = (name: string, gpus: string[]) => ({
    task: 1,
    rank: 0,
    role: '',
    host: name,
    gpus,
    state: 'running',
    dispatch_time: null,
    end_time: null,
  });
  assert.equal(busyOf(gpusOf(task('a', ['0', '1']), uses)), 50);
  assert.equal(busyOf(gpusOf(task('a', ['2']), uses)), null);
  assert.deepEqual(gpusOf(task('a', ['7']), uses), []);
  assert.deepEqual(gpusOf(task('b', ['0']), uses), []);
  assert.equal(busyOf([]), null);
});
