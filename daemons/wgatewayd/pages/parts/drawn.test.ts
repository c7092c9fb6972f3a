import {fakeDocument, fire} from '../base/fake_document.ts';
import assert from 'node:assert/strict';
import {h} from 'preact';
import {afterEach, test} from 'node:test';
import {Refused} from '../api/problem.ts';
import {differ} from '../base/diff.ts';
import {heardAt, live} from '../live/port.ts';
import {Asked} from '../state/asked.ts';
import {second} from '../state/clock.ts';
import {Asking, Questions} from './asking.tsx';
import {Alert, type Choice, Pairs, Segment, StateMark, Tiles} from './basic.tsx';
import {Diff} from './diff.tsx';
import {all, drawn, gone, one, settled, texts, whole} from './fake_root.ts';
import {Filter} from './filter.tsx';
import {Loaded, Page, Stale} from './page.tsx';

afterEach(gone);

test('a question is asked before something is lost; it can be left, and is done once', async () => {
  const asking = new Asking();
  let done = 0;
  await drawn(Questions, {asking});
  const question = {
    title: 'Delete it?',
    said: 'Its code goes.',
    verb: 'Delete',
    act: () => void ++done,
  };
  asking.ask(question);
  await settled();
  assert.equal(one('dialog').open, true);
  assert.deepEqual(texts('dialog button'), ['Cancel', 'Delete']);
  all('dialog button')[0]?.click();
  await settled();
  assert.deepEqual([done, one('dialog').open], [0, false]);
  asking.ask(question);
  await settled();
  one('[data-do=confirm]').click();
  await settled();
  assert.deepEqual([done, one('dialog').open, one('dialog').textContent], [1, false, '']);
});

const CHOICES: readonly Choice<string>[] = [
  ['a', 'A'],
  ['b', 'B'],
  ['c', 'C', true],
];

test('one of several is pressed; one that cannot be is not chosen', async () => {
  const chosen: string[] = [];
  await drawn(Segment<string>, {
    label: 'Axis',
    value: 'b',
    options: CHOICES,
    onChoose: (value) => chosen.push(value),
  });
  assert.deepEqual(
    all('button').map((button) => button.getAttribute('aria-pressed')),
    ['false', 'true', 'false'],
  );
  assert.equal(all('button')[2]?.disabled, true);
  all('button')[0]?.click();
  assert.deepEqual(chosen, ['a']);
});

test('small parts: a state’s word, tiles, pairs, an alert only where it is', async () => {
  await drawn(StateMark, {word: 'held'});
  assert.equal(whole(), 'Held');
  await drawn(Tiles, {tiles: [{label: 'Slots', value: '2', unit: 'of 4', note: 'fixed'}]});
  assert.deepEqual([one('dt').textContent, one('dd').textContent], ['Slots', '2 of 4']);
  const list = [['Queue', 'q'] as const, null];
  await drawn(Pairs, {list});
  assert.deepEqual(texts('dt'), ['Queue']);
  await drawn(Alert, {text: ''});
  assert.equal(whole(), '');
  await drawn(Alert, {text: 'a\u202eb'});
  assert.equal(one('[role=alert]').textContent, 'a‹202e›b');
});

test('a filter offers what completes its word, and tells of wrong ones', async () => {
  const typed: string[] = [];
  await drawn(Filter, {
    label: 'Filter',
    placeholder: '',
    value: 'mnist us',
    names: ['user', 'state'],
    problems: [{at: 0, text: 'no field "x:"'}],
    onInput: (text) => typed.push(text),
  });
  assert.deepEqual(
    all('option').map((option) => option.value),
    ['mnist user:'],
  );
  assert.equal(one('.filter-err').textContent, 'no field "x:"');
  assert.equal(one('input').getAttribute('aria-invalid'), 'true');
  one('input').value = 'y';
  fire(one('input'), 'input');
  assert.deepEqual(typed, ['y']);
});

test('what changed between two texts, each line with its places', async () => {
  await drawn(Diff, {lines: differ('a\nb\nc\n', 'a\nB\nc\n'), empty: 'Nothing.'});
  assert.deepEqual(texts('.dl.gone code'), ['- gone: b']);
  assert.deepEqual(texts('.dl.new code'), ['+ new: B']);
  await drawn(Diff, {lines: differ('a', 'a'), empty: 'Nothing.'});
  assert.equal(whole(), 'Nothing.');
});

const Shown = ({of}: {of: Asked<string>}) =>
  h(Loaded<string>, {
    of,
    title: 'Things',
    children: (value) => h(Page, {title: value, still: true}, h(Stale, {of})),
  });

test('a page waits, fails with a way to try again, and is there once it has come', async () => {
  let answer: () => Promise<string> = () => new Promise(() => {});
  const asked = new Asked(() => answer());
  await drawn(Shown, {of: asked});
  assert.ok(one('.ghost'), 'neither empty nor none');
  answer = async () => {
    throw new Refused(503, 'the master does not answer');
  };
  void asked.refresh();
  await settled();
  assert.match(one('[role=alert]').textContent, /the master does not answer/);
  answer = async () => 'Queues';
  one('[role=alert] button').click();
  await settled();
  assert.deepEqual([one('h1').textContent, fakeDocument.title], ['Queues', 'Queues · WM']);
  answer = async () => {
    throw new Refused(502, 'out of order');
  };
  void asked.refresh();
  await settled();
  assert.match(one('[role=alert]').textContent, /out of order/);
  assert.equal(one('h1').textContent, 'Queues', 'what was known stays');
});

test('what is not there, or may not be seen, is not found', async () => {
  const asked = new Asked<string>(async () => {
    throw new Refused(404, 'no job 7');
  });
  await drawn(Shown, {of: asked});
  void asked.refresh();
  await settled();
  assert.match(whole(), /nothing at this address, or nothing that you may see/);
});

test('a page says whether it is live, or how old what it shows is', async () => {
  await drawn(Page, {title: 'Home'});
  assert.equal(one('[role=status]').textContent, 'Connecting');
  heardAt.value = 100;
  second.value = 175;
  await settled();
  assert.equal(one('[role=status]').textContent, 'Reconnecting, data 1m 15s old');
  live.value = true;
  await settled();
  assert.equal(one('[role=status]').textContent, 'Live');
});
