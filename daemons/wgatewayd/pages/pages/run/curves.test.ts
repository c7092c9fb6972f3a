import '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';
import type {Metric, MetricPoint} from '../../api/shapes.ts';
import {answerAll} from '../shared/fake_answers.ts';
import {jobFull} from '../shared/fake_rows.ts';
import {FakePage, settled} from '../../parts/fake_page.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {CurveFigures, lineOf, specOf, stepBounds} from './curves.tsx';
import {Curves, keyOf, namesWith, stepsIn} from './curves.ts';
import {Run} from './model.ts';

const JOB = '/api/v1/jobs/12';
/** Points at each step, a second apart from `begun`. */
const metric = (name: string, steps: readonly number[], begun = 1000, group = 'train'): Metric => ({
  group,
  name,
  count: steps.length,
  points: steps.map((step): MetricPoint => [step, begun ? begun + step : 0, 2, 1, 3]),
});
const many = Array.from({length: 64}, (_, i) => metric(`m${i}`, [0, 1]));
let server = new FakeServer();
let page: FakePage | null = null;
beforeEach(() => {
  server = answerAll(new FakeServer());
});
afterEach(() => {
  page?.end();
  page = null;
});

test('a part of an axis spans the steps from the last before it to the first after it', () => {
  const series = [metric('loss', [0, 10, 20, 30])];
  assert.deepEqual(stepsIn(series, 'step', [12, 18]), [10, 20]);
  assert.deepEqual(stepsIn(series, 'time', [1012, 1018]), [10, 20]);
  assert.deepEqual(stepsIn(series, 'time', [1010, 1020]), [10, 20]);
  assert.deepEqual(stepsIn(series, 'time', [0, 9999]), [0, 30], 'no farther than there is any');
  assert.deepEqual(stepsIn([], 'time', [0, 1]), null);
  assert.deepEqual(stepsIn([metric('loss', [0, 1], 0)], 'time', [0, 1]), null, 'none has a time');
  const two = [metric('loss', [0, 100]), metric('loss', [50], 1000, 'test')];
  assert.deepEqual(stepsIn(two, 'step', [60, 90]), [50, 100], 'of all its lines');
});

test('names hold a word in any case, each once whatever its groups', () => {
  const keys = ['train Loss', 'test Loss', 'train acc top 5'];
  assert.deepEqual(namesWith(keys, 'LOSS'), ['Loss']);
  assert.deepEqual(namesWith(keys, 'top 5'), ['acc top 5']);
  assert.deepEqual(namesWith(keys, ''), ['Loss', 'acc top 5']);
  assert.equal(keyOf(metric('a b', [])), 'train a b');
});

test('where more may be there than came, it is asked once which there are', async () => {
  const curves = new Curves(JOB, '12');
  server.on('GET /api/v1/runs/compare', {runs: [{metrics: {'train z': 1, 'train m0': 1}}]});
  await curves.list(many.slice(0, 63));
  assert.deepEqual(server.words(), [], 'these are all');
  await curves.list(many);
  await curves.list(many);
  assert.deepEqual(server.words(), ['GET /api/v1/runs/compare?ids=12']);
  assert.deepEqual(curves.keys.value, ['train m0', 'train z']);
});

test('one that cannot be listed is asked about again, and does no harm', async () => {
  const curves = new Curves(JOB, '12');
  server.on('GET /api/v1/runs/compare', new No(503, 'away'));
  await curves.list(many);
  assert.equal(curves.keys.value, null);
  server.on('GET /api/v1/runs/compare', {runs: []});
  await curves.list(many);
  assert.equal(server.words().length, 2);
});

test('metrics come by their names, each asked for once, those here not at all', async () => {
  const curves = new Curves(JOB, '12');
  curves.keys.value = ['test z a', 'train m0', 'train z a'];
  server.on(`GET ${JOB}/metrics`, {series: [metric('z a', [0])]});
  await curves.want(['z a', 'm0'], many);
  const [asked] = server.words().map(decodeURIComponent);
  assert.equal(asked, `GET ${JOB}/metrics?names=test z a\ntrain z a`);
  assert.equal(curves.named.value.length, 1);
  await curves.want(['z a'], many);
  assert.deepEqual(server.words(), []);
});

test('what was refused is asked for again with the next word', async () => {
  const curves = new Curves(JOB, '12');
  curves.keys.value = ['train z'];
  server.on(`GET ${JOB}/metrics`, new No(503, 'away'));
  await curves.want(['z'], []);
  server.on(`GET ${JOB}/metrics`, {series: []});
  await curves.want(['z'], []);
  assert.equal(server.words().length, 2);
});

test('a part is asked for with its steps, of all lines of the figure', async () => {
  const curves = new Curves(JOB, '12');
  server.on(`GET ${JOB}/metrics`, {series: [metric('loss', [5, 6])]});
  const series = [metric('loss', [0, 9]), metric('loss', [0, 9], 1000, 'test')];
  assert.equal((await curves.within(series, [5, 6]))[0]?.points.length, 2);
  const [asked] = server.words().map(decodeURIComponent);
  assert.equal(asked, `GET ${JOB}/metrics?names=train loss\ntest loss&from=5&to=6`);
});

test('a line has a band of least and most; validation is dots without', () => {
  const train = lineOf(metric('loss', [0, 1]), 'time');
  assert.deepEqual(
    [train.points[0], train.low?.[0], train.high?.[1]],
    [
      [1000, 2],
      [1000, 1],
      [1001, 3],
    ],
  );
  const test_ = lineOf(metric('loss', [0, 1], 1000, 'test'), 'step');
  assert.deepEqual([test_.kind, test_.low, test_.points[1]], ['dots', undefined, [1, 2]]);
  assert.equal(lineOf(metric('loss', [0]), 'step').low, undefined, 'one point has no band');
});

test('a pause in time is a gap, steps have none; all figures share their bounds', () => {
  const series = [metric('loss', [0, 1, 2, 3, 4, 90])];
  assert.equal(specOf('loss', series, 'time', [0, 1]).gap, 8);
  assert.equal(specOf('loss', series, 'step', [0, 1]).gap, Infinity);
  assert.deepEqual(stepBounds([...series, metric('acc', [7])]), [0, 90]);
  assert.deepEqual(stepBounds([]), [0, 1]);
});

test('of 12,000 metrics twelve are drawn; another one comes when its name is typed', async () => {
  const names = Object.fromEntries(Array.from({length: 12_000}, (_, i) => [`train m${i}`, 1]));
  server
    .on(`GET ${JOB}`, {now: 1, own: true, exec_id: 'c-12', exec: null, groups: [], job: jobFull()})
    .on('GET /api/v1/runs/compare', {runs: [{metrics: names}]})
    .on(`GET ${JOB}/metrics`, {series: many});
  const model = new Run('12');
  await model.known.refresh();
  const known = model.known.value.value ?? assert.fail('not known');
  page = await FakePage.of(CurveFigures, {known, model});
  await settled();
  assert.match(page.text(), /12,000 metrics, 12 shown/);
  assert.equal(page.all('.figure').length, 12);
  server.on(`GET ${JOB}/metrics`, {series: [metric('m11999', [0, 1])]});
  await page.type('12,000 metrics, 12 shown', 'm11999');
  await settled();
  assert.equal(page.all('.figure').length, 1);
  assert.match(page.text('.figure'), /m11999/);
});
