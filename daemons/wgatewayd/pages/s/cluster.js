// Role: the pages about the cluster: hosts, plans, queues, as the server lists them.

import {get, paced} from './api.js';
import {draw, live} from './app.js';
import {h, outside} from './dom.js';
import {bytes, DASH, number} from './format.js';

/** A page that is one table, fetched anew when jobs change. */
class Listing {
  constructor(title, sub, path, key, columns) {
    Object.assign(this, {name: title, sub, path, key, columns});
  }
  rows = null;
  refresh = paced(() => this.load().then(draw).catch(() => {}), 2000);
  title = () => this.name;
  async load() {
    this.rows = (await get(this.path))[this.key];
  }
  hear(changed) {
    if (changed === 'jobs') this.refresh();
  }
  view() {
    return [h('div', {class: 'head'}, h('div', null, h('h1', null, this.name), h('p', {class: 'sub'}, this.sub)), h('div', {class: 'acts'}, live())),
      h('section', {class: 'panel scroll', tabindex: '0', 'aria-label': this.name}, h('table', {class: 't'},
        h('thead', null, h('tr', null, this.columns.map(([text, , kind]) => h('th', {scope: 'col', class: kind || ''}, text)))),
        h('tbody', null, (this.rows || []).map((row, i) => h('tr', {key: i}, this.columns.map(([, cell, kind]) => h('td', {class: kind || ''}, cell(row)))))))),
      this.rows?.length === 0 && h('p', {class: 'empty'}, 'There is none.')];
  }
}

function bar(plan) {
  const most = Math.max(plan.used, plan.deserved, plan.demand, plan.owns || 0, 1);
  const part = (v) => `${(100 * v) / most}%`;
  return h('div', {class: 'planbar', role: 'img', 'aria-label': `uses ${plan.used}, deserves ${plan.deserved}, wants ${plan.demand}`},
    h('i', {style: {width: part(plan.used)}}), h('b', {style: {left: part(plan.deserved)}}));
}

export const plans = () => new Listing('Plans', 'Who deserves how much, has it, and wants more. The tick is what is deserved now.', '/api/v1/plans', 'plans', [
  ['Plan', (p) => outside(p.plan)], ['Shares', (p) => number(p.shares), 'num'], ['Owns', (p) => (p.owns ? number(p.owns) : DASH), 'num'], ['Deserves', (p) => number(p.deserved), 'num'],
  ['Uses', (p) => number(p.used), 'num'], ['Wants', (p) => number(p.demand), 'num'], ['Lent', (p) => number(p.lent), 'num'], ['Borrowed', (p) => number(p.borrowed), 'num'], ['', bar]]);

export const queues = () => new Listing('Queues', 'Jobs wait in queues; a higher priority goes first.', '/api/v1/queues', 'queues', [
  ['Queue', (q) => outside(q.queue_name)], ['Priority', (q) => number(q.priority), 'num'], ['Status', (q) => outside(q.status)], ['Slots asked', (q) => number(q.njobs), 'num'],
  ['Pending', (q) => number(q.pend), 'num'], ['Running', (q) => number(q.run), 'num'], ['Suspended', (q) => number(q.susp), 'num']]);

export const cluster = () => new Listing('Hosts', 'What each host has, and what is in use.', '/api/v1/hosts', 'hosts', [
  ['Host', (x) => outside(x.host_name)], ['Status', (x) => outside(x.status)], ['Slots', (x) => `${number(x.run)} of ${number(x.max)}`, 'num'],
  ['GPUs', (x) => (x.ngpus ? `${number(x.ngpus_alloc)} of ${number(x.ngpus)}` : DASH), 'num'], ['CPUs', (x) => number(x.ncpus), 'num'], ['Memory', (x) => bytes(x.total_mem_bytes), 'num'], ['Note', (x) => outside(x.comments || '')]]);
