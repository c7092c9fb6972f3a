import assert from 'node:assert/strict';
import {test} from 'node:test';
import {clean, commandLine, csvCell, nameFrom, wordList} from './text.ts';

test('outside text shows what it hides, is cut, and is no formula and no word of a shell', () => {
  assert.equal(clean('a\u202eb\u200b'), 'a‹202e›b‹200b›');
  assert.equal(clean('x'.repeat(1e6)).length, 201);
  assert.deepEqual(['=1+1', '-x', -1, 'a,b', 'c"d', null].map(csvCell), [
    "'=1+1",
    "'-x",
    '-1',
    '"a,b"',
    '"c""d"',
    '',
  ]);
  assert.equal(
    commandLine(['python', 'a b.py', "it's", '--lr=0.1']),
    "python 'a b.py' 'it'\\''s' --lr=0.1",
  );
  assert.deepEqual(['ann digits/cnn', '../x', ''].map(nameFrom), ['ann-digits-cnn', 'x', 'model']);
});

test('words that are typed are a list, each once', () => {
  assert.deepEqual(wordList(' ann, @lab  ann\n* '), ['ann', '@lab', '*']);
  assert.deepEqual(wordList(' , '), []);
});
