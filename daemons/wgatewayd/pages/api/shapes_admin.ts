// Role: names for what /api/v1 sends about the cluster: hosts, queues, plans, what was used, keys.

export interface Gpu {
  readonly gpu_id: number;
  readonly gpu_model: string;
  readonly gpu_status: string;
  readonly gpu_reason: string;
  readonly mtotal_bytes: number | null;
  readonly mused_bytes: number | null;
  readonly gpu_mode: string;
  readonly jobids: readonly string[];
  /** Per cent; null: not measured. */
  readonly ut: number | null;
  readonly temp: number | null;
  readonly uuid: string;
  readonly mig: string;
}
export interface Host {
  readonly host_name: string;
  readonly status: string;
  readonly state: 'ok' | 'silent' | 'dead';
  readonly connected: boolean;
  readonly closed: boolean;
  readonly draining: boolean;
  readonly moving: number | null;
  readonly run: number | null;
  readonly max: number | null;
  readonly ngpus: number | null;
  readonly ngpus_alloc: number | null;
  readonly ncpus: number | null;
  readonly ncpus_alloc: number | null;
  readonly total_mem_bytes: number | null;
  readonly reserved_mem_bytes: number | null;
  readonly address: string;
  readonly comments: string;
  readonly silent_since: number | null;
  readonly load_indexes: {
    readonly r1m: number | null;
    readonly r15m: number | null;
    readonly ut: number | null;
    readonly mem_bytes: number | null;
    readonly tmp_bytes: number | null;
  };
  readonly gpus: readonly Gpu[];
}
/** Of all hosts: those that take jobs, and what is in use. */
export interface Capacity {
  readonly hosts: number;
  readonly usable: number;
  readonly slots: number;
  readonly slots_used: number;
  readonly gpus: number;
  readonly gpus_used: number;
  readonly gpus_all: number;
}
export interface Queue {
  readonly queue_name: string;
  readonly priority: number | null;
  readonly status: string;
  readonly njobs: number | null;
  readonly pend: number | null;
  readonly run: number | null;
  readonly susp: number | null;
  /** Limits: in all, a user's, a host's; null: none. */
  readonly max: number | null;
  readonly jl_u: number | null;
  readonly jl_h: number | null;
  readonly description: string;
  readonly users: readonly string[];
  readonly hosts: readonly string[];
  readonly plan: string;
  readonly runlimit_s: number | null;
  readonly comments: string;
  readonly closed: boolean;
  readonly inactive: boolean;
}
export interface Loan {
  readonly from: string;
  readonly to: string;
  readonly amount: number;
}
export interface Plan {
  readonly plan: string;
  readonly shares: number | null;
  readonly owns: number | null;
  readonly limit: number | null;
  readonly used: number | null;
  readonly demand: number | null;
  readonly deserved: number | null;
  readonly lent: number | null;
  readonly borrowed: number | null;
  readonly policy: string;
  readonly users: readonly string[];
  readonly description: string;
  readonly loans: readonly Loan[];
}
/** What ended jobs used. Amounts are seconds, of slots and GPUs times their number. */
export interface UsageRow {
  readonly name: string;
  readonly jobs: number;
  readonly done: number;
  readonly slot_s: number;
  readonly gpu_s: number;
  readonly cpu_s: number;
  readonly wait_s: number;
}
export interface UsageDay {
  readonly t: number;
  readonly user: string;
  readonly jobs: number;
  readonly slot_s: number;
  readonly gpu_s: number;
}
export interface Usage {
  readonly now: number;
  readonly from: number;
  readonly by: string;
  readonly rows: readonly UsageRow[];
  readonly days: readonly UsageDay[];
}
/** Of one resource; amounts are hours. */
export interface Budget {
  readonly budget: string;
  readonly period: string;
  readonly unit: string;
  readonly granted: number;
  readonly carried: number;
  readonly used: number;
  readonly reserved: number;
  readonly left: number;
  readonly percent_used: number;
  readonly empty_at: number | null;
  readonly at_end: string;
}
/** Whom it bounds; empty: any. Amounts as "used/limit"; "-", empty: it does not bound them. */
export interface Limit {
  readonly name: string;
  readonly users: string;
  readonly queues: string;
  readonly hosts: string;
  readonly plans: string;
  readonly projects: string;
  readonly apps: string;
  readonly slots: string;
  readonly jobs: string;
  readonly mem: string;
}
export interface ApiKey {
  readonly name: string;
  readonly scopes: string;
  readonly created: number;
  readonly expires: number;
}
export interface Results {
  readonly bytes: number;
  readonly files: number;
  /** 0: never yet. */
  readonly counted: number;
  readonly counting: boolean;
  /** 0: any amount. */
  readonly quota: number;
  readonly room: 'enough' | 'scarce' | 'none';
  readonly words: string;
}
export interface KeyMade extends ApiKey {
  readonly secret: string;
}
