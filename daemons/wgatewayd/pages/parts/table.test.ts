import {fakeDocument, fakeWindow, fire} from '../base/fake_document.ts';
import assert from 'node:assert/strict';
import {h} from 'preact';
import {afterEach, test} from 'node:test';
import {all, drawn, gone, one, texts, whole} from './fake_root.ts';
import {type Column, memory, nextSort, Table} from './table.tsx';

afterEach(gone);

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
  gone();
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
  const sorted = {
    ...TABLE,
    source: memory(rows(2)),
    sort: '-size',
    onSort: (s: string) => sorts.push(s),
  };
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
  assert.equal(whole(), 'None yet.');
});
