import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Refused, refusalOf} from '../api/problem.ts';
import {Form, restored} from './form_model.ts';
import {LogText, occurrences, type Part, whole} from './log_model.ts';
import {seen, spaceOf} from './window.ts';

const FRESH = {name: '', nodes: '2'};
function keeperOf(text: string | null = null) {
  let kept = text;
  return {
    getItem: () => kept,
    setItem: (_: string, value: string) => {
      kept = value;
    },
    removeItem: () => {
      kept = null;
    },
    kept: () => kept,
  };
}

test('a draft outlives its form; one of other fields, or a damaged one, does no harm', () => {
  const keeper = keeperOf();
  new Form(FRESH, 'd', keeper).set('name', 'mnist');
  assert.equal(new Form(FRESH, 'd', keeper).value.value.name, 'mnist');
  assert.deepEqual(restored(FRESH, '{"name":"a","old":"b","nodes":4}'), {name: 'a', nodes: '2'});
  assert.deepEqual(restored(FRESH, '{'), FRESH);
  const form = new Form(FRESH, 'd', keeper);
  form.reset();
  assert.equal(keeper.kept(), null);
});

test('what is refused goes to the field that it names, else above the form', async () => {
  const form = new Form(FRESH, '', keeperOf());
  form.set('name', 'mnist');
  await form.submit(async () => {
    throw new Refused(400, 'no', {nodes: 'too many', other: 'x'});
  });
  assert.deepEqual(form.errors.value, {nodes: 'too many'});
  assert.equal(form.problem.value, '');
  form.set('nodes', '1');
  assert.deepEqual(form.errors.value, {});
  await form.submit(async () => {
    throw new Refused(409, 'it is there already');
  });
  assert.equal(form.problem.value, 'it is there already');
  assert.equal(form.value.value.name, 'mnist');
});

test('sent twice it is sent once; a retry has the same key, the next one another', async () => {
  const form = new Form(FRESH, '', keeperOf());
  const keys: string[] = [];
  let release = () => {};
  const send = () => {
    keys.push(form.key);
    return new Promise<void>((done) => {
      release = done;
    });
  };
  const [first, second] = [form.submit(send), form.submit(send)];
  release();
  assert.deepEqual(await Promise.all([first, second]), [true, false]);
  await form.submit(async () => {
    keys.push(form.key);
    throw new Refused(503, 'away');
  });
  await form.submit(async () => keys.push(form.key));
  assert.equal(keys.length, 3);
  assert.notEqual(keys[0], keys[1]);
  assert.equal(keys[1], keys[2]);
});

test('what is wanting is told before anybody is asked', async () => {
  const form = new Form(FRESH, '', keeperOf());
  let asked = false;
  const sent = await form.submit(
    async () => {
      asked = true;
    },
    {name: 'Which name?'},
  );
  assert.deepEqual([sent, asked, form.errors.value], [false, false, {name: 'Which name?'}]);
});

test('words of a refusal: JSON, a line, nginx’s page', () => {
  const fields = '{"title":"bad","fields":{"nodes":"too many"}}';
  assert.deepEqual(refusalOf(400, 'application/problem+json', fields, null).fields, {
    nodes: 'too many',
  });
  assert.equal(
    refusalOf(400, 'text/plain', 'Error 400: no such thing\n', null).message,
    'no such thing',
  );
  assert.match(refusalOf(502, 'text/html', '<html>', '2').message, /out of order/);
  assert.equal(refusalOf(503, 'text/plain', '', '2').retryAfter, 2);
});

/** A file that grows, as the server has it. */
function fileOf(text: string) {
  const file = {text};
  const read = async (from: number | null, tail: number): Promise<Part> => {
    const bytes = new TextEncoder().encode(file.text);
    const begin = Math.min(bytes.length, from ?? Math.max(0, bytes.length - tail));
    return {from: begin, bytes: bytes.subarray(begin)};
  };
  return {file, read};
}
const textOf = (log: LogText) => log.pieces.value.map((p) => p.text).join('');

test('a log grows at its end; what is shown stays the same value', async () => {
  const {file, read} = fileOf('one\n');
  const log = new LogText(read);
  await log.follow();
  const [first] = log.pieces.value;
  file.text += 'two ü\n';
  await log.follow();
  await log.follow();
  assert.equal(textOf(log), 'one\ntwo ü\n');
  assert.equal(log.pieces.value[0], first);
  file.text = 'anew';
  await log.follow();
  await log.follow();
  assert.equal(textOf(log), 'anew');
});

test('of a large log the end is read, and what is before when it is asked for', async () => {
  const {read} = fileOf('x'.repeat(100_000));
  const log = new LogText(read);
  await log.follow();
  assert.equal(log.cut.value, 100_000 - (64 << 10));
  await log.earlier();
  assert.equal(log.cut.value, 0);
  assert.equal(textOf(log).length, 100_000);
});

test('characters are whole, words and the last error are found', async () => {
  assert.equal(whole(new TextEncoder().encode('aü').subarray(0, 2)), 1);
  assert.equal(whole(new TextEncoder().encode('a€')), 4);
  const {read} = fileOf('step 1\nTraceback (most recent call last):\nValueError: bad\nstep 2\n');
  const log = new LogText(read);
  await log.follow();
  assert.equal(occurrences(log.pieces.value, 'STEP').length, 2);
  assert.equal(occurrences(log.pieces.value, '').length, 0);
  const error = log.lastError();
  assert.ok(error?.piece.text.slice(error.index).startsWith('ValueError'));
});

test('rows in sight are drawn, with some beyond; a table ends before a document does', () => {
  assert.deepEqual(seen(-200, 800, 100_000, 40), {from: 0, to: 27});
  assert.deepEqual(seen(4000, 800, 100_000, 40), {from: 88, to: 132});
  assert.deepEqual(seen(0, 800, 0, 40), {from: 0, to: 0});
  assert.deepEqual(seen(1e9, 800, 50, 40), {from: 38, to: 50});
  assert.deepEqual(seen(-2000, 800, 50, 40), {from: 0, to: 12}, 'it begins far below the sight');
  assert.equal(spaceOf(100, 40), 4000);
  assert.ok(spaceOf(10_000_000, 40) <= 15_000_000);
  assert.equal(seen(15_000_000 - 800, 800, 10_000_000, 40).to, 10_000_000);
});
