// Role: models that were saved, spaces that they are promoted to, and deploying them from there.

import {ask, get, store} from './api.js';
import {draw, go} from './app.js';
import {clean, h, icon, outside} from './dom.js';
import {clock, DASH, number} from './format.js';
import {nameFrom, told} from './values.js';

const send = (path, value) => ask('POST', path, {body: JSON.stringify(value), headers: {'Content-Type': 'application/json'}});
const runLink = (run) => h('a', {href: `/apps/${encodeURIComponent(run.split('-').at(-1))}`}, outside(run));
const value = (id) => document.getElementById(id).value.trim();

/** What a field needs to show and keep state[key], whatever else is drawn meanwhile. */
function bound(state, key) {
  const keep = (event) => { state[key] = event.target.value; };
  return {value: state[key], onInput: keep, onChange: keep};
}

/** What fails is told on the page. */
class Page {
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
    [this.models, this.spaces] = [(await get('/api/v1/models')).models, (await get('/api/v1/spaces')).spaces];
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

class Spaces extends Page {
  spaces = [];
  title = () => 'Spaces';
  async load() {
    this.spaces = (await get('/api/v1/spaces')).spaces;
  }
  make() {
    return this.act(async () => {
      const name = value('space-name');
      await send('/api/v1/spaces', {name, description: value('space-description'), plan: value('space-plan')});
      document.getElementById('space-name').value = '';
    });
  }
  view() {
    const cells = (s) => [h('a', {href: `/spaces/${encodeURIComponent(s.name)}`}, outside(s.name)), outside(s.description), outside(s.plan || 'its owner’s'), number(s.models), number(s.deployments), h('button', {class: 'link s', onClick: () => this.act(() => ask('DELETE', `/api/v1/spaces/${encodeURIComponent(s.name)}`))}, 'Delete')];
    return [h('div', {class: 'head'}, h('div', null, h('h1', null, 'Spaces'), h('p', {class: 'sub'}, 'Where models are put to use, apart from where they are made.'))), this.told(),
      h('section', {class: 'panel scroll', 'aria-label': 'Spaces'}, this.spaces.length ? h('table', {class: 't'}, h('thead', null, h('tr', null, ['Space', 'Description', 'Plan', 'Models', 'Deployments', ''].map((t, i) => h('th', {scope: 'col', key: i}, t)))), h('tbody', null, this.spaces.map((s) => h('tr', {key: s.name}, cells(s).map((c, i) => h('td', {key: i}, c)))))) : h('p', {class: 'empty'}, 'No space yet.')),
      h('section', {class: 'panel', 'aria-labelledby': 'h-n'}, h('div', {class: 'ph'}, h('h2', {id: 'h-n'}, 'New space')), h('div', {class: 'pb'}, h('div', {class: 'two'}, [['space-name', 'Name', ''], ['space-plan', 'Resource plan', 'empty: yours'], ['space-description', 'Description', '']].map(([id, text, hint]) =>
        h('label', {class: 'field', key: id}, h('span', null, text), h('input', {type: 'text', id, placeholder: hint})))), h('button', {class: 'btn pri', id: 'make-space', onClick: () => this.make()}, icon('plus'), 'Create')))];
  }
}

class Space extends Page {
  constructor(name) {
    super();
    this.name = decodeURIComponent(name);
    this.base = `/api/v1/spaces/${encodeURIComponent(this.name)}`;
  }
  space = null;
  chosen = null;
  title = () => this.name;
  async load() {
    this.space = await get(this.base);
  }
  choose(name) {
    this.chosen = name;
    this.asked = {name, gpu: 'no', min: '1', max: '4', batch: '16'};
    draw();
  }
  deploy() {
    return this.act(async () => {
      const {name, gpu, min, max, batch} = this.asked;
      const profile = {policy: {kernel_min: Number(min), kernel_max: Number(max), task_batch_size: Number(batch)}, kernel: {gpu}};
      await send(`${this.base}/models/${encodeURIComponent(this.chosen)}/deploy`, {name, profile});
      go(`/services/${encodeURIComponent(name)}?tab=test`);
    });
  }
  form() {
    if (!this.chosen) return null;
    const field = ([key, text]) => h('label', {class: 'field', key}, h('span', null, text), h('input', {type: 'number', id: `deploy-${key}`, min: '0', ...bound(this.asked, key)}));
    return h('section', {class: 'panel', key: `f${this.chosen}`, 'aria-labelledby': 'h-d'}, h('div', {class: 'ph'}, h('h2', {id: 'h-d'}, 'Deploy ', outside(this.chosen), ' online')), h('div', {class: 'pb'},
      h('div', {class: 'two'}, h('label', {class: 'field'}, h('span', null, 'Name of the service'), h('input', {type: 'text', id: 'deploy-name', ...bound(this.asked, 'name')})),
        h('label', {class: 'field'}, h('span', null, 'GPU'), h('select', {id: 'deploy-gpu', ...bound(this.asked, 'gpu')}, ['no', 'shared', 'exclusive'].map((k) => h('option', {value: k, key: k}, k)))),
        [['min', 'Kernels at least'], ['max', 'Kernels at most'], ['batch', 'Requests of one call']].map(field)),
      h('div', {class: 'foot2 start'}, h('button', {class: 'btn pri', id: 'deploy-go', onClick: () => this.deploy()}, 'Deploy and start'), h('button', {class: 'btn', onClick: () => { this.chosen = null; draw(); }}, 'Cancel'))));
  }
  view() {
    const s = this.space;
    if (!s) return [h('h1', null, this.name)];
    const deployments = (model) => s.deployments.filter((d) => d.model === model).map((d) => h('span', {key: d.name}, h('a', {href: `/services/${encodeURIComponent(d.name)}`}, outside(d.name)), ` ${d.state.toLowerCase()} `));
    const cells = (m) => [outside(m.name), outside(m.project), runLink(m.run), told(m.metrics), deployments(m.name), h('button', {class: 'btn', 'data-deploy': m.name, onClick: () => this.choose(m.name)}, 'Deploy online'),
      h('button', {class: 'link s', onClick: () => this.act(() => ask('DELETE', `${this.base}/models/${encodeURIComponent(m.name)}`))}, 'Delete')];
    return [h('div', {class: 'head'}, h('div', null, h('p', {class: 'crumb'}, h('a', {href: '/spaces'}, 'Spaces'), ' / ', outside(this.name)), h('h1', null, outside(this.name)), h('p', {class: 'sub'}, outside(s.description || 'Models that may be deployed.'), s.plan && [' Plan ', outside(s.plan), '.']))), this.told(), this.form(),
      h('section', {class: 'panel scroll', 'aria-label': 'Models of this space'}, s.models.length ? h('table', {class: 't'}, h('thead', null, h('tr', null, ['Model', 'Project', 'From run', 'Metrics', 'Deployments', '', ''].map((t, i) => h('th', {scope: 'col', key: i}, t)))), h('tbody', null, s.models.map((m) => h('tr', {key: m.name}, cells(m).map((c, i) => h('td', {key: i}, c)))))) : h('p', {class: 'empty'}, 'No model yet: promote one from ', h('a', {href: '/models'}, 'Models'), '.'))];
  }
}

export const models = () => new Models();
export const spaces = () => new Spaces();
export const space = (name) => new Space(name);
