import {fakeHistory} from '../../base/fake_document.ts';
import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import type {Service} from '../../api/shapes_more.ts';
import {go, setParam} from '../../state/address.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {ServiceModel} from './model.ts';
import {FIELDS, ProfileModel} from './profile.ts';
import {errorIn, request} from './sample.ts';
import {pixelsOf, VerifyModel} from './verify_model.ts';

const FACTS: Partial<Service> = {
  name: 'd 1',
  state: 'Started',
  canary: null,
  profile: {policy: {kernel_min: 0, kernel_max: 4}, callers: ['bob'], own: 'kept'},
  signature: {input_shape: [1, 2, 2]},
};
const BASE = '/api/v1/services/d%201';
const PROFILE = '/dlim/v1/model/d%201/appprofile';
let server = new FakeServer();
beforeEach(() => {
  go('/services/d 1');
  server = new FakeServer()
    .on(`GET ${BASE}`, FACTS)
    .on(`GET ${BASE}/series`, {samples: [{t: 1}]})
    .on(`GET ${BASE}/log`, 'the log')
    .on(`GET ${PROFILE}`, {policy: {kernel_min: 1}, own: 'kept'});
});

test('what a tab shows is asked for with it, and no other', async () => {
  const model = new ServiceModel('d 1');
  model.span.value = 900;
  await model.known.refresh();
  assert.deepEqual(server.words(), [`GET ${BASE}`, `GET ${BASE}/series?seconds=900`]);
  assert.equal(model.samples.value.length, 1);
  setParam('tab', 'logs');
  await model.known.refresh();
  assert.deepEqual(server.words(), [`GET ${BASE}`, `GET ${BASE}/log`]);
  assert.equal(model.log.value, '"the log"');
  setParam('tab', 'profile');
  await model.known.refresh();
  assert.deepEqual(server.words(), [`GET ${BASE}`]);
});

test('what is typed and drawn stays when the service is asked about again', async () => {
  const model = new ServiceModel('d 1');
  await model.known.refresh();
  const {profile, verify, traffic} = model;
  profile?.set('policy.kernel_max', '9');
  await model.known.refresh();
  assert.deepEqual([model.profile, model.verify, model.traffic], [profile, verify, traffic]);
  assert.equal(model.profile?.value('policy.kernel_max'), '9');
});

test('one that is undeployed is left; one that cannot be stays', async () => {
  const model = new ServiceModel('d 1');
  server.on('DELETE /dlim/v1/model/d%201', new No(409, 'it has not stopped'));
  await model.act('undeploy');
  assert.equal(model.doing.problem.value, 'undeploy: it has not stopped');
  assert.equal(fakeHistory.gone.at(-1), '/services/d 1');
  server.on('DELETE /dlim/v1/model/d%201', {});
  await model.act('undeploy');
  assert.equal(fakeHistory.gone.at(-1), '/services');
  server.on('PUT /dlim/v1/model/d%201/operation/start', {});
  server.words();
  await model.act('start');
  assert.equal(server.words()[0], 'PUT /dlim/v1/model/d%201/operation/start');
});

const profile = () => new ProfileModel('d 1', FACTS.profile ?? {});

test('a profile shows what is there, what is typed, and nothing where nothing is', () => {
  const model = profile();
  assert.equal(model.value('policy.kernel_max'), '4');
  assert.equal(model.value('policy.kernel_min'), '0', '0 is a value');
  assert.equal(model.value('kernel.gpu'), '');
  model.set('policy.kernel_max', '7');
  assert.equal(model.value('policy.kernel_max'), '7');
  assert.equal(new Set(FIELDS.map(({where}) => where)).size, FIELDS.length);
});

test('it is saved with what was typed and all that no field shows', async () => {
  const model = profile();
  server.on(`PUT ${PROFILE}`, {status: 'changed'});
  model.set('policy.kernel_max', '7');
  model.set('kernel.gpu', 'shared');
  await model.save();
  assert.deepEqual(server.asked[0]?.body, {
    policy: {kernel_min: 0, kernel_max: 7},
    kernel: {gpu: 'shared'},
    callers: ['bob'],
    own: 'kept',
  });
  assert.deepEqual([model.said.value, model.value('policy.kernel_min')], ['changed', '1']);
  assert.equal(model.edits.value.size, 0);
});

test('as JSON it has what was typed in fields; no JSON is the server’s to refuse', async () => {
  const model = profile();
  model.set('policy.kernel_max', '7');
  model.choose(true);
  assert.match(model.text.value, /"kernel_max": 7/);
  let body: unknown;
  globalThis.fetch = async (_, options) => {
    body = options?.body;
    return Response.json({title: 'profile: line 1: no value'}, {status: 400});
  };
  model.text.value = '{';
  await model.save();
  assert.equal(body, '{');
  assert.deepEqual(
    [model.doing.problem.value, model.said.value],
    ['profile: line 1: no value', ''],
  );
  assert.equal(model.text.value, '{', 'what was typed stays');
});

test('a model of pictures is drawn for, another one asked in JSON', () => {
  const mode = (shape: readonly number[] | undefined) => {
    const signature = shape ? {input_shape: shape} : null;
    const model = new VerifyModel('x', signature);
    return [model.mode.value, JSON.parse(model.body.value).inputs?.[0]?.shape?.length ?? 0];
  };
  assert.deepEqual(mode([1, 28, 28]), ['draw', 4]);
  assert.deepEqual(mode([784]), ['json', 0]);
  assert.deepEqual(mode([1, 2, 3, 4]), ['json', 0]);
  assert.deepEqual(mode(undefined), ['json', 0]);
});

test('an answer is shown as it came, with how long it took; an error in it is told', async () => {
  const model = new VerifyModel('d 1', null);
  server.on('POST /dlim/v1/inference/d%201', {outputs: [1]});
  await model.send('{"instances": [[0]]}');
  assert.deepEqual(model.answer.value?.value, {outputs: [1]});
  assert.ok((model.answer.value?.ms ?? -1) >= 0);
  assert.equal(model.asked.value, 1);
  server.on('POST /dlim/v1/inference/d%201', {error: 'the kernel <died>'});
  await model.send('{}');
  assert.equal(model.asked.value, 2, 'it was asked all the same');
  assert.match(model.doing.problem.value, /the kernel <died>/);
  assert.equal(model.answer.value?.said, '{"error":"the kernel <died>"}');
});

test('a service that refuses, or answers no JSON, is told', async () => {
  const model = new VerifyModel('d 1', null);
  server.on('POST /dlim/v1/inference/d%201', new No(503, 'the queue is full'));
  await model.send('{}');
  assert.deepEqual([model.doing.problem.value, model.answer.value], ['the queue is full', null]);
  globalThis.fetch = async () => new Response('plain');
  await model.send('{}');
  assert.deepEqual([model.answer.value?.said, model.answer.value?.value], ['plain', null]);
  assert.equal(model.doing.problem.value, '');
});

/** A canvas of some pixels, each red, green, blue and how much of it there is. */
const canvasOf = (
  width: number,
  pixels: readonly (readonly [number, number, number, number])[],
) => {
  const data = Uint8ClampedArray.from(pixels.flat());
  const image = {data, width, height: pixels.length / width};
  return {
    ...image,
    getContext: () => ({getImageData: () => image}),
  } as unknown as HTMLCanvasElement;
};
const WHITE = [255, 255, 255, 255] as const;
const BLACK = [0, 0, 0, 255] as const;
const NONE = [0, 0, 0, 0] as const;

test('what is drawn on nothing is bright; a photo of dark on light is turned', () => {
  const rounded = (canvas: HTMLCanvasElement, photo: boolean) =>
    pixelsOf(canvas, photo).map((row) => row.map((v) => Math.round(v * 100) / 100));
  assert.deepEqual(rounded(canvasOf(2, [BLACK, NONE]), false), [[1, 0]]);
  const paper = [WHITE, WHITE, WHITE, WHITE, BLACK, WHITE, WHITE, WHITE, WHITE];
  assert.deepEqual(rounded(canvasOf(3, paper), true)[1], [0, 1, 0]);
  const night = paper.map((pixel) => (pixel === WHITE ? BLACK : WHITE));
  assert.deepEqual(rounded(canvasOf(3, night), true)[1], [0, 1, 0], 'light on dark stays');
  const nowhere = {width: 1, height: 1, getContext: () => null} as unknown as HTMLCanvasElement;
  assert.deepEqual(pixelsOf(nowhere, true), [[0]]);
});

test('a request has each channel, rounded; errors within an answer are words', () => {
  const [input] = request([[0.12345]], [2, 1, 1]).inputs;
  assert.deepEqual(input?.data, [0.123, 0.123]);
  assert.deepEqual(
    [errorIn({error: 'x'}), errorIn({error: ''}), errorIn(null), errorIn('error')],
    ['x', '', '', ''],
  );
  assert.equal(errorIn({error: {code: 5}}), '[object Object]');
});
