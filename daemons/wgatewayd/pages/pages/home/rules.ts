// Role: what of one's own is worth a look: failures since the last visit, jobs whose host is
// silent, the plans that one's jobs run in. Pure.

import type {JobRow} from '../../api/shapes.ts';
import type {Plan} from '../../api/shapes_admin.ts';
import {isFailed} from '../../base/states.ts';

const DAY_S = 86_400;

/** Failed since somebody looked last, a day ago at most; the rest is in the list of all. */
export function failedSince(jobs: readonly JobRow[], looked: number, now: number): JobRow[] {
  const since = Math.max(looked, now - DAY_S);
  return jobs.filter((job) => isFailed(job.wm_state) && (job.finish_time ?? 0) > since);
}

/** Running, but their host does not answer. */
export const silent = (jobs: readonly JobRow[]) => jobs.filter((job) => job.wm_state === 'unknown');

/** Plans of one's jobs that go on, and those of one's own name; the narrowest first. */
export function plansOf(plans: readonly Plan[], jobs: readonly JobRow[], user: string): Plan[] {
  const used = new Set(jobs.map((job) => job.plan));
  const mine = plans.filter(
    ({plan, users}) =>
      used.has(plan) || plan.split('/').pop() === user || (users ?? []).includes(user),
  );
  return mine.sort((a, b) => b.plan.split('/').length - a.plan.split('/').length).slice(0, 4);
}

/** Why a plan has what it has, in one sentence. */
export function shareWords(plan: Plan): string {
  const [used, deserved, demand] = [plan.used ?? 0, plan.deserved ?? 0, plan.demand ?? 0];
  const slots = (count: number) => `${count} ${count === 1 ? 'slot' : 'slots'}`;
  if (demand === 0 && used === 0) return 'Nothing runs or waits in it.';
  if (used > deserved) {
    const more = `${used - deserved} more than it deserves now`;
    return `Uses ${slots(used)}, ${more}: they are others’, and go back when they are wanted.`;
  }
  if (used < deserved && demand > used) {
    const part = `Uses ${slots(used)} of the ${deserved} that it deserves`;
    return `${part}, and wants ${demand}: it comes next.`;
  }
  return `Uses ${slots(used)}, deserves ${deserved}, wants ${demand}.`;
}
