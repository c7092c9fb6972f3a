import assert from 'node:assert/strict';
import {test} from 'node:test';
import {blocksOf, found, type Guide, sectionsOf, shortTitle} from './guides.ts';

const GUIDE: Guide = {
  name: 'runs',
  title: 'Where are my runs?',
  text: `A record *stays*.

## 1. Make one

Type \`this\`:

    $ bsub x

    $ bjobs

Done.

## Empty
`,
};

test('a guide is sections by its headings, those without words left out', () => {
  assert.deepEqual(
    sectionsOf(GUIDE).map((section) => section.title),
    ['Where are my runs?', '1. Make one'],
  );
  const bare = sectionsOf({name: 'a', title: 'A', text: '## B\nc'});
  assert.deepEqual(bare, [{guide: 'a', title: 'B', text: 'c'}]);
  assert.deepEqual(sectionsOf({name: 'a', title: 'A', text: ''}), []);
});

test('sections are found by all words in any case, titles first', () => {
  const sections = [
    {guide: 'a', title: 'Other', text: 'make a run'},
    {guide: 'a', title: 'Make', text: 'a run'},
    {guide: 'b', title: 'None', text: 'nothing'},
  ];
  const titles = (text: string, most = 9) => found(sections, text, most).map((one) => one.title);
  assert.deepEqual(titles('RUN make'), ['Make', 'Other']);
  assert.deepEqual(titles('run make', 1), ['Make']);
  assert.deepEqual(titles('run nothing'), []);
  assert.deepEqual(titles('  ').length, 3);
});

test('lines of a shell stay together over an empty line; marks of emphasis go', () => {
  const [first, second] = sectionsOf(GUIDE);
  assert.deepEqual(blocksOf(first?.text ?? ''), [{is: 'text', text: 'A record stays.'}]);
  assert.deepEqual(blocksOf(second?.text ?? ''), [
    {is: 'text', text: 'Type this:'},
    {is: 'code', text: '$ bsub x\n\n$ bjobs'},
    {is: 'text', text: 'Done.'},
  ]);
});

test('marks go where they are marks, and a title is its words', () => {
  const text = (line: string) => blocksOf(line)[0]?.text;
  assert.equal(text('user, name (with `*`), *tags*'), 'user, name (with *), tags');
  assert.equal(text('2 * 3 * 4'), '2 * 3 * 4');
  assert.equal(shortTitle('wm-user(7) - the user’s guide'), 'the user’s guide');
  assert.equal(shortTitle('Notebooks'), 'Notebooks');
});

test('tables and headings are blocks of their own', () => {
  assert.deepEqual(blocksOf('### A b\n| x | y |\n|---|---|\n| `1` | 2 |\nend'), [
    {is: 'head', text: 'A b'},
    {is: 'code', text: '| x | y |\n|---|---|\n| `1` | 2 |'},
    {is: 'text', text: 'end'},
  ]);
  assert.deepEqual(blocksOf(''), []);
});
