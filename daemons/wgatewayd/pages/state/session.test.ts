import assert from 'node:assert/strict';
import {mock, test} from 'node:test';
import {ask} from '../api/client.ts';
import {Refused} from '../api/problem.ts';
import {counts, skew} from '../live/port.ts';
import {enter, logOff, logOn, me, session, standing, trouble} from './session.ts';

/** No hub: what is listened to is not what is looked at here. */
class NoWorker {
  static said: {say: string; user?: string}[] = [];
  postMessage(message: {say: string}) {
    NoWorker.said.push(message);
  }
}
Object.assign(globalThis, {
  Worker: NoWorker,
  document: {hidden: false, addEventListener() {}},
  addEventListener() {},
});

const ANN = {user: 'ann', cluster: 'c', version: '1', admin: false};
let answers: Record<string, () => Response> = {};
const asked: string[] = [];
globalThis.fetch = async (path, options) => {
  const what = `${options?.method ?? 'GET'} ${String(path)}`;
  asked.push(`${what}${options?.body ? ` ${String(options.body)}` : ''}`);
  const answer = answers[what];
  if (!answer) throw new TypeError('Failed to fetch');
  return answer();
};
const here = (user = 'ann') => Response.json({...ANN, user, now: Date.now() / 1000 + 60});
const nobody = () => new Response('', {status: 401});

test('nobody is logged on: the page says so, and asks nothing more', async () => {
  answers = {'GET /api/v1/session': nobody};
  await enter();
  assert.deepEqual([standing.value, session.value, trouble.value], ['none', null, '']);
});

test('a server that does not answer is asked again until it says who is there', async () => {
  mock.timers.enable({apis: ['setTimeout']});
  standing.value = 'asking';
  answers = {};
  await enter();
  assert.deepEqual([standing.value, trouble.value], ['asking', 'the server does not answer']);
  answers = {'GET /api/v1/session': () => here()};
  mock.timers.tick(3000);
  mock.timers.reset();
  for (let turn = 0; turn < 10; ++turn) await new Promise((done) => setImmediate(done));
  assert.deepEqual([standing.value, me.value, trouble.value], ['on', 'ann', '']);
  assert.ok(Math.abs(skew.value - 60) < 5, 'the server’s clock is known at once');
});

test('a session that ends keeps the page; who logs on again stays', async () => {
  answers = {'GET /api/v1/x': nobody};
  await assert.rejects(ask('GET', '/api/v1/x'), Refused);
  assert.deepEqual([standing.value, session.value?.user], ['lost', 'ann']);
  answers = {
    'POST /auth/v1/logon': () => Response.json({}),
    'GET /api/v1/session': () => here(),
  };
  await logOn('ann', 'secret');
  assert.deepEqual([standing.value, me.value], ['on', 'ann']);
  assert.ok(asked.includes('POST /auth/v1/logon {"username":"ann","password":"secret"}'));
});

test('a wrong password is refused, and changes nothing', async () => {
  answers = {'POST /auth/v1/logon': () => Response.json({title: 'no'}, {status: 401})};
  await assert.rejects(logOn('ann', 'wrong'), /no/);
  assert.deepEqual([standing.value, me.value], ['on', 'ann']);
});

test('another who logs on sees nothing of the one before', async () => {
  let between: unknown = 'not asked';
  answers = {
    'POST /auth/v1/logon': () => Response.json({}),
    'GET /api/v1/session': () => {
      between = session.value;
      return here('bob');
    },
  };
  await logOn('bob', 'x');
  assert.deepEqual([between, me.value], [null, 'bob']);
});

test('who logs off is off, also where the server does not answer', async () => {
  counts.value = {all: 1} as never;
  answers = {};
  await logOff();
  assert.deepEqual([standing.value, session.value, counts.value], ['none', null, null]);
  assert.equal(NoWorker.said.at(-1)?.say, 'bye');
});
