import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Gpu, Host} from '../../api/shapes_admin.ts';
import {parse} from '../../base/query.ts';
import {boxesOf, CELL_FIELDS, cellWords, largestStart, legendOf, sumsOf, toneOf} from './rules.ts';

const gpu = (gpu_id: number, more: Partial<Gpu> = {}): Gpu => ({
  gpu_id,
  gpu_model: 'NVIDIA H100',
  gpu_status: 'ok',
  gpu_reason: '',
  mtotal_bytes: 80,
  mused_bytes: 0,
  gpu_mode: '',
  jobids: [],
  ut: 0,
  temp: 40,
  uuid: '',
  mig: '',
  ...more,
});
const host = (host_name: string, more: Partial<Host> = {}): Host => ({
  host_name,
  status: 'ok',
  state: 'ok',
  connected: true,
  closed: false,
  draining: false,
  moving: null,
  run: 0,
  max: 4,
  ngpus: 0,
  ngpus_alloc: 0,
  ncpus: 8,
  ncpus_alloc: 0,
  total_mem_bytes: 1,
  reserved_mem_bytes: 0,
  address: '',
  comments: '',
  silent_since: null,
  load_indexes: {r1m: 0, r15m: 0, ut: 0, mem_bytes: 0, tmp_bytes: 0},
  gpus: [],
  ...more,
});
const NONE: ReadonlyMap<string, string> = new Map();
const cellsOf = (one: Host, users = NONE) => boxesOf([one], users)[0]?.cells ?? [];

test('a GPU is in use, free, closed, broken or silent, in that order of what is worse', () => {
  const used = {jobids: ['7']};
  const states = (one: Host) => cellsOf(one).map((cell) => cell.state);
  assert.deepEqual(states(host('a', {gpus: [gpu(0), gpu(1, used)]})), ['free', 'used']);
  const closed = host('a', {closed: true, gpus: [gpu(0), gpu(1, used)]});
  assert.deepEqual(states(closed), ['aside', 'used'], 'what runs goes on');
  const aside = gpu(0, {gpu_status: 'closed', gpu_reason: 'ECC'});
  const stuck = gpu(1, {gpu_status: 'stuck', ...used});
  assert.deepEqual(states(host('a', {gpus: [aside, stuck]})), ['aside', 'broken']);
  const silent = host('a', {state: 'silent', gpus: [gpu(0), stuck]});
  assert.deepEqual(states(silent), ['silent', 'silent']);
  assert.deepEqual(states(host('a', {connected: false, gpus: [gpu(0)]})), ['silent']);
});

test('a host without GPUs shows its slots', () => {
  const cells = cellsOf(host('a', {run: 1, max: 3}));
  assert.deepEqual(
    cells.map((cell) => cell.state),
    ['used', 'free', 'free'],
  );
  assert.deepEqual(cellsOf(host('a', {max: null})), []);
});

test('a cell is told whose it is where that is known', () => {
  const one = host('a', {gpus: [gpu(0, {jobids: ['7', '8', '9']}), gpu(1, {jobids: ['5']})]});
  const users = new Map([
    ['7', 'ann'],
    ['8', 'ann'],
    ['9', 'bob'],
  ]);
  const [shared, hidden] = cellsOf(one, users);
  assert.deepEqual(shared?.users, ['ann', 'bob']);
  assert.deepEqual(hidden?.users, []);
  assert.deepEqual(
    [shared, hidden].map((cell) => cell && toneOf(cell, 'owner')),
    ['ann', '?'],
  );
});

test('use is in five steps, and what is not measured is not zero', () => {
  const tone = (ut: number | null) => {
    const [cell] = cellsOf(host('a', {gpus: [gpu(0, {ut})]}));
    return cell && toneOf(cell, 'use');
  };
  assert.deepEqual([0, 19, 20, 99, 100, null].map(tone), [
    'use0',
    'use0',
    'use1',
    'use4',
    'use4',
    'unknown',
  ]);
});

test('health is broken, hot, good or not measured', () => {
  const tone = (more: Partial<Gpu>) => {
    const [cell] = cellsOf(host('a', {gpus: [gpu(0, more)]}));
    return cell && toneOf(cell, 'health');
  };
  assert.equal(tone({temp: 84}), 'good');
  assert.equal(tone({temp: 85}), 'hot');
  assert.equal(tone({temp: 90, gpu_status: 'stuck'}), 'bad');
  assert.equal(tone({gpu_status: 'closed'}), 'bad');
  assert.equal(tone({temp: null}), 'unknown');
});

test('a legend has the tones that occur with their numbers, users in order', () => {
  const gpus = [gpu(0, {jobids: ['1']}), gpu(1, {jobids: ['2']}), gpu(2), gpu(3)];
  const boxes = boxesOf(
    [host('a', {gpus})],
    new Map([
      ['1', 'zoe'],
      ['2', 'ann'],
    ]),
  );
  const names = (by: 'state' | 'owner' | 'use') =>
    legendOf(boxes, by, (users) => new Map(users.map((user, i) => [user, `--c${i + 1}`]))).map(
      ({tone, count}) => [tone.text, tone.colour, count],
    );
  assert.deepEqual(names('owner'), [
    ['ann', '--c1', 1],
    ['zoe', '--c2', 1],
    ['Free', '--line', 2],
  ]);
  assert.deepEqual(
    names('state').map(([text, , count]) => [text, count]),
    [
      ['In use', 2],
      ['Free', 2],
    ],
  );
  assert.deepEqual(names('use'), [['0 to 20 %', '--accent', 4]]);
});

test('the largest start is of GPUs where there are any, closed and broken ones not counted', () => {
  const hosts = [
    host('a', {gpus: [gpu(0), gpu(1), gpu(2, {gpu_status: 'stuck'})]}),
    host('b', {gpus: [gpu(0)], closed: true}),
    host('c', {gpus: [gpu(0)]}),
    host('cpu', {max: 64}),
  ];
  assert.deepEqual(largestStart(boxesOf(hosts, NONE)), {one: 2, spread: 3, gpus: true});
  assert.deepEqual(sumsOf(boxesOf(hosts, NONE)), {total: 5, healthy: 3, used: 0});
  assert.deepEqual(largestStart(boxesOf([host('cpu', {max: 4, run: 1})], NONE)), {
    one: 3,
    spread: 3,
    gpus: false,
  });
  assert.deepEqual(largestStart([]), {one: 0, spread: 0, gpus: false});
  assert.deepEqual(sumsOf([]), {total: 0, healthy: 0, used: 0});
});

test('the filter knows hosts, models, states, users, jobs and heat', () => {
  const gpus = [gpu(0, {jobids: ['7'], ut: 90, temp: 80}), gpu(1, {gpu_model: 'A100'})];
  const cells = cellsOf(host('node1', {gpus}), new Map([['7', 'ann']]));
  const found = (words: string) => {
    const {fits, problems} = parse(words, CELL_FIELDS);
    assert.deepEqual(problems, []);
    return cells.filter(fits).map((cell) => cell.at);
  };
  assert.deepEqual(found('node1'), [0, 1]);
  assert.deepEqual(found('gpu:a100'), [1]);
  assert.deepEqual(found('state:used user:ann use>50 temp>70'), [0]);
  assert.deepEqual(found('7'), [0]);
  assert.deepEqual(found('-state:free'), [0]);
  assert.equal(parse('colour:red', CELL_FIELDS).problems.length, 1);
});

test('a cell is one line of words', () => {
  const one = host('n1', {gpus: [gpu(2, {jobids: ['7'], ut: 91, temp: 70})]});
  const [cell] = cellsOf(one, new Map([['7', 'ann']]));
  assert.equal(cell && cellWords(cell), 'n1 GPU 2, in use, by ann, 91 % busy, 70 °C');
  const [slot] = cellsOf(host('n2', {closed: true, comments: 'fan', max: 1}));
  assert.equal(slot && cellWords(slot), 'n2 slot 1, closed, fan');
});
