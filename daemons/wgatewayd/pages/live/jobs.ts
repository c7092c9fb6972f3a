// Role: how jobs are filtered, grouped, ordered and counted. Pure.

import {momentOr} from '../base/time.ts';
import type {JobRow} from '../api/shapes.ts';
import {byId, ordered, type Value} from '../base/order.ts';
import {type Fields, parse} from '../base/query.ts';
import {isAlive, isFailed, isOver, isWaiting} from '../base/states.ts';
import type {Counts, Row, ViewAsked, Window} from './messages.ts';

/** What the filter of jobs knows; "age" and "ran" in seconds. @param now of the server */
export const fieldsOf = (now: number): Fields<JobRow> => ({
  texts: {
    user: (job) => job.user,
    plan: (job) => job.plan,
    state: (job) => job.wm_state,
    queue: (job) => job.queue,
    type: (job) => job.app_type,
    app: (job) => job.application,
    host: (job) => job.exec_host.join(' '),
    array: (job) => arrayOf(job.jobid) ?? '',
    reason: (job) => job.pend_reason ?? job.exit_reason ?? '',
  },
  numbers: {
    slots: (job) => job.nalloc_slot,
    age: (job) => now - momentOr(job.submit_time, now),
    ran: (job) => ran(job, now),
    step: (job) => job.step ?? null,
    loss: (job) => job.loss ?? null,
    accuracy: (job) => job.accuracy ?? null,
  },
  bare: (job, word) => (job.job_name ?? '').toLowerCase().includes(word) || job.jobid === word,
});

/** "12" of "12[3]"; null: it is no element of an array. */
export const arrayOf = (id: string): string | null => id.match(/^(\d+)\[/)?.[1] ?? null;

/**
 * Elements of an array as one row, where the first of them stands; a lone one stays as it is.
 * @cost O(n)
 */
export function folded(rows: readonly JobRow[]): Row[] {
  const arrays = new Map<string, JobRow[]>();
  for (const job of rows) {
    const array = arrayOf(job.jobid);
    if (array) arrays.set(array, [...(arrays.get(array) ?? []), job]);
  }
  return rows.flatMap((job) => {
    const elements = arrays.get(arrayOf(job.jobid) ?? '') ?? [];
    if (elements.length < 2) return [job];
    return elements[0] === job ? [asOne(elements)] : [];
  });
}
function asOne(elements: readonly JobRow[]): Row {
  const [first] = elements as readonly [JobRow, ...JobRow[]];
  const counts: Record<string, number> = {};
  let slots = 0;
  for (const {wm_state: state, nalloc_slot} of elements) {
    counts[state] = (counts[state] ?? 0) + 1;
    slots += nalloc_slot ?? 0;
  }
  const jobid = arrayOf(first.jobid) ?? first.jobid;
  // An element's name ends with its number.
  const name = first.job_name?.replace(/\[\d+\]$/, '');
  const made = {...first, jobid, nalloc_slot: slots, folded: counts};
  return name === undefined ? made : {...made, job_name: name};
}

export const GROUPS: readonly {name: string; text: string; is: (word: string) => boolean}[] = [
  {name: 'running', text: 'Running', is: isAlive},
  {name: 'pending', text: 'Pending', is: isWaiting},
  {name: 'failed', text: 'Failed', is: isFailed},
];

function ran(job: JobRow, now: number): number | null {
  return job.start_time ? momentOr(job.finish_time, now) - job.start_time : null;
}

/** Seconds that it ran, or waits; null: it ended without having run. */
export function elapsed(job: JobRow, now: number): number | null {
  if (job.start_time) return ran(job, now);
  return isOver(job.wm_state) ? null : now - momentOr(job.submit_time, now);
}

const rank = (job: JobRow) => (isAlive(job.wm_state) ? 0 : isWaiting(job.wm_state) ? 1 : 2);
/** The one submitted last comes first. */
export const newer = (a: JobRow, b: JobRow) =>
  (b.submit_time ?? 0) - (a.submit_time ?? 0) || -byId(a.jobid, b.jobid);

const VALUES: Readonly<Record<string, (job: JobRow) => Value>> = {
  wm_state: (job) => job.wm_state,
  job_name: (job) => job.job_name,
  user: (job) => job.user,
  plan: (job) => job.plan,
  nalloc_slot: (job) => job.nalloc_slot,
  loss: (job) => job.loss,
  accuracy: (job) => job.accuracy,
};

/** In the order that `sort` names; by none: alive, waiting, over, and of each `user`'s first. */
export function inOrder(jobs: readonly JobRow[], sort: string, now: number, user = ''): JobRow[] {
  const down = sort.startsWith('-');
  const name = down ? sort.slice(1) : sort;
  if (name === 'jobid') return [...jobs].sort((a, b) => (down ? -1 : 1) * byId(a.jobid, b.jobid));
  if (name === 'elapsed') return ordered(jobs, (job) => elapsed(job, now), down, newer);
  const value = VALUES[name];
  if (value) return ordered(jobs, value, down, newer);
  const theirs = (job: JobRow) => Number(job.user !== user);
  return [...jobs].sort((a, b) => rank(a) - rank(b) || theirs(a) - theirs(b) || newer(a, b));
}

/** Those that a view shows. */
export function chosen(jobs: Iterable<JobRow>, view: ViewAsked, user: string, now: number) {
  const query = parse(view.filter, fieldsOf(now));
  const group = GROUPS.find((one) => one.name === view.group);
  const rows: JobRow[] = [];
  for (const job of jobs) {
    if (view.mine && job.user !== user) continue;
    if (group && !group.is(job.wm_state)) continue;
    if (query.fits(job)) rows.push(job);
  }
  return {rows, problems: query.problems};
}

/** The part of a view that is looked at. */
export function windowOf(
  rows: readonly Row[],
  view: ViewAsked,
  problems: Window['problems'],
): Window {
  const from = Math.max(0, Math.min(view.from, rows.length - 1));
  return {total: rows.length, from, rows: rows.slice(from, view.to), problems};
}

/** @cost O(n) */
export function countsOf(jobs: Iterable<JobRow>, user: string): Counts {
  const made = {all: 0, alive: 0, waiting: 0, failed: 0, slots: 0, gpuSlots: 0, mineAlive: 0};
  for (const job of jobs) {
    ++made.all;
    if (isWaiting(job.wm_state)) ++made.waiting;
    if (isFailed(job.wm_state)) ++made.failed;
    if (!isAlive(job.wm_state)) continue;
    ++made.alive;
    made.slots += job.nalloc_slot ?? 0;
    made.gpuSlots += (job.gpu_num ?? 0) * (job.nalloc_slot ?? 0);
    if (job.user === user) ++made.mineAlive;
  }
  return made;
}
