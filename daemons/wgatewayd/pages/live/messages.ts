// Role: what tabs and the one that holds the stream say to each other.

import type {JobRow} from '../api/shapes.ts';

/** Of this build: a tab and a worker of unlike ones do not understand each other. */
export const VERSION = 2;

/** What a tab wants to see of all jobs. */
export interface ViewAsked {
  readonly mine: boolean;
  /** Name of a group of states; empty: all. */
  readonly group: string;
  readonly filter: string;
  /** Field to order by, "-" before it: downwards; empty: alive, waiting, over, the newest first. */
  readonly sort: string;
  /** Elements of an array as one row. */
  readonly fold?: boolean;
  readonly from: number;
  readonly to: number;
}
/** A row of a view: a job, or several elements of an array, told by the first of them. */
export type Row = JobRow & {
  /** How many elements are in each state; absent: it is one job. */
  readonly folded?: Readonly<Record<string, number>>;
};
export interface Counts {
  readonly all: number;
  readonly alive: number;
  readonly waiting: number;
  readonly failed: number;
  readonly slots: number;
  readonly gpuSlots: number;
  readonly mineAlive: number;
}
export interface Window {
  /** How many fit. */
  readonly total: number;
  readonly from: number;
  readonly rows: readonly Row[];
  readonly problems: readonly {readonly at: number; readonly text: string}[];
}

export type ToHub =
  | {readonly say: 'hello'; readonly user: string; readonly version: number}
  | {readonly say: 'bye'}
  | {readonly say: 'hidden'; readonly hidden: boolean}
  | {readonly say: 'view'; readonly key: string; readonly view: ViewAsked}
  | {readonly say: 'close'; readonly key: string}
  | {readonly say: 'jobs'; readonly key: string; readonly ids: readonly string[]};

export type FromHub =
  | {
      readonly say: 'live';
      readonly live: boolean;
      readonly heard: number;
      /** Why no list of jobs comes; empty: it came, or is on its way. */
      readonly trouble: string;
    }
  | {readonly say: 'clock'; readonly skew: number}
  | {readonly say: 'counts'; readonly counts: Counts}
  | {readonly say: 'window'; readonly key: string; readonly window: Window}
  | {readonly say: 'jobs'; readonly key: string; readonly rows: readonly JobRow[]}
  | {readonly say: 'changed'; readonly ids: readonly string[]}
  | {readonly say: 'lost'}
  | {readonly say: 'old'};

/** One end of a line between them. */
export interface Line<Out> {
  readonly send: (message: Out) => void;
}
