// Role: spaces, where models are put to use: one's own and those that others share, their members, deploying.

import {ask, get} from './api.js';
import {draw, go} from './app.js';
import {h, icon, outside} from './dom.js';
import {number} from './format.js';
import {bound, MAY_USE, Page, runLink, send, value} from './models.js';
import {told} from './values.js';

const ROLES = [['viewer', 'sees models and deployments'], ['editor', 'promotes to it, deploys from it'], ['admin', 'changes the members, too']];
const pathOf = (name) => `/spaces/${encodeURIComponent(name)}`;
const mine = (s) => s.role === 'owner';
const plain = (s) => (mine(s) ? s.name : s.name.slice(s.owner.length + 1));

/** Whom a space is shared with. */
class Members {
  list = [];
  added = {name: '', role: 'viewer'};
  problem = '';
  open(space, done) {
    Object.assign(this, {base: `/api/v1${pathOf(space.name)}`, shown: mine(space) ? `${space.owner}~${space.name}` : space.name, list: space.members.map((m) => ({...m})), added: {name: '', role: 'viewer'}, problem: '', done});
    draw();
    requestAnimationFrame(() => document.getElementById('members').showModal());
  }
  add() {
    const name = this.added.name.trim();
    if (!name) return;
    this.list = [...this.list.filter((m) => m.name !== name), {name, role: this.added.role}];
    this.added = {name: '', role: this.added.role};
    draw();
    document.getElementById('member-name').focus();
  }
  async save() {
    if (this.added.name.trim()) this.add();
    try {
      await send(`${this.base}/members`, {members: this.list}, 'PUT');
      document.getElementById('members').close();
      await this.done();
    } catch (problem) {
      this.problem = problem.message;
    }
    draw();
  }
  role(state, label) {
    return h('select', {'aria-label': label, ...bound(state, 'role')}, ROLES.map(([role]) => h('option', {value: role, key: role}, role)));
  }
  view() {
    const row = (m) => h('li', {key: m.name}, outside(m.name), this.role(m, `Role of ${m.name}`), h('button', {class: 'link s', 'aria-label': `Remove ${m.name}`, onClick: () => { this.list = this.list.filter((one) => one !== m); draw(); }}, 'Remove'));
    return h('dialog', {id: 'members', class: 'wide-dialog', 'aria-labelledby': 'h-members'}, h('h2', {id: 'h-members'}, 'Members'),
      h('ul', {class: 'explained'}, ROLES.map(([role, may]) => h('li', {key: role}, h('b', null, role), ` ${may}`))),
      this.problem && h('p', {class: 'err', role: 'alert'}, this.problem),
      this.list.length ? h('ul', {class: 'members'}, this.list.map(row)) : h('p', null, 'Nobody yet but its owner.'),
      h('form', {class: 'members-add', onSubmit: (event) => { event.preventDefault(); this.add(); }},
        h('input', {type: 'text', id: 'member-name', 'aria-label': 'Account, or @group', placeholder: 'account, or @group', autocomplete: 'off', ...bound(this.added, 'name')}), this.role(this.added, 'Role'), h('button', {class: 'btn', id: 'member-add'}, 'Add')),
      h('p', {class: 's'}, 'Members find it under Spaces; who does not opens ', h('span', {class: 'mono'}, outside(`${location.origin || ''}${pathOf(this.shown || '')}`)), '. It is open while its owner is logged on. What a member deploys is the member’s own service.'),
      h('div', {class: 'foot2'}, h('button', {class: 'btn', onClick: () => document.getElementById('members').close()}, 'Cancel'), h('button', {class: 'btn pri', id: 'members-save', onClick: () => this.save()}, 'Save')));
  }
}

class Spaces extends Page {
  spaces = [];
  away = [];
  title = () => 'Spaces';
  async load() {
    Object.assign(this, await get('/api/v1/spaces'));
  }
  make() {
    return this.act(async () => {
      const name = value('space-name');
      await send('/api/v1/spaces', {name, description: value('space-description'), plan: value('space-plan')});
      document.getElementById('space-name').value = '';
    });
  }
  row(s) {
    const cells = [h('a', {href: pathOf(s.name)}, outside(plain(s))), mine(s) ? 'you' : [outside(s.owner), `, you are ${s.role}`], outside(s.description), outside(s.plan || 'whoever deploys'), s.members ? number(s.members) : '', number(s.models), number(s.deployments),
      mine(s) && h('button', {class: 'link s', onClick: () => this.act(() => ask('DELETE', `/api/v1${pathOf(s.name)}`))}, 'Delete')];
    return h('tr', {key: s.name}, cells.map((c, i) => h('td', {key: i}, c)));
  }
  view() {
    return [h('div', {class: 'head'}, h('div', null, h('h1', null, 'Spaces'), h('p', {class: 'sub'}, 'Where models are put to use, apart from where they are made. Yours, and those that others share with you.'))), this.told(),
      this.away.length > 0 && h('p', {class: 'note warn'}, 'Not logged on, so that what they share is closed: ', this.away.map((one, i) => [i ? ', ' : '', outside(one)]), '.'),
      h('section', {class: 'panel scroll', 'aria-label': 'Spaces'}, this.spaces.length ? h('table', {class: 't'}, h('thead', null, h('tr', null, ['Space', 'Owner', 'Description', 'Plan', 'Members', 'Models', 'Deployments', ''].map((t, i) => h('th', {scope: 'col', key: i}, t)))), h('tbody', null, this.spaces.map((s) => this.row(s)))) : h('p', {class: 'empty'}, 'No space yet.')),
      h('section', {class: 'panel', 'aria-labelledby': 'h-n'}, h('div', {class: 'ph'}, h('h2', {id: 'h-n'}, 'New space')), h('div', {class: 'pb'}, h('div', {class: 'two'}, [['space-name', 'Name', ''], ['space-plan', 'Resource plan', 'empty: of whoever deploys'], ['space-description', 'Description', '']].map(([id, text, hint]) =>
        h('label', {class: 'field', key: id}, h('span', null, text), h('input', {type: 'text', id, placeholder: hint})))), h('button', {class: 'btn pri', id: 'make-space', onClick: () => this.make()}, icon('plus'), 'Create')))];
  }
}

class Space extends Page {
  constructor(name) {
    super();
    this.name = decodeURIComponent(name);
    this.base = `/api/v1${pathOf(this.name)}`;
  }
  space = null;
  chosen = null;
  members = new Members();
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
  // Another's service is his to look at: only its name and state are told.
  deployed(model) {
    const ours = (d) => mine(this.space) || d.user !== this.space.owner;
    return this.space.deployments.filter((d) => d.model === model).map((d) => h('div', {key: `${d.user}/${d.name}`}, ours(d) ? h('a', {href: `/services/${encodeURIComponent(d.name)}`}, outside(d.name)) : [outside(d.name), ' of ', outside(d.user)], ` ${d.state.toLowerCase()}`));
  }
  row(m) {
    const may = MAY_USE.has(this.space.role);
    const cells = [outside(m.name), outside(m.promoted_by || m.user), mine(this.space) ? runLink(m.run) : outside(m.run), told(m.metrics), this.deployed(m.name), may && h('button', {class: 'btn', 'data-deploy': m.name, onClick: () => this.choose(m.name)}, 'Deploy online'),
      may && h('button', {class: 'link s', onClick: () => this.act(() => ask('DELETE', `${this.base}/models/${encodeURIComponent(m.name)}`))}, 'Delete')];
    return h('tr', {key: m.name}, cells.map((c, i) => h('td', {key: i}, c)));
  }
  view() {
    const s = this.space;
    if (!s) return [h('h1', null, this.name)];
    const shares = mine(s) || s.role === 'admin';
    return [h('div', {class: 'head'}, h('div', null, h('p', {class: 'crumb'}, h('a', {href: '/spaces'}, 'Spaces'), ' / ', outside(plain(s))), h('h1', null, outside(plain(s))),
      h('p', {class: 'sub'}, !mine(s) && [outside(s.owner), ` shares it: you are ${s.role}. `], outside(s.description || 'Models that may be deployed.'), s.plan && [' Plan ', outside(s.plan), '.'])),
    shares && h('div', {class: 'acts'}, h('button', {class: 'btn', id: 'open-members', onClick: () => this.members.open(s, () => this.load())}, s.members.length ? `Members ${s.members.length}` : 'Share'))), this.told(), this.form(),
      h('section', {class: 'panel scroll', 'aria-label': 'Models of this space'}, s.models.length ? h('table', {class: 't'}, h('thead', null, h('tr', null, ['Model', 'Promoted by', 'From run', 'Metrics', 'Deployments', '', ''].map((t, i) => h('th', {scope: 'col', key: i}, t)))), h('tbody', null, s.models.map((m) => this.row(m)))) : h('p', {class: 'empty'}, 'No model yet: promote one from ', h('a', {href: '/models'}, 'Models'), '.')),
      shares && this.members.view()];
  }
}

export const spaces = () => new Spaces();
export const space = (name) => new Space(name);
