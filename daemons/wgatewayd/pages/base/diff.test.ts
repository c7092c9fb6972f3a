import assert from 'node:assert/strict';
import {test} from 'node:test';
import {differ, hunksOf, sumWords} from './diff.ts';

const MARK = {same: ' ', gone: '-', new: '+'};
const shown = (before: string, after: string) =>
  differ(before, after).map(({kind, text}) => MARK[kind] + text);
/** What the lines say of the texts before and after. */
const sides = (before: string, after: string) => {
  const lines = differ(before, after);
  const of = (leave: string) => lines.filter((l) => l.kind !== leave).map((l) => l.text);
  return [of('new').join('\n'), of('gone').join('\n')];
};

test('the fewest lines are taken and given', () => {
  assert.deepEqual(shown('a\nb\nc\n', 'a\nx\nc\n'), [' a', '-b', '+x', ' c']);
  assert.deepEqual(shown('a\nb\n', 'a\nb\nc\n'), [' a', ' b', '+c']);
  assert.deepEqual(shown('a\nb\nc\n', 'c\n'), ['-a', '-b', ' c']);
  assert.deepEqual(shown('a\nb\nc\nd\n', 'b\nd\ne\n'), ['-a', ' b', '-c', ' d', '+e']);
});

test('empty texts, equal ones, a last line without an end', () => {
  assert.deepEqual(shown('', ''), []);
  assert.deepEqual(shown('', 'a\n'), ['+a']);
  assert.deepEqual(shown('a\n', ''), ['-a']);
  assert.deepEqual(shown('a', 'a\n'), [' a']);
  assert.equal(sumWords(differ('a\nb\n', 'a\nb\n')), '');
});

test('places are those in each text', () => {
  const [, gone, fresh, last] = differ('a\nb\nc\n', 'a\nx\nc\n');
  assert.deepEqual([gone?.before, gone?.after], [2, 0]);
  assert.deepEqual([fresh?.before, fresh?.after], [0, 2]);
  assert.deepEqual([last?.before, last?.after], [3, 3]);
});

test('both texts can be read out of it, whatever they are', () => {
  let seed = 7;
  const random = (n: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % n;
  };
  for (let round = 0; round < 300; ++round) {
    const text = () => Array.from({length: random(12)}, () => 'abc'[random(3)]).join('\n');
    const [before, after] = [text(), text()];
    assert.deepEqual(sides(before, after), [before, after], `${before} / ${after}`);
  }
});

test('texts that have nothing in common are one taken and one given, in no time', () => {
  const before = Array.from({length: 5000}, (_, i) => `old ${i}`).join('\n');
  const after = Array.from({length: 5000}, (_, i) => `new ${i}`).join('\n');
  assert.deepEqual(sides(before, after), [before, after]);
});

test('hunks have what stands around, and join where they meet', () => {
  const text = Array.from({length: 30}, (_, i) => `line ${i}`);
  const before = text.join('\n');
  text[10] = 'x';
  text[14] = 'y';
  text[28] = 'z';
  const hunks = hunksOf(differ(before, text.join('\n')));
  assert.deepEqual(
    hunks.map((hunk) => [hunk[0]?.before, hunk.at(-1)?.before]),
    [
      [8, 18],
      [26, 30],
    ],
  );
  assert.deepEqual(hunksOf(differ('a\n', 'a\n')), []);
});

test('in words', () => {
  assert.equal(sumWords(differ('a\n', 'b\nc\n')), '2 lines new, 1 gone');
  assert.equal(sumWords(differ('', 'b\n')), '1 line new');
  assert.equal(sumWords(differ('a\nb\n', '')), '2 lines gone');
});
