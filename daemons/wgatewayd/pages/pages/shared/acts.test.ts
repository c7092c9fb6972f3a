import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Refused} from '../../api/problem.ts';
import {Acting} from './act_dialog.tsx';
import {actOf, actsFor, bodyOf, outcomeWords, toEach} from './acts.ts';
import {badminLine} from './close_dialog.tsx';

const verbs = (...states: string[]) => actsFor(states).map((act) => act.verb);

test('an act is offered where the state of one of the chosen allows it', () => {
  assert.deepEqual(verbs('pending'), ['stop', 'hold', 'top', 'bottom', 'switch']);
  assert.deepEqual(verbs('held'), ['stop', 'release', 'top', 'bottom', 'switch']);
  assert.deepEqual(verbs('running'), ['stop', 'requeue', 'resize']);
  assert.deepEqual(verbs('finished'), []);
  assert.deepEqual(verbs('finished', 'running'), ['stop', 'requeue', 'resize']);
  assert.deepEqual(verbs(), []);
});

test('the line of the shell does the same, its words quoted', () => {
  const line = (verb: string, more = {}) =>
    actOf(verb)?.line(['7', '8[2]'], {why: '', queue: '', tasks: '', ...more});
  assert.equal(line('stop', {why: "it's late"}), "bkill -C 'it'\\''s late' 7 '8[2]'");
  assert.equal(line('stop'), "bkill 7 '8[2]'");
  assert.equal(line('top'), "btop 7 '8[2]'");
  assert.equal(line('switch', {queue: 'night'}), "bswitch night 7 '8[2]'");
  assert.equal(
    badminLine('hosts', {name: 'n1', verb: 'close'}, 'a fan'),
    "badmin hclose -drain -C 'a fan' n1",
  );
  assert.equal(badminLine('queues', {name: 'q', verb: 'open'}, ''), 'badmin qopen q');
});

test('each of many is done on its own, and who is left out is told with why', async () => {
  const done: string[] = [];
  const outcomes = await toEach(
    ['1', '2', '3'],
    async (id) => {
      if (id === '2') throw new Refused(409, 'it has started');
      done.push(id);
    },
    (problem) => (problem instanceof Refused ? problem.message : 'other'),
  );
  assert.deepEqual(done, ['1', '3']);
  assert.deepEqual(outcomeWords(outcomes), ['2 done.', '2: it has started']);
  assert.deepEqual(outcomeWords([]), []);
});

test('what an act wants to know is asked at its field before anybody is asked', async () => {
  const sent: unknown[] = [];
  const acting = new Acting(async (verb, ids, words) => sent.push([verb, ids, words]));
  acting.open([{jobid: '7', wm_state: 'pending'}]);
  assert.equal(acting.form.value.value.verb, 'stop');
  acting.form.set('verb', 'switch');
  await acting.submit();
  assert.deepEqual(acting.form.errors.value, {queue: 'To which queue?'});
  assert.deepEqual([sent, acting.ids.value], [[], ['7']], 'the dialog stays open');
  acting.form.set('queue', 'night');
  await acting.submit();
  assert.deepEqual(sent, [['switch', ['7'], {why: '', queue: 'night', tasks: ''}]]);
  assert.deepEqual(acting.ids.value, []);
});

test('a size that is none is asked again; what is sent has only what was said', async () => {
  const sent: unknown[] = [];
  const acting = new Acting(async (_verb, _ids, words) => sent.push(bodyOf(words)));
  acting.open([{jobid: '7', wm_state: 'running'}]);
  acting.form.set('verb', 'resize');
  for (const tasks of ['', '0', '-1', '2.5', 'two']) {
    acting.form.set('tasks', tasks);
    await acting.submit();
    assert.match(acting.form.errors.value.tasks ?? '', /number from 1/, tasks);
  }
  acting.form.set('tasks', ' 2 ');
  await acting.submit();
  assert.deepEqual(sent, [{tasks: 2}]);
  assert.deepEqual(bodyOf({why: ' late ', queue: 'q', tasks: ''}), {why: 'late', queue: 'q'});
});

test('what is refused stays in the dialog with why', async () => {
  const acting = new Acting(async () => {
    throw new Refused(403, 'not an administrator');
  });
  acting.open([{jobid: '7', wm_state: 'running'}]);
  await acting.submit();
  assert.equal(acting.form.problem.value, 'not an administrator');
  assert.deepEqual(acting.ids.value, ['7']);
  acting.open([{jobid: '8', wm_state: 'finished'}]);
  await acting.submit();
  assert.deepEqual(acting.form.errors.value, {verb: 'What is to be done?'});
});
