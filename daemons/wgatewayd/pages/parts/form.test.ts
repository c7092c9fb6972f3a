import {fakeDocument, fire} from '../base/fake_document.ts';
import assert from 'node:assert/strict';
import {h} from 'preact';
import {afterEach, test} from 'node:test';
import {Refused} from '../api/problem.ts';
import {all, drawn, gone, one, settled} from './fake_root.ts';
import {Area, Field, FormBox, Select} from './form.tsx';
import {Form} from './form_model.ts';

afterEach(gone);

const form = () => new Form({name: '', kind: 'a', note: ''}, '', undefined);
const Boxed = ({of, send}: {of: ReturnType<typeof form>; send: () => void}) =>
  h(
    FormBox<{name: string; kind: string; note: string}>,
    {form: of, onSubmit: send, label: 'New'},
    h(Field<{name: string; kind: string; note: string}>, {
      form: of,
      name: 'name',
      label: 'Name',
      note: 'Letters.',
    }),
    h(Select<{name: string; kind: string; note: string}>, {
      form: of,
      name: 'kind',
      label: 'Kind',
      options: [
        ['a', 'A'],
        ['b', 'B'],
      ],
    }),
    h(Area<{name: string; kind: string; note: string}>, {form: of, name: 'note', label: 'Note'}),
  );

test('what is typed is the form’s; sending is the page’s, not the browser’s', async () => {
  const own = form();
  let sent = 0;
  await drawn(Boxed, {of: own, send: () => ++sent});
  for (const [selector, text, type] of [
    ['input', 'mnist', 'input'],
    ['select', 'b', 'change'],
    ['textarea', 'long', 'input'],
  ] as const) {
    one(selector).value = text;
    fire(one(selector), type);
  }
  assert.deepEqual(own.value.value, {name: 'mnist', kind: 'b', note: 'long'});
  assert.equal(fire(one('form'), 'submit').defaultPrevented, true);
  assert.equal(sent, 1);
});

test('an error stands at its field, and in the summary, which leads there', async () => {
  const own = form();
  await drawn(Boxed, {of: own, send: () => {}});
  assert.equal(one('input').getAttribute('aria-describedby'), 'f-name-n');
  await own.submit(async () => {
    throw new Refused(400, 'no', {name: '<b>taken</b>'});
  });
  await settled();
  assert.equal(one('input').getAttribute('aria-invalid'), 'true');
  assert.equal(one('input').getAttribute('aria-describedby'), 'f-name-e f-name-n');
  assert.equal(one('#f-name-e').textContent, '<b>taken</b>');
  assert.equal(fakeDocument.activeElement, one('[role=alert]'));
  fire(one('[role=alert] a'), 'click');
  assert.equal(fakeDocument.activeElement, one('#f-name'));
  own.set('name', 'other');
  await settled();
  assert.equal(all('[role=alert]')[0] ?? null, null, 'mended, it is told no more');
});

test('what is about no field is told above the form', async () => {
  const own = form();
  await drawn(Boxed, {of: own, send: () => {}});
  await own.submit(async () => {
    throw new Refused(0, 'the server does not answer');
  });
  await settled();
  assert.equal(one('[role=alert]').textContent, 'the server does not answer');
  assert.equal(own.value.value.kind, 'a');
});
