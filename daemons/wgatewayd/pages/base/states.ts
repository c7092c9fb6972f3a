// Role: the states of jobs as people read them, and which of them are alive, wait or are over.
// Pure.

export type Icon = 'run' | 'half' | 'wait' | 'ok' | 'bad' | 'stop' | 'hold' | 'what' | 'plus';
export type Kind = '' | 'run' | 'bad' | 'warn';
export interface Shown {
  readonly word: string;
  readonly icon: Icon;
  readonly kind: Kind;
}

const STATES: Readonly<Record<string, Shown>> = {
  pending: {word: 'Pending', icon: 'wait', kind: ''},
  held: {word: 'Held', icon: 'hold', kind: ''},
  launching: {word: 'Launching', icon: 'half', kind: 'run'},
  running: {word: 'Running', icon: 'run', kind: 'run'},
  suspended: {word: 'Suspended', icon: 'hold', kind: ''},
  unknown: {word: 'Unknown', icon: 'what', kind: 'warn'},
  finished: {word: 'Finished', icon: 'ok', kind: ''},
  failed: {word: 'Failed', icon: 'bad', kind: 'bad'},
  killed: {word: 'Killed', icon: 'stop', kind: ''},
  error: {word: 'Error', icon: 'bad', kind: 'bad'},
  array: {word: 'Array', icon: 'run', kind: 'run'},
  submitted: {word: 'Submitted', icon: 'wait', kind: ''},
  stopped: {word: 'Stopped', icon: 'stop', kind: ''},
};
const ALIVE = new Set(['launching', 'running', 'suspended', 'unknown', 'array']);
const WAITING = new Set(['pending', 'held']);

/** One of our states; a word that is not known is shown as it came. */
export const state = (word: string): Shown =>
  STATES[word] ?? {word: String(word), icon: 'what', kind: ''};

export const isAlive = (word: string) => ALIVE.has(word);
export const isWaiting = (word: string) => WAITING.has(word);
export const isOver = (word: string) => !isAlive(word) && !isWaiting(word);
export const isFailed = (word: string) => word === 'failed' || word === 'error';

/**
 * "of 2" and "of 1–4": what a job may have, beside what it has; empty: a fixed number that it has.
 */
export function slotRange(has: number, least: number, most: number): string {
  if (least !== most) return `of ${least}–${most}`;
  return has === most ? '' : `of ${most}`;
}
