import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {ComparedRun, RunRow} from '../../api/shapes_more.ts';
import {
  askedFor,
  begun,
  cellOf,
  columnNames,
  countWords,
  retagged,
  runsInOrder,
  settingsOf,
} from './rules.ts';

const run = (id: string, more: Partial<RunRow> = {}): RunRow => ({
  id,
  exec_id: `c-${id}`,
  state: 'finished',
  kept: false,
  own: true,
  elements: 0,
  counts: {},
  description: '',
  note: '',
  tags: [],
  starred: false,
  shelved: false,
  etag: '',
  ...more,
});
const compared = (id: string, more: Partial<ComparedRun>) =>
  [id, {id, state: 'finished', settings: {}, metrics: {}, extremes: {}, ...more}] as const;

test('words of the filter are what the server is asked for', () => {
  assert.deepEqual(askedFor('', true), {params: {}, problems: []});
  assert.deepEqual(askedFor('', false).params, {user: 'all'});
  assert.deepEqual(askedFor('mnist lr tag:paper state:failed,killed is:starred', true).params, {
    text: 'mnist lr',
    tag: 'paper',
    state: 'failed,killed',
    starred: 'true',
  });
  assert.deepEqual(askedFor('state:failed state:killed', true).params, {state: 'failed,killed'});
  assert.deepEqual(askedFor('user:bob', false).params, {user: 'bob'}, 'one alone');
});

test('a wrong word is told where it stands, and asks for nothing', () => {
  const {params, problems} = askedFor('mnist stat:x state:broken is:red', true);
  assert.deepEqual(params, {text: 'mnist'});
  assert.deepEqual(
    problems.map((problem) => problem.at),
    [6, 13, 26],
  );
  assert.equal(problems[0]?.text, 'no field "stat:"; state:?');
  assert.match(problems[1]?.text ?? '', /state:broken\? One of pending, /);
  assert.match(problems[2]?.text ?? '', /is:red/);
});

test('settings are the script’s own words', () => {
  const args = '--exec-start PyTorch --model-main a.py -- --lr 0.1 --name=x=y --fast --n 3';
  assert.deepEqual(settingsOf(args), {lr: '0.1', name: 'x=y', fast: '', n: '3'});
  assert.deepEqual(settingsOf('--exec-start PyTorch --lr 1'), {}, 'these are WM’s');
  assert.deepEqual(settingsOf(''), {});
});

test('a cell is a number where it is one; a setting that a run lacks is missing', () => {
  const known = new Map([compared('1', {settings: {lr: '0.5'}, metrics: {'test loss': null}})]);
  const other = run('2', {args: 'a -- --lr adam'});
  assert.equal(cellOf(run('1'), 's:lr', known), 0.5);
  assert.equal(cellOf(run('1'), 'm:test loss', known), null);
  assert.equal(cellOf(run('1'), 's:epochs', known), undefined);
  assert.equal(cellOf(run('3'), 'm:test loss', known), undefined);
  assert.equal(cellOf(other, 's:lr', new Map()), 'adam', 'a word is a word');
  const empty = run('4', {args: 'a -- --flag'});
  assert.equal(cellOf(empty, 's:flag', new Map()), '');
});

test('names of columns are those of all runs', () => {
  const runs = [run('1', {args: 'a -- --lr 1 --b 2'}), run('2', {args: 'a -- --c 1'}), run('3')];
  const known = new Map([compared('3', {settings: {z: '1'}, metrics: {'test acc': 1}})]);
  assert.deepEqual(columnNames(runs, known), ['s:b', 's:c', 's:lr', 's:z', 'm:test acc']);
  assert.deepEqual(columnNames([], known), []);
});

test('missing and NaN come last in both directions, ties by number', () => {
  const metrics = (value: number | null) => ({metrics: {'m loss': value}});
  const known = new Map([
    compared('1', metrics(0.5)),
    compared('2', metrics(Number.NaN)),
    compared('3', metrics(0.1)),
    compared('4', metrics(0)),
  ]);
  const runs = ['1', '2', '3', '4', '5'].map((id) => run(id));
  const ids = (sort: string) => runsInOrder(runs, sort, known).map((one) => one.id);
  assert.deepEqual(ids('m:m loss'), ['4', '3', '1', '5', '2']);
  assert.deepEqual(ids('-m:m loss'), ['1', '3', '4', '5', '2']);
  assert.deepEqual(ids(''), ['1', '2', '3', '4', '5']);
  assert.deepEqual(ids('-id'), ['5', '4', '3', '2', '1']);
  const named = [run('1', {name: 'b'}), run('2', {job_name: 'a'}), run('3')];
  assert.deepEqual(
    runsInOrder(named, 'name', known).map((one) => one.id),
    ['2', '1', '3'],
  );
});

test('what has not started began when it was submitted', () => {
  assert.equal(begun(run('1', {start_time: 0, submit_time: 5})), 5);
  assert.equal(begun(run('1', {start_time: 7, submit_time: 5})), 7);
  assert.equal(begun(run('1', {start_time: null})), null);
});

test('an array tells how many elements are in which state', () => {
  const array = run('7', {elements: 30, counts: {running: 4, finished: 20, failed: 0}});
  assert.equal(countWords(array), '30 elements: 4 running, 20 finished');
  assert.equal(countWords(run('8')), '');
});

test('tags are added; one with a - before it goes', () => {
  assert.deepEqual(retagged(['old', 'kept'], ['-old', 'new', 'kept']), ['kept', 'new']);
  assert.deepEqual(retagged([], ['-none']), []);
});
