import '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {afterEach, test} from 'node:test';
import type {HostUse} from '../../api/shapes_logs.ts';
import {answerAll} from '../shared/fake_answers.ts';
import {gpu, jobFull, task} from '../shared/fake_rows.ts';
import {FakePage, settled} from '../../parts/fake_page.ts';
import {FakeServer} from '../shared/fake_server.ts';
import {Run} from './model.ts';
import {cpusOf, leftOf, memoryOf, together} from './use.ts';
import {WorkersNow} from './workers.tsx';

const GIB = 2 ** 30;
const use = (host_name: string, more: Partial<HostUse> = {}): HostUse => ({
  host_name,
  ut: 0.424,
  mem_bytes: 6 * GIB,
  total_mem_bytes: 16 * GIB,
  gpus: [],
  ...more,
});
let page: FakePage | null = null;
afterEach(() => page?.end());

test('a host is busy and its memory used as far as that is measured', () => {
  assert.equal(cpusOf(use('a')), 42);
  assert.deepEqual([cpusOf(use('a', {ut: null})), cpusOf(undefined)], [null, null]);
  assert.equal(cpusOf(use('a', {ut: 0})), 0, '0 is measured');
  assert.deepEqual(memoryOf(use('a')), [10 * GIB, 16 * GIB]);
  assert.deepEqual(memoryOf(use('a', {mem_bytes: 99 * GIB})), [0, 16 * GIB]);
  assert.equal(memoryOf(use('a', {mem_bytes: null})), null);
  assert.equal(memoryOf(use('a', {total_mem_bytes: null})), null);
  assert.equal(memoryOf(undefined), null);
});

test('workers on one host are told to share it', () => {
  const tasks = [task(0), task(1), {...task(2), host: 'n1'}];
  assert.deepEqual([...together(tasks)], [['n1', 2]]);
  assert.equal(together([task(0), task(1)]).size, 0);
});

test('what is left follows from what is done; it is never invented', () => {
  const at = (complete_percent: number | null, more: object = {}) =>
    leftOf(jobFull(undefined, {complete_percent, start_time: 100, ...more}), 200);
  assert.equal(at(25), 300);
  assert.equal(at(50), 100);
  assert.deepEqual([at(null), at(0), at(100)], [null, null, null]);
  assert.equal(at(50, {start_time: null}), null, 'it has not started');
  assert.equal(at(50, {start_time: 300}), null, 'a clock that went back');
  assert.equal(at(50, {wm_state: 'killed'}), null, 'it goes on no more');
});

async function drawn(uses: readonly HostUse[], tasks = [task(0), task(1)]) {
  answerAll(new FakeServer()).on('GET /api/v1/jobs/12/use', {hosts: uses});
  const model = new Run('12');
  await model.known.refresh();
  await model.readUse();
  page = await FakePage.of(WorkersNow, {job: jobFull(undefined, {tasks}), model});
  await settled();
  return page;
}

test('each worker has a row: its host’s CPUs and memory, and its own GPUs', async () => {
  const both = await drawn([
    use('n0', {gpus: [gpu(0, undefined, {ut: 90, mused_bytes: 8 * GIB, mtotal_bytes: 80 * GIB})]}),
    use('n1', {ut: 1, mem_bytes: null}),
  ]);
  assert.deepEqual(both.texts('[role=columnheader]').slice(4), [
    'GPU busy',
    'GPU memory',
    'Host’s CPUs',
    'Host’s memory',
  ]);
  const rows = both.all('.rows [role=row]').map((row) => row.children.slice(4));
  assert.deepEqual(
    rows.map((cells) => cells.map((cell) => cell.textContent)),
    [
      ['90 %', '8 GiB of 80 GiB', '42 %', '10 GiB of 16 GiB'],
      ['–', '–', '100 %', '–'],
    ],
  );
});

test('memory of a GPU that is not measured is a dash, not a zero of nothing', async () => {
  const unknown = gpu(0, undefined, {ut: null, mused_bytes: null, mtotal_bytes: null});
  const one = await drawn([use('n0', {gpus: [unknown]})], [task(0)]);
  const cells = one.all('.rows [role=row]')[0]?.children.slice(4, 6) ?? [];
  assert.deepEqual(
    cells.map((cell) => cell.textContent),
    ['–', '–'],
  );
});

test('without GPUs there are no columns of them; what no host told is a dash', async () => {
  const none = await drawn([]);
  assert.deepEqual(none.texts('[role=columnheader]').slice(4), ['Host’s CPUs', 'Host’s memory']);
  assert.doesNotMatch(none.text(), /share/);
});

test('workers that left are not of now; of one that is over there are none', async () => {
  const one = await drawn([], [task(0), {...task(1), state: 'gone'}]);
  assert.equal(one.all('.rows [role=row]').length, 1);
  one.end();
  const job = jobFull(undefined, {wm_state: 'finished'});
  page = await FakePage.of(WorkersNow, {job, model: new Run('12')});
  assert.equal(page.text(), '');
});
