import assert from 'node:assert/strict';
import {test} from 'node:test';
import {FakeWorld, openStream, quiet, SILENCE} from './fake_world.ts';
import {pause, Stream} from './stream.ts';

function hearing(world: FakeWorld) {
  const said: string[] = [];
  const stream = new Stream(
    '/s',
    {
      opened: (resumed) => said.push(resumed ? 'resumed' : 'opened'),
      heard: ({name, data}) => said.push(`${name} ${data}`),
      broke: () => said.push('broke'),
      lost: () => said.push('lost'),
    },
    world,
  );
  return {stream, said};
}
const refused = (status: number, after?: string) => () =>
  new Response('', {status, headers: after === undefined ? {} : {'Retry-After': after}});

test('nobody logged on: told once, and not tried again', async () => {
  const world = new FakeWorld([refused(401)]);
  const {stream, said} = hearing(world);
  stream.open();
  await quiet();
  assert.deepEqual(said, ['lost']);
  assert.deepEqual([world.asked.length, world.waits(), world.listens()], [1, [], false]);
});

for (const status of [429, 503]) {
  test(`${status}: tried again when the server says, however often it was refused`, async () => {
    const world = new FakeWorld([refused(status, '7'), refused(status, '30'), refused(status)]);
    const {stream, said} = hearing(world);
    stream.open();
    await quiet();
    assert.deepEqual([said, world.waits()], [['broke'], [7000]]);
    await world.pass(7000);
    assert.deepEqual(world.waits(), [30_000]);
    await world.pass(30_000);
    assert.deepEqual(world.waits(), [4000], 'the third try, and nothing said: 2² seconds');
  });
}

test('without a word of the server pauses double to 15 s, and begin anew once heard', async () => {
  const open = openStream();
  const broken = Array.from({length: 5}, () => refused(500));
  const world = new FakeWorld([...broken, open.answer, refused(500)]);
  const {stream} = hearing(world);
  stream.open();
  await quiet();
  for (const seconds of [1, 2, 4, 8, 15]) {
    assert.deepEqual(world.waits(), [seconds * 1000]);
    await world.pass(seconds * 1000);
  }
  open.say('data: x\n\n');
  await quiet();
  open.end();
  await quiet();
  assert.deepEqual(world.waits(), [1000]);
});

test('a pause has jitter, half of it at least stays; what is no number is not taken', () => {
  assert.equal(pause(3, null, 0), 4);
  assert.equal(pause(3, null, 1), 8);
  assert.equal(pause(3, 'Wed, 21 Oct 2026 07:28:00 GMT', 1), 8);
  assert.equal(pause(3, '', 1), 8);
  assert.equal(pause(3, '0', 1), 0);
});

test('a line that is cut goes on after the last event that it gave', async () => {
  const [first, second] = [openStream(), openStream()];
  const world = new FakeWorld([first.answer, second.answer]);
  const {stream, said} = hearing(world);
  stream.open();
  await quiet();
  first.say('id: 4-1\nevent: job\ndata: a\n\nid: 4-2\nevent: job\nda');
  await quiet();
  first.cut();
  await quiet();
  assert.deepEqual(said, ['opened', 'job a', 'broke']);
  await world.pass(1000);
  second.say('event: tick\ndata: b\n\n');
  await quiet();
  assert.deepEqual(said.slice(3), ['resumed', 'tick b'], 'half an event is none');
  assert.equal(world.asked[1]?.id, '4-1');
});

test('a stream that ends, or that nobody answers, is opened again', async () => {
  const open = openStream();
  const world = new FakeWorld([
    open.answer,
    () => Promise.reject(new TypeError('Failed to fetch')),
  ]);
  const {stream, said} = hearing(world);
  stream.open();
  await quiet();
  open.end();
  await quiet();
  assert.deepEqual([said, world.waits()], [['opened', 'broke'], [1000]]);
  await world.pass(1000);
  assert.deepEqual([said, world.waits()], [['opened', 'broke', 'broke'], [2000]]);
});

test('one that is silent too long is given up; each word puts that off', async () => {
  const open = openStream();
  const world = new FakeWorld([open.answer]);
  const {stream, said} = hearing(world);
  stream.open();
  await quiet();
  open.say('event: tick\ndata: 1\n\n');
  await quiet();
  assert.equal(world.listens(), true);
  await world.pass(SILENCE);
  assert.equal(world.given, 1);
  open.cut(); // as a browser has it, of a stream that is given up
  await quiet();
  assert.deepEqual(said, ['opened', 'tick 1', 'broke']);
  assert.deepEqual(world.waits(), [1000]);
});

test('one that is closed says nothing more, and is not tried again', async () => {
  const open = openStream();
  const world = new FakeWorld([open.answer]);
  const {stream, said} = hearing(world);
  stream.open();
  await quiet();
  stream.close();
  open.say('data: late\n\n');
  await quiet();
  assert.deepEqual([said, world.waits(), world.listens()], [['opened'], [], false]);
});

test('closed while it waits for another try it does not try', async () => {
  const world = new FakeWorld([refused(503, '7')]);
  const {stream} = hearing(world);
  stream.open();
  await quiet();
  stream.close();
  assert.deepEqual(world.waits(), []);
});

test('opened anew while one is under way there is one', async () => {
  const [first, second] = [openStream(), openStream()];
  const world = new FakeWorld([first.answer, second.answer]);
  const {stream, said} = hearing(world);
  stream.open();
  stream.open();
  await quiet();
  first.say('data: of the first\n\n');
  second.say('data: of the second\n\n');
  await quiet();
  assert.deepEqual(said, ['opened', 'message of the second']);
});

test('what is forgotten is not gone on from', async () => {
  const [first, second] = [openStream(), openStream()];
  const world = new FakeWorld([first.answer, second.answer]);
  const {stream, said} = hearing(world);
  stream.open();
  await quiet();
  first.say('id: 9-9\ndata: a\n\n');
  await quiet();
  stream.close();
  stream.forget();
  stream.open();
  await quiet();
  assert.equal(world.asked[1]?.id, null);
  assert.equal(said.at(-1), 'opened');
});

test('characters that come in two pieces are whole', async () => {
  const open = openStream();
  const bytes = new TextEncoder().encode('data: größe\n\n');
  const body = new ReadableStream<Uint8Array>({
    start: (own) => {
      for (const byte of bytes) own.enqueue(Uint8Array.of(byte));
    },
  });
  const world = new FakeWorld([() => new Response(body), open.answer]);
  const {stream, said} = hearing(world);
  stream.open();
  await quiet();
  await quiet();
  assert.deepEqual(said, ['opened', 'message größe']);
});
