import assert from 'node:assert/strict';
import {test} from 'node:test';
import {EventReader} from './sse.ts';

const read = (text: string) => new EventReader().take(text);
const data = (text: string) => read(text).map((event) => event.data);

test('an event ends with an empty line, whatever ends its lines', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = `event: job${end}data: 1${end}${end}`;
    // A lone CR at the very end may be half of CRLF: one more byte tells.
    const [one] = read(`${text}x`);
    assert.deepEqual([one?.name, one?.data], ['job', '1'], JSON.stringify(end));
  }
});

test('lines of data are joined; a blank after the colon is not part of it', () => {
  assert.deepEqual(data('data: a\ndata:b\ndata:  c\ndata\n\n'), ['a\nb\n c\n']);
});

test('colons within data stay', () => {
  assert.deepEqual(data('data: {"a":1}\n\n'), ['{"a":1}']);
});

test('remarks, unknown fields and an event without data are nothing', () => {
  assert.deepEqual(data(': heartbeat\nretry: 5\nwhat: ever\n\nevent: empty\n\n'), []);
});

test('a name holds for its event alone, an id for all that come after', () => {
  const events = read('id: 1\nevent: job\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n');
  assert.deepEqual(
    events.map(({name, id}) => [name, id]),
    [
      ['job', '1'],
      ['message', '1'],
      ['message', '2'],
    ],
  );
});

test('an event that is not whole is kept until the rest comes', () => {
  const reader = new EventReader();
  assert.deepEqual(reader.take('event: job\nda'), []);
  assert.deepEqual(reader.take('ta: 1\n'), []);
  assert.deepEqual(
    reader.take('\n').map((event) => event.data),
    ['1'],
  );
});
