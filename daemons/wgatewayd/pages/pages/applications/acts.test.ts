import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {JobRow} from '../../api/shapes.ts';
import {FakeServer, No} from '../shared/fake_server.ts';
import {Applications} from './model.ts';

const job = (jobid: string, wm_state = 'pending') => ({jobid, wm_state}) as JobRow;

test('an act goes to each that is chosen; who is left out is told, and stays chosen', async () => {
  const server = new FakeServer()
    .on('POST /api/v1/jobs/2/switch', {})
    .on('POST /api/v1/jobs/10/switch', new No(409, 'Job <10>: it has started'));
  const model = new Applications();
  for (const id of ['10', '2', '3']) model.choose(job(id));
  model.choose(job('3'));
  model.acting.open([...model.chosen.value.values()]);
  model.acting.form.set('verb', 'switch');
  model.acting.form.set('queue', 'night');
  await model.acting.submit();
  assert.deepEqual(
    server.asked.map(({what, body}) => [what, body]),
    [
      ['POST /api/v1/jobs/2/switch', {queue: 'night'}],
      ['POST /api/v1/jobs/10/switch', {queue: 'night'}],
    ],
    'in order of their numbers',
  );
  assert.deepEqual(model.outcomes.value, [
    {id: '2', problem: ''},
    {id: '10', problem: 'Job <10>: it has started'},
  ]);
  assert.deepEqual([...model.chosen.value.keys()], ['10']);
  assert.deepEqual(model.acting.ids.value, [], 'the dialog is closed: the bar tells the rest');
});

test('arrays are folded unless the address says otherwise', () => {
  assert.equal(new Applications().asked.value.fold, true);
});
