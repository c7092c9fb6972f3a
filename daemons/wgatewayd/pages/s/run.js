// Role: the page of one application: does it learn, is it healthy, why has it this size. Curves, workers
// and reasons on one axis of time; why it waits; what each worker writes.

import {act, ask, get, paced, store} from './api.js';
import {draw, live} from './app.js';
import {curve, timeAxis} from './charts.js';
import {clean, h, icon, outside} from './dom.js';
import {SaveDialog} from './models.js';
import {bytes, clock, DASH, duration, isAlive, isOver, isWaiting, number, slots, state, step} from './format.js';

const TAIL = 64 << 10;
const SHOWN_EVENTS = new Set(['SUBMIT', 'DISPATCH', 'START', 'RESIZE', 'END', 'REQUEUE', 'HOLD', 'RELEASE', 'PREEMPT', 'SUSPEND', 'RESUME']);

class Run {
  constructor(id) {
    this.id = decodeURIComponent(id);
    this.path = `/api/v1/jobs/${encodeURIComponent(this.id)}`;
  }
  facts = null;
  events = [];
  series = [];
  workers = [];
  chosen = {task: null, stream: 'stdout'};
  log = '';
  axis = 'time';
  follow = true;
  problem = '';
  saving = new SaveDialog();
  refresh = paced(() => this.fetchAll(), 1000);

  title = () => `${clean(this.facts?.job.job_name || this.id, 60)} · ${this.facts ? state(this.facts.job.wm_state).word : ''}`;

  async load() {
    this.facts = await get(this.path);
    await this.fetchAll();
    this.timer = setInterval(() => isAlive(this.facts.job.wm_state) && this.refresh(), 3000);
  }
  leave() {
    clearInterval(this.timer);
  }
  hear(changed) {
    if (changed === 'jobs') this.refresh();
  }

  async fetchAll() {
    try {
      const [facts, timeline] = await Promise.all([get(this.path), get(`${this.path}/timeline`)]);
      this.facts = facts;
      this.events = timeline.events;
      if (facts.own) await this.fetchOwn();
    } catch (problem) {
      this.problem = problem.status === 404 ? '' : problem.message;
    }
    draw();
  }
  async fetchOwn() {
    const [metrics, logs, data] = await Promise.all(['metrics', 'logs', 'data'].map((what) => get(`${this.path}/${what}`)));
    this.data = data.data;
    this.series = metrics.series;
    this.workers = logs.workers;
    this.chosen.task ??= this.workers[0]?.task ?? null;
    if (this.chosen.task !== null) await this.fetchLog();
  }
  async fetchLog() {
    if (!this.workers.find((w) => w.task === this.chosen.task)?.[this.chosen.stream]) {
      this.log = '';
      return;
    }
    try {
      const answer = await ask('GET', `${this.path}/logs/${this.chosen.task}/${this.chosen.stream}?tail=${TAIL}`);
      this.cut = Number(answer.headers.get('X-Offset')) > 0;
      const log = document.getElementById('log');
      this.follow = !log || log.scrollTop + log.clientHeight >= log.scrollHeight - 24;
      this.log = await answer.text();
      if (this.follow) requestAnimationFrame(() => requestAnimationFrame(() => this.toEnd()));
    } catch {
      this.log = '';
    }
  }

  toEnd() {
    const log = document.getElementById('log');
    if (log) log.scrollTop = log.scrollHeight;
  }

  async command(verb) {
    try {
      await act(this.id, verb);
      this.problem = '';
    } catch (problem) {
      this.problem = `${verb}: ${problem.message}`;
    }
    this.fetchAll();
  }

  head(job) {
    const shown = state(job.wm_state), over = isOver(job.wm_state);
    const kind = job.elastic ? 'Elastic training' : job.app_type === 'training' ? 'Training' : job.app_type;
    const when = job.start_time ? `Started ${clock(job.start_time, store.now())}` : `Submitted ${clock(job.submit_time, store.now())}`;
    return h('div', {class: 'head'},
      h('div', null, h('p', {class: 'crumb'}, h('a', {href: '/apps'}, 'Applications'), ' / ', job.jobid),
        h('h1', null, outside(job.job_name || job.jobid), ' ', h('span', {class: `b pill ${shown.kind}`}, icon(shown.icon), shown.word)),
        h('p', {class: 'sub'}, [kind, this.facts.exec?.framework].filter(Boolean).join(', '), '. ', outside(job.user, 40), ', plan ', outside(job.plan, 60), '. ', when, '.')),
      h('div', {class: 'acts'}, live(),
        this.facts.own && over && h('a', {class: 'btn', href: `${this.path}/result.zip`, download: true}, 'Results .zip'),
        this.facts.own && job.wm_state === 'finished' && h('button', {class: 'btn', id: 'save', onClick: () => this.save(job)}, 'Save model'),
        this.facts.own && job.wm_state === 'held' && h('button', {class: 'btn', onClick: () => this.command('release')}, 'Release'),
        this.facts.own && job.wm_state === 'pending' && h('button', {class: 'btn', onClick: () => this.command('hold')}, 'Hold'),
        this.facts.own && !over && h('button', {class: 'btn danger', onClick: () => this.confirm.showModal()}, icon('stop'), 'Stop')));
  }
  async save(job) {
    try {
      await this.saving.open(this.facts.exec_id, job.job_name || job.jobid);
    } catch (problem) {
      this.problem = problem.message;
      draw();
    }
  }
  get confirm() {
    return document.getElementById('confirm-stop');
  }
  dialog(job) {
    const close = () => this.confirm.close();
    return h('dialog', {id: 'confirm-stop', 'aria-labelledby': 'h-stop'}, h('h2', {id: 'h-stop'}, 'Stop ', outside(job.job_name || job.jobid), '?'),
      h('p', null, 'Its workers end. What they wrote, checkpoints included, stays.'),
      h('div', {class: 'foot2'}, h('button', {class: 'btn', autofocus: true, onClick: close}, 'Cancel'),
        h('button', {class: 'btn danger', onClick: () => { close(); this.command('stop'); }}, 'Stop it')));
  }

  figures(job) {
    const {has, range} = slots(job), over = isOver(job.wm_state);
    const best = this.best();
    const end = over ? job.finish_time : store.now();
    const tiles = [
      ['Slots', over ? DASH : number(has), over ? '' : range, job.elastic ? `resized ${number(job.nresize)} ${job.nresize === 1 ? 'time' : 'times'}` : 'fixed'],
      ['Step', number(job.step ?? this.lastIteration()), '', job.complete_percent ? `${number(job.complete_percent)} % done` : 'of the whole job'],
      [best?.name === 'loss' ? 'Loss' : 'Accuracy', number(best?.value), '', best ? `${best.group === 'test' ? 'validation' : 'train'}, best` : 'nothing reported'],
      ['Throughput', number(job.samples_per_s), job.samples_per_s ? 'samples/s' : '', over ? 'when it was heard last' : 'now'],
      ['GPUs', over ? DASH : number((job.gpu_num || 0) * has), '', job.gpu_num ? `${number(job.gpu_num)} for each worker` : 'runs on CPUs'],
      ['Time', duration(job.start_time ? end - job.start_time : null), '', job.start_time ? `waited ${duration(job.pend_time_s)}` : 'not started'],
    ];
    return h('dl', {class: 'panel facts'}, tiles.map(([label, value, unit, note]) => h('div', null, h('dt', null, label),
      h('dd', {class: 'v'}, value, ' ', h('small', null, unit)), h('dd', {class: 's m'}, note))));
  }
  lastIteration() {
    return Math.max(...this.series.map((s) => s.points.at(-1)?.[0] ?? -Infinity));
  }
  best() {
    const find = (name, group) => this.series.find((s) => s.name === name && s.group === group && s.points.length);
    const s = find('accuracy', 'test') || find('accuracy', 'train') || find('loss', 'test') || find('loss', 'train');
    if (!s) return null;
    const value = s.name === 'loss' ? Math.min(...s.points.map((p) => p[3])) : Math.max(...s.points.map((p) => p[4]));
    return {name: s.name, group: s.group, value};
  }

  window(job) {
    const from = job.start_time || job.submit_time, to = isOver(job.wm_state) ? job.finish_time || store.now() : store.now();
    return [from, Math.max(to, from + 1)];
  }

  training(job) {
    const bounds = this.axis === 'time' ? this.window(job) : [0, Math.max(1, this.lastIteration())];
    const x = this.axis === 'time' ? (p) => p[1] || bounds[0] : (p) => p[0];
    const timed = this.series.some((s) => s.points.some((p) => p[1] > 0));
    if (!timed && this.axis === 'time' && this.series.length) {
      this.axis = 'step';
      return this.training(job);
    }
    const names = [...new Set(this.series.map((s) => s.name))].slice(0, 4);
    const axis = (name, text) => h('button', {'aria-pressed': String(this.axis === name), disabled: name === 'time' && !timed, onClick: () => { this.axis = name; draw(); }}, text);
    return h('section', {class: 'panel', 'aria-labelledby': 'h-t'},
      h('div', {class: 'ph'}, h('h2', {id: 'h-t'}, 'Training'), h('span', {class: 'sp'}),
        names.length > 0 && h('span', {class: 'seg', role: 'group', 'aria-label': 'Axis'}, axis('time', 'Time'), axis('step', 'Step'))),
      h('div', {class: 'pb'},
        names.length ? names.map((name) => curve(name, this.series.filter((s) => s.name === name), x, bounds, name === 'loss' ? 120 : 84))
          : this.facts.own && h('p', {class: 'm s'}, isWaiting(job.wm_state) ? 'Curves begin with the training.' : 'No metric reported yet: FabricModel, emetrics and val_dict_list.json are read.'),
        this.lanes(job), this.eventTable()));
  }

  lanes(job) {
    const tasks = job.tasks || [];
    if (!tasks.length) return null;
    const [from, to] = this.window(job);
    const part = (t) => Math.min(100, Math.max(0, ((t - from) / (to - from)) * 100));
    const by = new Map();
    for (const task of tasks) {
      const place = `${task.host}${task.gpus?.length ? `:gpu${task.gpus[0]}` : ''}`;
      if (!by.has(place)) by.set(place, []);
      by.get(place).push(task);
    }
    const lanes = [...by].slice(0, 24);
    return [h('div', {class: 'figt'}, h('b', null, 'Workers, from start to end')),
      h('div', {class: 'fig'}, h('div', {class: 'yax'}), h('div', {class: 'lanes', role: 'img', 'aria-label': `${lanes.length} places had workers`}, lanes.map(([place, list]) => h('div', {class: 'lane', key: place},
        list.map((t) => {
          const left = part(t.dispatch_time || from), right = part(t.end_time || (t.state === 'gone' ? from : to));
          return h('i', {key: t.task, style: {left: `${left}%`, width: `${Math.max(0.4, right - left)}%`}});
        }), h('b', null, outside(place, 40))))), timeAxis(from, to, isOver(job.wm_state)))];
  }

  eventTable() {
    const shown = this.events.filter((e) => SHOWN_EVENTS.has(e.event)).slice(-12).reverse();
    if (!shown.length) return null;
    const pause = (e) => this.events.find((o) => o.event === 'EPOCH' && o.t >= e.t - 1 && o.pause_ms !== null && o.t - e.t < 60);
    return h('div', {role: 'table', 'aria-label': 'What happened'},
      h('div', {class: 'ev hd m', role: 'row'}, ['#', 'Time', 'Slots', 'What and why'].map((t) => h('span', {role: 'columnheader'}, t)), h('span', {role: 'columnheader', class: 'r'}, 'Pause'), h('span', {role: 'columnheader', class: 'r lost'}, 'Steps lost')),
      shown.map((e, i) => {
        const epoch = e.event === 'RESIZE' ? pause(e) : null, sized = e.event === 'RESIZE' || e.event === 'DISPATCH';
        return h('div', {class: 'ev', role: 'row', key: `${e.t}${e.event}${i}`}, h('span', {role: 'cell'}, h('span', {class: 'n'}, shown.length - i)), h('span', {role: 'cell', class: 'm'}, clock(e.t, store.now())),
          h('b', {role: 'cell'}, sized ? step(e.from, e.to) : ''), h('span', {role: 'cell', class: 'why'}, words(e)),
          h('span', {role: 'cell', class: 'r m'}, epoch ? `${Math.round(epoch.pause_ms)} ms` : DASH), h('span', {role: 'cell', class: 'r m lost'}, epoch?.steps_lost ?? DASH));
      }));
  }

  why(job) {
    const reasons = job.reasons || [];
    const title = isWaiting(job.wm_state) ? 'Why it waits' : isOver(job.wm_state) ? 'How it ended' : 'Why this size';
    const {has, range} = slots(job);
    const text = isWaiting(job.wm_state) ? reasons.map((r) => h('div', null, h('p', {class: 'say'}, outside(r.text)), r.fix && h('p', {class: 's m'}, outside(r.fix))))
      : isOver(job.wm_state) ? h('p', {class: 'say'}, outside(job.exit_reason || (job.wm_state === 'finished' ? 'It ended by itself.' : `Exit code ${job.exit_code ?? DASH}.`)))
        : h('p', {class: 'say'}, job.elastic ? ['Has ', has, ' slots ', range, ', as much as its plan deserves and is free; it grows and shrinks while it trains.'] : ['Has ', has, has === 1 ? ' slot' : ' slots', ', a fixed number.'],
          reasons.map((r) => h('span', {class: 's m'}, ' ', outside(r.text))));
    return h('section', {class: 'panel', 'aria-labelledby': 'h-w'}, h('div', {class: 'ph'}, h('h2', {id: 'h-w'}, title)),
      h('div', {class: 'pb'}, text, h('dl', {class: 'kv'},
        h('dt', null, 'Asked for'), h('dd', null, job.min_req_proc === job.max_req_proc ? number(job.min_req_proc) : `${job.min_req_proc} to ${job.max_req_proc}`),
        h('dt', null, 'Queue'), h('dd', null, outside(job.queue)), h('dt', null, 'Plan'), h('dd', null, outside(job.plan)),
        job.estimated_start_time && [h('dt', null, 'Expected'), h('dd', null, clock(job.estimated_start_time, store.now()))]),
      h('p', {class: 'cmd mono'}, `$ bwhy ${job.jobid}`)));
  }

  workersNow(job) {
    const tasks = (job.tasks || []).filter((t) => t.state !== 'gone');
    if (!tasks.length || isOver(job.wm_state)) return null;
    return h('section', {class: 'panel', 'aria-labelledby': 'h-n'}, h('div', {class: 'ph'}, h('h2', {id: 'h-n'}, 'Workers now'), h('span', {class: 'sp'}), h('span', {class: 's m'}, `membership ${number(job.epoch)}`)),
      h('div', {class: 'pb'}, h('table', {class: 't'}, h('thead', null, h('tr', null, ['Rank', 'Host', 'GPU', 'State'].map((t) => h('th', {scope: 'col'}, t)))),
        h('tbody', null, tasks.slice(0, 64).map((t) => h('tr', {key: t.task}, h('td', null, t.rank ?? DASH), h('td', null, outside(t.host, 40)), h('td', null, (t.gpus || []).join(', ') || DASH), h('td', null, t.state)))))));
  }

  request(job) {
    const line = this.facts.exec?.bsub || (job.command ? `bsub ${clean(job.command, 2000)}` : null);
    return h('section', {class: 'panel', 'aria-labelledby': 'h-r'}, h('div', {class: 'ph'}, h('h2', {id: 'h-r'}, 'Request'), h('span', {class: 'sp'}),
      line && h('button', {class: 'link s', onClick: () => navigator.clipboard?.writeText(line)}, 'Copy')),
    h('div', {class: 'pb'}, h('dl', {class: 'kv'},
      this.facts.exec && [h('dt', null, 'Framework'), h('dd', null, outside(this.facts.exec.framework))],
      h('dt', null, 'Each worker'), h('dd', null, [job.gpu_num ? `${number(job.gpu_num)} GPU` : null, `${number(job.task_cpus)} CPU`, job.task_mem_bytes ? bytes(job.task_mem_bytes) : null].filter(Boolean).join(', ')),
      this.data && [h('dt', null, 'Data'), h('dd', {id: 'data'}, this.dataWords())],
      h('dt', null, 'Execution'), h('dd', null, outside(this.facts.exec_id))),
    line && h('p', {class: 's m', style: {'margin-top': '10px'}}, 'The equivalent bsub line'), line && h('pre', {class: 'cmd'}, clean(line, 4000))));
  }

  /** How far the data is that it waits for, and which job brings it. */
  dataWords() {
    const p = this.data.progress, link = h('a', {href: `/apps/${encodeURIComponent(this.data.job)}`}, `job ${this.data.job}`);
    if (p?.error) return h('span', {class: 'err'}, 'not fetched: ', outside(p.error), ' (', link, ')');
    if (p?.state === 'done') return [bytes(p.total || p.bytes), p.cached ? ', here since before (' : ', fetched by (', link, ')'];
    return [p?.total ? `${Math.floor((100 * p.bytes) / p.total)} % of ${bytes(p.total)}, ` : `${state(this.data.state).word.toLowerCase()}, `, link];
  }

  logs(job) {
    if (!this.facts.own) return null;
    const choose = (what) => { Object.assign(this.chosen, what); this.fetchLog().then(draw); };
    const lines = this.log.split('\n');
    return h('section', {class: 'panel', 'aria-labelledby': 'h-l'},
      h('div', {class: 'ph'}, h('h2', {id: 'h-l'}, 'Logs'), h('span', {class: 'sp'}), h('span', {class: 'tools'},
        this.chosen.task !== null && h('a', {href: `${this.path}/logs/${this.chosen.task}/${this.chosen.stream}`, download: `${this.facts.exec_id}-${this.chosen.task}-${this.chosen.stream}.txt`}, 'Download'))),
      h('div', {class: 'logbar'},
        h('span', {class: 'seg', role: 'group', 'aria-label': 'Worker'}, this.workers.slice(0, 16).map((w) => h('button', {'aria-pressed': String(w.task === this.chosen.task), onClick: () => choose({task: w.task})}, `worker ${w.task}`))),
        h('span', {class: 'seg', role: 'group', 'aria-label': 'Stream'}, ['stdout', 'stderr'].map((s) => h('button', {'aria-pressed': String(s === this.chosen.stream), onClick: () => choose({stream: s})}, s)))),
      h('div', {class: 'log', id: 'log', tabindex: '0', 'aria-label': 'Output'}, this.cut && h('pre', {class: 'm'}, '… earlier output: download'),
        h('pre', null, this.log ? lines.slice(-400).map((l) => clean(l, 4000)).join('\n') : isWaiting(job.wm_state) ? 'No output yet: it has not started.' : 'No output.')));
  }

  view() {
    if (!this.facts) return [h('h1', null, this.id)];
    const job = this.facts.job;
    return [this.head(job), this.problem && h('p', {class: 'note err', role: 'alert'}, this.problem), this.figures(job),
      h('div', {class: 'cols'}, h('div', null, this.training(job)), h('div', null, this.why(job), this.workersNow(job), this.request(job))), this.logs(job), this.dialog(job), this.saving.view()];
  }
}

function words(e) {
  const named = {SUBMIT: 'Submitted', DISPATCH: 'Placed', START: 'Started', RESIZE: '', END: 'Ended', REQUEUE: 'Queued again', HOLD: 'Held', RELEASE: 'Released', PREEMPT: 'Made way', SUSPEND: 'Suspended', RESUME: 'Resumed'}[e.event];
  return [named, named && e.reason ? ': ' : '', outside(e.reason)];
}

export const run = (id) => new Run(id);
