// Role: for tests of what is drawn: what the server answers on each page, with names as `name` makes
// them: plain ones, or such as somebody hostile would choose.

import type {JobEvent, JobFull, JobRow, Metric, Task} from '../../api/shapes.ts';
import type {Gpu, Host, Plan, Queue} from '../../api/shapes_admin.ts';
import type {ComparedRun, Notebook, RunRow, Search, ServiceRow, Trial} from '../../api/shapes_more.ts';
import type {FakeServer} from './fake_server.ts';

export type Name = (plain: string) => string;
export const plain: Name = (name) => name;
export const SCRIPT = '<script>window.hacked=1</script>';
export const hostile: Name = (name) => `${name}${SCRIPT}\u202e\u200b`;

export const jobRow = (jobid: string, name: Name = plain, more: Partial<JobRow> = {}): JobRow => ({
  jobid,
  user: name('ann'),
  queue: name('normal'),
  application: name('edtPyTorch'),
  job_name: name('mnist'),
  exec_host: [name('n1')],
  nalloc_slot: 2,
  min_req_proc: 1,
  max_req_proc: 4,
  submit_time: 100,
  start_time: 200,
  finish_time: null,
  pend_time_s: 5,
  exit_code: null,
  estimated_start_time: null,
  gpu_num: 1,
  app_type: 'training',
  wm_state: 'running',
  plan: name('/research'),
  nresize: 2,
  elastic: true,
  is_array: false,
  ...more,
});
export const task = (n: number, name: Name = plain): Task => ({
  task: n,
  rank: n,
  host: name(`n${n}`),
  gpus: ['0'],
  state: 'running',
  dispatch_time: 200,
  end_time: null,
});
export const jobFull = (name: Name = plain, more: Partial<JobFull> = {}): JobFull => ({
  ...jobRow('12', name),
  command: name('python train.py'),
  epoch: 3,
  task_cpus: 2,
  task_mem_bytes: 2 ** 30,
  mem_bytes: 2 ** 20,
  max_mem_bytes: 2 ** 21,
  idle_factor: 1.5,
  tasks: [task(0, name), task(1, name)],
  reasons: [{code: 'share', text: name('alice and bob have equal shares'), fix: name('wait')}],
  ...more,
});
const event = (name: Name): JobEvent => ({
  t: 300,
  event: 'RESIZE',
  from: 4,
  to: 2,
  reason: name('102 arrived'),
  pause_ms: null,
  steps_lost: null,
});
const metric = (name: Name): Metric => ({
  group: 'train',
  name: name('loss'),
  count: 2,
  points: [
    [0, 200, 2, 1, 3],
    [1, 260, 1, 1, 1],
  ],
});
export const gpu = (id: number, name: Name = plain, more: Partial<Gpu> = {}): Gpu => ({
  gpu_id: id,
  gpu_model: name('H100'),
  gpu_status: 'ok',
  gpu_reason: '',
  mtotal_bytes: 2 ** 36,
  mused_bytes: 2 ** 35,
  gpu_mode: 'shared',
  jobids: ['12'],
  ut: 91,
  temp: 60,
  uuid: 'u',
  mig: '',
  ...more,
});
export const host = (name: Name = plain, more: Partial<Host> = {}): Host => ({
  host_name: name('n1'),
  status: name('ok'),
  state: 'ok',
  connected: true,
  closed: false,
  draining: false,
  moving: null,
  run: 2,
  max: 4,
  ngpus: 1,
  ngpus_alloc: 1,
  ncpus: 8,
  ncpus_alloc: 2,
  total_mem_bytes: 2 ** 36,
  reserved_mem_bytes: 2 ** 33,
  address: name('10.0.0.1'),
  comments: name('a fan'),
  silent_since: null,
  load_indexes: {r1m: 0.5, r15m: 0.7, ut: 0.25, mem_bytes: 2 ** 35, tmp_bytes: 0},
  gpus: [gpu(0, name)],
  ...more,
});
export const queue = (name: Name = plain, more: Partial<Queue> = {}): Queue => ({
  queue_name: name('normal'),
  priority: 30,
  status: 'Open:Active',
  njobs: 3,
  pend: 1,
  run: 2,
  susp: 0,
  max: 64,
  jl_u: null,
  jl_h: null,
  description: name('for everybody'),
  users: [name('all')],
  hosts: [],
  plan: '/',
  runlimit_s: 3600,
  comments: name('maintenance'),
  closed: false,
  inactive: false,
  ...more,
});
export const plan = (name: Name = plain, more: Partial<Plan> = {}): Plan => ({
  plan: name('/research'),
  shares: 1,
  owns: 4,
  limit: null,
  used: 2,
  demand: 4,
  deserved: 2,
  lent: 0,
  borrowed: 0,
  policy: '',
  users: [],
  description: '',
  loans: [{from: name('/serving'), to: name('/research'), amount: 1}],
  ...more,
});
export const runRow = (id: string, name: Name = plain, more: Partial<RunRow> = {}): RunRow => ({
  id,
  exec_id: `c-${id}`,
  state: 'finished',
  kept: false,
  own: true,
  elements: 0,
  counts: {},
  description: name('the first'),
  note: '',
  tags: [name('paper')],
  starred: false,
  shelved: false,
  etag: 'e1',
  name: name('mnist'),
  user: name('ann'),
  args: '--model-main a.py -- --lr 0.1',
  submit_time: 100,
  start_time: 200,
  finish_time: 260,
  ...more,
});
export const compared = (id: string, name: Name = plain): ComparedRun => ({
  id,
  name: name('mnist'),
  user: name('ann'),
  state: 'finished',
  settings: {[name('lr')]: name(id), seed: '1'},
  metrics: {'train loss': Number(id)},
  extremes: {'train loss': [0, 9]},
});
export const trial = (index: number, name: Name = plain, more: Partial<Trial> = {}): Trial => ({
  index,
  job: `1[${index}]`,
  exec_id: `c-1.${index}`,
  state: 'finished',
  value: index / 10,
  config: {lr: index / 100, [name('opt')]: name('adam')},
  metrics: {},
  start_time: 200,
  finish_time: 260,
  why: name('rung 1'),
  ...more,
});
export const search = (name: Name = plain, more: Partial<Search> = {}): Search => ({
  job: 1,
  name: name('tune'),
  user: name('ann'),
  state: 'running',
  paused: false,
  reason: name('it goes on'),
  submit_time: 100,
  finish_time: null,
  parallel: 2,
  total: 4,
  running: 1,
  failed: 0,
  over: 2,
  best: trial(1, name),
  search: {metric: name('loss'), goal: 'minimize', space: [{name: 'lr'}]},
  trials: [trial(1, name), trial(2, name, {state: 'stopped'})],
  ...more,
});
export const service = (name: Name = plain, more: Partial<ServiceRow> = {}): ServiceRow => ({
  name: name('digits'),
  state: 'Started',
  job: '9',
  owner: 'ann',
  plan: name('/serving'),
  space: name('space'),
  model: name('m'),
  kernel_min: 0,
  kernel_max: 3,
  router: null,
  ...more,
});
export const notebook = (name: Name = plain, more: Partial<Notebook> = {}): Notebook => ({
  id: '9',
  job: jobRow('9', name, {app_type: 'notebook'}),
  web: null,
  shared: [],
  ...more,
});
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

function aboutJobs(name: Name): Record<string, unknown> {
  const job = '/api/v1/jobs/12';
  const exec = {args: '--exec-start PyTorch', framework: name('PyTorch'), bsub: name('bsub x')};
  const worker = {task: 0, stdout: 9, stderr: 0};
  return {
    [job]: {now: 900, own: true, exec_id: name('c-12'), exec, job: jobFull(name)},
    [`${job}/timeline`]: {events: [event(name)]},
    [`${job}/metrics`]: {series: [metric(name)]},
    [`${job}/logs`]: {workers: [worker, {...worker, task: 1}]},
    [`${job}/logs/0/stdout`]: name('step 1'),
    [`${job}/data`]: {data: {job: '11', state: 'running', progress: {error: name('no such')}}},
    [`${job}/use`]: {hosts: []},
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
      budgets: [
        {
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
        },
      ],
    },
    '/api/v1/limits': {
      limits: [
        {
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
        },
      ],
    },
    '/api/v1/audit': {
      acts: [
        {
          number: 1,
          time: 100,
          by: name('root'),
          act: name('close'),
          objects: [name('n1')],
          why: name('a fan'),
          refused: '',
        },
      ],
      checked: 1,
      broken: '',
    },
    '/api/v1/config/queues.conf': {
      file: 'queues.conf',
      path: name('/etc/wm/queues.conf'),
      text: name('[normal]'),
      hash: 'h',
      parts: [name('part.conf')],
      wrong: [name('queues.conf:1: what')],
      pending: [name('priority: 1 → 2')],
    },
  };
}
function aboutAssets(name: Name): Record<string, unknown> {
  const project = {name: name('default'), description: name('d'), plan: name('/r'), members: []};
  const framework = {
    name: name('PyTorch'),
    desc: [name('trains')],
    frameworkVersion: '2',
    execMode: 'single',
    elastic: false,
    maxWorkers: 1,
    origin: name('site'),
    available: false,
    reason: name('no torch'),
  };
  const space = {
    name: name('s'),
    owner: 'ann',
    role: 'owner',
    description: name('d'),
    plan: name('/r'),
    members: 0,
    models: 1,
    deployments: 0,
  };
  return {
    '/api/v1/projects': {projects: [project]},
    '/api/v1/projects/p': project,
    '/api/v1/projects/p/definitions': {definitions: [definition(name)]},
    '/api/v1/projects/p/experiments': {experiments: [experiment(name)]},
    '/api/v1/projects/p/definitions/cnn/versions': {versions: [version(name)]},
    '/api/v1/models': {
      models: [
        {
          name: name('m'),
          project: name('p'),
          run: 'c-12',
          metrics: {[name('loss')]: 1},
          code_hash: 'abc',
          saved: 100,
        },
      ],
    },
    '/api/v1/spaces': {spaces: [space], away: [name('bob')]},
    '/api/v1/spaces/s': {
      ...space,
      members: [{name: name('bob'), role: 'viewer'}],
      models: [
        {name: name('m'), run: 'c-12', user: name('ann'), promoted_by: name('bob'), metrics: {}},
      ],
      deployments: [{name: name('d'), user: name('ann'), model: name('m'), state: 'Started'}],
    },
    '/api/v1/frameworks': {frameworks: [framework]},
    '/api/v1/runtime': {packages: [{name: name('torch'), version: name('2'), available: true}]},
    '/api/v1/volumes': {
      volumes: [
        {
          name: name('v'),
          description: name('d'),
          path: name('/data'),
          read_only: true,
          available: true,
        },
      ],
    },
    '/api/v1/hwspecs': {
      hwspecs: [
        {
          name: name('h'),
          description: name('d'),
          cpus: 2,
          memory: '8G',
          gpus: 1,
          gpu_kind: 'full',
          mig: '',
        },
      ],
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
