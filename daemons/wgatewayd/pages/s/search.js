// Role: the page of one search: how good is the best, is it worth going on. Best so far, settings against
// values, levels of halving, every trial. The filter's words and the brushes of the axes are the same.

import {ask, get, paced, store} from './api.js';
import {draw, live} from './app.js';
import {axesOf, bestFigure, brushWords, fits, parallel} from './search_figures.js';
import {clean, h, icon, outside} from './dom.js';
import {clock, csvCell, DASH, duration, number, state} from './format.js';
import {aim} from './searches.js';

const MOST_ROWS = 300;
const PRUNED = {word: 'Pruned', icon: 'stop', kind: ''};
const shownState = (word) => (word === 'stopped' ? PRUNED : state(word));
const query = () => new URLSearchParams(location.search);

function setQuery(name, value) {
  const q = query();
  if (value) q.set(name, value);
  else q.delete(name);
  history.replaceState(null, '', `${location.pathname}${q.size ? `?${q}` : ''}`);
  draw();
}

/** A setting as text. */
const shown = (value) => (value === undefined || value === null ? DASH : typeof value === 'number' ? number(value) : clean(value, 40));

class Search {
  constructor(name) {
    this.name = decodeURIComponent(name);
    this.path = `/api/v1/searches/${encodeURIComponent(this.name)}`;
  }
  search = null;
  problem = '';
  refresh = paced(() => this.fetch(), 1000);

  title = () => `${clean(this.name, 60)} · ${this.search ? state(this.search.state).word : ''}`;
  async load() {
    await this.fetch(true);
    this.timer = setInterval(() => this.search?.running && this.refresh(), 2000);
  }
  leave() {
    clearInterval(this.timer);
  }
  hear(changed) {
    if (changed === 'jobs') this.refresh();
  }
  async fetch(first) {
    try {
      this.search = (await get(this.path)).search;
      this.axes = axesOf(this.search);
    } catch (problem) {
      if (first) throw problem;
    }
    draw();
  }
  async act(verb) {
    try {
      await ask('POST', `${this.path}/${verb}`);
      this.problem = '';
    } catch (problem) {
      this.problem = problem.message;
    }
    await this.fetch();
  }

  head(s) {
    const word = shownState(s.state), over = s.state === 'finished' || s.state === 'failed';
    const of = s.total ? `${number(s.over)} of ${number(s.total)} trials over` : `${number(s.over)} trials over`;
    return h('div', {class: 'head'}, h('div', null, h('p', {class: 'crumb'}, h('a', {href: '/searches'}, 'Searches'), ' / ', s.job),
      h('h1', null, outside(s.name, 80), ' ', h('span', {class: `b pill ${word.kind}`}, icon(word.icon), s.paused && s.state === 'running' ? 'Pausing' : word.word)),
      h('p', {class: 'sub'}, outside(aim(s)), `, ${of}, ${s.parallel} at a time`)),
    h('div', {class: 'acts'}, live(),
      s.paused ? !over && h('button', {class: 'btn', onClick: () => this.act('resume')}, 'Go on')
        : !over && s.state !== 'stopped' && h('button', {class: 'btn', onClick: () => this.act('pause')}, 'Pause'),
      !over && s.state !== 'stopped' && h('button', {class: 'btn danger', onClick: () => this.confirm.showModal()}, icon('stop'), 'Stop')));
  }

  get confirm() {
    return document.getElementById('confirm-stop');
  }
  dialog(s) {
    const close = () => this.confirm.close();
    return h('dialog', {id: 'confirm-stop', 'aria-labelledby': 'h-stop'}, h('h2', {id: 'h-stop'}, 'Stop ', outside(s.name, 60), '?'),
      h('p', null, `The ${s.running} trials that run now end. What the others found is kept, and the search can go on later.`),
      h('div', {class: 'foot2'}, h('button', {class: 'btn', autofocus: true, onClick: close}, 'Cancel'),
        h('button', {class: 'btn danger', onClick: () => { close(); this.act('stop'); }}, 'Stop it')));
  }

  facts(s) {
    const {best} = s, end = s.finish_time || store.now();
    const box = (label, value, note) => h('div', null, h('dt', null, label), h('dd', null, h('span', {class: 'v'}, value), h('span', {class: 's m'}, note)));
    const spent = s.trials.reduce((sum, t) => sum + (t.start_time ? (t.finish_time || store.now()) - t.start_time : 0), 0);
    return h('dl', {class: 'panel facts', key: 'facts'},
      box(`Best ${clean(s.search.metric, 30)}`, best ? number(best.value) : DASH, best ? ['trial ', h('a', {href: `/apps/${encodeURIComponent(best.exec_id)}`}, best.index)] : 'no trial has a value yet'),
      box('Over', number(s.over), s.total ? `of ${number(s.total)}` : ''), box('Running', number(s.running), `of ${number(s.parallel)} at a time`),
      box('Pruned', number(s.trials.filter((t) => t.state === 'stopped').length), 'others did better'), box('Failed', number(s.failed), s.failed ? 'see the table' : ''),
      box('Time', duration(end - s.submit_time), `${duration(spent)} of trials`));
  }

  bestPanel(s) {
    const {best} = s, names = this.axes.filter((a) => !a.result).map((a) => a.name);
    return h('section', {class: 'panel', 'aria-labelledby': 'h-b', key: 'best'}, h('div', {class: 'ph'}, h('h2', {id: 'h-b'}, 'Best so far'), h('span', {class: 'sp'}),
      h('span', {class: 'legend'}, h('span', null, h('i', {class: 'dot in'}), 'a trial'), h('span', {class: 'k1'}, h('i', {class: 'dash'}), 'the best until then'))),
    h('div', {class: 'pb'}, bestFigure(s), best && h('dl', {class: 'kv'}, names.map((name) => [h('dt', null, outside(name, 40)), h('dd', null, shown(best.config[name]))]))));
  }

  parallelPanel(s, chosen) {
    const words = query().get('q') || '';
    return h('section', {class: 'panel', 'aria-labelledby': 'h-p', key: 'parallel'}, h('div', {class: 'ph'}, h('h2', {id: 'h-p'}, 'Settings and what they reached'), h('span', {class: 'sp'}),
      words && h('button', {class: 'link s', onClick: () => setQuery('q', '')}, 'Show all')),
    h('div', {class: 'pb'}, parallel(this.axes, s, chosen, (axis, low, high) => setQuery('q', brushWords(words, axis, low, high))),
      h('p', {class: 's m'}, 'Each line is a trial; the stronger the better. Draw along an axis to keep what lies in it.')));
  }

  rungsPanel(s) {
    const rungs = rungsOf(s);
    if (!rungs.length) return null;
    const most = Math.max(...rungs.map((r) => r.trials));
    return h('section', {class: 'panel scroll', tabindex: '0', 'aria-labelledby': 'h-r', key: 'rungs'}, h('div', {class: 'ph'}, h('h2', {id: 'h-r'}, 'Levels'), h('span', {class: 'sp'}), h('span', {class: 's m'}, rungs.note)),
      h('table', {class: 't'}, h('thead', null, h('tr', null, [rungs.unit, 'Got there', '', 'Running', 'Went no further', `Best ${clean(s.search.metric, 20)}`].map((t, i) => h('th', {scope: 'col', class: i === 2 ? '' : 'num'}, t)))),
        h('tbody', null, rungs.map((r) => h('tr', {key: r.at}, h('td', {class: 'num'}, number(r.at)), h('td', {class: 'num'}, number(r.trials)),
          h('td', null, h('span', {class: 'planbar', role: 'img', 'aria-label': `${r.trials} trials`, style: {display: 'block'}}, h('i', {style: {width: `${(100 * r.trials) / most}%`}}))),
          h('td', {class: 'num'}, number(r.running)), h('td', {class: 'num'}, number(r.left)), h('td', {class: 'num'}, number(r.best)))))));
  }

  columns(s) {
    const metric = s.search.metric;
    return [['index', '#', (t) => t.index], ['state', 'State', (t) => shownState(t.state).word], ['value', clean(metric, 24), (t) => t.value],
      ...this.axes.filter((a) => !a.result).map((a) => [a.name, clean(a.name, 24), (t) => t.config[a.name]]),
      ['time', 'Time', (t) => (t.start_time ? (t.finish_time || store.now()) - t.start_time : null)], ['why', 'Why', (t) => t.why]];
  }

  sorted(s, trials) {
    const key = query().get('sort') || (s.search.goal === 'maximize' ? '-value' : 'value'), down = key.startsWith('-');
    const column = this.columns(s).find(([name]) => name === (down ? key.slice(1) : key)) || this.columns(s)[2];
    const empty = (v) => v === null || v === undefined || v === '';
    return {key, rows: [...trials].sort((a, b) => {
      const [x, y] = [column[2](a), column[2](b)];
      if (empty(x) || empty(y)) return empty(x) - empty(y) || a.index - b.index;
      return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1) || a.index - b.index;
    })};
  }

  cell(s, [name], value, trial) {
    if (name === 'index') return h('a', {href: `/apps/${encodeURIComponent(trial.exec_id)}`}, value);
    if (name === 'state') {
      const word = shownState(trial.state);
      return h('span', {class: `b ${word.kind}`}, icon(word.icon), word.word);
    }
    if (name === 'time') return duration(value);
    if (name === 'why') return outside(value || '', 120);
    if (name === 'value') return s.best?.index === trial.index ? h('b', null, shown(value)) : shown(value);
    return shown(value);
  }

  table(s, chosen) {
    const columns = this.columns(s), {key, rows} = this.sorted(s, chosen);
    const numeric = (c) => c[0] !== 'state' && c[0] !== 'why' && rows.some((t) => typeof c[2](t) === 'number');
    const csv = () => [columns.map(([, text]) => text), ...rows.map((t) => columns.map(([, , value]) => value(t) ?? ''))];
    return h('section', {class: 'panel', 'aria-labelledby': 'h-t', key: 'trials'},
      h('div', {class: 'bar'}, h('h2', {id: 'h-t'}, 'Trials'), h('input', {type: 'search', 'aria-label': 'Filter trials', placeholder: `Filter: ${clean(s.search.metric, 20)}<0.1 state:failed`, value: query().get('q') || '', onInput: (e) => setQuery('q', e.target.value)}),
        h('span', {class: 's m', role: 'status'}, `${rows.length} of ${s.trials.length}`), h('span', {class: 'sp'}), h('button', {class: 'link s', onClick: () => download(`${s.name}.csv`, csv())}, 'CSV')),
      h('div', {class: 'scroll'}, h('table', {class: 't trials'},
        h('thead', null, h('tr', null, columns.map((c) => {
          const [name, text] = c, up = key === name, down = key === `-${name}`;
          return h('th', {scope: 'col', class: numeric(c) ? 'num' : '', 'aria-sort': up ? 'ascending' : down ? 'descending' : null},
            h('button', {class: 'link', onClick: () => setQuery('sort', up ? `-${name}` : name)}, text, up ? ' ↑' : down ? ' ↓' : ''));
        }))),
        h('tbody', null, rows.slice(0, MOST_ROWS).map((t) => h('tr', {key: t.index}, columns.map((c) => h('td', {class: numeric(c) ? 'num' : ''}, this.cell(s, c, c[2](t), t)))))))),
      rows.length === 0 && h('p', {class: 'empty'}, s.trials.length ? 'No trial matches.' : 'No trial yet: the first is expected within seconds.'),
      h('div', {class: 'fine'}, h('span', null, `${Math.min(rows.length, MOST_ROWS)} of ${s.trials.length} trials shown`), h('span', null, `the same in a shell: bsearch ${s.job}`)));
  }

  view() {
    const s = this.search;
    if (!s) return [h('h1', null, outside(this.name))];
    const words = query().get('q') || '', chosen = s.trials.filter((t) => fits(s, t, words));
    return [this.head(s), this.problem && h('p', {class: 'note err', role: 'alert'}, this.problem),
      s.reason && s.state !== 'finished' && (s.state === 'failed' || /cannot|no trial/.test(s.reason)) && h('p', {class: 'note warn', role: 'status'}, outside(s.reason, 400)),
      this.facts(s), h('div', {class: 'two halves'}, this.bestPanel(s), this.parallelPanel(s, chosen)), this.rungsPanel(s), this.table(s, chosen), this.dialog(s)];
  }
}

const STEPS = ['step', 'steps', 'epoch', 'iteration'];
const lastStep = (trial) => STEPS.map((k) => trial.metrics[k]?.latest).find((v) => Number.isFinite(v));

/** Trials by how far they were allowed to go: of halving; or how far they came, where some were pruned. */
function rungsOf(s) {
  const params = Array.isArray(s.search.params) ? Object.fromEntries(s.search.params.map((p) => [p.name, p.value])) : s.search.params || {};
  const param = (name) => Object.entries(params).find(([k]) => k.toLowerCase() === name)?.[1];
  const resource = param('resourcename');
  if (resource) return byResource(s, resource);
  return s.trials.some((t) => t.state === 'stopped') ? byProgress(s, Number(param('eta')) || 3) : [];
}

const isLive = (t) => t.state === 'running' || t.state === 'launching';
const bestOf = (s, trials) => {
  const values = trials.map((t) => t.value).filter((v) => v !== null);
  return values.length ? (s.search.goal === 'maximize' ? Math.max(...values) : Math.min(...values)) : null;
};

function byResource(s, resource) {
  const at = (t) => Number(t.config[resource]), resumed = new Set(s.trials.map((t) => t.config.wm_resume).filter(Boolean));
  const levels = [...new Set(s.trials.map(at).filter(Number.isFinite))].sort((a, b) => a - b);
  const rungs = levels.map((level) => {
    const here = s.trials.filter((t) => at(t) === level);
    return {at: level, trials: here.length, running: here.filter(isLive).length,
      left: here.filter((t) => t.state === 'finished' && !resumed.has(t.index)).length, best: bestOf(s, here)};
  });
  return Object.assign(rungs, {unit: resource, note: 'the best of each go on to the next'});
}

// The levels at which running trials are compared: eta apart, below the most steps that one has ended with.
function byProgress(s, eta) {
  const most = Math.max(0, ...s.trials.filter((t) => t.state === 'finished').map((t) => lastStep(t) || 0));
  const levels = [most];
  for (let at = most / eta; at >= 1 && levels.length < 24; at /= eta) levels.unshift(Math.floor(at));
  const rungs = levels.map((level, i) => {
    const here = s.trials.filter((t) => lastStep(t) >= level), next = levels[i + 1] ?? Infinity;
    return {at: level, trials: here.length, running: here.filter(isLive).length,
      left: here.filter((t) => t.state === 'stopped' && lastStep(t) < next).length, best: bestOf(s, here)};
  });
  return Object.assign(rungs, {unit: 'Steps', note: 'who is behind at a level is stopped'});
}

function download(name, rows) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([rows.map((r) => r.map(csvCell).join(',')).join('\n') + '\n'], {type: 'text/csv'}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export const search = (name) => new Search(name);
