import assert from 'node:assert/strict';
import {test} from 'node:test';
import {type FromHub, VERSION} from './messages.ts';

type Scope = {
  onmessage?: (said: {data: unknown}) => void;
  postMessage?: (message: FromHub) => void;
};

test('where workers cannot be shared a tab has the hub in one of its own', async () => {
  const heard: FromHub[] = [];
  const scope = globalThis as unknown as Scope;
  scope.postMessage = (message) => heard.push(message);
  globalThis.fetch = async () => new Response('', {status: 401});
  await import('./worker.ts');
  assert.ok(scope.onmessage, 'it listens to its tab');
  scope.onmessage({data: {say: 'hello', user: 'ann', version: VERSION + 1}});
  assert.deepEqual(heard.splice(0), [{say: 'old'}], 'a tab of another build is told so');
  scope.onmessage({data: {say: 'hello', user: 'ann', version: VERSION}});
  await new Promise((done) => setImmediate(done));
  const said = heard.map((message) => message.say);
  assert.deepEqual(said.slice(0, 2), ['clock', 'live']);
  assert.ok(said.includes('lost'), 'nobody is logged on');
  scope.onmessage({data: {say: 'bye'}});
});
