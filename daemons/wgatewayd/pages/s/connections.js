// Role: the Connections page: where data is fetched from, whether it can be, and making new ones. What is
// secret is sent and never comes back.

import {ask, get} from './api.js';
import {draw} from './app.js';
import {clean, h, outside} from './dom.js';

const TYPES = ['s3', 'cos', 'azureblob', 'adls', 'azurefiles', 'smb', 'webdav', 'sftp', 'ftp', 'http', 'gcs', 'postgresql', 'mysql', 'mariadb', 'singlestore',
  'sqlserver', 'db2', 'db2zos', 'db2warehouse', 'oracle', 'netezza', 'teradata', 'snowflake', 'hive', 'odbc'];
const WANTED = {s3: 'endpoint\naccess_key_id\nsecret_access_key', cos: 'endpoint\naccess_key_id\nsecret_access_key', webdav: 'url\nuser\npass', odbc: 'driver\nhost\ndatabase\nuser\npassword'};
const path = (name) => `/api/v1/connections/${encodeURIComponent(name)}`;

/** "key = value" lines as an object; what has no value is left out. */
export function keysOf(text) {
  return Object.fromEntries(text.split('\n').map((line) => line.split(/=(.*)/s).map((part) => part.trim())).filter(([key, value]) => key && value));
}

class Connections {
  list = [];
  words = new Map();
  asked = {name: '', type: 's3', keys: ''};
  problem = '';
  title = () => 'Connections';
  async load() {
    this.list = (await get('/api/v1/connections')).connections;
  }
  async act(what) {
    this.problem = '';
    try {
      await what();
      await this.load();
    } catch (problem) {
      this.problem = problem.message;
    }
    draw();
  }
  async test(name) {
    this.words.set(name, 'is asked…');
    draw();
    try {
      await ask('POST', `${path(name)}/test`);
      this.words.set(name, 'can be used');
    } catch (problem) {
      this.words.set(name, problem.message);
    }
    draw();
  }
  save(event) {
    event.preventDefault();
    this.act(async () => {
      const {name, type, keys} = this.asked;
      await ask('POST', '/api/v1/connections', {headers: {'Content-Type': 'application/json'}, body: JSON.stringify({...keysOf(keys), name: name.trim(), type})});
      this.asked = {name: '', type, keys: ''};
    });
  }
  row(c) {
    const rest = Object.entries(c).filter(([key]) => key !== 'name' && key !== 'type').map(([key, value]) => `${key} ${value}`).join(', ');
    return h('tr', {key: c.name}, h('td', null, outside(c.name)), h('td', null, outside(c.type)), h('td', null, outside(rest)), h('td', {role: 'status'}, outside(this.words.get(c.name) || '')),
      h('td', {class: 'num'}, h('button', {class: 'btn', 'data-test': c.name, onClick: () => this.test(c.name)}, 'Test'), ' ',
        h('button', {class: 'btn', 'aria-label': `Delete ${clean(c.name)}`, onClick: () => this.act(() => ask('DELETE', path(c.name)))}, 'Delete')));
  }
  form() {
    const bound = (key) => ({value: this.asked[key], onInput: (e) => { this.asked[key] = e.target.value; }, onChange: (e) => { this.asked[key] = e.target.value; draw(); }});
    return h('form', {class: 'panel', onSubmit: (e) => this.save(e)}, h('h2', null, 'New connection'),
      h('div', {class: 'two'}, h('label', {class: 'field'}, h('span', null, 'Name'), h('input', {type: 'text', name: 'name', required: true, maxlength: '64', ...bound('name')})),
        h('label', {class: 'field'}, h('span', null, 'Type'), h('select', {name: 'type', ...bound('type')}, TYPES.map((t) => h('option', {value: t, key: t}, t))))),
      h('label', {class: 'field'}, h('span', null, 'Keys'), h('textarea', {name: 'keys', rows: '5', autocomplete: 'off', placeholder: (WANTED[this.asked.type] || 'host\nport\ndatabase\nuser\npassword').split('\n').map((k) => `${k} =`).join('\n'), ...bound('keys')}),
        h('small', null, 'key = value, one a line: wmfetch(1) says which. Kept in your own ~/.config/wm/connections.conf.')),
      h('div', {class: 'foot2'}, h('button', {class: 'btn pri'}, 'Save')));
  }
  view() {
    return [h('div', {class: 'head'}, h('div', null, h('h1', null, 'Connections'), h('p', {class: 'sub'}, 'Data that an execution names is fetched before it begins.'))),
      this.problem && h('p', {class: 'note err', role: 'alert'}, this.problem),
      h('section', {class: 'panel scroll', 'aria-label': 'Connections'}, this.list.length ? h('table', {class: 't'},
        h('thead', null, h('tr', null, ['Name', 'Type', 'Where', 'Standing', ''].map((t) => h('th', {scope: 'col'}, t)))), h('tbody', null, this.list.map((c) => this.row(c))))
        : h('p', {class: 'empty'}, 'There is none.')), this.form()];
  }
}

export const connections = () => new Connections();
