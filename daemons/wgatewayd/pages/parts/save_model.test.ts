import {fakeHistory} from '../base/fake_document.ts';
import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {Saving} from './save_model.tsx';

interface Asked {
  readonly what: string;
  readonly body: unknown;
  readonly key: string | null;
}
let asked: Asked[] = [];
let answers: Record<string, () => Response> = {};
globalThis.fetch = async (path, options) => {
  const what = `${options?.method ?? 'GET'} ${String(path)}`;
  const body = options?.body ? JSON.parse(String(options.body)) : null;
  asked.push({what, body, key: new Headers(options?.headers).get('Idempotency-Key')});
  return answers[what]?.() ?? Response.json({title: `${what}?`}, {status: 404});
};
beforeEach(() => {
  asked = [];
  answers = {'GET /api/v1/projects': () => Response.json({projects: [{name: 'default'}]})};
});
const LIST = '/api/v1/projects/default/models';

test('a model is saved under a name that it may have, with its run', async () => {
  answers[`POST ${LIST}`] = () => Response.json({});
  const saving = new Saving();
  await saving.open('c-12', 'Mnist run #2');
  assert.deepEqual([saving.shown.value, saving.form.value.value.name], [true, 'Mnist-run-2']);
  await saving.save();
  assert.deepEqual(asked[1]?.body, {
    description: '',
    weight: '',
    name: 'Mnist-run-2',
    run: 'c-12',
  });
  assert.deepEqual([saving.shown.value, fakeHistory.gone.at(-1)], [false, '/models']);
});

test('one of that name is told; saved once more it is the next version', async () => {
  answers[`POST ${LIST}`] = () => Response.json({title: 'there is one'}, {status: 409});
  answers[`PUT ${LIST}/m`] = () => Response.json({});
  const saving = new Saving();
  await saving.open('c-12', 'm');
  await saving.save();
  assert.match(saving.form.errors.value.name ?? '', /save once more/);
  assert.equal(saving.shown.value, true);
  const before = asked.at(-1)?.key;
  await saving.save();
  assert.equal(asked.at(-1)?.what, `PUT ${LIST}/m`);
  assert.notEqual(asked.at(-1)?.key, before, 'it is another request');
});

test('another name, or another project, is not the next version of that one', async () => {
  answers[`POST ${LIST}`] = () => Response.json({title: 'there is one'}, {status: 409});
  const saving = new Saving();
  await saving.open('c-12', 'm');
  await saving.save();
  saving.form.set('name', 'n');
  await saving.save();
  assert.equal(asked.at(-1)?.what, `POST ${LIST}`);
});

test('without a name nobody is asked; another refusal is told as it is', async () => {
  const saving = new Saving();
  await saving.open('c-12', 'm');
  saving.form.set('name', ' ');
  await saving.save();
  assert.equal(saving.form.errors.value.name, 'Which name?');
  answers[`POST ${LIST}`] = () => Response.json({title: 'two files of weights'}, {status: 400});
  saving.form.set('name', 'm');
  await saving.save();
  assert.equal(saving.form.problem.value, 'two files of weights');
});

test('where projects cannot be asked for, that is told, and nothing is opened', async () => {
  answers = {};
  const saving = new Saving();
  await saving.open('c-12', 'm');
  assert.deepEqual([saving.shown.value, saving.trouble.value], [false, 'GET /api/v1/projects?']);
});
