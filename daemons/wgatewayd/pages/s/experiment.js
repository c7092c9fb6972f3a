// Role: the form that starts a run: code, framework, what each worker needs, how many. The server judges
// the words that it makes, and shows the same request in the words of bsub, dlicmd and curl.

import {ask, get, store} from './api.js';
import {draw, go} from './app.js';
import {clean, h} from './dom.js';
import {bytes} from './format.js';

const TYPES = [['single', 'Single node'], ['multi', 'Multi node'], ['elastic', 'Elastic nodes']];
const DRAFT = 'wm-draft';
const FRESH = {name: '', framework: 'PyTorch', command: 'train.py', device: 'gpu', perWorker: '1', memory: '', type: 'single', nodes: '2', plan: '', data: '', env: ''};

/** The words of --exec-start that these choices are. Blanks separate: values have none. */
export function wordsOf(d) {
  const words = ['--exec-start', d.framework];
  const add = (option, value) => value && words.push(option, value.trim().replace(/\s+/g, '-'));
  const [main, ...args] = d.command.trim().split(/\s+/);
  add('--appName', d.name);
  words.push('--numWorker', d.type === 'single' ? '1' : d.nodes || '1');
  words.push('--workerDeviceType', d.device, '--workerDeviceNum', d.perWorker || '1');
  add('--workerMemory', d.memory);
  add('--consumer', d.plan);
  if (d.data.trim()) words.push('--cs-datastore-meta', `type=fs,data_path=${d.data.trim()}`);
  for (const line of d.env.split('\n').filter((l) => l.includes('='))) words.push('--msd-env', line.trim().replace(/\s+/g, ''));
  if (main) words.push('--model-main', main);
  return args.length ? [...words, '--', ...args] : words;
}

function frameworkFor(type, framework) {
  const torch = !/tensorflow/i.test(framework);
  if (type === 'elastic') return torch ? 'edtPyTorch' : 'edtTensorflow';
  if (type === 'multi') return torch ? 'distPyTorch' : 'disttensorflow';
  return torch ? 'PyTorch' : 'tensorflow';
}

class Experiment {
  draft = {...FRESH, ...JSON.parse(sessionStorage.getItem(DRAFT) || '{}')};
  frameworks = [];
  plans = [];
  gpus = 0;
  file = null;
  verdict = null;
  problem = '';
  busy = false;
  key = crypto.randomUUID();

  title = () => 'New experiment';
  async load() {
    const [frameworks, plans, hosts] = await Promise.all([get('/platform/rest/deeplearning/v1/execs/frameworks'), get('/api/v1/plans'), get('/api/v1/hosts')]);
    this.frameworks = frameworks;
    this.plans = plans.plans.map((p) => p.plan);
    this.gpus = hosts.hosts.reduce((sum, host) => sum + (host.ngpus || 0), 0);
    if (!this.gpus) this.draft.device = 'cpu';
    await this.judge();
  }

  set(name, value) {
    this.draft[name] = value;
    if (name === 'type') this.draft.framework = frameworkFor(value, this.draft.framework);
    if (name === 'framework') this.draft.type = /^edt/i.test(value) ? 'elastic' : /^dist/i.test(value) ? 'multi' : 'single';
    sessionStorage.setItem(DRAFT, JSON.stringify(this.draft));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.judge(), 400);
    draw();
  }
  async judge() {
    try {
      this.verdict = await get(`/api/v1/lines?args=${encodeURIComponent(wordsOf(this.draft).join(' '))}`);
      this.verdict.ok = true;
    } catch (problem) {
      this.verdict = {ok: false, text: problem.message};
    }
    draw();
  }

  async submit(event) {
    event.preventDefault();
    if (!this.file) {
      this.problem = 'Which code? Choose a zip, a tar, or one script.';
      draw();
      document.querySelector('[role=alert]')?.focus();
      return;
    }
    this.busy = true;
    this.problem = '';
    draw();
    try {
      const form = new FormData();
      form.append('file', this.file);
      const args = encodeURIComponent(wordsOf(this.draft).join(' '));
      const answer = await ask('POST', `/platform/rest/deeplearning/v1/execs?args=${args}`, {body: form, headers: {'Idempotency-Key': this.key}});
      const exec = await answer.json();
      sessionStorage.removeItem(DRAFT);
      go(`/apps/${exec.id.split('-').at(-1)}`);
    } catch (problem) {
      this.problem = problem.message;
      this.key = crypto.randomUUID();
    }
    this.busy = false;
    draw();
  }

  text(name, label, note, props) {
    return h('label', {class: 'field'}, h('span', null, label), h('input', {type: 'text', name, value: this.draft[name], onInput: (e) => this.set(name, e.target.value), ...props}), note && h('small', null, note));
  }
  choice(name, label, options, note) {
    return h('label', {class: 'field'}, h('span', null, label), h('select', {name, value: this.draft[name], onChange: (e) => this.set(name, e.target.value)},
      options.map(([value, text]) => h('option', {value}, text))), note && h('small', null, note));
  }
  segment(name, label, options) {
    return h('fieldset', {class: 'field'}, h('legend', null, label), h('span', {class: 'seg', role: 'group', 'aria-label': label}, options.map(([value, text, off]) =>
      h('button', {type: 'button', 'data-choice': `${name}-${value}`, 'aria-pressed': String(this.draft[name] === value), disabled: Boolean(off), onClick: () => this.set(name, value)}, text))));
  }

  fields() {
    const d = this.draft;
    return h('form', {class: 'panel', onSubmit: (e) => this.submit(e), id: 'experiment'},
      this.problem && h('p', {class: 'note err', role: 'alert', tabindex: '-1'}, this.problem),
      h('h2', null, '1 Name'), this.text('name', 'Name', 'Without one it is the framework’s.', {maxlength: '100'}),
      h('h2', null, '2 Code'),
      h('label', {class: 'field'}, h('span', null, 'Zip, tar or script'), h('input', {type: 'file', name: 'code', accept: '.zip,.tar,.gz,.tgz,.py,.sh', onChange: (e) => { this.file = e.target.files[0] || null; draw(); }}),
        h('small', null, this.file ? `${clean(this.file.name)}, ${bytes(this.file.size)}` : 'A folder is found by the script below.')),
      this.text('command', 'Script and its arguments', 'The script’s path within the code, then what it is given: train.py --epochs 20', {required: true}),
      h('h2', null, '3 How it runs'),
      this.segment('type', 'Training type', TYPES),
      h('div', {class: 'two'}, this.choice('framework', 'Framework', this.frameworks.map((f) => [f.name, f.name]), this.frameworks.find((f) => f.name === d.framework)?.desc?.[0]),
        d.type === 'single' ? h('label', {class: 'field'}, h('span', null, 'Nodes'), h('input', {type: 'number', value: '1', disabled: true}), h('small', null, 'A single node has one worker.'))
          : this.text('nodes', d.type === 'elastic' ? 'Nodes, at most' : 'Nodes', d.type === 'elastic' ? 'It has 1 to this many, as its share allows.' : 'All start together.', {type: 'number', min: '1', max: '1000'})),
      h('div', {class: 'two'}, this.segment('device', 'Resource', [['cpu', 'CPU'], ['gpu', 'GPU', !this.gpus]]),
        this.text('perWorker', d.device === 'gpu' ? 'GPUs of each worker' : 'CPUs of each worker', this.gpus ? null : 'The cluster has no GPU.', {type: 'number', min: '1', max: '64'})),
      h('div', {class: 'two'}, this.text('memory', 'Memory of each worker', 'Such as 8g; without it what the queue gives.'),
        this.choice('plan', 'Resource plan', [['', 'default'], ...this.plans.map((p) => [p, p])])),
      h('h2', null, '4 Data and environment'),
      this.text('data', 'Folder of data', 'Below the cluster’s data folder; DATA_DIR in the script.'),
      h('label', {class: 'field'}, h('span', null, 'Environment'), h('textarea', {name: 'env', rows: '2', value: d.env, onInput: (e) => this.set('env', e.target.value)}), h('small', null, 'NAME=VALUE, one a line.')),
      h('div', {class: 'foot2'}, h('button', {class: 'btn', type: 'button', onClick: () => { this.draft = {...FRESH}; sessionStorage.removeItem(DRAFT); this.judge(); }}, 'Start over'),
        h('button', {class: 'btn pri', disabled: this.busy}, this.busy ? 'Uploading…' : 'Create and run')));
  }

  side() {
    const v = this.verdict;
    return h('div', {class: 'side'}, h('section', {class: 'panel', 'aria-labelledby': 'h-e'}, h('div', {class: 'ph'}, h('h2', {id: 'h-e'}, 'The same request')),
      h('div', {class: 'pb'}, v && !v.ok && h('p', {class: 'err', role: 'status'}, v.text),
        v?.ok && [h('p', {class: 's m'}, 'The equivalent bsub line'), h('pre', {class: 'cmd', id: 'bsub-line'}, v.bsub),
          h('p', {class: 's m', style: {'margin-top': '10px'}}, 'dlicmd'), h('pre', {class: 'cmd'}, `${v.dlicmd.replace(/^dlicmd /, 'dlicmd ')} --model-dir code`.replace(/( -- .*)( --model-dir code)$/, '$2$1')),
          h('p', {class: 's m', style: {'margin-top': '10px'}}, 'curl'), h('pre', {class: 'cmd'}, `curl -u ${store.session.user} -F file=@code.zip '${location.origin}/platform/rest/deeplearning/v1/execs?args=${encodeURIComponent(v.dlicmd.replace(/^dlicmd /, ''))}'`)])));
  }

  view() {
    return [h('div', {class: 'head'}, h('div', null, h('h1', null, 'New experiment'), h('p', {class: 'sub'}, 'One run of your code. What it asks for is a job like any other.'))),
      h('div', {class: 'form'}, this.fields(), this.side())];
  }
}

export const newExperiment = () => new Experiment();
