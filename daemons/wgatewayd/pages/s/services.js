// Role: inference services: the list, and the page of one: does it answer in time, how many kernels has it and why,
// what may be changed. Figures come from its router, every two seconds.

import {ask, get, store} from './api.js';
import {draw, go, live} from './app.js';
import {timeAxis} from './charts.js';
import {clean, h, icon, outside} from './dom.js';
import {clock, DASH, number} from './format.js';
import {ProfileForm} from './profile.js';
import {timeFigure} from './series.js';
import {Verify} from './verify.js';

const pill = (state) => h('span', {class: `b pill ${state === 'Started' ? 'run' : ''}`}, icon(state === 'Started' ? 'run' : 'stop'), state);
const ms = (value) => (value === undefined || value === null ? DASH : `${number(Number(value.toPrecision(3)))} ms`);
const range = (s) => `${s.kernel_min}–${s.kernel_max}`;
const path = (name) => `/services/${encodeURIComponent(name)}`;

/** Starts, stops or takes away; the words are those of dlim. */
export const command = (name, verb) => (verb === 'undeploy' ? ask('DELETE', `/dlim/v1/model/${encodeURIComponent(name)}`)
  : ask('PUT', `/dlim/v1/model/${encodeURIComponent(name)}/operation/${verb}`));

/** Figures and lists that are asked for again while they are looked at. */
class Watched {
  problem = '';
  async load() {
    await this.fetch();
    this.timer = setInterval(() => document.hidden || this.again(), 2000);
  }
  leave() {
    clearInterval(this.timer);
  }
  async again() {
    try {
      await this.fetch();
    } catch (problem) {
      this.problem = problem.message;
    }
    draw();
  }
  async act(what) {
    try {
      await what();
      this.problem = '';
      await this.fetch();
    } catch (problem) {
      this.problem = problem.message;
    }
    draw();
  }
}

class Services extends Watched {
  services = [];
  others = [];
  title = () => 'Services';
  async fetch() {
    ({services: this.services, others: this.others} = await get('/api/v1/services'));
  }
  row(s) {
    const router = s.router, cells = [h('a', {href: path(s.name)}, outside(s.name)), pill(s.state), s.space ? h('a', {href: `/spaces/${encodeURIComponent(s.space)}`}, outside(`${s.space} / ${s.model}`)) : DASH];
    return h('tr', {key: s.name}, cells.map((c, i) => h('td', {key: i}, c)),
      [`${router ? number(router.kernels.length) : DASH} of ${range(s)}`, number(router?.requests_per_s), ms(router?.latency_ms.total[2] || undefined), router ? `${number(router.queued)}, ${ms(router.oldest_ms)}` : DASH]
        .map((c, i) => h('td', {class: 'num', key: `n${i}`}, c)),
      h('td', {key: 'act'}, s.state === 'Started' ? h('button', {class: 'btn', onClick: () => this.act(() => command(s.name, 'stop'))}, 'Stop')
        : [h('button', {class: 'btn', onClick: () => this.act(() => command(s.name, 'start'))}, 'Start'), ' ', h('button', {class: 'link s', onClick: () => this.act(() => command(s.name, 'undeploy'))}, 'Undeploy')]));
  }
  view() {
    return [h('div', {class: 'head'}, h('div', null, h('h1', null, 'Services'), h('p', {class: 'sub'}, 'Models that answer requests. Kernels come and go with the load, in the shares of everything else.')), h('div', {class: 'acts'}, live(), h('a', {class: 'btn pri', href: '/spaces'}, 'Deploy a model'))),
      this.problem && h('p', {class: 'note err', role: 'alert'}, this.problem),
      h('section', {class: 'panel scroll', 'aria-label': 'Services'}, this.services.length ? h('table', {class: 't'},
        h('thead', null, h('tr', null, ['Service', 'State', 'Of'].map((t) => h('th', {scope: 'col', key: t}, t)), ['Kernels', 'Requests/s', 'p99', 'Queue, oldest'].map((t) => h('th', {scope: 'col', class: 'num', key: t}, t)), h('th', {scope: 'col', key: 'x'}, ''))),
        h('tbody', null, this.services.map((s) => this.row(s)))) : h('div', {class: 'empty'}, h('p', null, 'No service yet. Save the model of a run, promote it to a space, deploy it there; or:'), h('pre', {class: 'cmd'}, 'dlim model deploy -p FOLDER\ndlim model start NAME'))),
      this.ofOthers()];
  }
  /** What an administrator sees besides. */
  ofOthers() {
    const cells = (s) => [outside(s.name), pill(s.state), outside(s.owner, 40), outside(s.plan, 60), h('a', {href: `/apps/${s.job}`}, s.job),
      h('button', {class: 'btn', onClick: () => this.act(() => command(s.name, s.state === 'Started' ? 'stop' : 'start'))}, s.state === 'Started' ? 'Stop' : 'Start')];
    return this.others.length > 0 && h('section', {class: 'panel scroll', 'aria-labelledby': 'h-o'}, h('div', {class: 'ph'}, h('h2', {id: 'h-o'}, 'Of other users')), h('table', {class: 't'},
      h('thead', null, h('tr', null, ['Service', 'State', 'Owner', 'Plan', 'Job', ''].map((t, i) => h('th', {scope: 'col', key: i}, t)))), h('tbody', null, this.others.map((s) => h('tr', {key: s.name}, cells(s).map((c, i) => h('td', {key: i}, c)))))));
  }
}

const TABS = [['overview', 'Overview'], ['test', 'Test'], ['profile', 'Profile'], ['logs', 'Logs']];
const SPANS = [[300, '5 min'], [900, '15 min'], [3600, '1 h']];

class Service extends Watched {
  constructor(name) {
    super();
    this.name = decodeURIComponent(name);
    this.base = `/api/v1/services/${encodeURIComponent(this.name)}`;
    this.tab = new URLSearchParams(location.search).get('tab') || 'overview';
  }
  facts = null;
  samples = [];
  span = 300;
  log = '';
  title = () => `${this.name} · ${this.facts?.state ?? 'service'}`;

  async fetch() {
    this.facts = await get(this.base);
    this.verify ??= new Verify(this.name, this.facts.signature);
    this.profile ??= new ProfileForm(this.name, this.facts.profile);
    if (this.tab === 'overview') this.samples = (await get(`${this.base}/series?seconds=${this.span}`)).samples;
    if (this.tab === 'logs') this.log = await (await ask('GET', `${this.base}/log`)).text();
  }
  show(tab) {
    this.tab = tab;
    history.replaceState(null, '', tab === 'overview' ? path(this.name) : `${path(this.name)}?tab=${tab}`);
    draw();
    this.again();
  }

  head(f) {
    return h('div', {class: 'head'}, h('div', null, h('p', {class: 'crumb'}, h('a', {href: '/services'}, 'Services'), ' / ', outside(this.name)),
      h('h1', null, outside(this.name), ' ', pill(f.state)),
      h('p', {class: 'sub'}, f.space && ['Of model ', h('a', {href: `/spaces/${encodeURIComponent(f.space)}`}, outside(f.model)), ' in space ', outside(f.space), '. '], 'Version ', outside(f.version), '. ', f.canary && [`${f.canary.percent} % of its requests go to `, h('a', {href: path(f.canary.service)}, outside(f.canary.service)), '. '], f.job && ['Job ', h('a', {href: `/apps/${f.job}`}, f.job), '.'])),
    h('div', {class: 'acts'}, live(), f.state === 'Started' ? h('button', {class: 'btn danger', onClick: () => this.act(() => command(this.name, 'stop'))}, icon('stop'), 'Stop')
      : [f.earlier.length > 0 && h('button', {class: 'btn', title: `To ${clean(f.earlier.at(-1))}`, onClick: () => this.act(() => command(this.name, 'rollback'))}, 'Roll back'),
        h('button', {class: 'btn', onClick: () => this.act(async () => { await command(this.name, 'undeploy'); go('/services'); })}, 'Undeploy'), h('button', {class: 'btn pri', onClick: () => this.act(() => command(this.name, 'start'))}, 'Start')]));
  }
  tiles(f) {
    const r = f.router, total = r?.latency_ms.total, answered = r ? r.finished + r.failed : 0;
    const tiles = [
      ['Kernels', number(r?.kernels.length), `of ${range(f)}`, r ? `wants ${number(r.wanted)}` : 'no router now'],
      ['Requests', number(r?.requests_per_s), '/s', `${number(r?.arrived)} since it began`],
      ['Latency p50', r && answered ? number(total[0]) : DASH, 'ms', 'from arrival to answer'],
      ['Latency p95', r && answered ? number(total[1]) : DASH, 'ms', answered ? `p99 ${number(total[2])} ms` : 'since it began'],
      ['Queue', number(r?.queued), '', r ? `oldest ${ms(r.oldest_ms)}` : ''],
      ['Errors', answered ? number((100 * r.failed) / answered) : DASH, '%', `${number(r?.failed)} of ${number(answered)}`],
    ];
    return h('dl', {class: 'panel facts'}, tiles.map(([label, value, unit, note]) => h('div', {key: label}, h('dt', null, label), h('dd', {class: 'v'}, value, ' ', h('small', null, unit)), h('dd', {class: 's m'}, note))));
  }
  figures(f) {
    const to = store.now(), begun = this.samples[0]?.t - 10;  // a young service fills the figure
    const bounds = [Math.max(to - this.span, Math.min(begun, to - 60) || 0), to];
    const line = (name, kind, of) => ({name, kind, points: this.samples.map((s) => [s.t, of(s)])});
    const stage = (key) => [['p50', 'k1'], ['p95', 'k2'], ['p99', 'k3']].map(([name, kind], i) => line(name, kind, (s) => s[key]?.[i] ?? null));
    const most = Math.min(f.kernel_max, Math.max(f.kernel_min, 1, ...this.samples.map((s) => Math.max(s.kernels, s.wanted))) + 1);
    const limits = [...(f.kernel_min > 0 ? [{value: f.kernel_min, text: `min ${f.kernel_min}`}] : []), ...(f.kernel_max <= most ? [{value: f.kernel_max, text: `max ${f.kernel_max}`}] : [])];
    const span = ([seconds, text]) => h('button', {key: text, 'aria-pressed': String(this.span === seconds), onClick: () => { this.span = seconds; this.again(); }}, text);
    return h('section', {class: 'panel', 'aria-labelledby': 'h-s'}, h('div', {class: 'ph'}, h('h2', {id: 'h-s'}, 'Over time'), h('span', {class: 'sp'}), h('span', {class: 'seg', role: 'group', 'aria-label': 'Span'}, SPANS.map(span))),
      h('div', {class: 'pb'}, this.samples.length ? [
        timeFigure({title: 'Requests', unit: 'per s', bounds, lines: [line('requests', 'k1', (s) => s.rate)]}),
        timeFigure({title: 'Answered in', unit: 'ms', bounds, lines: stage('total_ms')}),
        timeFigure({title: 'of that in the queue', unit: 'ms', bounds, height: 56, lines: stage('queue_ms')}),
        timeFigure({title: 'and in a kernel', unit: 'ms', bounds, height: 56, lines: stage('kernel_ms')}),
        timeFigure({title: 'Oldest in the queue', unit: 'ms', bounds, height: 56, lines: [line('age', 'k2', (s) => s.oldest_ms)]}),
        timeFigure({title: 'Kernels', bounds, steps: true, limits, least: most, lines: [line('there', 'k1', (s) => s.kernels), line('wanted', 'k2', (s) => s.wanted)]}),
        h('div', {class: 'fig'}, h('div'), timeAxis(...bounds)),
      ] : h('p', {class: 'm s'}, f.state === 'Started' ? 'The first figures come within two seconds.' : 'Figures begin when it is started.')));
  }
  why(f) {
    const r = f.router;
    if (f.state !== 'Started') return 'It is stopped: requests are refused.';
    if (!r) return 'Its router is not there: it waits for its slot, or starts.';
    const cost = r.task_us / 1e6;
    const needs = cost > 0 ? `${number(r.requests_per_s)}/s at ${ms(r.task_us / 1000)} a task keep ${number(r.requests_per_s * cost)} kernels busy. ` : '';
    return `${needs}It wants ${number(r.wanted)} and has ${number(r.kernels.length)}; from ${f.kernel_min} to ${f.kernel_max} are allowed.${r.wanted === 0 ? ' The next request starts one.' : ''}`;
  }
  kernels(f) {
    const list = f.router?.kernels || [];
    return h('section', {class: 'panel scroll', 'aria-labelledby': 'h-k'}, h('div', {class: 'ph'}, h('h2', {id: 'h-k'}, 'Kernels now')), list.length ? h('table', {class: 't'},
      h('thead', null, h('tr', null, ['Host', 'State', 'Done', 'Failed'].map((t) => h('th', {scope: 'col', key: t}, t)))),
      h('tbody', null, list.slice(0, 100).map((k) => h('tr', {key: k.instance, title: clean(k.instance)}, [outside(k.host, 40), k.leaving ? 'Leaving' : k.running ? 'Busy' : 'Idle', number(k.finished), number(k.failed)].map((c, i) => h('td', {key: i}, c)))))) : h('p', {class: 'empty'}, 'None.'));
  }
  overview(f) {
    return h('div', {class: 'cols', key: 'overview'}, h('div', null, this.figures(f)), h('div', null,
      h('section', {class: 'panel', 'aria-labelledby': 'h-w'}, h('div', {class: 'ph'}, h('h2', {id: 'h-w'}, 'Why so many')), h('div', {class: 'pb'}, h('p', {class: 'say'}, this.why(f)), f.why && h('p', {class: 's m'}, outside(f.why, 400)),
        h('dl', {class: 'kv'}, h('dt', null, 'Plan'), h('dd', null, outside(f.plan || 'its owner’s')), h('dt', null, 'GPU'), h('dd', null, outside(f.profile.kernel.gpu)), h('dt', null, 'Started'), h('dd', null, f.started ? clock(f.started, store.now()) : DASH)), f.job && h('p', {class: 'cmd mono'}, `$ bwhy ${f.job}`))),
      this.kernels(f)));
  }
  logs() {
    return h('section', {class: 'panel', key: 'logs', 'aria-labelledby': 'h-l'}, h('div', {class: 'ph'}, h('h2', {id: 'h-l'}, 'What kernels wrote')), h('div', {class: 'log', tabindex: '0', 'aria-label': 'Output'}, h('pre', null, this.log ? this.log.split('\n').slice(-400).map((l) => clean(l, 4000)).join('\n') : 'No output.')));
  }
  view() {
    const f = this.facts;
    if (!f) return [h('h1', null, this.name)];
    const tab = ([key, text]) => h('button', {key, 'aria-pressed': String(this.tab === key), 'data-tab': key, onClick: () => this.show(key)}, text);
    const shown = {test: () => this.verify.view(f.uri), profile: () => this.profile.view(f), logs: () => this.logs()}[this.tab] || (() => this.overview(f));
    return [this.head(f), this.problem && h('p', {class: 'note err', role: 'alert'}, this.problem), this.tiles(f), h('p', {class: 'tabs'}, h('span', {class: 'seg', role: 'group', 'aria-label': 'What to show'}, TABS.map(tab))), shown()];
  }
}

export const services = () => new Services();
export const service = (name) => new Service(name);
