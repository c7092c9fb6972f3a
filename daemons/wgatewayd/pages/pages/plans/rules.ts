// Role: the tree of plans as rows, what each bar shows, and who owes whom. Pure.

import type {Loan, Plan} from '../../api/shapes_admin.ts';
import {counted, number} from '../../base/number.ts';

export interface PlanRow {
  readonly plan: Plan;
  readonly depth: number;
  /** Its own name, without those above. */
  readonly name: string;
}

const depthOf = (path: string) => (path === '/' ? 0 : path.split('/').length - 1);

/** A plan before those below it, names in order. @cost O(n log n) */
export function treeOf(plans: readonly Plan[]): PlanRow[] {
  const key = (path: string) => (path === '/' ? '' : path.replaceAll('/', '\u0001'));
  return [...plans]
    .sort((a, b) => (key(a.plan) < key(b.plan) ? -1 : 1))
    .map((plan) => ({
      plan,
      depth: depthOf(plan.plan),
      name: plan.plan === '/' ? '/' : plan.plan.slice(plan.plan.lastIndexOf('/') + 1),
    }));
}

/** Where things of a bar stand, in hundredths of its width. */
export interface PlanBarParts {
  readonly own: number;
  readonly borrowed: number;
  readonly deserved: number;
  readonly wanted: number;
  readonly owned: number | null;
}

/** @param most slots that the whole width is */
export function barOf(plan: Plan, most: number): PlanBarParts {
  const part = (value: number | null) => Math.min(100, (100 * (value ?? 0)) / Math.max(1, most));
  const used = plan.used ?? 0;
  const borrowed = Math.min(plan.borrowed ?? 0, used);
  return {
    own: part(used - borrowed),
    borrowed: part(borrowed),
    deserved: part(plan.deserved),
    wanted: part(Math.max(plan.demand ?? 0, used)),
    owned: plan.owns ? part(plan.owns) : null,
  };
}

export const mostOf = (plans: readonly Plan[]) =>
  Math.max(
    1,
    ...plans.flatMap((plan) => [plan.used ?? 0, plan.deserved ?? 0, plan.demand ?? 0]),
    ...plans.map((plan) => plan.owns ?? 0),
  );

/** What it has of what it deserves, and what that comes to. */
export function planWords(plan: Plan): string {
  const used = plan.used ?? 0;
  const deserved = plan.deserved ?? 0;
  const demand = plan.demand ?? 0;
  if (plan.limit !== null && used >= plan.limit && demand > used)
    return `At its limit of ${counted(plan.limit, 'slot')}; wants ${number(demand)}.`;
  if (demand > used && used < deserved)
    return `Wants ${number(demand)}: has ${number(deserved - used)} less than it deserves.`;
  if (used > deserved) return `Has ${number(used - deserved)} more than it deserves, until wanted.`;
  return demand > used ? `Wants ${number(demand)}, has what it deserves.` : '';
}

/** Each loan once, the largest first; both its sides name it. */
export function loansOf(plans: readonly Plan[]): Loan[] {
  const all = new Map(
    plans.flatMap((plan) => plan.loans).map((loan) => [`${loan.from}\n${loan.to}`, loan]),
  );
  return [...all.values()].filter((l) => l.amount > 0).sort((a, b) => b.amount - a.amount);
}
