// Role: notebooks: start one, see when its turn comes, open it, see how long it stays. A notebook is a
// job; what it shows lives on an origin of its own, which a form with a ticket opens (wgatewayd(8)).

import {ask, get, paced, store} from './api.js';
import {draw, live} from './app.js';
import {clean, h, icon, outside} from './dom.js';
import {clock, duration, isAlive, isOver, isWaiting, number, state} from './format.js';

const JSON_BODY = {'Content-Type': 'application/json'};
const WEB = {starting: ['Starting', 'half', 'run'], ready: ['Ready', 'run', 'run'], warned: ['Idle', 'what', 'warn'], idle: ['Stopped, idle', 'stop', '']};
const DRAFT = {profile: '', name: '', gpus: '', minutes: '', queue: ''};

class Notebooks {
  constructor(asked) {
    this.asked = asked && decodeURIComponent(asked);
  }
  list = null;
  profiles = [];
  names = {};
  draft = {...DRAFT};
  problem = '';
  busy = false;
  refresh = paced(() => this.fetch(), 500);

  title = () => 'Notebooks';
  get owner() {
    return new URLSearchParams(location.search).get('owner');
  }
  async load() {
    if (this.asked && !this.owner) await get(`/api/v1/notebooks/${encodeURIComponent(this.asked)}`);
    await this.fetch();
    this.timer = setInterval(() => this.list.some((n) => isAlive(n.job.wm_state) || isWaiting(n.job.wm_state)) && this.refresh(), 2000);
  }
  leave() {
    clearInterval(this.timer);
  }
  hear(changed) {
    if (changed === 'jobs') this.refresh();
  }
  async fetch() {
    const {notebooks, profiles, now} = await get('/api/v1/notebooks');
    store.setClock(now);
    this.list = notebooks;
    this.profiles = profiles;
    draw();
  }

  async act(what) {
    try {
      this.problem = '';
      await what();
    } catch (problem) {
      this.problem = problem.message;
    }
    this.busy = false;
    this.fetch().catch(() => {});
  }
  start(event) {
    event.preventDefault();
    if (this.busy) return;
    this.busy = true;
    const d = this.draft, body = {profile: d.profile || this.profiles[0]?.name};
    for (const name of ['name', 'queue']) if (d[name].trim()) body[name] = d[name].trim();
    for (const name of ['gpus', 'minutes']) if (d[name]) body[name] = Math.round(Number(d[name]) * (name === 'minutes' ? 60 : 1));
    this.act(() => ask('POST', '/api/v1/notebooks', {headers: JSON_BODY, body: JSON.stringify(body)}));
    draw();
  }
  post(id, verb, body = {}) {
    return this.act(() => ask('POST', `/api/v1/notebooks/${encodeURIComponent(id)}/${verb}`, {headers: JSON_BODY, body: JSON.stringify(body)}));
  }
  // A ticket in a form: no address holds one, and the pages' own cookie does not come along.
  open(id, owner) {
    return this.act(async () => {
      const {action, ticket} = await (await ask('POST', '/auth/v1/app', {headers: JSON_BODY, body: JSON.stringify({job: id, ...(owner ? {owner} : {})})})).json();
      const form = document.createElement('form'), field = document.createElement('input');
      Object.assign(form, {method: 'post', action, target: '_blank', rel: 'noopener'});
      Object.assign(field, {type: 'hidden', name: 'ticket', value: ticket});
      form.append(field);
      document.body.append(form);
      form.submit();
      form.remove();
    });
  }

  form() {
    const d = this.draft;
    const field = (name, label, note, props) => h('label', {class: 'field'}, h('span', null, label),
      h('input', {type: 'text', name, value: d[name], onInput: (e) => { d[name] = e.target.value; draw(); }, ...props}), note && h('small', null, note));
    const line = ['bsub', '-app', d.profile || this.profiles[0]?.name || 'notebook', d.name.trim() && `-J ${d.name.trim()}`, d.queue.trim() && `-q ${d.queue.trim()}`,
      d.gpus && `-gpu num=${d.gpus}`, d.minutes && `-W ${Math.round(Number(d.minutes) * 60)}`].filter(Boolean).join(' ');
    return h('form', {class: 'panel', id: 'start', onSubmit: (e) => this.start(e), 'aria-labelledby': 'h-n'}, h('h2', {id: 'h-n'}, 'Start a notebook'),
      h('label', {class: 'field'}, h('span', null, 'What'), h('select', {name: 'profile', value: d.profile || this.profiles[0]?.name || '', onChange: (e) => { d.profile = e.target.value; draw(); }},
        this.profiles.map((p) => h('option', {value: p.name}, clean(p.description ? `${p.name}: ${p.description}` : p.name, 80))))),
      h('div', {class: 'two'}, field('name', 'Name', null, {maxlength: '60'}), field('queue', 'Queue', null, {placeholder: 'the default'})),
      h('div', {class: 'two'}, field('gpus', 'GPUs', null, {type: 'number', min: '0', max: '64', placeholder: '0'}), field('minutes', 'Hours, at most', null, {type: 'number', min: '0.25', max: '168', step: 'any', placeholder: 'the queue’s'})),
      h('p', {class: 'cmd mono bsub-line'}, clean(line, 400)),
      h('div', {class: 'foot2 gap2'}, h('button', {class: 'btn pri', disabled: this.busy || !this.profiles.length}, 'Start')));
  }

  badge(n) {
    const job = n.job.wm_state, running = isAlive(job) || job === 'finished';
    const [word, drawing, kind] = running && WEB[n.web?.state] || (isAlive(job) ? WEB.starting : [state(job).word, state(job).icon, state(job).kind]);
    return h('span', {class: `b pill ${kind}`}, icon(drawing), word);
  }
  // What it waits for, how long it stays, how it ended.
  sentence(n) {
    const {job, web} = n, now = store.now();
    if (isWaiting(job.wm_state)) {
      const before = n.ahead ? `${number(n.ahead)} ahead of it in queue ${clean(job.queue)}. ` : `Next in queue ${clean(job.queue)}. `;
      const at = job.estimated_start_time ? ` Expected ${clock(job.estimated_start_time, now)}.` : '';
      return [before, outside(job.pend_reason || ''), at];
    }
    if (isOver(job.wm_state)) return web?.state === 'idle' ? `Not used since ${clock(web.active, now)}; what it saved stays.` : outside(job.exit_reason || 'It ended.');
    if (!web || web.state === 'starting') return 'Its server starts.';
    const idle = web.busy ? `In use: ${clean(web.busy)}.` : `Last used ${clock(web.active, now)}.`;
    if (!web.stops_at) return `${idle} No limit for idle ones.`;
    return [idle, web.state === 'warned' ? h('b', null, ` Stops in ${duration(web.stops_at - now)}`) : ` Stops at ${clock(web.stops_at, now)}`, ' unless it is used: cells that run, terminals that write, processes that compute. An open page is no use.'];
  }
  // Who may come in besides its owner, and the link for them.
  sharing(n) {
    const names = this.names[n.id] ?? n.shared.join(', '), link = `${location.origin}/notebooks/${n.id}?owner=${encodeURIComponent(store.session.user)}`;
    const share = (event) => {
      event.preventDefault();
      this.post(n.id, 'share', {users: names.split(/[\s,]+/).filter(Boolean)}).then(() => { delete this.names[n.id]; });
    };
    return h('details', null, h('summary', {class: 's'}, n.shared.length ? ['Shared with ', outside(n.shared.join(', '), 120)] : 'Share'),
      h('form', {onSubmit: share}, h('label', {class: 'field'}, h('span', null, 'Users, who may then do there what you may'),
        h('input', {type: 'text', name: 'users', value: names, onInput: (e) => { this.names[n.id] = e.target.value; draw(); }})),
      h('div', {class: 'foot2 start'}, h('button', {class: 'btn'}, 'Share with these')), n.shared.length > 0 && h('p', {class: 'cmd mono'}, link)));
  }
  card(n) {
    const {id, job, web} = n, now = store.now(), waiting = isWaiting(job.wm_state), over = isOver(job.wm_state);
    const ready = isAlive(job.wm_state) && web?.address, limit = web?.idle_limit > 0;
    return h('section', {class: 'panel notebook', key: id, 'data-id': id, 'aria-label': `Notebook ${id}`},
      h('div', {class: 'ph'}, h('h2', null, h('a', {href: `/apps/${encodeURIComponent(id)}`}, outside(job.job_name || id))), this.badge(n), h('span', {class: 'sp'}),
        ready && h('button', {class: 'btn pri', 'data-do': 'open', onClick: () => this.open(id)}, 'Open'),
        ready && limit && h('button', {class: 'btn', 'data-do': 'extend', onClick: () => this.post(id, 'extend', {minutes: 60})}, 'Extend by 1 h'),
        !over && h('button', {class: 'btn danger', 'data-do': 'stop', onClick: () => this.post(id, 'stop')}, waiting ? 'Cancel' : 'Stop')),
      h('div', {class: 'pb'}, h('p', {class: 'say'}, this.sentence(n)),
        h('p', {class: 's m'}, [`job ${id}`, clean(job.application), job.exec_host?.length && `on ${clean(job.exec_host, 40)}`, job.gpu_num ? `${number(job.gpu_num)} GPU` : '', job.start_time ? `${over ? 'ran' : 'runs for'} ${duration((over ? job.finish_time : store.now()) - job.start_time)}` : `waits for ${duration(store.now() - job.submit_time)}`, n.ends && `its time is over at ${clock(n.ends, now)}`].filter(Boolean).join(', ')),
      ready && this.sharing(n)));
  }

  view() {
    const list = this.list || [], alive = list.filter((n) => !isOver(n.job.wm_state)), ended = list.filter((n) => isOver(n.job.wm_state)).slice(0, 5);
    const first = (n) => n.id === this.asked ? 0 : 1;
    return [h('div', {class: 'head'}, h('div', null, h('h1', null, 'Notebooks'), h('p', {class: 'sub'}, alive.length ? `${number(alive.length)} of yours` : 'None of yours runs. Jupyter, or what else your site offers, as a job with the GPUs you ask for.')), h('div', {class: 'acts'}, live())),
      this.owner && h('section', {class: 'panel', key: 'guest'}, h('div', {class: 'ph'}, h('h2', null, 'Notebook ', clean(this.asked, 20), ' of ', outside(this.owner, 40)), h('span', {class: 'sp'}),
        h('button', {class: 'btn pri', 'data-do': 'open', onClick: () => this.open(this.asked, this.owner)}, 'Open')),
      h('div', {class: 'pb'}, h('p', {class: 'say'}, 'If it is shared with you it opens in a tab of its own. What you do there is done by its owner’s account.'))),
      this.problem && h('p', {class: 'note err', role: 'alert'}, clean(this.problem, 600)),
      h('div', {class: 'form'}, h('div', null, alive.toSorted((a, b) => first(a) - first(b)).map((n) => this.card(n)), ended.map((n) => this.card(n)),
        !list.length && h('section', {class: 'panel', key: 'none'}, h('div', {class: 'empty'}, h('p', null, 'Start one here, or in a shell:'), h('p', {class: 'cmd mono'}, 'bsub -app notebook')))),
      h('div', {class: 'side'}, this.form()))];
  }
}

export const notebooks = (asked) => new Notebooks(asked);
