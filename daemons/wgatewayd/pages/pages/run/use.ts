// Role: how busy is what a worker has: its GPUs, and the host that it is on; how long a run takes
// still. Pure.

import type {JobFull, Task} from '../../api/shapes.ts';
import type {GpuUse, HostUse} from '../../api/shapes_logs.ts';
import {isAlive} from '../../base/states.ts';

export type Uses = ReadonlyMap<string, HostUse>;

/** Those that were given to it, in its order; what its host does not tell is left out. */
export function gpusOf(task: Task, uses: Uses): readonly GpuUse[] {
  const told = uses.get(task.host)?.gpus ?? [];
  return (task.gpus ?? []).flatMap(
    (id) => told.find((gpu) => String(gpu.gpu_id) === String(id)) ?? [],
  );
}

/** Per cent on the mean; null: none is measured. */
export function busyOf(gpus: readonly GpuUse[]): number | null {
  const measured = gpus.flatMap(({ut}) => (ut === null ? [] : [ut]));
  if (measured.length === 0) return null;
  return Math.round(measured.reduce((sum, ut) => sum + ut, 0) / measured.length);
}

/** Per cent of its CPUs, by all that runs there; null: it is not measured. */
export const cpusOf = (use: HostUse | undefined): number | null =>
  use === undefined || use.ut === null ? null : Math.round(use.ut * 100);

/** Its memory in bytes: what all that runs there uses, and all of it; null: it is not measured. */
export function memoryOf(use: HostUse | undefined): readonly [used: number, all: number] | null {
  if (!use || use.mem_bytes === null || !use.total_mem_bytes) return null;
  return [Math.max(0, use.total_mem_bytes - use.mem_bytes), use.total_mem_bytes];
}

/** Workers that share a host with others of theirs: what it uses is theirs together. */
export function together(tasks: readonly Task[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const {host} of tasks) counts.set(host, (counts.get(host) ?? 0) + 1);
  return new Map([...counts].filter(([, count]) => count > 1));
}

/** Seconds until it has done all, at the rate since it started; null: that cannot be told. */
export function leftOf(job: JobFull, now: number): number | null {
  const done = (job.complete_percent ?? 0) / 100;
  const ran = job.start_time ? now - job.start_time : 0;
  if (!isAlive(job.wm_state) || done <= 0 || done >= 1 || ran <= 0) return null;
  return (ran * (1 - done)) / done;
}
