// Role: an experiment's definitions in the words of --exec-start, and refusals in those words back
// at their fields. Pure.

import type {Definition} from '../../api/shapes.ts';

/** What is typed of a new definition. */
export const FRESH_DEFINITION = {
  definition: '',
  framework: 'PyTorch',
  command: 'train.py',
  device: 'gpu',
  per_worker: '1',
  memory: '',
  hardware: '',
  gpu_kind: 'full',
  mig: '',
  type: 'single',
  nodes: '2',
  env: '',
};
export type DefinitionTexts = typeof FRESH_DEFINITION;

/** What is typed of the experiment itself. */
export const FRESH = {
  project: 'default',
  newProject: '',
  projectPlan: '',
  name: '',
  description: '',
  data: '',
  volume: '',
  plan: '',
  allCommand: '',
};
export type ExperimentTexts = typeof FRESH;

/** What a request is made of. */
export type Manifest = Omit<Definition, 'code_name'>;

export const typeOf = (framework: string) =>
  /^edt/i.test(framework) ? 'elastic' : /^dist/i.test(framework) ? 'multi' : 'single';

/** The framework for a training type, of the same library. */
export function frameworkFor(type: string, framework: string): string {
  const torch = !/tensorflow/i.test(framework);
  if (type === 'elastic') return torch ? 'edtPyTorch' : 'edtTensorflow';
  if (type === 'multi') return torch ? 'distPyTorch' : 'disttensorflow';
  return torch ? 'PyTorch' : 'tensorflow';
}

/** What the server keeps of a definition. */
export function manifestOf(d: DefinitionTexts): Manifest {
  const custom = d.device === 'gpu' && !d.hardware;
  return {
    name: d.definition.trim(),
    framework: d.framework,
    command: d.command,
    device: d.device,
    per_worker: d.per_worker || '1',
    memory: d.memory.trim(),
    hardware: d.hardware,
    gpu_kind: custom ? d.gpu_kind : '',
    mig: custom && d.gpu_kind === 'slice' ? d.mig.trim() : '',
    nodes: typeOf(d.framework) === 'single' ? '1' : d.nodes || '1',
    env: d.env
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
  };
}

/** One that is there as the form has it, to be changed. */
export const textsOf = (d: Manifest): DefinitionTexts => ({
  ...FRESH_DEFINITION,
  definition: d.name,
  framework: d.framework,
  type: typeOf(d.framework),
  command: d.command,
  device: d.device,
  per_worker: d.per_worker,
  memory: d.memory,
  hardware: d.hardware,
  gpu_kind: d.gpu_kind || FRESH_DEFINITION.gpu_kind,
  mig: d.mig,
  nodes: d.nodes,
  env: d.env.join('\n'),
});

/** The words of --exec-start that a definition in an experiment is. */
export function wordsOf(x: ExperimentTexts, d: Manifest, plan: string): string[] {
  const words = ['--exec-start', d.framework];
  const add = (option: string, value: string) => value.trim() && words.push(option, value.trim());
  const [main = '', ...args] = (x.allCommand || d.command).trim().split(/\s+/);
  add('--appName', x.name === d.name || !d.name ? x.name : `${x.name}-${d.name}`);
  words.push('--numWorker', d.nodes);
  if (!d.hardware) {
    words.push('--workerDeviceType', d.device, '--workerDeviceNum', d.per_worker);
    add('--workerMemory', d.memory);
  }
  add('--consumer', plan);
  const data = x.data.trim();
  if (data && !x.volume) words.push('--cs-datastore-meta', `type=fs,data_path=${data}`);
  for (const pair of d.env) words.push('--msd-env', pair);
  add('--model-main', main);
  return args.length ? [...words, '--', ...args] : words;
}

/** What the request says besides those words, as the form field `data`; empty: nothing. */
export function dataOf(x: ExperimentTexts, d: Manifest): string {
  const data: Record<string, unknown> = {};
  const mig = d.mig ? {mig_profile: d.mig} : {};
  if (d.hardware) data.hardwareSpec = {name: d.hardware};
  else if (d.gpu_kind) {
    data.hardwareSpec = {nodes: {gpu: {num_gpu: d.per_worker, kind: d.gpu_kind, ...mig}}};
  }
  const paths = x.data.trim() ? {paths: x.data.trim()} : {};
  if (x.volume) data.dataSource = [{type: 'fs', location: {volume: x.volume, ...paths}}];
  return Object.keys(data).length ? JSON.stringify(data) : '';
}

const OPTIONS: readonly (readonly [option: string, field: string, label: string])[] = [
  ['--workerDeviceNum', 'per_worker', 'each worker'],
  ['--workerDeviceType', 'device', 'resource'],
  ['--workerMemory', 'memory', 'memory'],
  ['--numWorker', 'nodes', 'nodes'],
  ['--model-main', 'command', 'command'],
  ['--msd-env', 'env', 'environment'],
  ['--consumer', 'plan', 'plan'],
  ['--cs-datastore-meta', 'data', 'folder'],
  ['--appName', 'name', 'name'],
];
const MENTIONED: readonly (readonly [pattern: RegExp, field: string, said?: string])[] = [
  [/gpu\.mig_profile go together/, 'mig', 'A slice wants its MIG profile.'],
  [/^framework /, 'framework'],
  [/storage volume/, 'volume'],
  [/hardware specification/, 'hardware'],
  [/\bMIG\b/, 'mig'],
  [/\bplan\b/, 'plan'],
];

/** The field that a refusal is about, in the form's own words; empty: none. */
export function located(text: string): {field: string; text: string} {
  for (const [option, field, label] of OPTIONS) {
    if (text.includes(option)) return {field, text: text.replaceAll(option, label)};
  }
  const found = MENTIONED.find(([pattern]) => pattern.test(text));
  return {field: found?.[1] ?? '', text: found?.[2] ?? text};
}
