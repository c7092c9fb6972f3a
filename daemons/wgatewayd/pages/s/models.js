// Role: models that were saved from runs: keeping one, promoting it to a space. What pages of assets share.

import {ask, get, store} from './api.js';
import {draw, go} from './app.js';
import {clean, h, outside} from './dom.js';
import {clock, DASH} from './format.js';
import {nameFrom, told} from './values.js';

export const send = (path, value, method = 'POST') => ask(method, path, {body: JSON.stringify(value), headers: {'Content-Type': 'application/json'}});
export const runLink = (run) => h('a', {href: `/apps/${encodeURIComponent(run.split('-').at(-1))}`}, outside(run));
export const value = (id) => document.getElementById(id).value.trim();

/** Who may promote to a space, and deploy from it. */
export const MAY_USE = new Set(['editor', 'admin', 'owner']);

/** What a field needs to show and keep state[key], whatever else is drawn meanwhile. */
export function bound(state, key) {
  const keep = (event) => { state[key] = event.target.value; };
  return {value: state[key], onInput: keep, onChange: keep};
}

/** What fails is told on the page. */
export class Page {
  problem = '';
  async act(what) {
    try {
      await what();
      this.problem = '';
      await this.load();
    } catch (problem) {
      this.problem = problem.message;
    }
    draw();
  }
  told() {
    return this.problem && h('p', {class: 'note err', role: 'alert'}, this.problem);
  }
}

/** The dialog on a run's page. */
export class SaveDialog {
  projects = [];
  asked = {name: '', project: 'default', description: '', weight: ''};
  problem = '';
  async open(run, name, project) {
    Object.assign(this, {run, problem: '', asked: {name: nameFrom(name), project: project || 'default', description: '', weight: ''}});
    this.projects = (await get('/api/v1/projects')).projects.map((p) => p.name);
    draw();
    requestAnimationFrame(() => document.getElementById('save-model').showModal());
  }
  async save() {
    const {project, ...asked} = this.asked;
    try {
      await send(`/api/v1/projects/${encodeURIComponent(project)}/models`, {...asked, name: asked.name.trim(), run: this.run});
      document.getElementById('save-model').close();
      go('/models');
    } catch (problem) {
      this.problem = problem.message;
      draw();
    }
  }
  view() {
    return h('dialog', {id: 'save-model', 'aria-labelledby': 'h-save'}, h('h2', {id: 'h-save'}, 'Save the model'),
      h('p', null, 'What the run left in its folder model, with its code, data and metrics.'),
      this.problem && h('p', {class: 'err', role: 'alert'}, this.problem),
      h('label', {class: 'field'}, h('span', null, 'Name'), h('input', {type: 'text', id: 'model-name', ...bound(this.asked, 'name')})),
      h('label', {class: 'field'}, h('span', null, 'Project'), h('select', {id: 'model-project', ...bound(this.asked, 'project')}, this.projects.map((p) => h('option', {value: p, key: p}, p)))),
      h('label', {class: 'field'}, h('span', null, 'Description'), h('input', {type: 'text', id: 'model-description', ...bound(this.asked, 'description')})),
      h('label', {class: 'field'}, h('span', null, 'File of weights'), h('input', {type: 'text', id: 'model-weight', ...bound(this.asked, 'weight'), placeholder: 'the only one there is'})),
      h('div', {class: 'foot2'}, h('button', {class: 'btn', onClick: () => document.getElementById('save-model').close()}, 'Cancel'), h('button', {class: 'btn pri', id: 'save-model-go', onClick: () => this.save()}, 'Save')));
  }
}

class Models extends Page {
  models = [];
  spaces = [];
  title = () => 'Models';
  async load() {
    [this.models, this.spaces] = [(await get('/api/v1/models')).models, (await get('/api/v1/spaces')).spaces.filter((s) => MAY_USE.has(s.role))];
  }
  promote(m, space) {
    return this.act(async () => {
      await send(`/api/v1/projects/${encodeURIComponent(m.project)}/models/${encodeURIComponent(m.name)}/promote`, {space});
      go(`/spaces/${encodeURIComponent(space)}`);
    });
  }
  row(m) {
    const id = `promote-${m.project}-${m.name}`;
    const cells = [outside(m.name), h('a', {href: `/projects/${encodeURIComponent(m.project)}`}, outside(m.project)), runLink(m.run), told(m.metrics), h('span', {class: 'mono s'}, outside(m.code_hash.slice(0, 8) || DASH)), clock(m.saved, store.now()),
      this.spaces.length ? h('span', {class: 'inline'}, h('select', {id, 'aria-label': `Space for ${clean(m.name)}`}, this.spaces.map((s) => h('option', {value: s.name, key: s.name}, s.name))), h('button', {class: 'btn', 'data-promote': m.name, onClick: () => this.promote(m, value(id))}, 'Promote')) : h('a', {href: '/spaces'}, 'Make a space first'),
      h('button', {class: 'link s', onClick: () => this.act(() => ask('DELETE', `/api/v1/projects/${encodeURIComponent(m.project)}/models/${encodeURIComponent(m.name)}`))}, 'Delete')];
    return h('tr', {key: `${m.project}/${m.name}`}, cells.map((c, i) => h('td', {key: i}, c)));
  }
  view() {
    return [h('div', {class: 'head'}, h('div', null, h('h1', null, 'Models'), h('p', {class: 'sub'}, 'Saved from runs, with what they were made of. Promoted to a space they can be deployed.'))), this.told(),
      h('section', {class: 'panel scroll', 'aria-label': 'Models'}, this.models.length ? h('table', {class: 't'}, h('thead', null, h('tr', null, ['Model', 'Project', 'From run', 'Metrics', 'Code', 'Saved', 'Promote to', ''].map((t, i) => h('th', {scope: 'col', key: i}, t)))), h('tbody', null, this.models.map((m) => this.row(m))))
        : h('p', {class: 'empty'}, 'No model yet: open a run that has finished, and save its model.'))];
  }
}

export const models = () => new Models();
