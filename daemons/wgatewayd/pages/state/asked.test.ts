import {fakeDocument} from '../base/fake_document.ts';
import assert from 'node:assert/strict';
import {mock, test} from 'node:test';
import {Refused} from '../api/problem.ts';
import {changed} from '../live/port.ts';
import {Asked, keepAsking} from './asked.ts';
import {Doing} from './doing.ts';
import {standing} from './session.ts';

const settled = async () => {
  for (let turn = 0; turn < 6; ++turn) await Promise.resolve();
};

test('none known is null, which is not none', async () => {
  const asked = new Asked(async () => [] as string[]);
  assert.deepEqual([asked.value.value, asked.failure.value], [null, null]);
  await asked.refresh();
  assert.deepEqual(asked.value.value, []);
});

test('what was known stays where asking fails; the failure goes when it succeeds', async () => {
  let answer: () => Promise<number> = async () => 1;
  const asked = new Asked(() => answer());
  await asked.refresh();
  answer = async () => {
    throw new Refused(503, 'away');
  };
  await asked.refresh();
  assert.deepEqual([asked.value.value, asked.failure.value?.message], [1, 'away']);
  answer = async () => 2;
  await asked.refresh();
  assert.deepEqual([asked.value.value, asked.failure.value], [2, null]);
});

test('a session that ended is no failure of the page: its dialog tells of it', async () => {
  const asked = new Asked(async () => {
    throw new Refused(401, 'log on');
  });
  await asked.refresh();
  assert.deepEqual([asked.value.value, asked.failure.value], [null, null]);
});

test('an answer that comes after a newer one is thrown away', async () => {
  const answers: ((value: number) => void)[] = [];
  const asked = new Asked(() => new Promise<number>((done) => answers.push(done)));
  const both = [asked.refresh(), asked.refresh()];
  answers[1]?.(2);
  answers[0]?.(1);
  await Promise.all(both);
  assert.equal(asked.value.value, 2);
});

test('a page asks at once, and when jobs changed, not too often', async () => {
  mock.timers.enable({apis: ['setInterval', 'setTimeout', 'Date'], now: 1e6});
  // The document's own, made of the one before, does not pass with the clock.
  let count = 0;
  const end = keepAsking({refresh: async () => void ++count}, {onJobs: 1000});
  assert.equal(count, 1);
  changed.value = ['1'];
  changed.value = ['2'];
  mock.timers.tick(1);
  assert.equal(count, 2, 'several changes are one');
  changed.value = ['3'];
  mock.timers.tick(500);
  assert.equal(count, 2, 'not so soon');
  mock.timers.tick(500);
  assert.equal(count, 3);
  end();
  changed.value = ['4'];
  mock.timers.tick(5000);
  assert.equal(count, 3, 'whoever left the page asks nothing');
  mock.timers.reset();
  await settled();
});

test('every so many ms, but not while hidden, nor while nobody is logged on', () => {
  mock.timers.enable({apis: ['setInterval']});
  let count = 0;
  standing.value = 'on';
  const end = keepAsking({refresh: async () => void ++count}, {every: 1000});
  mock.timers.tick(2000);
  assert.equal(count, 3);
  fakeDocument.hidden = true;
  mock.timers.tick(3000);
  assert.equal(count, 3);
  fakeDocument.hidden = false;
  standing.value = 'lost';
  mock.timers.tick(3000);
  assert.equal(count, 3);
  standing.value = 'on';
  mock.timers.tick(1000);
  assert.equal(count, 4);
  end();
  mock.timers.tick(9000);
  assert.equal(count, 4);
  mock.timers.reset();
});

test('one thing at a time is done; what came of it is told, with what it was about', async () => {
  const doing = new Doing();
  let release = () => {};
  const first = doing.run(() => new Promise<void>((done) => (release = done)));
  assert.equal(doing.busy.value, true);
  assert.equal(await doing.run(async () => assert.fail('it was busy')), false);
  release();
  assert.deepEqual([await first, doing.busy.value, doing.problem.value], [true, false, '']);
  const refused = async () => {
    throw new Refused(403, 'you may not');
  };
  assert.equal(await doing.run(refused, 'stop'), false);
  assert.deepEqual([doing.busy.value, doing.problem.value], [false, 'stop: you may not']);
  await doing.run(refused);
  assert.equal(doing.problem.value, 'you may not');
  await doing.run(async () => {});
  assert.equal(doing.problem.value, '', 'the next thing begins without it');
});
