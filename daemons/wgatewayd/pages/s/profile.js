// Role: the Profile tab of a service: the values that matter as fields, the whole as JSON; the server judges.

import {ask, get} from './api.js';
import {draw} from './app.js';
import {h} from './dom.js';
import {at, typed} from './values.js';

/** [where, label, what it means, kind, may it change while the service is started] */
const FIELDS = [
  ['policy.kernel_min', 'Kernels at least', '0: none while nobody asks', 'number', true],
  ['policy.kernel_max', 'Kernels at most', '-1: as many as there can be', 'number', true],
  ['policy.schedule_interval', 'Look at the load every, s', '', 'number', true],
  ['policy.kernel_delay_release_time', 'Keep a kernel after its use, s', '', 'number', true],
  ['policy.task_execution_timeout', 'Answer within, s', 'from arrival; -1: no limit', 'number', true],
  ['policy.task_batch_size', 'Requests of one call', 'a batch', 'number', true],
  ['policy.task_parallel_size', 'Threads of a kernel', 'that call', 'number'],
  ['policy.task_pipe_size', 'Batches each may have', '', 'number', true],
  ['kernel.connection_timeout', 'Wait for a kernel, s', '', 'number', true],
  ['kernel.gpu', 'GPU', '', ['no', 'shared', 'exclusive']],
  ['resource_allocation.kernel.resource_plan', 'Resource plan', 'empty: its owner’s', 'text'],
  ['resource_allocation.kernel.resources', 'Each kernel', 'ncpus=N,mem=MB', 'text'],
];

export class ProfileForm {
  constructor(name, profile) {
    this.name = name;
    this.take(profile);
  }
  take(profile) {
    this.profile = profile;
    this.edits = new Map();
    this.text = JSON.stringify(profile, null, 2);
  }
  asJson = false;
  said = '';
  problem = '';

  choose(asJson) {
    if (asJson) this.text = JSON.stringify(typed(this.profile, this.edits, FIELDS), null, 2);
    this.asJson = asJson;
    draw();
  }
  async save() {
    const url = `/dlim/v1/model/${encodeURIComponent(this.name)}/appprofile`;
    try {
      const answer = await ask('PUT', url, {body: this.asJson ? this.text : JSON.stringify(typed(this.profile, this.edits, FIELDS))});
      this.said = (await answer.json()).status;
      this.problem = '';
      this.take(await get(url));
    } catch (problem) {
      this.said = '';
      this.problem = problem.message;
    }
    draw();
  }
  field([where, label, note, kind], disabled) {
    const value = this.edits.get(where) ?? at(this.profile, where) ?? '', set = (event) => { this.edits.set(where, event.target.value); this.said = ''; };
    return h('label', {class: 'field', key: where}, h('span', null, label), Array.isArray(kind)
      ? h('select', {name: where, value, disabled, onChange: set}, kind.map((k) => h('option', {value: k, key: k}, k)))
      : h('input', {type: 'text', inputmode: kind === 'number' ? 'numeric' : null, name: where, value: String(value), disabled, onInput: set}), note && h('small', null, note));
  }
  view(facts) {
    const fixed = facts.state === 'Started';
    const choose = (json, text) => h('button', {'aria-pressed': String(this.asJson === json), onClick: () => this.choose(json)}, text);
    return h('section', {class: 'panel', key: 'profile', 'aria-labelledby': 'h-p'}, h('div', {class: 'ph'}, h('h2', {id: 'h-p'}, 'Profile'), h('span', {class: 'sp'}), h('span', {class: 'seg', role: 'group', 'aria-label': 'Form'}, choose(false, 'Fields'), choose(true, 'JSON'))),
      h('div', {class: 'pb'}, this.problem && h('p', {class: 'err', role: 'alert'}, this.problem), this.said && h('p', {class: 'say', role: 'status', id: 'profile-said'}, this.said),
        fixed && h('p', {class: 'm s'}, 'It is started: what its router decides by may change at once, fewer kernels at least or more at most than it was started with may not; the rest has to wait for a stop.'),
        this.asJson ? h('textarea', {name: 'profile', rows: 24, class: 'mono', 'aria-label': 'The profile as JSON', value: this.text, onInput: (event) => { this.text = event.target.value; }})
          : h('div', {class: 'two'}, FIELDS.map((field) => this.field(field, fixed && !field[4]))),
        h('div', {class: 'foot2 start gap2'}, h('button', {class: 'btn pri', id: 'save-profile', onClick: () => this.save()}, 'Save'))));
  }
}
