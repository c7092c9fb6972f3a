// Role: what was used, as areas over days and as rows: amounts in hours, the largest each their
// own. Pure.

import type {Limit, Usage, UsageRow} from '../../api/shapes_admin.ts';
import type {Point} from '../../base/series.ts';

export type Unit = 'gpu' | 'slot';
export const HOUR_S = 3600;
const DAY_S = 86_400;

const amount = (of: {readonly gpu_s: number; readonly slot_s: number}, unit: Unit) =>
  (unit === 'gpu' ? of.gpu_s : of.slot_s) / HOUR_S;

/** GPU hours where there are any, else hours of slots. */
export const usualUnit = (usage: Usage): Unit =>
  usage.rows.some((row) => row.gpu_s > 0) ? 'gpu' : 'slot';

export interface Layer {
  /** Empty: the others. */
  readonly user: string;
  readonly name: string;
  readonly points: readonly Point[];
}

/** All days of the range; a day without a row has none used. */
export function daysOf(usage: Usage): number[] {
  const days: number[] = [];
  for (let t = usage.from; t <= usage.now; t += DAY_S) days.push(t);
  return days;
}

/** A user each, most of them named; steps, a day wide. @cost O(rows + users · days) */
export function layersOf(usage: Usage, unit: Unit, most: number): Layer[] {
  const users = new Map<string, {sum: number; byDay: Map<number, number>}>();
  for (const row of usage.days) {
    const one = users.get(row.user) ?? {sum: 0, byDay: new Map()};
    const hours = amount(row, unit);
    one.sum += hours;
    one.byDay.set(row.t, (one.byDay.get(row.t) ?? 0) + hours);
    users.set(row.user, one);
  }
  const used = [...users].filter(([, one]) => one.sum > 0).sort((a, b) => b[1].sum - a[1].sum);
  const named = used.slice(0, used.length > most ? most - 1 : most);
  const rest = used.slice(named.length);
  const days = daysOf(usage);
  const points = (of: readonly (typeof used)[number][]): Point[] => {
    const sums = days.map((t): Point => {
      const hours = of.reduce((sum, [, one]) => sum + (one.byDay.get(t) ?? 0), 0);
      return [t, hours];
    });
    const last = sums[sums.length - 1];
    return last ? [...sums, [usage.now, last[1]]] : sums;
  };
  const layers = named.map((one) => ({user: one[0], name: one[0], points: points([one])}));
  if (rest.length === 0) return layers;
  return [...layers, {user: '', name: `${rest.length} others`, points: points(rest)}];
}

/** Whom a limit bounds, in words. */
export function boundWords(limit: Limit): string {
  const parts = [
    ['user', limit.users],
    ['queue', limit.queues],
    ['host', limit.hosts],
    ['plan', limit.plans],
    ['project', limit.projects],
    ['profile', limit.apps],
  ] as const;
  return (
    parts
      .filter(([, names]) => names)
      .map(([what, names]) => `${what} ${names}`)
      .join(', ') || 'everybody'
  );
}

const SIZES: Readonly<Record<string, number>> = {K: 1, M: 1024, G: 1024 ** 2, T: 1024 ** 3};
const size = (text: string) => {
  const found = text.trim().match(/^([\d.]+)([KMGT]?)$/);
  return found ? Number(found[1]) * (SIZES[found[2] ?? ''] ?? 1) : Number.NaN;
};

/** What it bounds: "4 of 16 slots", and which part of it is in use, 0 to 1. */
export function amountsOf(limit: Limit): {readonly text: string; readonly share: number}[] {
  const amounts = [
    ['slots', limit.slots],
    ['jobs', limit.jobs],
    ['memory', limit.mem],
  ] as const;
  return amounts.flatMap(([what, text]) => {
    const [used = '', most = ''] = text.split('/');
    if (!most) return [];
    const share = size(used) / size(most);
    return [
      {
        text: `${used} of ${most} ${what}`,
        share: Number.isFinite(share) ? Math.min(1, share) : 0,
      },
    ];
  });
}

export interface Told {
  readonly name: string;
  readonly gpu_h: number;
  readonly slot_h: number;
  readonly jobs: number;
  /** Of the jobs that succeeded; null: there was none. */
  readonly done: number | null;
  /** Mean seconds; null: there was none. */
  readonly wait: number | null;
  /** Of CPU time in the time of slots; null: none was held. */
  readonly cpu: number | null;
}
export const told = (row: UsageRow): Told => ({
  name: row.name,
  gpu_h: row.gpu_s / HOUR_S,
  slot_h: row.slot_s / HOUR_S,
  jobs: row.jobs,
  done: row.jobs ? row.done / row.jobs : null,
  wait: row.jobs ? row.wait_s / row.jobs : null,
  cpu: row.slot_s > 0 ? row.cpu_s / row.slot_s : null,
});

/** The most used first. */
export const rowsOf = (usage: Usage, unit: Unit): Told[] =>
  [...usage.rows].sort((a, b) => amount(b, unit) - amount(a, unit)).map(told);
