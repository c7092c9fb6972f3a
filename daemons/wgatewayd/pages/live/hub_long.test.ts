import assert from 'node:assert/strict';
import {test} from 'node:test';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {event, folded, job, list, Tab, VIEW} from './fake_tab.ts';
import {FakeWorld, openStream, quiet} from './fake_world.ts';
import {Hub} from './hub.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** How many, for a longer look: 432,000 are five a second for a day. */
const CHANGES = Number(process.env.WM_CHANGES ?? 20_000);

/** Bytes that are in use after what can go has gone. */
function inUse(): number {
  for (let turn = 0; turn < 3; ++turn) collect();
  return process.memoryUsage().heapUsed;
}

test('so many changes as of hours leave nothing behind', async () => {
  const stream = openStream();
  const jobs = Array.from({length: 500}, (_, i) => job(String(i)));
  const tab = new Tab(new Hub(new FakeWorld([stream.answer], [list(...jobs)])));
  tab.say({say: 'view', key: 'v', view: VIEW});
  await folded();
  const change = async (round: number) => {
    for (const {jobid} of jobs) stream.say(event('job', job(jobid, {step: round})));
    await quiet();
    tab.heard.length = 0;
  };
  for (let round = 0; round < 5; ++round) await change(round);
  const before = inUse();
  for (let round = 0; round < CHANGES / jobs.length; ++round) await change(round);
  await folded();
  tab.heard.length = 0;
  const grown = inUse() - before;
  console.log(`${CHANGES} changes: ${grown} bytes`);
  assert.ok(grown < 2e6, `${grown} bytes after ${CHANGES} changes`);
});
