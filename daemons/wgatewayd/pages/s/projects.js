// Role: projects: what there is in each, what used it, and running it again.

import {ask, get, store} from './api.js';
import {draw, go} from './app.js';
import {h, icon, outside} from './dom.js';
import {state} from './format.js';

class Projects {
  projects = [];
  title = () => 'Projects';
  async load() {
    this.projects = (await get('/api/v1/projects')).projects;
  }
  view() {
    return [h('div', {class: 'head'}, h('div', null, h('h1', null, 'Projects'), h('p', {class: 'sub'}, 'Definitions, experiments, and the resource plan that they draw on.')),
      h('div', {class: 'acts'}, h('a', {class: 'btn pri', href: '/new/experiment'}, icon('plus'), 'New experiment'))),
    h('section', {class: 'panel scroll', 'aria-label': 'Projects'}, h('table', {class: 't'}, h('thead', null, h('tr', null, ['Project', 'Resource plan', 'Description'].map((t) => h('th', {scope: 'col'}, t)))),
      h('tbody', null, this.projects.map((p) => h('tr', {key: p.name}, h('td', null, h('a', {href: `/projects/${encodeURIComponent(p.name)}`}, outside(p.name))), h('td', null, outside(p.plan || 'default')), h('td', null, outside(p.description)))))))];
  }
}

class Project {
  constructor(name) {
    this.name = decodeURIComponent(name);
    this.base = `/api/v1/projects/${encodeURIComponent(this.name)}`;
  }
  definitions = [];
  experiments = [];
  problem = '';
  title = () => this.name;
  async load() {
    const [definitions, experiments] = await Promise.all([get(`${this.base}/definitions`), get(`${this.base}/experiments`)]);
    this.definitions = definitions.definitions;
    this.experiments = experiments.experiments;
  }
  async act(method, path, then) {
    try {
      const answer = await ask(method, this.base + path);
      this.problem = '';
      await (then ? then(answer) : this.load());
    } catch (problem) {
      this.problem = problem.message;
    }
    draw();
  }
  run(name) {
    return this.act('POST', `/experiments/${encodeURIComponent(name)}/run`, async (answer) => {
      const {runs} = await answer.json();
      go(runs.length === 1 ? `/apps/${runs[0].split('-').at(-1)}` : '/apps?whose=mine');
    });
  }
  runLink(id) {
    const job = id.split('-').at(-1), known = store.jobs.get(job);
    const shown = known && state(known.wm_state);
    return h('span', {class: 'b', key: id}, shown && icon(shown.icon), h('a', {href: `/apps/${job}`}, job), ' ');
  }
  view() {
    const cells = (list) => list.map((c, i) => h('td', {key: i}, c));
    return [h('div', {class: 'head'}, h('div', null, h('p', {class: 'crumb'}, h('a', {href: '/projects'}, 'Projects'), ' / ', outside(this.name)), h('h1', null, outside(this.name))),
      h('div', {class: 'acts'}, h('a', {class: 'btn pri', href: `/new/experiment?project=${encodeURIComponent(this.name)}`}, icon('plus'), 'New experiment'))),
    this.problem && h('p', {class: 'note err', role: 'alert'}, this.problem),
    h('section', {class: 'panel scroll', 'aria-labelledby': 'h-x'}, h('div', {class: 'ph'}, h('h2', {id: 'h-x'}, 'Experiments')),
      this.experiments.length ? h('table', {class: 't'}, h('thead', null, h('tr', null, ['Name', 'Definitions', 'Data', 'Plan', 'Runs', ''].map((t) => h('th', {scope: 'col'}, t)))),
        h('tbody', null, this.experiments.map((e) => h('tr', {key: e.name}, cells([outside(e.name), outside(e.definitions.join(', ')), outside(e.data || '–'), outside(e.plan || 'the project’s'), e.runs.slice(-8).map((r) => this.runLink(r)),
          [h('button', {class: 'btn', onClick: () => this.run(e.name)}, 'Run'), ' ', h('button', {class: 'link s', onClick: () => this.act('DELETE', `/experiments/${encodeURIComponent(e.name)}`)}, 'Delete')]]))))) : h('p', {class: 'empty'}, 'No experiment yet.')),
    h('section', {class: 'panel scroll', 'aria-labelledby': 'h-f'}, h('div', {class: 'ph'}, h('h2', {id: 'h-f'}, 'Model definitions')),
      this.definitions.length ? h('table', {class: 't'}, h('thead', null, h('tr', null, ['Name', 'Framework', 'Each worker', 'Nodes', 'Code', 'Command', ''].map((t) => h('th', {scope: 'col'}, t)))),
        h('tbody', null, this.definitions.map((d) => h('tr', {key: d.name}, cells([outside(d.name), outside(d.framework), outside(`${d.per_worker} ${d.device.toUpperCase()}${d.memory ? `, ${d.memory}` : ''}`), outside(d.nodes), outside(d.code_name), h('span', {class: 'mono'}, outside(d.command)),
          h('button', {class: 'link s', onClick: () => this.act('DELETE', `/definitions/${encodeURIComponent(d.name)}`)}, 'Delete')]))))) : h('p', {class: 'empty'}, 'No definition yet: a new experiment makes one.'))];
  }
}

export const projects = () => new Projects();
export const project = (name) => new Project(name);
