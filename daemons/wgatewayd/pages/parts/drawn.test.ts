import {fakeDocument, fakeWindow, fire} from '../base/fake_document.ts';
import assert from 'node:assert/strict';
import {signal} from '@preact/signals';
import {type ComponentType, h, render} from 'preact';
import {afterEach, test} from 'node:test';
import {Refused} from '../api/problem.ts';
import {differ} from '../base/diff.ts';
import {heardAt, live} from '../live/port.ts';
import {Asked} from '../state/asked.ts';
import {second} from '../state/clock.ts';
import {Asking, Questions} from './asking.tsx';
import {Alert, Pairs, Segment, StateMark, Tiles} from './basic.tsx';
import {Diff} from './diff.tsx';
import {Filter} from './filter.tsx';
import {Area, Field, FormBox, Select} from './form.tsx';
import {Form} from './form_model.ts';
import {LogBox} from './log.tsx';
import {LogText} from './log_model.ts';
import {MembersDialog, Share} from './members.tsx';
import {Members} from './members_model.ts';
import {Loaded, Page, Stale} from './page.tsx';
import {type Column, memory, nextSort, Table} from './table.tsx';

const settled = async () => {
  for (let turn = 0; turn < 10; ++turn) await new Promise((done) => setTimeout(done, 0));
};
let root = fakeDocument.createElement('div');
afterEach(() => {
  render(null, root as unknown as Element);
  root.remove();
});
async function drawn<P extends object>(component: ComponentType<P>, props: P) {
  root = fakeDocument.createElement('div');
  fakeDocument.body.append(root);
  render(h(component, props), root as unknown as Element);
  await settled();
  return root;
}
const one = (selector: string) => root.querySelector(selector) ?? assert.fail(`no ${selector}`);
const all = (selector: string) => root.querySelectorAll(selector);
const texts = (selector: string) => all(selector).map((element) => element.textContent);

interface Row {
  readonly id: string;
  readonly size: number;
}
const COLUMNS: readonly Column<Row>[] = [
  {key: 'id', text: 'Id', sort: 'id', cell: (row) => h('a', {href: `/${row.id}`}, row.id)},
  {key: 'size', text: 'Size', sort: 'size', numeric: true, cell: (row) => row.size},
  {key: 'note', text: 'Note', cell: () => 'x'},
];
const rows = (count: number): Row[] =>
  Array.from({length: count}, (_, i) => ({id: `r${i}`, size: i}));
const TABLE = {label: 'Rows', columns: COLUMNS, rowKey: (row: Row) => row.id};

test('a short table is drawn whole, with its places told to who does not see it', async () => {
  await drawn(Table<Row>, {...TABLE, source: memory(rows(3))});
  assert.equal(one('[role=table]').getAttribute('aria-rowcount'), '4', 'its head is a row');
  const places = all('.rows [role=row]').map((row) => row.getAttribute('aria-rowindex'));
  assert.deepEqual(places, ['2', '3', '4']);
  assert.deepEqual(texts('[role=columnheader]'), ['Id', 'Size', 'Note']);
});

test('of a long one what is in sight is drawn, the rest is room above and below', async () => {
  await drawn(Table<Row>, {...TABLE, source: memory(rows(5000))});
  const shown = all('.rows [role=row]');
  assert.ok(shown.length > 20 && shown.length < 70, String(shown.length));
  assert.equal(one('[role=table]').getAttribute('aria-rowcount'), '5001');
  const heights = all('.space').map((space) => Number.parseInt(String(space.style.height), 10));
  assert.equal(heights.reduce((a, b) => a + b, 0) + shown.length * 40, 5000 * 40);
  fakeWindow.tell({type: 'scroll'} as never);
  assert.ok(fakeWindow.heard('scroll') > 0);
  render(null, root as unknown as Element);
  assert.equal(fakeWindow.heard('scroll'), 0, 'who has gone listens no more');
});

test('rows that come from elsewhere are asked for by their window', async () => {
  const asked: object[] = [];
  const source = {total: 9000, from: 40, rows: rows(30), want: (seen: object) => asked.push(seen)};
  await drawn(Table<Row>, {...TABLE, source});
  assert.ok(asked.length > 0);
  assert.equal(all('.rows [role=row]')[0]?.getAttribute('aria-rowindex'), '42');
});

test('a heading orders up, down, and as it came; one that cannot is no button', async () => {
  const sorts: string[] = [];
  const sorted = {...TABLE, source: memory(rows(2)), sort: '-size', onSort: (s: string) => sorts.push(s)};
  await drawn(Table<Row>, sorted);
  const orders = all('[role=columnheader]').map((head) => head.getAttribute('aria-sort'));
  assert.deepEqual(orders, [null, 'descending', null]);
  for (const button of all('[role=columnheader] button')) button.click();
  assert.deepEqual(sorts, ['id', '']);
  assert.deepEqual([nextSort('', 'a'), nextSort('a', 'a'), nextSort('-a', 'a')], ['a', '-a', '']);
});

test('keys walk over the rows’ links, and x chooses', async () => {
  let chosen = 0;
  const check: Column<Row> = {
    key: 'c',
    text: '',
    cell: () => h('input', {type: 'checkbox', onClick: () => ++chosen}),
  };
  await drawn(Table<Row>, {...TABLE, columns: [...COLUMNS, check], source: memory(rows(3))});
  const links = all('.rows a');
  const press = (key: string, more: object = {}) =>
    fire(fakeDocument.activeElement, 'keydown', {key, ...more});
  links[0]?.focus();
  assert.equal(press('ArrowDown').defaultPrevented, true);
  assert.equal(fakeDocument.activeElement, links[1]);
  press('j');
  assert.equal(fakeDocument.activeElement, links[2]);
  assert.equal(press('j').defaultPrevented, false, 'there is none below');
  press('k');
  assert.equal(fakeDocument.activeElement, links[1]);
  press('j', {ctrlKey: true});
  assert.equal(fakeDocument.activeElement, links[1], 'that is the browser’s');
  press('x');
  assert.equal(chosen, 1);
  one('input').focus();
  assert.equal(press('j').defaultPrevented, false, 'in a field it is a letter');
});

test('an empty table says what would be there', async () => {
  await drawn(Table<Row>, {...TABLE, source: memory<Row>([]), empty: 'None yet.'});
  assert.equal(root.textContent, 'None yet.');
});

const form = () => new Form({name: '', kind: 'a', note: ''}, '', undefined);
const Boxed = ({of, send}: {of: ReturnType<typeof form>; send: () => void}) =>
  h(
    FormBox<{name: string; kind: string; note: string}>,
    {form: of, onSubmit: send, label: 'New'},
    h(Field<{name: string; kind: string; note: string}>, {form: of, name: 'name', label: 'Name', note: 'Letters.'}),
    h(Select<{name: string; kind: string; note: string}>, {form: of, name: 'kind', label: 'Kind', options: [['a', 'A'], ['b', 'B']]}),
    h(Area<{name: string; kind: string; note: string}>, {form: of, name: 'note', label: 'Note'}),
  );

test('what is typed is the form’s; sending is the page’s, not the browser’s', async () => {
  const own = form();
  let sent = 0;
  await drawn(Boxed, {of: own, send: () => ++sent});
  for (const [selector, text, type] of [
    ['input', 'mnist', 'input'],
    ['select', 'b', 'change'],
    ['textarea', 'long', 'input'],
  ] as const) {
    one(selector).value = text;
    fire(one(selector), type);
  }
  assert.deepEqual(own.value.value, {name: 'mnist', kind: 'b', note: 'long'});
  assert.equal(fire(one('form'), 'submit').defaultPrevented, true);
  assert.equal(sent, 1);
});

test('an error stands at its field and in the summary, which takes the focus and leads there', async () => {
  const own = form();
  await drawn(Boxed, {of: own, send: () => {}});
  assert.equal(one('input').getAttribute('aria-describedby'), 'f-name-n');
  await own.submit(async () => {
    throw new Refused(400, 'no', {name: '<b>taken</b>'});
  });
  await settled();
  assert.equal(one('input').getAttribute('aria-invalid'), 'true');
  assert.equal(one('input').getAttribute('aria-describedby'), 'f-name-e f-name-n');
  assert.equal(one('#f-name-e').textContent, '<b>taken</b>');
  assert.equal(fakeDocument.activeElement, one('[role=alert]'));
  fire(one('[role=alert] a'), 'click');
  assert.equal(fakeDocument.activeElement, one('#f-name'));
  own.set('name', 'other');
  await settled();
  assert.equal(root.querySelector('[role=alert]'), null, 'mended, it is told no more');
});

test('what is about no field is told above the form', async () => {
  const own = form();
  await drawn(Boxed, {of: own, send: () => {}});
  await own.submit(async () => {
    throw new Refused(0, 'the server does not answer');
  });
  await settled();
  assert.equal(one('[role=alert]').textContent, 'the server does not answer');
  assert.equal(own.value.value.kind, 'a');
});

test('a question is asked before something is lost; it can be left, and is done once', async () => {
  const asking = new Asking();
  let done = 0;
  await drawn(Questions, {asking});
  const question = {title: 'Delete it?', said: 'Its code goes.', verb: 'Delete', act: () => void ++done};
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

test('one of several is pressed; one that cannot be is not chosen', async () => {
  const chosen: string[] = [];
  await drawn(Segment<string>, {
    label: 'Axis',
    value: 'b',
    options: [['a', 'A'], ['b', 'B'], ['c', 'C', true]],
    onChoose: (value) => chosen.push(value),
  });
  assert.deepEqual(all('button').map((button) => button.getAttribute('aria-pressed')), ['false', 'true', 'false']);
  assert.equal(all('button')[2]?.disabled, true);
  all('button')[0]?.click();
  assert.deepEqual(chosen, ['a']);
});

test('the small parts: a state’s word, tiles, pairs without nothing, an alert only where it is', async () => {
  await drawn(StateMark, {word: 'held'});
  assert.equal(root.textContent, 'Held');
  await drawn(Tiles, {tiles: [{label: 'Slots', value: '2', unit: 'of 4', note: 'fixed'}]});
  assert.deepEqual([one('dt').textContent, one('dd').textContent], ['Slots', '2 of 4']);
  await drawn(Pairs, {list: [['Queue', 'q'], null]});
  assert.deepEqual(texts('dt'), ['Queue']);
  await drawn(Alert, {text: ''});
  assert.equal(root.textContent, '');
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
  assert.deepEqual(all('option').map((option) => option.value), ['mnist user:']);
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
  assert.equal(root.textContent, 'Nothing.');
});

const Shown = ({of}: {of: Asked<string>}) =>
  h(Loaded<string>, {of, title: 'Things', children: (value) => h(Page, {title: value, still: true}, h(Stale, {of}))});

test('a page waits, fails with a way to try again, and is there once something has come', async () => {
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
  assert.match(root.textContent, /nothing at this address, or nothing that you may see/);
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

const logOf = (text: string) => {
  const bytes = new TextEncoder().encode(text);
  return new LogText(async (from, tail) => {
    const begin = Math.min(bytes.length, from ?? Math.max(0, bytes.length - tail));
    return {from: begin, bytes: bytes.subarray(begin)};
  });
};

test('a log is its text, marks made visible; what there is of it to do is offered', async () => {
  const log = logOf('one\u001b[31m\nValueError: bad\n');
  const whole: string[] = [];
  await drawn(LogBox, {log, none: 'No output.', onWhole: (word: string) => whole.push(word)});
  assert.equal(one('pre').textContent, '', 'not known yet is not none');
  await log.follow();
  await settled();
  assert.equal(one('pre').textContent, 'one‹1b›[31m\nValueError: bad\n');
  assert.deepEqual(texts('.logbar button'), ['To the error']);
  one('input').value = 'bad';
  fire(one('input'), 'input');
  await settled();
  assert.equal(one('[role=status]').textContent.trim(), '1 found');
  one('[data-do=search-all]').click();
  assert.deepEqual(whole, ['bad']);
});

test('a log without output says so, one that cannot be read why', async () => {
  const empty = logOf('');
  await drawn(LogBox, {log: empty, none: 'No output.'});
  await empty.follow();
  await settled();
  assert.equal(one('pre').textContent, 'No output.');
  const broken = new LogText(async () => {
    throw new Refused(410, 'it was purged');
  });
  await drawn(LogBox, {log: broken, none: ''});
  await broken.follow();
  await settled();
  assert.equal(one('.logbar .err').textContent, 'it was purged');
});

test('of a long log the end is shown, with how much is before', async () => {
  const log = logOf('x'.repeat(200_000));
  await drawn(LogBox, {log, none: ''});
  await log.follow();
  await settled();
  const before = all('.logbar button').find((button) => button.textContent.endsWith('before'));
  assert.equal(before?.textContent, '131.3 KiB before');
  before?.click();
  await settled();
  assert.equal(one('pre').textContent.length, 200_000);
});

test('members: each with a role, a way to take one away, and to add one', async () => {
  const members = new Members();
  let saved = 0;
  const Both = () =>
    h('div', {}, h(Share, {members, list: [{name: 'ann', role: 'viewer'}]}), h(MembersDialog, {
      members,
      may: ['sees', 'changes', 'shares'],
      onSave: () => void ++saved,
      children: 'They find it there.',
    }));
  await drawn(Both, {});
  assert.equal(one('#open-members').textContent, 'Members 1');
  one('#open-members').click();
  await settled();
  assert.equal(one('.members bdi').textContent, 'ann');
  one('.members select').value = 'editor';
  fire(one('.members select'), 'change');
  one('#member-name').value = 'bob';
  fire(one('#member-name'), 'input');
  fire(one('form'), 'submit');
  await settled();
  assert.deepEqual(members.list.value, [
    {name: 'ann', role: 'editor'},
    {name: 'bob', role: 'viewer'},
  ]);
  all('.members button')[0]?.click();
  await settled();
  assert.deepEqual(texts('.members bdi'), ['bob']);
  one('#members-save').click();
  assert.equal(saved, 1);
});

test('what is drawn follows a signal, and only while it is there', async () => {
  const word = signal('a');
  const Word = () => h('b', {}, word.value);
  await drawn(Word, {});
  word.value = 'b';
  await settled();
  assert.equal(root.textContent, 'b');
  render(null, root as unknown as Element);
  word.value = 'c';
  await settled();
  assert.equal(root.textContent, '');
});
