import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Closing, whyWords} from './close_dialog.tsx';
import {FakeServer, No} from './fake_server.ts';

test('a host is closed for a reason alone, which is sent; it is opened without one', async () => {
  const sent: unknown[] = [];
  const keep = (body: unknown) => {
    sent.push(body);
    return {lines: []};
  };
  const server = new FakeServer()
    .on('POST /api/v1/hosts/n%201/close', keep)
    .on('POST /api/v1/hosts/n%201/open', keep);
  let done = 0;
  const closing = new Closing('hosts', () => done++);
  await closing.submit();
  closing.open('n 1', 'close');
  closing.form.set('why', '  ');
  await closing.submit();
  assert.match(closing.form.errors.value.why ?? '', /Why, and until when/);
  assert.deepEqual([server.words(), done], [[], 0]);
  closing.form.set('why', ' a fan ');
  await closing.submit();
  assert.deepEqual([sent, done, closing.wanted.value], [[{why: 'a fan', drain: true}], 1, null]);
  closing.open('n 1', 'open');
  assert.equal(closing.form.value.value.why, '', 'the reason of before is gone');
  await closing.submit();
  assert.deepEqual([sent[1], done], [{why: ''}, 2]);
});

test('what is refused stays in the dialog', async () => {
  new FakeServer().on('POST /api/v1/queues/q/close', new No(403, 'administrators only'));
  let done = 0;
  const closing = new Closing('queues', () => done++);
  closing.open('q', 'close');
  closing.form.set('why', 'x');
  await closing.submit();
  assert.equal(closing.form.problem.value, 'administrators only');
  assert.deepEqual([closing.wanted.value?.name, done], ['q', 0]);
});

test('the time until when goes with the reason, as users read it', () => {
  const at = Date.parse('2026-11-28T09:00') / 1000;
  const words = (why: string, until: string) => whyWords({why, until}, at);
  assert.equal(words(' fan ', ''), 'fan');
  assert.equal(words('fan', '2026-11-28T14:00'), 'fan, until 14:00');
  assert.equal(words('fan', '2026-11-30T14:00'), 'fan, until 30 Nov 14:00');
  assert.equal(words('', '2026-11-28T14:00'), '');
  assert.equal(words('fan', 'nonsense'), 'fan');
});
