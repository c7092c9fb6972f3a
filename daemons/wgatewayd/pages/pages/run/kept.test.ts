import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Kept} from './kept.ts';

const sent: [string, string, string | null, unknown][] = [];
let next: () => Response = () => new Response('{}');
globalThis.fetch = async (path, options) => {
  const headers = new Headers(options?.headers);
  const body = options?.body ? JSON.parse(String(options.body)) : null;
  sent.push([options?.method ?? '', String(path), headers.get('If-Match'), body]);
  return next();
};
const run = (more: object) => ({
  id: '7',
  own: true,
  etag: 'e1',
  name: 'mnist',
  tags: ['a', 'b'],
  description: '',
  note: 'n',
  starred: false,
  ...more,
});
const answers = (value: unknown, status = 200) => {
  next = () =>
    new Response(JSON.stringify(value), {status, headers: {'Content-Type': 'application/json'}});
};

test('what is said is sent with what was known, and shown as the server keeps it', async () => {
  const kept = new Kept('7');
  answers({run: run({})});
  await kept.load();
  kept.open();
  assert.deepEqual(kept.form.value.value, {
    name: 'mnist',
    tags: 'a b',
    description: '',
    note: 'n',
  });
  kept.form.set('tags', 'b c');
  answers({run: run({etag: 'e2', tags: ['b', 'c']})});
  await kept.save();
  assert.deepEqual(sent.splice(0).at(-1), [
    'PATCH',
    '/api/v1/runs/7',
    '"e1"',
    {name: 'mnist', description: '', note: 'n', tags: ['b', 'c']},
  ]);
  assert.deepEqual([kept.run.value?.tags, kept.shown.value], [['b', 'c'], false]);
  answers({run: run({etag: 'e3', starred: true})});
  await kept.star();
  assert.deepEqual(sent.splice(0).at(-1), ['PATCH', '/api/v1/runs/7', '"e2"', {starred: true}]);
});

test('who comes second is told, and keeps what was typed', async () => {
  const kept = new Kept('7');
  answers({run: run({})});
  await kept.load();
  kept.open();
  kept.form.set('note', 'mine');
  answers({status: 412, title: 'the run was described otherwise meanwhile'}, 412);
  await kept.save();
  assert.equal(kept.form.problem.value, 'the run was described otherwise meanwhile');
  assert.deepEqual([kept.form.value.value.note, kept.shown.value], ['mine', true]);
});

test('an element of an array, and what is not kept, has nothing to be said of', async () => {
  sent.length = 0;
  const element = new Kept('7[2]');
  await element.load();
  element.open();
  assert.deepEqual([sent.length, element.shown.value], [0, false]);
  const gone = new Kept('8');
  answers({status: 404, title: 'no run'}, 404);
  await gone.load();
  assert.equal(gone.run.value, null);
});
