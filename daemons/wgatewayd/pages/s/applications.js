// Role: the Applications page: who has what now, and why. Slots over time, what changed, and the
// table, which is live and changes in place.

import {get, paced, store} from './api.js';
import {draw, go, live} from './app.js';
import {colour, slotsFigure} from './charts.js';
import {clean, h, icon, outside, saveAs} from './dom.js';
import {clock, csvCell, DASH, duration, fitsFilter, isAlive, isOver, isWaiting, number, slots, state, step} from './format.js';

const RANGES = [[3, '3 min'], [12, '12 min'], [60, '1 h'], [1440, '24 h']];
const GROUPS = [['running', 'Running', isAlive], ['pending', 'Pending', isWaiting], ['failed', 'Failed', (w) => w === 'failed' || w === 'error']];
const MOST_ROWS = 500;
const COLUMNS = [['wm_state', 'State'], ['jobid', 'Id'], ['job_name', 'Name'], ['user', 'User'], ['plan', 'Plan'], ['nalloc_slot', 'Slots'], [null, 'Progress'], ['elapsed', 'Elapsed']];

const query = () => new URLSearchParams(location.search);

function setQuery(name, value) {
  const q = query();
  if (value) q.set(name, value);
  else q.delete(name);
  history.replaceState(null, '', `${location.pathname}${q.size ? `?${q}` : ''}`);
  draw();
}

const rank = (job) => (isAlive(job.wm_state) ? 0 : isWaiting(job.wm_state) ? 1 : 2);
const newest = (a, b) => b.submit_time - a.submit_time || parseInt(b.jobid, 10) - parseInt(a.jobid, 10);

function elapsed(job) {
  if (job.start_time) return (job.finish_time || store.now()) - job.start_time;
  return isOver(job.wm_state) ? null : store.now() - job.submit_time;
}

function sorted(jobs, key) {
  if (!key) return jobs.sort((a, b) => rank(a) - rank(b) || newest(a, b));
  const down = key.startsWith('-'), name = down ? key.slice(1) : key;
  const value = name === 'elapsed' ? elapsed : name === 'jobid' ? (j) => parseInt(j.jobid, 10) : (j) => j[name] ?? '';
  const order = (a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0);
  return jobs.sort((a, b) => (down ? -order(a, b) : order(a, b)) || newest(a, b));
}

function selected() {
  const q = query(), mine = q.get('whose') === 'mine', group = GROUPS.find(([name]) => name === q.get('state'));
  return sorted([...store.jobs.values()].filter((job) => (!mine || job.user === store.session.user) &&
    (!group || group[2](job.wm_state)) && fitsFilter(job, q.get('q') || '')), q.get('sort'));
}

/** What a change of size was, in words. */
function sentence(change) {
  const name = [h('a', {href: `/apps/${encodeURIComponent(change.id)}`}, change.id), ' ', outside(change.name, 40)];
  if (change.event === 'END') return [...name, ' ended'];
  if (change.event === 'DISPATCH') return [...name, ' started on ', change.to, change.to === 1 ? ' slot' : ' slots'];
  const why = change.reason ? [': ', outside(change.reason)] : '';
  return [...name, ' ', h('b', null, step(change.from, change.to)), why];
}

class Applications {
  minutes = 12;
  figure = null;
  refresh = paced(() => this.fetchFigure(), 1500);

  title = () => 'Applications';
  async load() {
    await this.fetchFigure();
    // All that happened is shown large, where that is little.
    const first = Math.min(...(this.figure?.apps ?? []).flatMap((a) => a.steps.filter(([, v]) => v > 0).map(([t]) => t)));
    if (Number.isFinite(first) && store.now() - first < 150) this.minutes = 3;
  }
  // In the shortest range the figure begins where something does.
  from(now) {
    const asked = now - this.minutes * 60;
    const first = Math.min(...this.figure.apps.flatMap((a) => a.steps.filter(([, v]) => v > 0).map(([t]) => t)));
    return this.minutes === RANGES[0][0] && first > asked ? Math.min(first - (now - first) * 0.06, now - 30) : asked;
  }
  async fetchFigure() {
    try {
      this.figure = await get(`/api/v1/slots?minutes=${this.minutes}`);
      draw();
    } catch { /* the live mark says that it is old */ }
  }
  hear(changed) {
    if (changed === 'jobs') this.refresh();
  }

  summary() {
    const all = [...store.jobs.values()], running = all.filter((j) => isAlive(j.wm_state));
    const used = running.reduce((sum, j) => sum + j.nalloc_slot, 0), pending = all.filter((j) => isWaiting(j.wm_state)).length;
    const of = this.figure ? ` of ${number(this.figure.capacity)}` : '';
    return `${running.length} running, ${pending} pending. ${number(used)}${of} slots in use.`;
  }

  slotsPanel() {
    if (!this.figure) return null;
    const now = store.now(), from = this.from(now);
    const apps = this.figure.apps.toSorted((a, b) => parseInt(a.id, 10) - parseInt(b.id, 10));
    const colours = new Map(apps.map((a, i) => [a.id, i]));
    const changes = this.figure.changes.filter((c) => c.t >= from).slice(0, 4);
    const marks = changes.map((c, i) => ({t: c.t, n: changes.length - i}));
    const rows = [['t', 'id', 'slots'], ...apps.flatMap((a) => a.steps.map(([t, v]) => [t, a.id, v]))];
    return h('section', {class: 'panel', 'aria-labelledby': 'h-s', key: 'slots'},
      h('div', {class: 'ph'}, h('h2', {id: 'h-s'}, 'Slots by application'), h('span', {class: 'sp'}),
        h('span', {class: 'seg', role: 'group', 'aria-label': 'Range'}, RANGES.map(([m, text]) => h('button', {'aria-pressed': String(m === this.minutes),
          onClick: () => { this.minutes = m; this.fetchFigure(); }}, text))),
        h('span', {class: 'tools'}, h('button', {class: 'link s', onClick: () => saveAs('slots.csv', rows.map((r) => r.map(csvCell).join(',')).join('\n') + '\n', 'text/csv')}, 'CSV'))),
      h('div', {class: 'pb', style: {'padding-top': '8px'}},
        slotsFigure({apps, from, now, capacity: this.figure.capacity}, colours, marks),
        h('div', {class: 'ev2'}, changes.length ? changes.map((c, i) => h('p', null, h('span', {class: 'n'}, changes.length - i),
          h('span', {class: 'm'}, clock(c.t, now)), h('span', null, sentence(c)))) : h('p', null, h('span'), h('span'), h('span', {class: 'm'}, 'Nothing started, ended or changed its size.')))));
  }

  bar(count) {
    const q = query(), all = [...store.jobs.values()];
    const whose = (name, text) => h('button', {'aria-pressed': String((q.get('whose') || '') === name), onClick: () => setQuery('whose', name)}, text);
    return h('div', {class: 'bar'},
      h('span', {class: 'seg', role: 'group', 'aria-label': 'Whose'}, whose('mine', 'Mine'), whose('', 'Everyone')),
      h('span', {class: 'chips', role: 'group', 'aria-label': 'State'}, GROUPS.map(([name, text, is]) => h('button', {class: 'chip', 'aria-pressed': String(q.get('state') === name),
        onClick: () => setQuery('state', q.get('state') === name ? '' : name)}, text, ' ', all.filter((j) => is(j.wm_state)).length))),
      h('input', {type: 'search', 'aria-label': 'Filter applications', placeholder: 'Filter: name, id, user:bob, plan:…', value: q.get('q') || '',
        onInput: (event) => setQuery('q', event.target.value)}),
      h('span', {class: 'vh', role: 'status'}, `${count} shown`));
  }

  /** Where the rows shown begin; the address has it. */
  first(count) {
    const asked = parseInt(query().get('from') || '0', 10);
    return asked > 0 && asked < count ? asked - (asked % MOST_ROWS) : 0;
  }
  pager(count) {
    if (count <= MOST_ROWS) return null;
    const first = this.first(count), last = Math.min(first + MOST_ROWS, count);
    const to = (from, text, off) => h('button', {class: 'btn', disabled: off, onClick: () => setQuery('from', from > 0 ? String(from) : '')}, text);
    return h('div', {class: 'bar', role: 'group', 'aria-label': 'Pages'}, to(first - MOST_ROWS, 'Previous', first === 0),
      h('span', {role: 'status'}, `${number(first + 1)} to ${number(last)} of ${number(count)}`), to(last, 'Next', last === count));
  }

  heading() {
    const sort = query().get('sort') || '';
    return h('div', {class: 'row hd apps', role: 'row'}, COLUMNS.map(([key, text]) => {
      const on = key && (sort === key || sort === `-${key}`), up = sort === key;
      return h('span', {role: 'columnheader', class: key === 'elapsed' ? 'num' : '', 'aria-sort': on ? (up ? 'ascending' : 'descending') : null},
        key ? h('button', {onClick: () => setQuery('sort', sort === key ? `-${key}` : sort === `-${key}` ? '' : key)}, text, on ? (up ? ' ↑' : ' ↓') : '') : text);
    }));
  }

  spark(job) {
    const app = this.figure?.apps.find((a) => a.id === job.jobid);
    if (!app || !isAlive(job.wm_state)) return null;
    const now = store.now(), from = this.from(now), top = Math.max(1, this.figure.capacity);
    const x = (t) => Math.max(0, ((t - from) / (now - from)) * 720), y = (v) => 40 - (v / top) * 40;
    let line = '', at = 0;
    for (const [t, v] of app.steps) {
      if (v === 0 && !line) continue;
      line += line ? `H${x(t)}V${y(v)}` : `M${x(t)} 40V${y(v)}`;
      at = v;
    }
    const apps = this.figure.apps.toSorted((a, b) => parseInt(a.id, 10) - parseInt(b.id, 10));
    const k = colour(apps.indexOf(app));
    return line && h('svg', {viewBox: '0 -2 720 44', preserveAspectRatio: 'none', 'aria-hidden': 'true', class: k},
      h('path', {class: 'ar', d: `${line}H720V40Z`}), h('path', {class: 'ln', d: `${line}H720`, 'data-at': at}));
  }

  slotsCell(job) {
    if (isWaiting(job.wm_state)) return h('span', {role: 'cell', class: 'wide m s'}, reason(job));
    const {has, range} = slots(job), over = isOver(job.wm_state);
    const text = over ? [h('span', {class: 'm'}, 'ended')] : [h('b', null, has), ' ', h('span', {class: 'm'}, range)];
    return h('span', {role: 'cell', class: 'slc'}, h('span', {class: 'sl'}, h('span', null, text), this.spark(job)));
  }

  row(job) {
    const shown = state(job.wm_state), name = job.job_name || '(not shown)';
    const waits = isWaiting(job.wm_state);
    return h('div', {class: 'row apps', role: 'row', key: job.jobid},
      h('span', {role: 'cell', class: 'st'}, h('span', {class: `b ${shown.kind}`}, icon(shown.icon), shown.word)),
      h('span', {role: 'cell', class: 'id m'}, job.jobid),
      h('span', {role: 'cell', class: 'nm'}, h('a', {class: 'name', href: `/apps/${encodeURIComponent(job.jobid)}`, title: clean(name)}, outside(name))),
      h('span', {role: 'cell', class: 'us'}, outside(job.user, 40)),
      h('span', {role: 'cell', class: 'pl', 'data-pre': `${job.jobid} · ${job.user} · `}, outside(job.plan, 60)),
      this.slotsCell(job), !waits && h('span', {role: 'cell', class: 'pgc'}, progress(job)),
      h('span', {role: 'cell', class: 'el num m'}, duration(elapsed(job))));
  }

  view() {
    const jobs = selected(), all = store.jobs.size;
    return [h('div', {class: 'head'},
      h('div', null, h('h1', null, 'Applications'), h('p', {class: 'sub'}, this.summary())),
      h('div', {class: 'acts'}, live(), h('a', {class: 'btn pri', href: '/new/experiment'}, icon('plus'), 'New experiment'))),
    this.slotsPanel(),
    h('section', {class: 'panel', 'aria-label': 'Application list', key: 'list'}, this.bar(jobs.length),
      all === 0 ? empty() : [h('div', {role: 'table', 'aria-label': 'Applications', 'aria-rowcount': String(jobs.length + 1)}, this.heading(),
        h('div', {class: 'rows', role: 'rowgroup'}, jobs.slice(this.first(jobs.length), this.first(jobs.length) + MOST_ROWS).map((job) => this.row(job))), this.pager(jobs.length)),
      jobs.length === 0 && h('div', {class: 'empty'}, `0 of ${all} match. `, h('button', {class: 'btn', onClick: () => { history.replaceState(null, '', location.pathname); draw(); }}, 'Clear the filter'))],
      h('div', {class: 'fine'}, h('span', null, `${Math.min(jobs.length, MOST_ROWS)} of ${all} applications shown`), h('span', null, 'the same in a shell: bjobs -u all -a')))];
  }
}

function empty() {
  return h('div', {class: 'empty'}, h('p', null, 'No application yet. Start one here, or in a shell:'),
    h('p', {class: 'cmd mono'}, 'dlicmd --exec-start edtPyTorch --numWorker 4 --model-main train.py --model-dir code'),
    h('p', null, h('button', {class: 'btn pri', onClick: () => go('/new/experiment')}, 'New experiment')));
}

function reason(job) {
  const text = job.pend_reason || (job.wm_state === 'held' ? 'Held until it is released' : 'Waits to be looked at');
  const at = job.estimated_start_time ? ` Expected ${clock(job.estimated_start_time, store.now())}.` : '';
  return [outside(text), at, ' ', h('a', {href: `/apps/${encodeURIComponent(job.jobid)}`}, 'Why')];
}

function progress(job) {
  if (isAlive(job.wm_state) && job.step) {
    const percent = job.complete_percent;
    const text = [`step ${number(job.step)}`, job.loss != null && `loss ${number(job.loss)}`].filter(Boolean).join(', ');
    return percent ? h('span', {class: 'pg'}, h('span', null, text), h('i', {style: {'--w': `${percent}%`}})) : text;
  }
  if (job.wm_state === 'failed' || job.wm_state === 'killed' || job.wm_state === 'error') {
    return outside(job.exit_reason || (job.exit_code ? `exit ${job.exit_code}` : DASH));
  }
  if (job.accuracy != null) return `accuracy ${number(job.accuracy)}`;
  return h('span', {class: 'm'}, outside(job.app_type || DASH));
}

export const applications = () => new Applications();
