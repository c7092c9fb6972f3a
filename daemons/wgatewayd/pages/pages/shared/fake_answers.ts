// Role: for tests of what is drawn: what the server answers on each page.

import {
  compared,
  event,
  host,
  jobFull,
  metric,
  type Name,
  notebook,
  plain,
  plan,
  queue,
  runRow,
  search,
  service,
} from './fake_rows.ts';
import type {FakeServer} from './fake_server.ts';

const version = (name: Name) => ({
  version: 'v2',
  made: 100,
  made_by: name('ann'),
  state: 'earlier',
  code_name: name('code.zip'),
  hash: 'abcdef0123',
  command: name('train.py'),
});

const definition = (name: Name) => ({
  name: name('cnn'),
  framework: name('edtPyTorch'),
  command: name('train.py'),
  device: 'gpu',
  per_worker: '1',
  memory: '',
  nodes: '4',
  hardware: '',
  gpu_kind: '',
  mig: '',
  code_name: name('code.zip'),
  env: [],
});
const experiment = (name: Name) => ({
  name: name('exp'),
  description: name('d'),
  data: name('mnist'),
  volume: '',
  command: '',
  plan: '',
  definitions: [name('cnn')],
  runs: ['c-12'],
});

const budget = (name: Name) => ({
  budget: name('gpu'),
  period: name('2026-11'),
  unit: 'GPU',
  granted: 100,
  carried: 0,
  used: 31,
  reserved: 2,
  left: 67,
  percent_used: 33,
  empty_at: null,
  at_end: '',
});
const limit = (name: Name) => ({
  name: name('lim'),
  users: name('ann'),
  queues: '',
  hosts: '',
  plans: '',
  projects: '',
  apps: '',
  slots: '4/16',
  jobs: '-',
  mem: '',
});
const act = (name: Name) => ({
  number: 1,
  time: 100,
  by: name('root'),
  act: name('close'),
  objects: [name('n1')],
  why: name('a fan'),
  refused: '',
});
const configFile = (name: Name) => ({
  file: 'queues.conf',
  path: name('/etc/wm/queues.conf'),
  text: name('[normal]'),
  hash: 'h',
  parts: [name('part.conf')],
  wrong: [name('queues.conf:1: what')],
  pending: [name('priority: 1 → 2')],
});
const model = (name: Name) => ({
  name: name('m'),
  project: name('p'),
  run: 'c-12',
  metrics: {[name('loss')]: 1},
  code_hash: 'abc',
  saved: 100,
});
const volume = (name: Name) => ({
  name: name('v'),
  description: name('d'),
  path: name('/data'),
  read_only: true,
  available: true,
});
const hardware = (name: Name) => ({
  name: name('h'),
  description: name('d'),
  cpus: 2,
  memory: '8G',
  gpus: 1,
  gpu_kind: 'full',
  mig: '',
});

const framework = (name: Name) => ({
  name: name('PyTorch'),
  desc: [name('trains')],
  frameworkVersion: '2',
  execMode: 'single',
  elastic: false,
  maxWorkers: 1,
  origin: name('site'),
  available: false,
  reason: name('no torch'),
});
const space = (name: Name) => ({
  name: name('s'),
  owner: 'ann',
  role: 'owner',
  description: name('d'),
  plan: name('/r'),
  members: 0,
  models: 1,
  deployments: 0,
});

const runFile = (name: Name) => ({path: name('model.pt'), kind: 'model', size: 9, time: 200});
const results = {
  bytes: 2 ** 30,
  files: 3,
  counted: 800,
  counting: false,
  quota: 2 ** 31,
  room: 'enough',
  words: '',
};

function aboutJobs(name: Name): Record<string, unknown> {
  const job = '/api/v1/jobs/12';
  const exec = {args: '--exec-start PyTorch', framework: name('PyTorch'), bsub: name('bsub x')};
  const worker = {task: 0, stdout: 9, stderr: 0};
  return {
    [job]: {now: 900, own: true, exec_id: name('c-12'), exec, groups: [], job: jobFull(name)},
    [`${job}/timeline`]: {events: [event(name)]},
    [`${job}/metrics`]: {series: [metric(name)]},
    [`${job}/logs`]: {workers: [worker, {...worker, task: 1}]},
    [`${job}/logs/0/stdout`]: name('step 1'),
    [`${job}/data`]: {data: {job: '11', state: 'running', progress: {error: name('no such')}}},
    [`${job}/use`]: {hosts: []},
    '/api/v1/runs/12/files': {files: [runFile(name)], count: 1, bytes: 9, complete: true},
    '/api/v1/runs/12': {run: runRow('12', name)},
    '/api/v1/slots': {now: 900, from: 0, capacity: 4, apps: [], changes: []},
  };
}
function aboutCluster(name: Name): Record<string, unknown> {
  const used = {jobs: 3, done: 2, slot_s: 7200, gpu_s: 3600, cpu_s: 3600, wait_s: 60};
  return {
    '/api/v1/hosts': {hosts: [host(name), host(name, {host_name: name('n2'), state: 'silent'})]},
    '/api/v1/hosts/n1': {host: host(name)},
    '/api/v1/queues': {queues: [queue(name), queue(name, {queue_name: name('q2'), closed: true})]},
    '/api/v1/plans': {plans: [plan(name), plan(name, {plan: '/'})]},
    '/api/v1/capacity': {gpus_all: 1},
    '/api/v1/usage': {
      now: 200_000,
      from: 100_000,
      by: 'user',
      rows: [{name: name('ann'), ...used}],
      days: [{t: 100_000, user: name('ann'), jobs: 3, slot_s: 7200, gpu_s: 3600}],
    },
    '/api/v1/budgets': {
      budgets: [budget(name)],
    },
    '/api/v1/limits': {
      limits: [limit(name)],
    },
    '/api/v1/audit': {
      acts: [act(name)],
      checked: 1,
      broken: '',
    },
    '/api/v1/config/queues.conf': configFile(name),
  };
}
function aboutAssets(name: Name): Record<string, unknown> {
  const project = {name: name('default'), description: name('d'), plan: name('/r'), members: []};
  return {
    '/api/v1/projects': {projects: [project]},
    '/api/v1/projects/p': project,
    '/api/v1/projects/default/definitions': {definitions: []},
    '/api/v1/projects/default/experiments': {experiments: []},
    '/api/v1/projects/p/definitions': {definitions: [definition(name)]},
    '/api/v1/projects/p/experiments': {experiments: [experiment(name)]},
    '/api/v1/projects/p/definitions/cnn/versions': {versions: [version(name)]},
    '/api/v1/models': {
      models: [model(name)],
    },
    '/api/v1/spaces': {spaces: [space(name)], away: [name('bob')]},
    '/api/v1/spaces/s': {
      ...space(name),
      members: [{name: name('bob'), role: 'viewer'}],
      models: [
        {name: name('m'), run: 'c-12', user: name('ann'), promoted_by: name('bob'), metrics: {}},
      ],
      deployments: [{name: name('d'), user: name('ann'), model: name('m'), state: 'Started'}],
    },
    '/api/v1/frameworks': {frameworks: [framework(name)]},
    '/api/v1/runtime': {packages: [{name: name('torch'), version: name('2'), available: true}]},
    '/api/v1/volumes': {
      volumes: [volume(name)],
    },
    '/api/v1/hwspecs': {
      hwspecs: [hardware(name)],
    },
    '/api/v1/connections': {connections: [{name: name('c'), type: 's3', endpoint: name('e')}]},
  };
}
function aboutRuns(name: Name): Record<string, unknown> {
  return {
    '/api/v1/runs': {runs: [runRow('12', name), runRow('9', name)], count: 2},
    '/api/v1/runs/compare': {runs: [compared('1', name), compared('2', name)]},
    '/api/v1/runs/series': {width: 1, runs: [{series: []}, {series: []}]},
    '/api/v1/views': {
      views: [{name: name('mine'), page: '/runs', search: '?q=x', by: name('ann')}],
    },
    '/api/v1/searches': {searches: [search(name)]},
    '/api/v1/searches/tune': {search: search(name)},
    '/api/v1/services': {
      services: [service(name)],
      others: [service(name, {owner: name('bob')})],
    },
    '/api/v1/services/digits': {
      ...service(name),
      version: name('v3'),
      earlier: [name('v2')],
      canary: null,
      started: 100,
      uri: name('https://wm.test/inference/digits'),
      profile: {},
      signature: null,
      why: name('nobody asks'),
    },
    '/api/v1/services/digits/series': {samples: []},
    '/api/v1/notebooks': {
      now: 900,
      profiles: [{name: name('jupyter'), description: name('a notebook')}],
      notebooks: [notebook(name)],
    },
    '/api/v1/keys': {
      now: 900,
      keys: [{name: name('laptop'), scopes: 'read', created: 100, expires: 9e9}],
    },
    '/api/v1/results': results,
    '/api/v1/lines': {bsub: name('bsub x'), dlicmd: name('dlicmd x')},
  };
}

/** All of it, to a server that answers what is asked for. */
export function answerAll(server: FakeServer, name: Name = plain): FakeServer {
  const all = {
    ...aboutJobs(name),
    ...aboutCluster(name),
    ...aboutAssets(name),
    ...aboutRuns(name),
  };
  for (const [path, answer] of Object.entries(all)) server.on(`GET ${path}`, answer);
  return server.on('POST /api/v1/config/queues.conf/check', {
    wrong: [],
    warnings: [name('unused')],
    changes: [],
  });
}
