import {fakeHistory} from '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import type {JobRow, SlotsApp} from '../../api/shapes.ts';
import {go, setParam} from '../../state/address.ts';
import {now} from '../../state/clock.ts';
import {FakeHub} from '../shared/fake_hub.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {Applications, beginOf} from './model.ts';

const hub = new FakeHub();
const job = (jobid: string, wm_state = 'running') => ({jobid, wm_state}) as JobRow;
const app = (id: string, steps: [number, number][]): SlotsApp => ({id, name: id, user: 'a', steps});
const views = () => hub.views().map(([, view]) => view);
beforeEach(() => {
  go('/apps');
  hub.said.length = 0;
});

test('the view is the address: a link, a reload and the way back give the same', () => {
  const model = new Applications();
  const end = model.begin();
  setParam('whose', 'mine');
  setParam('state', 'failed');
  setParam('q', 'user:bob');
  setParam('sort', '-jobid');
  setParam('each', '1');
  assert.deepEqual(views().at(-1), {
    mine: true,
    group: 'failed',
    filter: 'user:bob',
    sort: '-jobid',
    fold: false,
    from: 0,
    to: 64,
  });
  model.want({from: 100, to: 160});
  assert.deepEqual(
    views().map(({from, to}) => [from, to]),
    [[100, 160]],
  );
  end();
  assert.equal(hub.said.at(-1)?.say, 'close');
  assert.equal(
    fakeHistory.gone.at(-1),
    '/apps?whose=mine&state=failed&q=user%3Abob&sort=-jobid&each=1',
  );
});

test('an address without words gives everybody’s, folded, in the usual order', () => {
  const end = new Applications().begin();
  assert.deepEqual(views(), [
    {mine: false, group: '', filter: '', sort: '', fold: true, from: 0, to: 64},
  ]);
  end();
});

test('a window that comes is what is shown; until then nothing is known', () => {
  const model = new Applications();
  const end = model.begin();
  assert.ok(model.window.peek() === null);
  hub.window('applications', [job('1')]);
  assert.equal(model.window.value?.total, 1);
  end();
});

test('each chosen job is acted on; one that was refused stays chosen, and says why', async () => {
  const model = new Applications();
  for (const id of ['10', '9', '7[2]']) model.choose(job(id));
  model.choose(job('11'));
  model.choose(job('11'));
  const server = new FakeServer()
    .on('POST /api/v1/jobs/9/stop', {})
    .on('POST /api/v1/jobs/10/stop', new No(403, 'not yours'))
    .on('POST /api/v1/jobs/7%5B2%5D/stop', {});
  const [first, second] = [model.act('stop'), model.act('stop')];
  await Promise.all([first, second]);
  assert.deepEqual(server.words(), [
    'POST /api/v1/jobs/7%5B2%5D/stop',
    'POST /api/v1/jobs/9/stop',
    'POST /api/v1/jobs/10/stop',
  ]);
  assert.deepEqual(model.outcomes.value, [
    {id: '7[2]', problem: ''},
    {id: '9', problem: ''},
    {id: '10', problem: 'not yours'},
  ]);
  assert.deepEqual([[...model.chosen.value.keys()], model.busy.value], [['10'], false]);
});

test('an act from the dialog is sent with its words to all of them', async () => {
  const model = new Applications();
  model.choose(job('1', 'pending'));
  const server = new FakeServer().on('POST /api/v1/jobs/1/switch', {});
  model.acting.open([...model.chosen.value.values()]);
  model.acting.form.set('verb', 'switch');
  model.acting.form.set('queue', 'night');
  await model.acting.submit();
  assert.deepEqual(server.asked, [{what: 'POST /api/v1/jobs/1/switch', body: {queue: 'night'}}]);
  assert.equal(model.chosen.value.size, 0);
});

test('slots are asked for over the minutes that are shown, and known by job', async () => {
  const slots = {now: 1, from: 0, capacity: 4, apps: [app('7', [[0, 1]])], changes: []};
  const server = new FakeServer().on('GET /api/v1/slots', slots);
  const model = new Applications();
  model.minutes.value = 60;
  await model.slots.refresh();
  assert.deepEqual(server.words(), ['GET /api/v1/slots?minutes=60']);
  assert.equal(model.byJob.value.get('7')?.name, '7');
});

test('where all that happened is young it is shown large', async () => {
  const slots = (begun: number) => ({capacity: 4, changes: [], apps: [app('7', [[begun, 1]])]});
  const model = new Applications();
  const fit = async (begun: number) => {
    new FakeServer().on('GET /api/v1/slots', slots(begun));
    model.minutes.value = 12;
    await model.slots.refresh();
    model.fitRange();
    return model.minutes.value;
  };
  assert.equal(await fit(now() - 60), 3);
  assert.equal(await fit(now() - 600), 12);
  new FakeServer().on('GET /api/v1/slots', {capacity: 4, changes: [], apps: []});
  model.minutes.value = 12;
  await model.slots.refresh();
  model.fitRange();
  assert.equal(model.minutes.value, 12, 'nothing happened: nothing is fitted');
});

test('the shortest range begins a little before the first that happened in it', () => {
  const at = 10_000;
  assert.equal(beginOf([], 3, at), at - 180);
  assert.equal(beginOf([app('1', [[at - 500, 1]])], 3, at), at - 180, 'it began before');
  const begin = beginOf(
    [
      app('1', [
        [at - 100, 0],
        [at - 90, 1],
      ]),
    ],
    3,
    at,
  );
  assert.ok(begin < at - 90 && begin > at - 100, String(begin));
  assert.equal(
    beginOf([app('1', [[at - 2, 1]])], 3, at),
    at - 30,
    'never shorter than half a minute',
  );
  assert.equal(beginOf([app('1', [[at - 90, 1]])], 12, at), at - 720, 'of the others all is shown');
});
