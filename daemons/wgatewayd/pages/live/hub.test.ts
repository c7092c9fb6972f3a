import assert from 'node:assert/strict';
import {mock, test} from 'node:test';
import {event, folded, job, list, Tab, VIEW} from './fake_tab.ts';
import {FakeWorld, HOUR, openStream, quiet} from './fake_world.ts';
import {Hub} from './hub.ts';
import {VERSION} from './messages.ts';

test('a list that does not come is asked for again; until then nothing is live', async () => {
  const stream = openStream();
  const away = () => Response.json({title: 'the master does not answer'}, {status: 503});
  const cut = () => Promise.reject(new TypeError('Failed to fetch'));
  const world = new FakeWorld([stream.answer], [away, cut, list(job('1'))]);
  const tab = new Tab(new Hub(world));
  tab.say({say: 'view', key: 'v', view: VIEW});
  await quiet();
  stream.say(event('tick', {now: 5}));
  await quiet();
  const why = () => tab.of('live').at(-1)?.trouble;
  assert.deepEqual([tab.live(), why()], [false, 'the master does not answer']);
  await world.pass(3000);
  assert.deepEqual([tab.live(), why()], [false, 'the server does not answer']);
  await world.pass(3000);
  await folded();
  assert.deepEqual([tab.live(), why(), tab.ids()], [true, '', ['1']]);
  assert.deepEqual(world.waits(), []);
});

test('a job that comes, and one that changes, are in the window, drawn once', async () => {
  const stream = openStream();
  const tab = new Tab(new Hub(new FakeWorld([stream.answer], [list(job('1'), job('2'))])));
  tab.say({say: 'view', key: 'v', view: {...VIEW, sort: 'jobid'}});
  await folded();
  const before = tab.of('window').length;
  stream.say(event('job', job('2', {wm_state: 'failed'})) + event('job', job('3')));
  await folded();
  assert.deepEqual(tab.ids(), ['1', '2', '3']);
  assert.equal(tab.of('window').length, before + 1, 'two events, drawn once');
  assert.deepEqual(tab.of('changed').at(-1)?.ids, ['2', '3']);
  assert.deepEqual(
    [tab.of('counts').at(-1)?.counts.failed, tab.of('counts').at(-1)?.counts.alive],
    [1, 2],
  );
});

test('what keeps its state and its size is shown, and no cause to ask again', async () => {
  const stream = openStream();
  const tab = new Tab(new Hub(new FakeWorld([stream.answer], [list(job('1', {loss: 2}))])));
  tab.say({say: 'view', key: 'v', view: VIEW});
  await folded();
  tab.heard.length = 0;
  stream.say(event('job', job('1', {loss: 1})));
  await folded();
  assert.equal(tab.window()?.rows[0]?.loss, 1);
  assert.deepEqual(tab.of('changed'), []);
});

test('a stream that begins anew is listed anew: what ended meanwhile is gone', async () => {
  const stream = openStream();
  const lists = [list(job('1'), job('2')), list(job('2'))];
  const tab = new Tab(new Hub(new FakeWorld([stream.answer], lists)));
  tab.say({say: 'view', key: 'v', view: VIEW});
  await folded();
  stream.say(event('reset', {}));
  await folded();
  assert.deepEqual(tab.ids(), ['2']);
  assert.deepEqual(tab.of('changed').at(-1)?.ids, [''], 'any may have changed');
});

test('a cut line that goes on is not listed again', async () => {
  const [first, second] = [openStream(), openStream()];
  const world = new FakeWorld([first.answer, second.answer], [list(job('1'))]);
  const tab = new Tab(new Hub(world));
  await quiet();
  first.say(event('job', job('1'), '7-1'));
  await quiet();
  first.cut();
  await quiet();
  assert.equal(tab.live(), false);
  await world.pass(1000);
  second.say(event('tick', {now: 9}));
  await quiet();
  assert.equal(tab.live(), true);
  assert.deepEqual(
    world.asked.map(({path, id}) => [path, id]),
    [
      ['/api/v1/stream', null],
      ['/api/v1/jobs', null],
      ['/api/v1/stream', '7-1'],
    ],
  );
});

test('the last tab that goes closes the stream; the next one begins anew', async () => {
  const [first, second] = [openStream(), openStream()];
  const world = new FakeWorld([first.answer, second.answer], [list(job('1')), list(job('2'))]);
  const hub = new Hub(world);
  const [one, two] = [new Tab(hub), new Tab(hub)];
  await quiet();
  first.say(event('job', job('1'), '7-1'));
  await quiet();
  one.say({say: 'bye'});
  await quiet();
  assert.equal(world.given, 0, 'the other one listens still');
  two.say({say: 'bye'});
  assert.equal(world.given, 1);
  const three = new Tab(hub);
  three.say({say: 'view', key: 'v', view: VIEW});
  await folded();
  assert.deepEqual(
    world.asked.map(({id}) => id),
    [null, null, null, null],
  );
  assert.deepEqual(three.ids(), ['2']);
});

test('a tab that has gone is told nothing', async () => {
  const stream = openStream();
  const hub = new Hub(new FakeWorld([stream.answer], [list(job('1'))]));
  const [one, two] = [new Tab(hub), new Tab(hub)];
  await folded();
  one.say({say: 'bye'});
  const before = one.heard.length;
  one.say({say: 'view', key: 'v', view: VIEW});
  stream.say(event('job', job('2')));
  await folded();
  assert.equal(one.heard.length, before);
  assert.equal(two.of('counts').at(-1)?.counts.all, 2);
});

test('of another user nothing that the one before saw is told', async () => {
  const [first, second] = [openStream(), openStream()];
  const world = new FakeWorld([first.answer, second.answer], [list(job('1'))]);
  const hub = new Hub(world);
  new Tab(hub, 'ann');
  await folded();
  const bob = new Tab(hub, 'bob');
  bob.say({say: 'view', key: 'v', view: VIEW});
  await quiet();
  assert.deepEqual(
    bob.heard.map((message) => message.say),
    ['clock', 'live'],
  );
  assert.equal(bob.live(), false);
  assert.equal(world.given, 1, 'the stream of the one before');
});

test('a view moves under its key, and ends; two views of a tab are apart', async () => {
  const stream = openStream();
  const all = Array.from({length: 5}, (_, i) => job(String(i + 1), {submit_time: i}));
  const tab = new Tab(new Hub(new FakeWorld([stream.answer], [list(...all)])));
  await folded();
  tab.say({say: 'view', key: 'v', view: {...VIEW, sort: 'jobid', from: 0, to: 2}});
  tab.say({say: 'view', key: 'w', view: {...VIEW, filter: 'user:bob'}});
  assert.deepEqual([tab.ids(), tab.ids('w')], [['1', '2'], []]);
  tab.say({say: 'view', key: 'v', view: {...VIEW, sort: 'jobid', from: 3, to: 5}});
  assert.deepEqual([tab.ids(), tab.window()?.from, tab.window()?.total], [['4', '5'], 3, 5]);
  tab.say({say: 'close', key: 'v'});
  tab.heard.length = 0;
  stream.say(event('job', job('6')));
  await folded();
  assert.deepEqual(
    tab.of('window').map(({key}) => key),
    ['w'],
  );
});

test('jobs that are followed are told by id, those that are not there left out', async () => {
  const stream = openStream();
  const tab = new Tab(new Hub(new FakeWorld([stream.answer], [list(job('1'))])));
  tab.say({say: 'jobs', key: 'f', ids: ['1', '9']});
  await folded();
  const rows = () =>
    tab
      .of('jobs')
      .at(-1)
      ?.rows.map((row) => row.jobid);
  assert.deepEqual(rows(), ['1']);
  stream.say(event('job', job('9')));
  await folded();
  assert.deepEqual(rows(), ['1', '9']);
  tab.say({say: 'close', key: 'f'});
  const before = tab.of('jobs').length;
  stream.say(event('job', job('1', {wm_state: 'failed'})));
  await folded();
  assert.equal(tab.of('jobs').length, before);
});

test('the server’s clock is told where it is another than before', async () => {
  const stream = openStream();
  mock.timers.enable({apis: ['Date'], now: 1_000_000});
  try {
    const ahead = () => Response.json({now: 1600, jobs: []});
    const tab = new Tab(new Hub(new FakeWorld([stream.answer], [ahead])));
    await quiet();
    assert.equal(tab.of('clock').at(-1)?.skew, 600);
    const before = tab.of('clock').length;
    stream.say(event('tick', {now: 1600.1}));
    await quiet();
    assert.equal(tab.of('clock').length, before, 'a tenth of a second is none');
    stream.say(event('tick', {now: 400}));
    await quiet();
    assert.equal(tab.of('clock').at(-1)?.skew, -600);
  } finally {
    mock.timers.reset();
  }
});

test('a session that ended is told, and opened again by the next hello', async () => {
  const stream = openStream();
  const world = new FakeWorld(
    [() => new Response('', {status: 401}), stream.answer],
    [list(job('1'))],
  );
  const hub = new Hub(world);
  const tab = new Tab(hub);
  await quiet();
  assert.equal(tab.of('lost').length, 1);
  assert.deepEqual(world.waits(), []);
  tab.say({say: 'hello', user: 'ann', version: VERSION});
  await quiet();
  assert.equal(tab.live(), true);
});

test('once an hour what the master has let go of goes here, too', async () => {
  const stream = openStream();
  const lists = [list(job('1'), job('2')), list(job('2')), list(job('3'))];
  const world = new FakeWorld([stream.answer], lists);
  const hub = new Hub(world);
  const tab = new Tab(hub);
  tab.say({say: 'view', key: 'v', view: VIEW});
  await folded();
  await world.pass(HOUR);
  await folded();
  assert.deepEqual(tab.ids(), ['2']);
  stream.say(event('reset', {}));
  await folded();
  assert.deepEqual(tab.ids(), ['3']);
  tab.say({say: 'bye'});
  await assert.rejects(world.pass(HOUR), 'nobody listens: nothing is listed');
});
