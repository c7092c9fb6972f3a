// Role: names for what /api/v1 sends about the output of a run, its files, its hosts.

export type Output = 'stdout' | 'stderr';
export interface FoundLine {
  readonly task: number;
  readonly stream: Output;
  /** Bytes before it. */
  readonly at: number;
  readonly line: number;
  readonly text: string;
}
export interface FoundLines {
  readonly matches: readonly FoundLine[];
  readonly count: number;
  /** All files were looked through. */
  readonly complete: boolean;
}
export interface MergedPart {
  readonly task: number;
  readonly stream: Output;
  readonly from: number;
  readonly to: number;
  readonly size: number;
  readonly changed: number;
  readonly text: string;
}
export interface Checkpoint {
  readonly name: string;
  readonly size: number;
  readonly time: number;
  readonly newest: boolean;
}
export interface Checkpoints {
  readonly checkpoints: readonly Checkpoint[];
  /** The newest is of our trainers, which go on from it by themselves. */
  readonly resumable: boolean;
}
export interface RunFile {
  readonly path: string;
  readonly kind: 'checkpoint' | 'model' | 'log' | 'code' | 'metrics' | 'result';
  readonly size: number;
  readonly time: number;
}
export interface RunFiles {
  /** The largest first. */
  readonly files: readonly RunFile[];
  readonly count: number;
  readonly bytes: number;
  /** All files were looked at. */
  readonly complete: boolean;
}
export interface GpuUse {
  readonly gpu_id: number;
  readonly ut: number | null;
  readonly mused_bytes: number | null;
  readonly mtotal_bytes: number | null;
}
export interface HostUse {
  readonly host_name: string;
  readonly ut: number | null;
  readonly mem_bytes: number | null;
  readonly total_mem_bytes: number | null;
  readonly gpus: readonly GpuUse[];
}
