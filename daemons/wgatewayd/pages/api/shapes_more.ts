// Role: names for what /api/v1 sends about services, searches, notebooks and connections.

import type {JobRow} from './shapes.ts';

export interface Kernel {
  readonly instance: string;
  readonly host: string;
  readonly running: number;
  readonly finished: number;
  readonly failed: number;
  readonly leaving: boolean;
}
/** Three shares of the answers took no longer than these, in ms: half, 95 %, 99 %. */
export type Percentiles = readonly [number, number, number];
export interface Router {
  readonly arrived: number;
  readonly finished: number;
  readonly failed: number;
  readonly queued: number;
  readonly oldest_ms: number;
  readonly task_us: number;
  readonly wanted: number;
  readonly requests_per_s: number;
  readonly latency_ms: {readonly total: Percentiles};
  readonly kernels: readonly Kernel[];
}
export interface ServiceRow {
  readonly name: string;
  readonly state: string;
  readonly job: string;
  readonly owner: string;
  readonly plan: string;
  readonly space: string;
  readonly model: string;
  readonly kernel_min: number;
  readonly kernel_max: number;
  readonly router: Router | null;
}
export interface Signature {
  readonly input_shape?: readonly number[];
}
export interface Service extends ServiceRow {
  readonly version: string;
  readonly earlier: readonly string[];
  readonly canary: {readonly service: string; readonly percent: number} | null;
  readonly started: number;
  readonly uri: string;
  readonly profile: {readonly [key: string]: unknown};
  readonly signature: Signature | null;
  readonly why?: string;
}
export interface ServiceSample {
  readonly t: number;
  readonly rate: number;
  readonly kernels: number;
  readonly wanted: number;
  readonly oldest_ms: number;
  readonly total_ms?: Percentiles;
  readonly queue_ms?: Percentiles;
  readonly kernel_ms?: Percentiles;
}
export type Setting = string | number | boolean | null;
export interface Param {
  readonly name: string;
  readonly log?: boolean;
  readonly power?: number;
}
export interface Trial {
  readonly index: number;
  readonly job: string;
  readonly exec_id: string;
  readonly state: string;
  readonly value: number | null;
  readonly config: Readonly<Record<string, Setting>>;
  readonly metrics: Readonly<Record<string, {readonly latest?: number}>>;
  readonly start_time: number | null;
  readonly finish_time: number | null;
  readonly why: string;
}
export interface SearchRow {
  readonly job: number;
  readonly name: string;
  readonly user: string;
  readonly state: string;
  readonly paused: boolean;
  readonly reason: string;
  readonly submit_time: number;
  readonly finish_time: number | null;
  readonly parallel: number;
  readonly total: number | null;
  readonly running: number;
  readonly failed: number;
  readonly over: number;
  readonly best: Trial | null;
  readonly search: {
    readonly algorithm?: string;
    readonly params?:
      | readonly {readonly name: string; readonly value: Setting}[]
      | Readonly<Record<string, Setting>>;
    readonly metric: string;
    readonly goal?: string;
    readonly space?: readonly Param[];
  };
}
export interface Search extends SearchRow {
  readonly trials: readonly Trial[];
}
export interface NotebookWeb {
  readonly state: string;
  readonly address?: string;
  readonly active: number;
  readonly busy: string;
  readonly idle_limit: number;
  readonly stops_at: number;
}
export interface Notebook {
  readonly id: string;
  readonly job: JobRow;
  readonly web: NotebookWeb | null;
  readonly shared: readonly string[];
  readonly ahead?: number;
  readonly ends?: number;
}
export interface NotebookProfile {
  readonly name: string;
  readonly description: string;
}
export interface Notebooks {
  readonly now: number;
  readonly profiles: readonly NotebookProfile[];
  readonly notebooks: readonly Notebook[];
}
export interface Connection {
  readonly name: string;
  readonly type: string;
  readonly [key: string]: string;
}
/** What stands behind the "?" of a page, by a name. */
export interface SavedView {
  readonly name: string;
  readonly page: string;
  readonly search: string;
  readonly by: string;
}
/** Of a definition, an experiment or a model; what one of the others has is absent. */
export interface Version {
  readonly version: string;
  readonly made: number;
  readonly made_by: string;
  readonly state?: 'present' | 'earlier' | 'undone';
  readonly hash?: string;
  readonly code_name?: string;
  readonly command?: string;
  readonly run?: string;
  readonly definitions?: readonly string[];
  readonly definition_versions?: readonly string[];
}
/** What has run or runs. Of another's run some is absent. */
export interface RunRow {
  readonly id: string;
  readonly exec_id: string;
  readonly state: string;
  /** Only the archive knows it any more. */
  readonly kept: boolean;
  readonly own: boolean;
  /** Of an array how many; else 0. */
  readonly elements: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly description: string;
  readonly note: string;
  readonly tags: readonly string[];
  readonly starred: boolean;
  readonly shelved: boolean;
  readonly etag: string;
  readonly name?: string;
  readonly job_name?: string;
  readonly user?: string;
  readonly type?: string;
  readonly app?: string;
  readonly framework?: string;
  readonly plan?: string;
  readonly project?: string;
  readonly queue?: string;
  readonly args?: string;
  readonly submit_time?: number | null;
  readonly start_time?: number | null;
  readonly finish_time?: number | null;
}
/** A run among those that are compared. Metrics are by "group name". */
export interface ComparedRun {
  readonly id: string;
  readonly name?: string;
  readonly user?: string;
  readonly state: string;
  readonly framework?: string;
  readonly plan?: string;
  readonly app?: string;
  readonly queue?: string;
  readonly start_time?: number | null;
  readonly finish_time?: number | null;
  readonly settings: Readonly<Record<string, string>>;
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly extremes: Readonly<Record<string, readonly [number | null, number | null]>>;
}
/** Points: edge of the bucket, time of its last value, mean, least, most, how many values. */
export type GridPoint = readonly [number, number, number, number, number, number];
export interface GridSeries {
  readonly group: string;
  readonly name: string;
  readonly points: readonly GridPoint[];
}
export interface ComparedSeries {
  readonly width: number;
  readonly runs: readonly {readonly series: readonly GridSeries[]}[];
}
