// Role: names for what /api/v1 sends about files of the configuration.

export interface ConfigFile {
  readonly file: string;
  readonly path: string;
  readonly text: string;
  readonly hash: string;
  /** Files that it includes; they are edited in a shell. */
  readonly parts: readonly string[];
  /** Of the files as they are. */
  readonly wrong: readonly string[];
  /** In the master's files and not in force. */
  readonly pending: readonly string[];
}
export interface Checked {
  readonly wrong: readonly string[];
  readonly warnings: readonly string[];
  readonly changes: readonly string[];
}
export interface ForetoldCount {
  readonly name: string;
  readonly gains: number;
  readonly waits: number;
  readonly same: number;
}
/** Seconds; null: no date that run limits tell. */
export interface Foretold {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly queue: string;
  readonly plan: string;
  readonly runs: boolean;
  readonly now: number | null;
  readonly then: number | null;
  readonly verdict: 'gains' | 'waits';
}
export interface Preview {
  readonly at: number;
  readonly gains: number;
  readonly waits: number;
  readonly same: number;
  readonly users: readonly ForetoldCount[];
  readonly queues: readonly ForetoldCount[];
  readonly jobs: readonly Foretold[];
}
