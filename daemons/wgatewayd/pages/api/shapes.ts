// Role: names for what /api/v1 sends and takes.

export interface Session {
  readonly user: string;
  readonly cluster: string;
  readonly version: string;
  readonly admin: boolean;
  readonly now: number;
}
/** A row of a list of jobs. What another's job does not show is absent. */
export interface JobRow {
  readonly jobid: string;
  readonly user: string;
  readonly queue: string;
  readonly application: string;
  readonly job_name?: string;
  readonly exec_host: readonly string[];
  readonly nalloc_slot: number | null;
  readonly min_req_proc: number | null;
  readonly max_req_proc: number | null;
  readonly submit_time: number | null;
  readonly start_time: number | null;
  readonly finish_time: number | null;
  readonly pend_time_s: number | null;
  readonly complete_percent?: number | null;
  readonly exit_code: number | null;
  readonly exit_reason?: string;
  readonly estimated_start_time: number | null;
  readonly pend_reason?: string;
  readonly gpu_num: number | null;
  readonly app_type: string;
  readonly wm_state: string;
  readonly plan: string;
  readonly nresize: number | null;
  readonly step?: number | null;
  readonly loss?: number | null;
  readonly accuracy?: number | null;
  readonly samples_per_s?: number | null;
  readonly elastic: boolean;
  readonly is_array: boolean;
}
export interface Task {
  readonly task: number | null;
  readonly rank: number | null;
  /** Of a job with groups: ps, worker, …; empty for any other. */
  readonly role: string;
  readonly host: string;
  readonly gpus: readonly string[];
  readonly state: string;
  readonly dispatch_time: number | null;
  readonly end_time: number | null;
}
export interface Reason {
  readonly code: string;
  /** Absent where it is not visible to who asks. */
  readonly text?: string;
  readonly fix?: string;
}
export interface JobFull extends JobRow {
  readonly command?: string;
  readonly output_file?: string;
  readonly error_file?: string;
  readonly epoch: number | null;
  readonly task_cpus: number | null;
  readonly task_mem_bytes: number | null;
  /** What its processes use together. */
  readonly mem_bytes: number | null;
  readonly max_mem_bytes: number | null;
  /** CPU time by run time. */
  readonly idle_factor: number | null;
  readonly tasks: readonly Task[];
  readonly reasons: readonly Reason[];
}
export interface JobFacts {
  readonly now: number;
  readonly own: boolean;
  readonly exec_id: string;
  readonly exec: {readonly args: string; readonly framework: string; readonly bsub: string} | null;
  /** Of a job with several groups of tasks, each with the id of its page. */
  readonly groups: readonly {readonly jobid: string; readonly name: string}[];
  readonly job: JobFull;
}
export interface JobEvent {
  readonly t: number;
  readonly event: string;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  readonly pause_ms: number | null;
  readonly steps_lost: number | null;
}
export interface Change extends JobEvent {
  readonly id: string;
  readonly name: string;
}
export interface Slots {
  readonly now: number;
  readonly from: number;
  readonly capacity: number;
  readonly apps: readonly SlotsApp[];
  readonly changes: readonly Change[];
}
export interface SlotsApp {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly steps: readonly (readonly [number, number])[];
}
/** Points: iteration, time, last, least, most. */
export type MetricPoint = readonly [number, number, number, number, number];
export interface Metric {
  readonly group: string;
  readonly name: string;
  readonly count: number;
  readonly points: readonly MetricPoint[];
}
export interface WorkerLog {
  readonly task: number;
  readonly stdout: number;
  readonly stderr: number;
}
export interface Staged {
  readonly job: string;
  readonly state: string;
  readonly progress: {
    readonly state?: string;
    readonly bytes?: number;
    readonly total?: number;
    readonly cached?: boolean;
    readonly error?: string;
  } | null;
}
export interface Act {
  readonly number: number;
  readonly time: number;
  readonly by: string;
  readonly act: string;
  readonly objects: readonly string[];
  readonly why: string;
  readonly refused: string;
}
export interface Audit {
  readonly acts: readonly Act[];
  readonly checked: number;
  readonly broken: string;
}
export interface Framework {
  readonly name: string;
  readonly desc: readonly string[];
  readonly frameworkVersion: string;
  readonly execMode: string;
  readonly elastic: boolean;
  readonly maxWorkers: number;
  readonly origin: string;
  readonly available: boolean;
  readonly reason?: string;
}
export interface Package {
  readonly name: string;
  readonly version: string;
  readonly available: boolean;
}
export interface Volume {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly read_only: boolean;
  readonly available: boolean;
  readonly reason?: string;
}
export interface Hardware {
  readonly name: string;
  readonly description: string;
  readonly cpus: number;
  readonly memory: string;
  readonly gpus: number;
  readonly gpu_kind: string;
  readonly mig: string;
}
export interface Project {
  readonly name: string;
  readonly description: string;
  readonly plan: string;
  readonly members: readonly Member[];
  /** Of those in a list, and of another's. */
  readonly owner?: string;
  readonly role?: string;
}
export interface Definition {
  readonly name: string;
  readonly framework: string;
  readonly command: string;
  readonly device: string;
  readonly per_worker: string;
  readonly memory: string;
  readonly nodes: string;
  readonly hardware: string;
  readonly gpu_kind: string;
  readonly mig: string;
  readonly code_name: string;
  readonly env: readonly string[];
}
export interface Experiment {
  readonly name: string;
  readonly description: string;
  readonly data: string;
  readonly volume: string;
  readonly command: string;
  readonly plan: string;
  readonly definitions: readonly string[];
  readonly runs: readonly string[];
}
export type Metrics = Readonly<Record<string, number>>;
export interface Model {
  readonly name: string;
  readonly project: string;
  readonly run: string;
  readonly metrics: Metrics;
  readonly code_hash: string;
  readonly saved: number;
}
export interface Member {
  readonly name: string;
  readonly role: string;
}
export interface SpaceRow {
  readonly name: string;
  readonly owner: string;
  readonly role: string;
  readonly description: string;
  readonly plan: string;
  readonly members: number;
  readonly models: number;
  readonly deployments: number;
}
export interface SpaceModel {
  readonly name: string;
  readonly run: string;
  readonly user: string;
  readonly promoted_by: string;
  readonly metrics: Metrics;
}
export interface Deployment {
  readonly name: string;
  readonly user: string;
  readonly model: string;
  readonly state: string;
}
export interface Space {
  readonly name: string;
  readonly owner: string;
  readonly role: string;
  readonly description: string;
  readonly plan: string;
  readonly members: readonly Member[];
  readonly models: readonly SpaceModel[];
  readonly deployments: readonly Deployment[];
}
