import assert from 'node:assert/strict';
import {mock, test} from 'node:test';
import {newest, paced} from './limiter.ts';
import {bytes, counted} from './number.ts';
import {byId, compare, ordered} from './order.ts';
import {amount, completions, type Fields, parse} from './query.ts';
import {isFailed, state} from './states.ts';
import {clean, commandLine, csv, csvCell, nameFrom, quoted, step, wordList} from './text.ts';
import {clock, stamp} from './time.ts';
import {at, placed, told, typed} from './values.ts';

interface Row {
  readonly name: string;
  readonly user: string;
  readonly size: number | null;
}
const FIELDS: Fields<Row> = {
  texts: {user: (row) => row.user, name: (row) => row.name},
  numbers: {size: (row) => row.size},
  bare: (row, word) => row.name.includes(word),
};
const ROW: Row = {name: 'mnist', user: 'Ann', size: 90};
const fits = (text: string) => parse(text, FIELDS).fits(ROW);
const problems = (text: string) => parse(text, FIELDS).problems;

test('amounts have a unit of time or none; what is no number is none', () => {
  const read: readonly (readonly [string, number | null])[] = [
    ['0', 0],
    ['1.5h', 5400],
    ['2d', 172_800],
    ['-3', -3],
    ['1e3', 1000],
    ['30s', 30],
    ['', null],
    ['h', null],
    ['1w', null],
    ['1,5', null],
    ['1e', null],
    ['0x10', null],
  ];
  for (const [text, value] of read) assert.equal(amount(text), value, text);
});

test('bounds are met at their edge; a unit counts', () => {
  assert.ok(fits('size<90') && fits('size>90') && fits('size>1m') && fits('size<1.5m'));
  assert.ok(!fits('size>91') && !fits('size<1m'));
});

test('a minus turns a word round; alone it is a word like another', () => {
  assert.ok(!fits('-mnist') && fits('-cifar') && !fits('-user:ann') && fits('-size>91'));
  assert.ok(!fits('-'), 'no name has it');
  assert.ok(!fits('--mnist') || fits('--mnist'));
});

test('words are taken in small letters, a field’s value wherever it stands', () => {
  assert.ok(fits('MNIST USER:AN') && fits('user:') && !fits('user:annn'));
  assert.ok(fits('user:a name:st'));
});

test('each wrong word is told where it begins, with what may have been meant', () => {
  assert.deepEqual(problems('mnist use:x'), [{at: 6, text: 'no field "use:"; user:?'}]);
  assert.deepEqual(problems('zz:x'), [{at: 0, text: 'no field "zz:"'}]);
  assert.deepEqual(problems('age>1'), [{at: 0, text: 'no number "age"; size?'}]);
  assert.deepEqual(problems('size>'), [{at: 0, text: '"" is no number'}]);
  assert.deepEqual(
    problems('a:1 b:2').map((problem) => problem.at),
    [0, 4],
  );
  assert.deepEqual(problems('mnist user:ann size<5 -size>3'), []);
});

test('what completes a word is offered, not what it is already more than', () => {
  const offered = (text: string, caret = text.length) =>
    completions(text, caret, ['user', 'state'], {user: ['ann', 'Bob', 'bobby']});
  assert.deepEqual(offered('-u'), ['user:']);
  assert.deepEqual(offered('user:BO'), ['user:Bob', 'user:bobby']);
  assert.deepEqual(offered('user:a state:x', 6), ['user:ann'], 'where the caret is');
  assert.deepEqual(offered('state:x'), [], 'no values are known');
  assert.deepEqual(offered('user:ann '), []);
  const many = Array.from({length: 30}, (_, i) => `u${i}`);
  assert.equal(completions('user:u', 6, ['user'], {user: many}).length, 8);
});

test('an order is total: missing last, ties by the second', () => {
  const values = [3, null, 1, Number.NaN, 2, undefined, ''];
  for (const down of [false, true]) {
    for (const a of values) {
      for (const b of values) {
        const [one, other] = [compare(a, b, down), compare(b, a, down)];
        assert.equal(Math.abs(Math.sign(one) + Math.sign(other)), 0, `${a} ${b}`);
      }
    }
  }
  const rows = ['b2', 'a1', 'b1', 'a2'];
  const made = ordered(
    rows,
    (row) => row[0],
    true,
    (a, b) => (a < b ? -1 : 1),
  );
  assert.deepEqual(made, ['b1', 'b2', 'a1', 'a2'], 'ties keep their own direction');
  assert.deepEqual(rows, ['b2', 'a1', 'b1', 'a2'], 'it is a copy');
  let asked = 0;
  ordered(
    rows,
    () => ++asked,
    false,
    () => 0,
  );
  assert.equal(asked, rows.length, 'each value is asked for once');
});

test('ids that are no numbers do no harm', () => {
  assert.doesNotThrow(() => ['x', '1', '', '2[a]'].sort(byId));
  assert.ok(byId('2', '10') < 0 && byId('10[2]', '10[10]') < 0 && byId('10', '10[1]') < 0);
});

test('text from outside cannot turn a line round, hide, or be without end', () => {
  assert.equal(clean('a\u202eb\u200bc\u0000'), 'a‹202e›b‹200b›c‹0›');
  assert.equal(clean('tab\tand\nline'), 'tab\tand\nline');
  assert.equal(clean('x'.repeat(300)).length, 201);
  assert.equal(clean('\u202e'.repeat(300), 10).length <= 11, true);
  assert.deepEqual([clean(null), clean(undefined), clean(5)], ['', '', '5']);
});

test('a cell of a spreadsheet is never a formula, and always one cell', () => {
  const cells: readonly (readonly [unknown, string])[] = [
    ['=1+1', "'=1+1"],
    ['+x', "'+x"],
    ['@x', "'@x"],
    ['-5', "'-5"],
    [-5, '-5'],
    ['a,b', '"a,b"'],
    ['say "a"', '"say ""a"""'],
    ['a\nb', '"a\nb"'],
    ['\t=1', "'\t=1"],
    [null, ''],
    [0, '0'],
  ];
  for (const [value, text] of cells) assert.equal(csvCell(value), text);
  assert.equal(
    csv([
      ['a', 1],
      ['=b', null],
    ]),
    "a,1\n'=b,\n",
  );
});

test('words of a shell are what was meant, whatever is in them', () => {
  const line = commandLine(['bsub', '-J', "it's $(x)", 'a b', '', 'plain/1.0:x,y=z@%+-']);
  assert.equal(line, "bsub -J 'it'\\''s $(x)' 'a b' '' plain/1.0:x,y=z@%+-");
  assert.equal(quoted('*'), "'*'");
});

test('lists of words, names and steps', () => {
  assert.deepEqual(wordList(' a, b\n a,,c '), ['a', 'b', 'c']);
  assert.deepEqual(wordList(' , '), []);
  assert.deepEqual(
    ['Mnist run #2', '--x', '', '日本', 'a'.repeat(99)].map((t) => nameFrom(t).slice(0, 12)),
    ['Mnist-run-2', 'x', 'model', 'model', 'aaaaaaaaaaaa'],
  );
  assert.equal(nameFrom('a'.repeat(99)).length, 64);
  assert.equal(step(4, 2), '4 → 2');
  assert.deepEqual(
    [counted(1, 'run'), counted(2, 'run'), counted(0, 'entry', 'entries')],
    ['1 run', '2 runs', '0 entries'],
  );
  assert.deepEqual([1024, 1536, 1, 1e18].map(bytes), ['1 KiB', '1.5 KiB', '1 B', '888 PiB']);
});

test('a moment of today is its time, another its day; none is a dash', () => {
  const noon = new Date(2026, 10, 23, 12, 0, 0).getTime() / 1000;
  assert.deepEqual(
    [clock(noon, noon + 3600), clock(noon, noon + 2 * 86_400)],
    ['12:00:00', '23 Nov 12:00'],
  );
  assert.deepEqual([clock(null), clock(undefined), clock(0)], ['–', '–', '–']);
  assert.match(stamp(noon), /23 Nov 2026/);
});

test('a state that is new here is shown as it came', () => {
  assert.deepEqual(
    [state('held').word, state('odd').word, state('odd').icon],
    ['Held', 'odd', 'what'],
  );
  assert.deepEqual(['failed', 'error', 'killed', 'finished'].map(isFailed), [
    true,
    true,
    false,
    false,
  ]);
});

test('values within others: nothing is invented, nothing lost', () => {
  assert.deepEqual(placed({}, 'a.b.c', 1), {a: {b: {c: 1}}});
  assert.deepEqual(placed({a: 5, z: 1}, 'a.b', 1), {a: {b: 1}, z: 1});
  const tree = {a: {b: [1]}};
  assert.equal(at(placed(tree, 'a.c', 2), 'a.b'), tree.a.b);
  assert.deepEqual(tree, {a: {b: [1]}}, 'it is a copy');
  assert.deepEqual([at(5, 'a'), at(null, 'a'), at({a: 0}, 'a')], [undefined, undefined, 0]);
  const edits = new Map([
    ['n', ' 7 '],
    ['t', ' 7 '],
    ['e', ''],
  ]);
  const fields = [
    {where: 'n', numeric: true},
    {where: 't', numeric: false},
    {where: 'e', numeric: true},
    {where: 'untouched', numeric: true},
  ];
  assert.deepEqual(typed({untouched: 1}, edits, fields), {untouched: 1, n: 7, t: ' 7 ', e: ''});
});

test('metrics in a line: three at most, those of training where there are no others', () => {
  assert.equal(told({'train loss': 0.5}), 'train loss 0.5');
  assert.equal(told({loss: 1, a: 2, b: 3, accuracy: 0.9}), 'accuracy 0.9, a 2, b 3');
  assert.deepEqual([told({}), told(null), told(undefined)], ['–', '–', '–']);
});

test('what is paced happens at once, then not before its time, and the last time always', () => {
  mock.timers.enable({apis: ['setTimeout', 'Date'], now: 1e6});
  let count = 0;
  const call = paced(() => ++count, 100);
  call();
  mock.timers.tick(0);
  assert.equal(count, 1);
  for (let i = 0; i < 5; ++i) call();
  mock.timers.tick(99);
  assert.equal(count, 1);
  mock.timers.tick(1);
  assert.equal(count, 2);
  mock.timers.tick(1000);
  assert.equal(count, 2, 'it is not done of itself');
  mock.timers.reset();
});

test('of several questions the newest counts, also where it fails', async () => {
  const answers: {done: (v: number) => void; fail: (why: Error) => void}[] = [];
  const ask = newest(() => new Promise<number>((done, fail) => answers.push({done, fail})));
  const [first, second] = [ask(), ask()];
  answers[0]?.done(1);
  answers[1]?.fail(new Error('no'));
  assert.equal(await first, null);
  await assert.rejects(second, /no/);
});
