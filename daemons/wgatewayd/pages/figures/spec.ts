// Role: what a figure is asked to show, and the values that are drawn of it. Pure.

import {bounds, wantsLog} from '../base/scale.ts';
import {joined, type Point} from '../base/series.ts';
import {smoothed} from '../base/smooth.ts';
import {clean} from '../base/text.ts';

export interface LineSpec {
  readonly name: string;
  /** Of colours.ts: k1 to k7, kt (a neutral one), kv. */
  readonly colour: string;
  readonly points: readonly Point[];
  /** Least and most around each point, drawn as a band behind. */
  readonly low?: readonly Point[];
  readonly high?: readonly Point[];
  /** How many values each point is the mean of. */
  readonly counts?: readonly number[];
  readonly kind?: 'line' | 'steps' | 'dots';
  /** 0, or absent: none; else one of three ways. */
  readonly dash?: number;
  /** Drawn as an area on top of the line before it, which must be steps as well. */
  readonly stacked?: boolean;
}
export interface Limit {
  readonly value: number;
  readonly text: string;
}
export interface FigureSpec {
  readonly title: string;
  readonly unit?: string;
  /** time: seconds since the epoch; duration: seconds. */
  readonly x: 'time' | 'duration' | 'number';
  readonly lines: readonly LineSpec[];
  readonly limits?: readonly Limit[];
  /** Where a numbered mark stands. */
  readonly marks?: readonly {readonly at: number; readonly n: number}[];
  readonly bounds?: readonly [number, number];
  /** At least this at the top. */
  readonly top?: number;
  readonly fromZero?: boolean;
  readonly height?: number;
  /** Points farther apart are not joined. */
  readonly gap?: number;
  readonly canLog?: boolean;
  readonly canSmooth?: boolean;
}

/** Columns for uPlot: x, then of each line its values, and its band's two where it has one. */
export interface Columns {
  readonly data: (number | null | undefined)[][];
  /** Of each line the places of its values and its band in `data`. */
  readonly places: readonly {readonly value: number; readonly band: [number, number] | null}[];
  readonly range: readonly [number, number];
  readonly log: boolean;
}

export interface Ways {
  /** null: as the values want it. */
  readonly log: boolean | null;
  readonly smooth: number;
}

/** How far apart points usually are, times 8; Infinity where there are too few. */
export function usualGap(points: readonly Point[]): number {
  const steps = points.slice(1).map((p, i) => p[0] - (points[i]?.[0] ?? p[0]));
  if (steps.length < 3) return Infinity;
  steps.sort((a, b) => a - b);
  return 8 * (steps[Math.floor(steps.length / 2)] ?? Infinity);
}

function stackUp(lines: readonly LineSpec[], values: (number | null | undefined)[][]) {
  lines.forEach((line, i) => {
    const below = values[i - 1];
    if (!line.stacked || !below) return;
    values[i] = (values[i] ?? []).map((v, at) => (v ?? 0) + (below[at] ?? 0));
  });
}

function extent(columns: readonly (readonly (number | null | undefined)[])[], limits: number[]) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of [...columns.flat(), ...limits]) {
    if (value === null || value === undefined || !Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high] as const;
}

/** @cost O(points · log points) */
export function columnsOf(spec: FigureSpec, ways: Ways): Columns {
  const gap = spec.gap ?? Infinity;
  const parts = spec.lines.flatMap((line) => [
    line.points,
    ...(line.low && line.high ? [line.low, line.high] : []),
  ]);
  const {x, lines} = joined(parts, gap);
  let at = 0;
  const places = spec.lines.map((line) => {
    const value = at++;
    const band: [number, number] | null = line.low && line.high ? [at++ + 1, at++ + 1] : null;
    return {value: value + 1, band};
  });
  const values = spec.lines.map((line, i) => {
    const drawn = lines[(places[i]?.value ?? 1) - 1] ?? [];
    if (!spec.canSmooth || ways.smooth === 0 || line.kind === 'dots') return drawn;
    const plain = drawn.map((v) => v ?? null);
    const there = plain.flatMap((v, index) => (drawn[index] === undefined ? [] : [v]));
    const soft = smoothed(there, line.counts ?? [], ways.smooth);
    let next = 0;
    return drawn.map((v) => (v === undefined ? v : (soft[next++] ?? null)));
  });
  stackUp(spec.lines, values);
  const data: (number | null | undefined)[][] = [x, ...lines];
  places.forEach((place, i) => {
    data[place.value] = values[i] ?? [];
  });
  const [low, high] = extent(
    data.slice(1),
    (spec.limits ?? []).map((l) => l.value),
  );
  const log = ways.log ?? (Boolean(spec.canLog) && wantsLog(low, high));
  const range = rangeOf(spec, low, high, log && low > 0);
  return {data, places, range, log: log && low > 0};
}

function rangeOf(spec: FigureSpec, low: number, high: number, log: boolean): [number, number] {
  const [under, over] = bounds(low, high, log);
  if (log) return [under, over];
  const top = Math.max(over, spec.top ?? -Infinity);
  return [spec.fromZero ? Math.min(0, under) : under, spec.fromZero ? Math.max(top, 1e-9) : top];
}

/** One sentence of what a figure shows, for who does not see it. @param shown a value as text */
export function sentence(spec: FigureSpec, shown: (value: number | null) => string): string {
  const told = spec.lines.map((line) => {
    const last = line.points.length ? (line.points[line.points.length - 1]?.[1] ?? null) : null;
    return `${clean(line.name, 60)} ${shown(last)}`;
  });
  const title = `${clean(spec.title, 60)}${spec.unit ? `, ${spec.unit}` : ''}`;
  return `${title}: ${told.join(', ') || 'nothing yet'}`;
}

/** Rows of its CSV file: what is drawn. */
export function rowsOf(spec: FigureSpec, columns: Columns): (string | number)[][] {
  const names = spec.lines.flatMap((line, i) =>
    columns.places[i]?.band ? [line.name, `${line.name} least`, `${line.name} most`] : [line.name],
  );
  const [x = [], ...lines] = columns.data;
  const cells = x.map((at, i) => [at ?? '', ...lines.map((line) => line[i] ?? '')]);
  return [[spec.x === 'time' ? 'time' : 'x', ...names], ...cells];
}

/** How many values are drawn of each line. */
export const valuesDrawn = (columns: Columns): number[] =>
  columns.places.map(
    ({value}) => columns.data[value]?.filter((v) => typeof v === 'number').length ?? 0,
  );
