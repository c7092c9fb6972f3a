// Role: what a comparison of runs is made of: which runs, where their curves' points lie on each
// axis, in what their settings differ, what is a metric's best value. Pure.

import type {JobEvent} from '../../api/shapes.ts';
import type {ComparedRun, GridPoint, GridSeries} from '../../api/shapes_more.ts';
import type {Value} from '../../base/order.ts';
import type {Point} from '../../base/series.ts';

export const FEWEST = 2;
export const MOST = 50;

export type Axis = 'step' | 'relative' | 'time' | 'running' | 'epoch';
export const AXES: readonly (readonly [Axis, string])[] = [
  ['step', 'Step'],
  ['relative', 'Relative step'],
  ['time', 'Time'],
  ['running', 'Running time'],
  ['epoch', 'Epoch'],
];

/** The runs that an address names, each once; no more than are compared. */
export function runsIn(text: string): {readonly ids: readonly string[]; readonly left: number} {
  const all = [...new Set(text.split(',').map((id) => id.trim()))].filter(Boolean);
  return {ids: all.slice(0, MOST), left: Math.max(0, all.length - MOST)};
}

/** When a job held slots and ran: intervals in order, the last one open while it does. */
export function activeTimes(events: readonly JobEvent[]): [from: number, to: number][] {
  const found: [number, number][] = [];
  let since: number | null = null;
  for (const {event, t, to} of events) {
    const begins = event === 'DISPATCH' || event === 'RESUME' || (event === 'RESIZE' && to > 0);
    const ends = ['END', 'REQUEUE', 'PREEMPT', 'SUSPEND'].includes(event);
    if (begins) since ??= t;
    if (!ends || since === null) continue;
    found.push([since, t]);
    since = null;
  }
  if (since !== null) found.push([since, Infinity]);
  return found;
}

/** Seconds within `active` before `at`. @cost O(intervals) */
export function runningAt(active: readonly (readonly [number, number])[], at: number): number {
  let sum = 0;
  for (const [from, to] of active) sum += Math.max(0, Math.min(to, at) - from);
  return sum;
}

/** What a run's points are placed by. */
export interface Clock {
  readonly events: readonly JobEvent[];
  readonly series: readonly GridSeries[];
}

type Place = (point: GridPoint) => number | null;

function epochs(series: readonly GridSeries[]): Place {
  const own = series.find((s) => s.name.toLowerCase() === 'epoch');
  const points = own?.points ?? [];
  return ([step]) => {
    let [low, high] = [0, points.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((points[middle]?.[0] ?? Infinity) <= step) low = middle + 1;
      else high = middle;
    }
    return points[low - 1]?.[2] ?? null;
  };
}

/** The first step of all that a run reported: a resumed one does not begin with 0. */
function firstStep(series: readonly GridSeries[]): number {
  let first = Infinity;
  for (const {points} of series) first = Math.min(first, points[0]?.[0] ?? Infinity);
  return first;
}

function placeOn(axis: Axis, clock: Clock): Place {
  if (axis === 'step') return ([step]) => step;
  if (axis === 'time') return ([, t]) => (t > 0 ? t : null);
  if (axis === 'epoch') return epochs(clock.series);
  if (axis === 'relative') {
    const first = firstStep(clock.series);
    return ([step]) => step - first;
  }
  const active = activeTimes(clock.events);
  return ([, t]) => (t > 0 && active.length ? runningAt(active, t) : null);
}

export interface Placed {
  readonly mean: readonly Point[];
  readonly least: readonly Point[];
  readonly most: readonly Point[];
  readonly counts: readonly number[];
}

/** A series on an axis, in the order of its places; what has no place there is left out. */
export function placed(series: GridSeries, axis: Axis, clock: Clock): Placed {
  const place = placeOn(axis, clock);
  const found = series.points.flatMap((point) => {
    const at = place(point);
    return at === null || !Number.isFinite(at) ? [] : [{at, point}];
  });
  found.sort((a, b) => a.at - b.at);
  const of = (field: 2 | 3 | 4) => found.map(({at, point}): Point => [at, point[field]]);
  return {mean: of(2), least: of(3), most: of(4), counts: found.map(({point}) => point[5])};
}

/** Metrics that some of them have, "group name". */
export const metricsOf = (runs: readonly ComparedRun[]): string[] =>
  [...new Set(runs.flatMap((run) => Object.keys(run.metrics)))].sort();

/** "test loss" as people read it. */
export function metricWords(key: string): string {
  const at = key.indexOf(' ');
  const [group, name] = [key.slice(0, at), key.slice(at + 1)];
  if (group === 'train') return name;
  return group === 'test' ? `${name}, validation` : `${name}, ${group}`;
}

/** Of a loss or an error the least is the best. */
export const isBetterLow = (key: string) => /loss|error|perplexity/i.test(key);

export const bestOf = (run: ComparedRun, key: string): number | null =>
  run.extremes[key]?.[isBetterLow(key) ? 0 : 1] ?? null;

const FACTS = ['framework', 'plan', 'app', 'queue', 'user'] as const;

/** A setting by name, or what it is as a run; undefined: the run has none. */
export const settingOf = (run: ComparedRun, name: string): string | undefined =>
  run.settings[name] ?? FACTS.flatMap((fact) => (fact === name && run[fact]) || [])[0];

/** Names of settings in which some of them differ, and of those in which all agree. */
export function settingsOf(runs: readonly ComparedRun[]): {
  readonly differing: readonly string[];
  readonly equal: readonly string[];
} {
  const named = new Set(runs.flatMap((run) => Object.keys(run.settings)));
  const facts = FACTS.filter((fact) => !named.has(fact) && runs.some((run) => run[fact]));
  const all = [...[...named].sort(), ...facts];
  const differs = (name: string) => new Set(runs.map((run) => settingOf(run, name))).size > 1;
  return {differing: all.filter(differs), equal: all.filter((name) => !differs(name))};
}

/** A setting as it is ordered: a number where it reads as one. */
export function ordering(text: string | undefined): Value {
  if (text === undefined || text === '') return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

/** Rows of the table's file: what is shown, for all of them. */
export function tableRows(runs: readonly ComparedRun[]): (string | number)[][] {
  const {differing} = settingsOf(runs);
  const metrics = metricsOf(runs);
  const words = metrics.flatMap((key) => [
    `${metricWords(key)}, best`,
    `${metricWords(key)}, last`,
  ]);
  return [
    ['run', 'name', 'state', ...differing, ...words],
    ...runs.map((run) => [
      run.id,
      run.name ?? '',
      run.state,
      ...differing.map((name) => settingOf(run, name) ?? ''),
      ...metrics.flatMap((key) => [bestOf(run, key) ?? '', run.metrics[key] ?? '']),
    ]),
  ];
}
