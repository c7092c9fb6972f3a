// Role: the record of acts, for administrators: what they did, who logged on and who was refused.

import {get} from './api.js';
import {draw} from './app.js';
import {h, outside} from './dom.js';

const KINDS = [['', 'Everything'], ['hist', 'Administration'], ['doorhist', 'Log-ons and keys']];
const when = (t) => new Date(t * 1000).toLocaleString(undefined, {dateStyle: 'medium', timeStyle: 'medium'});

class Audit {
  acts = null;
  kind = '';
  user = '';
  title = () => 'Record of acts';
  async load() {
    Object.assign(this, await get(`/api/v1/audit?kind=${this.kind}&user=${encodeURIComponent(this.user)}`));
  }
  ask() {
    this.load().then(draw).catch(() => {});
  }
  view() {
    return [h('div', {class: 'head'}, h('div', null, h('h1', null, 'Record of acts'), h('p', {class: 'sub'},
      this.broken ? h('span', {class: 'err'}, `The record is not as it was written: ${this.broken}.`) : `${this.checked ?? 0} acts, as they were written. The newest 500 are shown; in a shell: badmin hist, doorhist, audit.`))),
    h('section', {class: 'panel scroll', tabindex: '0', 'aria-label': 'Acts'},
      h('div', {class: 'ph'}, h('span', {class: 'seg', role: 'group', 'aria-label': 'Kind'}, KINDS.map(([kind, text]) => h('button', {'aria-pressed': String(kind === this.kind), onClick: () => { this.kind = kind; this.ask(); }}, text))),
        h('span', {class: 'sp'}), h('label', {class: 's'}, 'User ', h('input', {name: 'user', type: 'search', value: this.user, onChange: (e) => { this.user = e.target.value.trim(); this.ask(); }}))),
      this.acts?.length ? h('table', {class: 't'}, h('thead', null, h('tr', null, ['Time', 'By', 'Act', 'About', 'Why', 'Refused'].map((text) => h('th', {scope: 'col'}, text)))),
        h('tbody', null, this.acts.map((a) => h('tr', {key: a.number}, h('td', null, when(a.time)), h('td', null, outside(a.by, 40)), h('td', null, outside(a.act, 40)),
          h('td', null, outside(a.objects.join(', '), 200)), h('td', null, outside(a.why, 200)), h('td', null, outside(a.refused, 200)))))) : h('p', {class: 'empty'}, 'There is none.'))];
  }
}

export const audit = () => new Audit();
