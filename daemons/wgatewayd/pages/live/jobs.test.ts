import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {JobRow} from '../api/shapes.ts';
import {parse} from '../base/query.ts';
import {
  arrayOf,
  chosen,
  countsOf,
  elapsed,
  fieldsOf,
  folded,
  GROUPS,
  inOrder,
  windowOf,
} from './jobs.ts';

const NOW = 1000;
const job = (jobid: string, more: Partial<JobRow> = {}): JobRow =>
  ({
    jobid,
    user: 'ann',
    queue: 'normal',
    plan: '/research/ann',
    application: 'edtPyTorch',
    app_type: 'training',
    wm_state: 'running',
    exec_host: ['n1', 'n2'],
    nalloc_slot: 2,
    submit_time: 100,
    start_time: 400,
    finish_time: null,
    ...more,
  }) as JobRow;
const VIEW = {mine: false, group: '', filter: '', sort: '', from: 0, to: 64};
const ids = (rows: readonly JobRow[]) => rows.map((row) => row.jobid);
const sorted = (jobs: readonly JobRow[], sort: string, user = '') =>
  ids(inOrder(jobs, sort, NOW, user));

test('each word of the filter looks at its own field', () => {
  const one = job('12[3]', {
    job_name: 'Mnist[3]',
    pend_reason: 'Waits for 4 slots at once',
    step: 7,
    loss: 0.25,
    accuracy: 0.9,
  });
  const fits = (text: string) => {
    const {fits: test, problems} = parse(text, fieldsOf(NOW));
    assert.deepEqual(problems, [], text);
    return test(one);
  };
  const yes = [
    'mnist',
    '12[3]',
    'user:ANN',
    'plan:research',
    'state:run',
    'queue:norm',
    'type:train',
    'app:edt',
    'host:n2',
    'array:12',
    'reason:slots',
    'slots>2',
    'slots<2',
    'age>15m',
    'ran<10m',
    'step>7',
    'loss<0.25',
    'accuracy>9e-1',
    'user:ann host:n1',
    '-host:n3',
  ];
  const no = ['12', 'user:bob', 'host:n3', 'slots>3', 'age<14m', 'ran>601', 'loss<0.2', '-mnist'];
  assert.deepEqual(
    yes.filter((text) => !fits(text)),
    [],
  );
  assert.deepEqual(no.filter(fits), []);
});

test('what a job has no number of fits no bound, on neither side', () => {
  const waiting = job('1', {start_time: null, nalloc_slot: null, wm_state: 'pending'});
  for (const word of ['ran', 'slots', 'loss', 'step', 'accuracy']) {
    for (const how of ['<', '>'])
      assert.equal(parse(`${word}${how}0`, fieldsOf(NOW)).fits(waiting), false, word + how);
  }
  assert.equal(parse('age>900', fieldsOf(NOW)).fits(waiting), true);
});

test('how long: it ran, or it waits; what ended without having run has no time', () => {
  assert.equal(elapsed(job('1'), NOW), 600);
  assert.equal(elapsed(job('1', {finish_time: 500}), NOW), 100);
  assert.equal(elapsed(job('1', {start_time: null, wm_state: 'pending'}), NOW), 900);
  assert.equal(elapsed(job('1', {start_time: 0, wm_state: 'killed'}), NOW), null);
  assert.equal(elapsed(job('1', {finish_time: 0}), NOW), 600, '0: it has not ended');
});

test('without an order: alive, waiting, over; one’s own first in each, the newest before', () => {
  const jobs = [
    job('1', {wm_state: 'finished', submit_time: 900}),
    job('2', {wm_state: 'pending', submit_time: 800}),
    job('3', {user: 'bob', submit_time: 700}),
    job('4', {submit_time: 100}),
    job('5', {submit_time: 200}),
    job('6', {wm_state: 'held', user: 'bob', submit_time: 990}),
  ];
  assert.deepEqual(sorted(jobs, '', 'ann'), ['5', '4', '3', '2', '6', '1']);
  assert.deepEqual(sorted(jobs, ''), ['3', '5', '4', '6', '2', '1'], 'nobody’s own');
  assert.deepEqual(sorted(jobs, 'unheard'), sorted(jobs, ''), 'an unknown order is none');
});

test('an order by a field goes both ways; what a job lacks is last in both', () => {
  const jobs = [
    job('1', {loss: 0.5}),
    job('2', {loss: null}),
    job('3', {loss: Number.NaN}),
    job('4', {loss: 0}),
    job('5', {loss: 2}),
  ];
  assert.deepEqual(sorted(jobs, 'loss').slice(0, 3), ['4', '1', '5']);
  assert.deepEqual(sorted(jobs, '-loss').slice(0, 3), ['5', '1', '4']);
  for (const sort of ['loss', '-loss'])
    assert.deepEqual(sorted(jobs, sort).slice(3).sort(), ['2', '3']);
});

test('every column of the list that has an order is one that the hub knows', () => {
  const low = job('1', {
    job_name: 'a',
    user: 'a',
    plan: '/a',
    nalloc_slot: 1,
    wm_state: 'failed',
    accuracy: 0.1,
    start_time: 900,
  });
  const high = job('2', {
    job_name: 'b',
    user: 'b',
    plan: '/b',
    nalloc_slot: 2,
    wm_state: 'running',
    accuracy: 0.2,
    start_time: 100,
  });
  const names = ['jobid', 'job_name', 'user', 'plan', 'nalloc_slot', 'wm_state', 'elapsed'];
  for (const name of [...names, 'accuracy']) {
    assert.deepEqual(sorted([high, low], name), ['1', '2'], name);
    assert.deepEqual(sorted([low, high], `-${name}`), ['2', '1'], name);
  }
});

test('ids are in order as numbers, elements after each other', () => {
  const jobs = ['101', '9', '101[10]', '101[2]'].map((id) => job(id));
  assert.deepEqual(sorted(jobs, 'jobid'), ['9', '101', '101[2]', '101[10]']);
  assert.deepEqual(sorted(jobs, '-jobid'), ['101[10]', '101[2]', '101', '9']);
  assert.deepEqual(ids(jobs), ['101', '9', '101[10]', '101[2]'], 'what is given stays as it was');
});

test('elements of an array are one row, with how many are in each state', () => {
  const rows = folded([
    job('7[2]', {job_name: 'hpo[2]'}),
    job('8'),
    job('7[1]', {job_name: 'hpo[1]', wm_state: 'finished', nalloc_slot: 0}),
    job('7[3]', {job_name: 'hpo[3]', nalloc_slot: null}),
    job('9[1]', {job_name: 'lone[1]'}),
  ]);
  assert.deepEqual(ids(rows), ['7', '8', '9[1]'], 'where the first stands; a lone one as it is');
  assert.deepEqual(rows[0]?.folded, {running: 2, finished: 1});
  assert.deepEqual([rows[0]?.nalloc_slot, rows[0]?.job_name], [2, 'hpo']);
  assert.equal(rows[1]?.folded, undefined);
  const nameless = folded([job('5[1]'), job('5[2]')]);
  assert.equal(nameless[0]?.job_name, undefined, 'what is not visible stays so');
  assert.deepEqual(['12[3]', '12', '12[', ''].map(arrayOf), ['12', null, '12', null]);
});

test('a view is whose, which group, which words; wrong words are told and ask for nothing', () => {
  const jobs = [
    job('1'),
    job('2', {user: 'bob'}),
    job('3', {wm_state: 'failed'}),
    job('4', {wm_state: 'held'}),
  ];
  const of = (view: Partial<typeof VIEW>) => ids(chosen(jobs, {...VIEW, ...view}, 'ann', NOW).rows);
  assert.deepEqual(of({}), ['1', '2', '3', '4']);
  assert.deepEqual(of({mine: true, group: 'running'}), ['1']);
  assert.deepEqual(of({group: 'failed'}), ['3']);
  assert.deepEqual(of({group: 'pending'}), ['4']);
  assert.deepEqual(of({group: 'unheard'}).length, 4);
  assert.deepEqual(of({filter: 'wrong:x user:bob'}), ['2']);
  const {problems} = chosen(jobs, {...VIEW, filter: 'wrong:x'}, 'ann', NOW);
  assert.equal(problems.length, 1);
});

test('a window past the end of what is there is its end', () => {
  const rows = ['1', '2', '3'].map((id) => job(id));
  const of = (from: number, to: number) => {
    const window = windowOf(rows, {...VIEW, from, to}, []);
    return [window.from, ids(window.rows).join()];
  };
  assert.deepEqual(of(0, 2), [0, '1,2']);
  assert.deepEqual(of(90, 99), [2, '3'], 'a list that became short under a reader');
  assert.deepEqual(of(-4, 1), [0, '1']);
  assert.deepEqual(windowOf([], {...VIEW, from: 5}, []).from, 0);
});

test('counts: who runs, waits, failed, on how many slots and GPUs, and one’s own', () => {
  const jobs = [
    job('1', {gpu_num: 2}),
    job('2', {user: 'bob', wm_state: 'suspended', nalloc_slot: 3, gpu_num: null}),
    job('3', {wm_state: 'held', nalloc_slot: 9}),
    job('4', {wm_state: 'error', nalloc_slot: 9}),
  ];
  assert.deepEqual(countsOf(jobs, 'ann'), {
    all: 4,
    alive: 2,
    waiting: 1,
    failed: 1,
    slots: 5,
    gpuSlots: 4,
    mineAlive: 1,
  });
});

test('each state is in one group at most, and the groups are those of the chips', () => {
  assert.deepEqual(
    GROUPS.map(({name}) => name),
    ['running', 'pending', 'failed'],
  );
  const states = ['pending', 'held', 'running', 'suspended', 'unknown', 'finished', 'failed', 'x'];
  for (const state of states)
    assert.ok(GROUPS.filter((group) => group.is(state)).length <= 1, state);
});
