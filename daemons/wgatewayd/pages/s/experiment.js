// Role: the form of a new experiment: data, one or several model definitions, new or there already, one
// command for all if wanted. The server judges each definition's words, and shows the same request in the
// words of bsub, dlicmd and curl.

import {ask, get, store} from './api.js';
import {draw, go} from './app.js';
import {clean, h, icon, outside} from './dom.js';
import {bytes} from './format.js';

const TYPES = [['single', 'Single node'], ['multi', 'Multi node'], ['elastic', 'Elastic nodes']];
const DRAFT = 'wm-draft';
const FRESH = {project: 'default', newProject: '', projectPlan: '', name: '', description: '', data: '', volume: '', plan: '', command: '', definitions: [{kind: 'new', key: 'first'}]};
const FRESH_DEFINITION = {kind: 'new', name: '', framework: 'PyTorch', command: 'train.py', device: 'gpu', per_worker: '1', memory: '', hardware: '', gpu_kind: 'full', mig: '', type: 'single', nodes: '2', env: ''};

const another = (gpus) => ({...FRESH_DEFINITION, key: crypto.randomUUID(), ...(gpus ? {} : {device: 'cpu'})});
const KINDS = [['full', 'Full'], ['generic', 'Generic'], ['slice', 'Slice']];
const typeOf = (framework) => (/^edt/i.test(framework) ? 'elastic' : /^dist/i.test(framework) ? 'multi' : 'single');

/** The framework for a training type, of the same library. */
export function frameworkFor(type, framework) {
  const torch = !/tensorflow/i.test(framework);
  if (type === 'elastic') return torch ? 'edtPyTorch' : 'edtTensorflow';
  if (type === 'multi') return torch ? 'distPyTorch' : 'disttensorflow';
  return torch ? 'PyTorch' : 'tensorflow';
}

/** What the server keeps of a definition. */
export const manifest = (d) => ({name: d.name, framework: d.framework, command: d.command, device: d.device, per_worker: d.per_worker || '1',
  memory: d.memory, hardware: d.hardware || '', gpu_kind: d.device === 'gpu' && !d.hardware ? d.gpu_kind || '' : '', mig: d.gpu_kind === 'slice' && !d.hardware ? (d.mig || '').trim() : '', nodes: typeOf(d.framework) === 'single' ? '1' : d.nodes || '1', env: Array.isArray(d.env) ? d.env : d.env.split('\n').map((l) => l.trim()).filter(Boolean)});

/** The words of --exec-start that a definition in an experiment is. */
export function wordsOf(experiment, definition, plan) {
  const d = manifest(definition), words = ['--exec-start', d.framework];
  const add = (option, value) => value && words.push(option, value.trim());
  const [main, ...args] = (experiment.command || d.command).trim().split(/\s+/);
  add('--appName', experiment.name === d.name || !d.name ? experiment.name : `${experiment.name}-${d.name}`);
  words.push('--numWorker', d.nodes);
  if (!d.hardware) {
    words.push('--workerDeviceType', d.device, '--workerDeviceNum', d.per_worker);
    add('--workerMemory', d.memory);
  }
  add('--consumer', plan);
  if (experiment.data.trim() && !experiment.volume) words.push('--cs-datastore-meta', `type=fs,data_path=${experiment.data.trim()}`);
  for (const pair of d.env) words.push('--msd-env', pair);
  add('--model-main', main);
  return args.length ? [...words, '--', ...args] : words;
}

/** What the request says besides those words, as the form field `data`; empty: nothing. */
export function dataOf(experiment, definition) {
  const d = manifest(definition), data = {};
  if (d.hardware) data.hardwareSpec = {name: d.hardware};
  else if (d.gpu_kind) data.hardwareSpec = {nodes: {gpu: {num_gpu: d.per_worker, kind: d.gpu_kind, ...(d.mig ? {mig_profile: d.mig} : {})}}};
  if (experiment.volume) data.dataSource = [{type: 'fs', location: {volume: experiment.volume, ...(experiment.data.trim() ? {paths: experiment.data.trim()} : {})}}];
  return Object.keys(data).length ? JSON.stringify(data) : '';
}

class NewExperiment {
  draft = {...structuredClone(FRESH), ...JSON.parse(sessionStorage.getItem(DRAFT) || '{}')};
  files = new Map();
  frameworks = [];
  hardware = [];
  volumes = [];
  plans = [];
  projects = [];
  existing = [];
  gpus = 0;
  verdicts = [];
  problem = '';
  busy = false;

  title = () => 'New experiment';
  async load() {
    const asked = new URLSearchParams(location.search).get('project');
    if (asked) this.draft.project = asked;
    const [frameworks, plans, hosts, projects, specs, volumes] = await Promise.all(['/platform/rest/deeplearning/v1/execs/frameworks', '/api/v1/plans', '/api/v1/hosts', '/api/v1/projects', '/api/v1/hwspecs', '/api/v1/volumes'].map(get));
    this.hardware = specs.hwspecs;
    this.volumes = volumes.volumes;
    this.frameworks = frameworks;
    this.plans = plans.plans.map((p) => p.plan);
    this.projects = projects.projects;
    this.gpus = hosts.hosts.reduce((sum, host) => sum + (host.ngpus || 0), 0);
    this.draft.definitions = this.draft.definitions.map((d) => (d.kind === 'new' ? {...FRESH_DEFINITION, ...(this.gpus ? {} : {device: 'cpu'}), ...d} : d));
    await this.fetchExisting();
    await this.judge();
  }
  async fetchExisting() {
    const known = this.projects.some((p) => p.name === this.draft.project);
    this.existing = known ? (await get(`/api/v1/projects/${encodeURIComponent(this.draft.project)}/definitions`)).definitions : [];
  }

  changed() {
    sessionStorage.setItem(DRAFT, JSON.stringify(this.draft));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.judge(), 400);
    draw();
  }
  set(name, value) {
    this.draft[name] = value;
    if (name === 'project') {
      this.draft.definitions = this.draft.definitions.filter((d) => d.kind === 'new');
      this.fetchExisting().then(draw);
    }
    this.changed();
  }
  setDefinition(i, name, value) {
    const d = this.draft.definitions[i];
    d[name] = value;
    if (name === 'type') d.framework = frameworkFor(value, d.framework);
    if (name === 'framework') d.type = typeOf(value);
    this.changed();
  }
  chosen() {
    return this.draft.definitions.map((d) => (d.kind === 'new' ? d : this.existing.find((e) => e.name === d.name))).filter(Boolean);
  }
  plan() {
    if (this.draft.plan) return this.draft.plan;
    return this.draft.project ? this.projects.find((p) => p.name === this.draft.project)?.plan || '' : this.draft.projectPlan;
  }
  async judge() {
    this.verdicts = await Promise.all(this.chosen().map(async (d) => {
      try {
        const lines = await get(`/api/v1/lines?args=${encodeURIComponent(wordsOf(this.draft, d, this.plan()).join(' '))}&data=${encodeURIComponent(dataOf(this.draft, d))}`);
        return {...lines, data: dataOf(this.draft, d)};
      } catch (problem) {
        return {problem: problem.message};
      }
    }));
    draw();
  }

  missing() {
    if (!this.draft.name) return 'Which name? The experiment needs one.';
    if (!this.draft.project && !this.draft.newProject) return 'Which name? The new project needs one.';
    if (!this.draft.definitions.length) return 'A definition is wanted: new, or one that is there.';
    const nameless = this.draft.definitions.findIndex((d) => d.kind === 'new' && !d.name);
    if (nameless >= 0) return `Definition ${nameless + 1}: which name?`;
    const codeless = this.draft.definitions.findIndex((d) => d.kind === 'new' && !this.files.get(d.key));
    return codeless >= 0 ? `Definition ${codeless + 1}: which code? Choose a zip, a tar, or one script.` : '';
  }

  async submit(event, runs) {
    event.preventDefault();
    if (this.busy) return;
    this.problem = this.missing();
    if (!this.problem) {
      this.busy = true;
      draw();
      try {
        await this.create(runs);
      } catch (problem) {
        this.problem = problem.message;
      }
      this.busy = false;
    }
    draw();
    if (this.problem) requestAnimationFrame(() => document.querySelector('[role=alert]')?.focus());
  }
  async create(runs) {
    const d = this.draft, json = {'Content-Type': 'application/json'};
    const project = d.project || d.newProject, base = `/api/v1/projects/${encodeURIComponent(project)}`;
    if (!d.project) await ask('POST', '/api/v1/projects', {headers: json, body: JSON.stringify({name: project, plan: d.projectPlan})});
    for (const definition of d.definitions) {
      if (definition.kind !== 'new') continue;
      const form = new FormData();
      form.append('data', JSON.stringify(manifest(definition)));
      form.append('file', this.files.get(definition.key));
      await ask('POST', `${base}/definitions`, {body: form});
    }
    const {name, description, data, volume, plan, command} = d;
    await ask('POST', `${base}/experiments`, {headers: json, body: JSON.stringify({name, description, data: data.trim(), volume: volume || '', plan, command, definitions: d.definitions.map((x) => x.name)})});
    const begun = runs ? (await (await ask('POST', `${base}/experiments/${encodeURIComponent(name)}/run`)).json()).runs : [];
    sessionStorage.removeItem(DRAFT);
    go(begun.length === 1 ? `/apps/${begun[0].split('-').at(-1)}` : begun.length ? '/apps?whose=mine' : `/projects/${encodeURIComponent(project)}`);
  }

  field(name, label, value, onInput, note, props) {
    return h('label', {class: 'field'}, h('span', null, label), h('input', {type: 'text', name, value: value ?? '', onInput: (e) => onInput(e.target.value), ...props}), note && h('small', null, note));
  }
  choice(name, label, value, options, onChange, note) {
    return h('label', {class: 'field'}, h('span', null, label), h('select', {name, value: value ?? '', onChange: (e) => onChange(e.target.value)}, options.map(([v, text]) => h('option', {value: v}, text))), note && h('small', null, note));
  }
  segment(name, label, value, options, onClick) {
    return h('fieldset', {class: 'field'}, h('legend', null, label), h('span', {class: 'seg', role: 'group', 'aria-label': label}, options.map(([v, text, off]) =>
      h('button', {type: 'button', 'data-choice': `${name}-${v}`, 'aria-pressed': String(value === v), disabled: Boolean(off), onClick: () => onClick(v)}, text))));
  }

  head() {
    const d = this.draft, plans = [...this.plans.map((p) => [p, p])];
    return [h('h2', null, '1 Experiment'),
      h('div', {class: 'two'}, this.field('name', 'Name', d.name, (v) => this.set('name', v), 'Letters, digits, dots, dashes.', {maxlength: '60', required: true}),
        this.field('description', 'Description', d.description, (v) => this.set('description', v))),
      h('div', {class: 'two'}, this.choice('project', 'Project', d.project, [...this.projects.map((p) => [p.name, p.plan ? `${p.name} (${p.plan})` : p.name]), ['', 'New project …']], (v) => this.set('project', v), 'A project names the plan that its runs draw on.'),
        d.project ? this.choice('plan', 'Resource plan', d.plan, [['', 'the project’s'], ...plans], (v) => this.set('plan', v))
          : [this.field('newProject', 'Name of the new project', d.newProject, (v) => this.set('newProject', v), null, {maxlength: '60'})]),
      !d.project && h('div', {class: 'two'}, this.choice('projectPlan', 'Its resource plan', d.projectPlan, [['', 'default'], ...plans], (v) => this.set('projectPlan', v))),
      h('div', {class: 'two'}, this.choice('volume', 'Data: storage volume', d.volume, [['', 'the cluster’s data'], ...this.volumes.map((v) => [v.name, v.description ? `${v.name} (${v.description})` : v.name])], (v) => this.set('volume', v), this.volumes.find((v) => v.name === d.volume)?.reason),
        this.field('data', 'Relative folder', d.data, (v) => this.set('data', v), 'Below the volume; DATA_DIR in the script.'))];
  }

  definition(d, i) {
    const remove = h('button', {type: 'button', class: 'link s', onClick: () => { this.draft.definitions.splice(i, 1); this.files.delete(d.key); this.changed(); }}, 'Remove');
    if (d.kind !== 'new') {
      const e = this.existing.find((x) => x.name === d.name);
      return h('div', {class: 'card', key: d.key || d.name}, h('div', {class: 'cardh'}, h('b', null, outside(d.name)), h('span', {class: 'sp'}), remove),
        e ? h('p', {class: 's m'}, outside(`${e.framework}, ${e.nodes} × ${e.hardware || `${e.per_worker} ${e.device.toUpperCase()}${e.mig ? ` ${e.mig}` : ''}`}, ${e.code_name}: ${e.command}`)) : h('p', {class: 's err'}, 'It is not there any more.'));
    }
    const set = (name) => (value) => this.setDefinition(i, name, value), file = this.files.get(d.key);
    return h('div', {class: 'card', key: d.key || d.name}, h('div', {class: 'cardh'}, h('b', null, d.name ? outside(d.name) : 'New definition'), h('span', {class: 'sp'}), this.draft.definitions.length > 1 && remove),
      h('div', {class: 'two'}, this.field('definition', 'Name', d.name, set('name'), null, {maxlength: '60'}),
        h('label', {class: 'field'}, h('span', null, 'Zip, tar or script'), h('input', {type: 'file', name: 'code', accept: '.zip,.tar,.gz,.tgz,.py,.sh', onChange: (e) => { this.files.set(d.key, e.target.files[0]); draw(); }}), file && h('small', null, `${clean(file.name)}, ${bytes(file.size)}`))),
      this.field('command', 'Execution command', d.command, set('command'), 'The script’s path within the code, then what it is given: train.py --epochs 20'),
      this.segment('type', 'Training type', d.type, TYPES, set('type')),
      h('div', {class: 'two'}, this.choice('framework', 'Framework', d.framework, this.frameworks.map((f) => [f.name, `${f.name}${f.frameworkVersion ? ` ${f.frameworkVersion}` : ''}${f.available === false ? ' (not available)' : ''}`]), set('framework'), this.frameworks.find((f) => f.name === d.framework)?.reason || this.frameworks.find((f) => f.name === d.framework)?.desc?.[0]),
        d.type === 'single' ? this.field('nodes', 'Nodes', '1', () => {}, 'A single node has one worker.', {type: 'number', disabled: true})
          : this.field('nodes', d.type === 'elastic' ? 'Nodes, at most' : 'Nodes', d.nodes, set('nodes'), d.type === 'elastic' ? 'It has 1 to this many, as its share allows.' : 'All start together.', {type: 'number', min: '1', max: '1000'})),
      this.hardware.length > 0 && this.choice('hardware', 'Hardware specification', d.hardware, [['', 'Custom'], ...this.hardware.map((s) => [s.name, s.description ? `${s.name}: ${s.description}` : s.name])], set('hardware')),
      !d.hardware && this.custom(d, set),
      h('label', {class: 'field'}, h('span', null, 'Environment'), h('textarea', {name: 'env', rows: '2', value: d.env, onInput: (e) => set('env')(e.target.value)}), h('small', null, 'NAME=VALUE, one a line.')));
  }

  custom(d, set) {
    return h('div', null, h('div', {class: 'two'}, this.segment('device', 'Resource', d.device, [['cpu', 'CPU'], ['gpu', 'GPU', !this.gpus]], set('device')),
        this.field('per_worker', d.device === 'gpu' ? 'GPUs of each worker' : 'CPUs of each worker', d.per_worker, set('per_worker'), this.gpus ? null : 'The cluster has no GPU.', {type: 'number', min: '1', max: '64'})),
      h('div', {class: 'two'}, this.field('memory', 'Memory of each worker', d.memory, set('memory'), 'Such as 8g; without it what the queue gives.'),
        d.device === 'gpu' && this.segment('kind', 'Kind of GPU', d.gpu_kind || 'full', KINDS, set('gpu_kind'))),
      d.device === 'gpu' && d.gpu_kind === 'slice' && this.field('mig', 'MIG profile', d.mig, set('mig'), 'Such as 1g.10gb.'));
  }

  fields() {
    const d = this.draft, left = this.existing.filter((e) => !d.definitions.some((x) => x.name === e.name));
    const add = (definition) => { d.definitions.push(definition); this.changed(); };
    return h('form', {class: 'panel', onSubmit: (e) => this.submit(e, true), id: 'experiment'},
      this.problem && h('p', {class: 'note err', role: 'alert', tabindex: '-1'}, this.problem),
      this.head(), h('h2', null, '2 Model definitions'), d.definitions.map((x, i) => this.definition(x, i)),
      h('div', {class: 'foot2 start'}, h('button', {type: 'button', class: 'btn', id: 'add-new', onClick: () => add(another(this.gpus))}, icon('plus'), 'New definition'),
        left.length > 0 && h('select', {name: 'existing', 'aria-label': 'Add an existing definition', value: '', onChange: (e) => { const name = e.target.value; if (name) add({kind: 'existing', name}); }},
          h('option', {value: ''}, 'Existing definition …'), left.map((e) => h('option', {value: e.name}, e.name)))),
      h('h2', null, '3 One command for all'), this.field('allCommand', 'Global execution command', d.command, (v) => this.set('command', v), 'Empty: each definition’s own.'),
      h('div', {class: 'foot2'}, h('button', {class: 'btn', type: 'button', onClick: () => { this.draft = structuredClone(FRESH); this.files.clear(); sessionStorage.removeItem(DRAFT); this.load(); }}, 'Start over'),
        h('button', {class: 'btn', type: 'button', disabled: this.busy, onClick: (e) => this.submit(e, false)}, 'Create'),
        h('button', {class: 'btn pri', disabled: this.busy}, this.busy ? 'Uploading…' : 'Create and run')));
  }

  lines(v, i) {
    if (v.problem) return h('p', {class: 'err', role: 'status', key: i}, v.problem);
    const args = v.dlicmd.replace(/^dlicmd /, ''), [ours, theirs] = args.split(/ -- (.*)/);
    return [h('p', {class: 's m'}, 'The equivalent bsub line'), h('pre', {class: 'cmd bsub-line'}, v.bsub),
      h('p', {class: 's m gap2'}, 'dlicmd'), h('pre', {class: 'cmd'}, `dlicmd ${ours} --model-dir code${theirs ? ` -- ${theirs}` : ''}`),
      h('p', {class: 's m gap2'}, 'curl'), h('pre', {class: 'cmd'}, `curl -u ${store.session.user} -F file=@code.zip${v.data ? ` -F 'data=${v.data}'` : ''} '${location.origin}/platform/rest/deeplearning/v1/execs?args=${args.replaceAll(' ', '%20')}'`)];
  }

  view() {
    return [h('div', {class: 'head'}, h('div', null, h('h1', null, 'New experiment'), h('p', {class: 'sub'}, 'Definitions that run together. Each run is a job like any other.'))),
      h('div', {class: 'form'}, this.fields(), h('div', {class: 'side'}, h('section', {class: 'panel', 'aria-labelledby': 'h-e'}, h('div', {class: 'ph'}, h('h2', {id: 'h-e'}, 'The same request')),
        h('div', {class: 'pb'}, this.verdicts.map((v, i) => this.lines(v, i))))))];
  }
}

export const newExperiment = () => new NewExperiment();
