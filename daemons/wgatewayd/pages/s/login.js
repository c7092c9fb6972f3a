// Role: the log-in page. One answer for every failure; afterwards the address that was asked for.

import {ask} from './api.js';
import {draw, enter} from './app.js';
import {h, logo} from './dom.js';

let problem = '', busy = false;

async function submit(event) {
  event.preventDefault();
  const form = new FormData(event.target);
  busy = true;
  problem = '';
  draw();
  try {
    await ask('POST', '/auth/v1/logon', {
      headers: {'Content-Type': 'application/json'},
      body: JSON.stringify({username: form.get('username'), password: form.get('password')}),
    });
    await enter();
  } catch (refused) {
    problem = refused.message;
  }
  busy = false;
  draw();
}

export const login = {
  view: () => [h('main', {class: 'login'},
    h('div', {class: 'brand'}, logo(), 'WM'),
    h('form', {class: 'panel', onSubmit: submit},
      h('h1', null, 'Log in'),
      h('p', {class: 'sub'}, 'With your account’s password, or an API key in its place.'),
      h('div', {class: 'gap'}),
      problem && h('p', {class: 'note err', role: 'alert'}, problem),
      h('label', {class: 'field'}, h('span', null, 'User'), h('input', {type: 'text', name: 'username', autocomplete: 'username', required: true, autofocus: true})),
      h('label', {class: 'field'}, h('span', null, 'Password or API key'), h('input', {type: 'password', name: 'password', autocomplete: 'current-password', required: true})),
      h('div', {class: 'foot2'}, h('button', {class: 'btn pri', disabled: busy}, 'Log in'))))],
};
