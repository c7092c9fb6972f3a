// Role: slots of applications over time as a few areas: the largest each its own, all others as
// one. However many jobs there were, a figure gets as many points as it has pixels. Pure.

import type {SlotsApp} from '../api/shapes.ts';
import {byId} from '../base/order.ts';
import type {Point} from '../base/series.ts';

export interface Layer {
  /** Empty: the others. */
  readonly id: string;
  readonly name: string;
  readonly points: readonly Point[];
  readonly now: number;
}

type Steps = SlotsApp['steps'];

/** Slots times seconds of a step function within [from, to]. */
export function area(steps: Steps, from: number, to: number): number {
  let sum = 0;
  steps.forEach(([t, v], i) => {
    const end = Math.min(to, steps[i + 1]?.[0] ?? to);
    sum += v * Math.max(0, end - Math.max(from, t));
  });
  return sum;
}

/** The sum of step functions, from their changes. @cost O(steps · log steps) */
export function summed(all: readonly Steps[]): [number, number][] {
  const changes: [number, number][] = [];
  for (const steps of all) {
    let before = 0;
    for (const [t, v] of steps) {
      if (v !== before) changes.push([t, v - before]);
      before = v;
    }
  }
  changes.sort((a, b) => a[0] - b[0]);
  const made: [number, number][] = [];
  let value = 0;
  for (const [t, by] of changes) {
    value += by;
    const last = made[made.length - 1];
    if (last && last[0] === t) last[1] = value;
    else made.push([t, value]);
  }
  return made;
}

/** Means of buckets of a step function, each at its bucket's beginning. @cost O(steps + buckets) */
export function bucketed(steps: Steps, from: number, to: number, buckets: number): number[] {
  const width = (to - from) / buckets;
  const sums = new Array<number>(buckets).fill(0);
  steps.forEach(([t, v], i) => {
    const begin = Math.max(from, t);
    const end = Math.min(to, steps[i + 1]?.[0] ?? to);
    if (v === 0 || end <= begin) return;
    let at = Math.min(buckets - 1, Math.floor((begin - from) / width));
    for (; at < buckets && from + at * width < end; ++at) {
      const low = Math.max(begin, from + at * width);
      const high = Math.min(end, from + (at + 1) * width);
      if (high > low) sums[at] = (sums[at] ?? 0) + v * (high - low);
    }
  });
  return sums.map((sum) => sum / width);
}

/** Exact steps where they are few, else means of buckets. */
function pointsOf(
  steps: Steps,
  from: number,
  to: number,
  times: readonly number[] | null,
  buckets: number,
) {
  if (times) {
    let at = -1;
    return times.map((t): Point => {
      while ((steps[at + 1]?.[0] ?? Infinity) <= t) ++at;
      return [t, steps[at]?.[1] ?? 0];
    });
  }
  const width = (to - from) / buckets;
  return bucketed(steps, from, to, buckets).map((v, i): Point => [from + i * width, v]);
}

/** @param most areas of their own @param buckets more changes than this are bucketed */
export function layersOf(
  apps: readonly SlotsApp[],
  from: number,
  to: number,
  most: number,
  buckets: number,
): Layer[] {
  const used = apps
    .map((app) => ({app, area: area(app.steps, from, to)}))
    .filter((one) => one.area > 0)
    .sort((a, b) => b.area - a.area);
  const large = used.slice(0, used.length > most ? most - 1 : most).map((one) => one.app);
  const rest = used.slice(large.length).map((one) => one.app);
  large.sort((a, b) => byId(a.id, b.id));
  const others = summed(rest.map((app) => app.steps));
  const named = [
    ...large.map((app) => ({id: app.id, name: `${app.id} ${app.name}`, steps: app.steps})),
    ...(rest.length ? [{id: '', name: `${rest.length} others`, steps: others as Steps}] : []),
  ];
  const times = new Set([from, to]);
  for (const {steps} of named) for (const [t] of steps) if (t > from && t < to) times.add(t);
  const exact = times.size <= buckets ? [...times].sort((a, b) => a - b) : null;
  return named.map(({id, name, steps}) => ({
    id,
    name,
    points: [...pointsOf(steps, from, to, exact, buckets)],
    now: steps[steps.length - 1]?.[1] ?? 0,
  }));
}
