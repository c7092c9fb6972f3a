// Role: the list of searches: how good is each one's best, how far is it.

import {get, paced, store} from './api.js';
import {draw, live} from './app.js';
import {h, icon, outside} from './dom.js';
import {clock, duration, number, state} from './format.js';

/** "TPE, minimize loss". */
export const aim = (search) => `${search.search.algorithm || 'auto'}, ${search.search.goal || 'minimize'} ${search.search.metric}`;

class Searches {
  rows = null;
  refresh = paced(() => this.load().then(draw).catch(() => {}), 1500);
  title = () => 'Searches';
  async load() {
    this.rows = (await get('/api/v1/searches')).searches;
  }
  hear(changed) {
    if (changed === 'jobs') this.refresh();
  }

  row(s) {
    const shown = state(s.state), end = s.finish_time || store.now();
    return h('div', {class: 'row srch', role: 'row', key: s.job},
      h('span', {role: 'cell', class: 'st'}, h('span', {class: `b ${shown.kind}`}, icon(shown.icon), s.paused && s.state === 'running' ? 'Pausing' : shown.word)),
      h('span', {role: 'cell', class: 'nm'}, h('a', {class: 'name', href: `/searches/${encodeURIComponent(s.name)}`}, outside(s.name, 60))),
      h('span', {role: 'cell', class: 'pl', 'data-pre': ''}, outside(aim(s), 60)),
      h('span', {role: 'cell', class: 'slc'}, s.best ? [h('b', null, number(s.best.value)), h('span', {class: 'm'}, ` trial ${s.best.index}`)] : h('span', {class: 'm'}, 'no value yet')),
      h('span', {role: 'cell', class: 'pgc'}, h('span', {class: 'pg'}, h('span', null, `${number(s.over)} of ${number(s.total)}`, s.running > 0 && h('span', {class: 'm'}, `, ${s.running} running`)),
        h('i', {style: {'--w': `${s.total ? (100 * s.over) / s.total : 0}%`}}))),
      h('span', {role: 'cell', class: 'el num m', title: clock(s.submit_time, store.now())}, duration(end - s.submit_time)));
  }

  view() {
    const rows = this.rows || [], running = rows.filter((s) => s.state === 'running').length;
    return [h('div', {class: 'head'}, h('div', null, h('h1', null, 'Searches'),
      h('p', {class: 'sub'}, `${rows.length} in all, ${running} running. Each tries settings of one training, and looks at what was reached before it tries the next.`)),
    h('div', {class: 'acts'}, live())),
    h('section', {class: 'panel', 'aria-label': 'Search list'}, rows.length === 0 ? empty() : h('div', {role: 'table', 'aria-label': 'Searches'},
      h('div', {class: 'row hd srch', role: 'row'}, ['State', 'Name', 'Looks for', 'Best', 'Trials', 'Time'].map((text, i) => h('span', {role: 'columnheader', class: i === 5 ? 'num' : ''}, text))),
      h('div', {class: 'rows', role: 'rowgroup'}, rows.map((s) => this.row(s)))),
    h('div', {class: 'fine'}, h('span', null, `${rows.length} shown`), h('span', null, 'the same in a shell: dlicmd --hpo-get-all')))];
  }
}

function empty() {
  return h('div', {class: 'empty'}, h('p', null, 'No search yet. One is a file that says what to try, and a folder with the training:'),
    h('p', {class: 'cmd mono'}, 'dlicmd --hpo-start search.json --model-dir code'), h('p', {class: 's'}, `The guide "tune a model" has one to begin with.`));
}

export const searches = () => new Searches();
