// Role: how busy the GPUs of a worker are, out of what its host tells. Pure.

import type {Task} from '../../api/shapes.ts';
import type {GpuUse, HostUse} from '../../api/shapes_logs.ts';

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
