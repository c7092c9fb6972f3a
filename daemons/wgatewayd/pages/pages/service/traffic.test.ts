import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Service} from '../../api/shapes_more.ts';
import {standing} from '../shared/service.tsx';
import {callersOf, canaryFault, Traffic} from './traffic.ts';

test('callers are names, groups and everybody', () => {
  assert.equal(callersOf({callers: ['ann', '@lab']}), 'ann, @lab');
  assert.equal(callersOf({}), '');
  assert.equal(callersOf({callers: 'ann'}), '', 'not a list');
});

test('a canary is a service and a share; 0 ends it', () => {
  assert.deepEqual(canaryFault('b', '0'), {});
  assert.deepEqual(canaryFault('b', '100'), {});
  assert.deepEqual(Object.keys(canaryFault('', '10')), ['service']);
  for (const percent of ['', '-1', '101', '1.5', 'x'])
    assert.deepEqual(Object.keys(canaryFault('b', percent)), ['percent'], percent);
});

test('a started service without a router is starting', () => {
  assert.equal(standing({state: 'Started', router: null}), 'Starting');
  assert.equal(standing({state: 'Stopped', router: null}), 'Stopped');
  assert.equal(standing({state: 'Started', router: {}}), 'Started');
  assert.equal(standing({state: 'Started'}), 'Started', 'of another’s none is told');
});

const asked: [string, string, unknown][] = [];
globalThis.fetch = async (path, options) => {
  const {method = 'GET', body} = options ?? {};
  asked.push([method, String(path), body ? JSON.parse(String(body)) : null]);
  return new Response('{"name": "digits", "callers": ["old"]}', {status: 200});
};

test('callers take the place of those before; the rest of the profile stays', async () => {
  let told = 0;
  const facts = {name: 'digits', profile: {callers: ['old']}, canary: null} as unknown as Service;
  const traffic = new Traffic(facts, () => told++);
  traffic.callers.set('callers', 'ann @lab');
  await traffic.saveCallers();
  assert.deepEqual(asked.splice(0), [
    ['GET', '/dlim/v1/model/digits/appprofile', null],
    ['PUT', '/dlim/v1/model/digits/appprofile', {name: 'digits', callers: ['ann', '@lab']}],
  ]);
  await traffic.tryOut();
  assert.deepEqual([asked.length, told], [0, 1], 'which service?');
  traffic.canary.set('service', 'digits-2');
  await traffic.tryOut();
  const path = '/dlim/v1/model/digits/operation/canary';
  assert.deepEqual(asked.splice(0), [['PUT', path, {service: 'digits-2', percent: 10}]]);
  await traffic.tryOut('0');
  assert.deepEqual(asked.splice(0), [['PUT', path, {service: 'digits-2', percent: 0}]]);
});
