import {fire} from '../base/fake_document.ts';
import assert from 'node:assert/strict';
import {signal} from '@preact/signals';
import {h} from 'preact';
import {afterEach, test} from 'node:test';
import {Refused} from '../api/problem.ts';
import {all, drawn, gone, one, settled, texts, whole} from './fake_root.ts';
import {LogBox} from './log.tsx';
import {LogText} from './log_model.ts';
import {MembersDialog, Share} from './members.tsx';
import {Members} from './members_model.ts';

afterEach(gone);

const logOf = (text: string) => {
  const bytes = new TextEncoder().encode(text);
  return new LogText(async (from, tail) => {
    const begin = Math.min(bytes.length, from ?? Math.max(0, bytes.length - tail));
    return {from: begin, bytes: bytes.subarray(begin)};
  });
};

test('a log is its text, marks made visible; what there is of it to do is offered', async () => {
  const log = logOf('one\u001b[31m\nValueError: bad\n');
  const wholes: string[] = [];
  await drawn(LogBox, {log, none: 'No output.', onWhole: (word: string) => wholes.push(word)});
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
  assert.deepEqual(wholes, ['bad']);
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
  const log = logOf('0123456789abcdef\n'.repeat(11_764));
  await drawn(LogBox, {log, none: ''});
  await log.follow();
  await settled();
  const before = all('.logbar button').find((button) => button.textContent.endsWith('before'));
  assert.equal(before?.textContent, '131 KiB before');
  before?.click();
  await settled();
  assert.equal(one('pre').textContent.length, 17 * 11_764);
});

test('members: each with a role, a way to take one away, and to add one', async () => {
  const members = new Members();
  let saved = 0;
  const Both = () =>
    h(
      'div',
      {},
      h(Share, {members, list: [{name: 'ann', role: 'viewer'}]}),
      h(MembersDialog, {
        members,
        may: ['sees', 'changes', 'shares'],
        onSave: () => void ++saved,
        children: 'They find it there.',
      }),
    );
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
  assert.equal(whole(), 'b');
  gone();
  word.value = 'c';
  await settled();
  assert.equal(whole(), '');
});
