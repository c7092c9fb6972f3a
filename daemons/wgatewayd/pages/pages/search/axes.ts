// Role: settings and values of trials on axes, and the words of the filter that brushes along them
// make. Pure.

import type {Param, Search, Setting, Trial} from '../../api/shapes_more.ts';

export interface Axis {
  readonly name: string;
  /** Of an axis of words; empty: numbers. */
  readonly words: readonly string[];
  readonly low: number;
  readonly high: number;
  readonly log: boolean;
  /** The metric itself. */
  readonly result: boolean;
}

const RESUME = 'wm_resume';

function least(values: readonly number[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const v of values) [low, high] = [Math.min(low, v), Math.max(high, v)];
  return [low, high];
}

function axisOf(name: string, values: readonly (Setting | undefined)[], param?: Param): Axis {
  const there = values.filter((v): v is string | number | boolean => v !== undefined && v !== null);
  const base = {name, words: [], low: 0, high: 1, log: false, result: false};
  const numbers = there.map(Number);
  const isWords =
    there.some((v) => typeof v === 'boolean') || numbers.some((v) => !Number.isFinite(v));
  if (isWords) return {...base, words: [...new Set(there.map(String))].sort()};
  if (!numbers.length) return base;
  const [low, high] = least(numbers);
  if (low === high) {
    const room = (Math.abs(low) || 1) / 2;
    return {...base, low: low - room, high: high + room};
  }
  const log = low > 0 && (high / low > 20 || param?.log === true || Number(param?.power) > 0);
  return {...base, low, high, log};
}

/** Axes of a search: its settings in their order, then the metric. */
export function axesOf(s: Search): Axis[] {
  const space = s.search.space ?? [];
  const names = new Set(space.map((p) => p.name));
  for (const trial of s.trials) for (const name of Object.keys(trial.config)) names.add(name);
  names.delete(RESUME);
  const axes = [...names].map((name) =>
    axisOf(
      name,
      s.trials.map((t) => t.config[name]),
      space.find((p) => p.name === name),
    ),
  );
  const metric = axisOf(
    s.search.metric,
    s.trials.map((t) => t.value),
  );
  return [...axes, {...metric, result: true}];
}

/** Where a value lies on its axis, 0 to 1; null: nowhere. */
export function place(axis: Axis, value: Setting | undefined): number | null {
  if (value === undefined || value === null) return null;
  if (axis.words.length) {
    const at = axis.words.indexOf(String(value));
    if (at < 0) return null;
    return axis.words.length === 1 ? 0.5 : at / (axis.words.length - 1);
  }
  const v = Number(value);
  if (!Number.isFinite(v)) return null;
  const scale = axis.log ? Math.log : (x: number) => x;
  return (scale(v) - scale(axis.low)) / (scale(axis.high) - scale(axis.low));
}

/** The value at a place. */
export function valueAt(axis: Axis, at: number): string | number {
  if (axis.words.length) return axis.words[Math.round(at * (axis.words.length - 1))] ?? '';
  if (!axis.log) return axis.low + at * (axis.high - axis.low);
  const [low, high] = [Math.log(axis.low), Math.log(axis.high)];
  return Math.exp(low + at * (high - low));
}

export const settingOf = (axis: Axis, trial: Trial) =>
  axis.result ? trial.value : trial.config[axis.name];

const short = (v: string | number) => String(Number(Number(v).toPrecision(4)));

/** The filter's words with a range of one axis in place of what they said of it. */
export function brushWords(words: string, axis: Axis, low: string | number, high: string | number) {
  const ours = ['<', '>', ':'].map((how) => axis.name + how);
  const kept = words.split(/\s+/).filter((w) => w && !ours.some((begin) => w.startsWith(begin)));
  if (!axis.words.length) {
    return [...kept, `${axis.name}>${short(low)}`, `${axis.name}<${short(high)}`].join(' ');
  }
  const [from, to] = [axis.words.indexOf(String(low)), axis.words.indexOf(String(high))];
  return [...kept, `${axis.name}:${axis.words.slice(from, to + 1).join(',')}`].join(' ');
}

function named(s: Search, trial: Trial, name: string): Setting | undefined {
  if (name === 'state') return trial.state === 'stopped' ? 'pruned' : trial.state;
  return name === s.search.metric ? trial.value : trial.config[name];
}

/** Does a trial fit words such as lr<0.01 optimizer:adam,sgd state:failed? */
export function fits(s: Search, trial: Trial, words: string): boolean {
  return words
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => {
      const found = word.match(/^([^<>:]+)([<>:])(.+)$/);
      if (!found)
        return `${trial.index}`.includes(word) || trial.state.includes(word.toLowerCase());
      const [, name = '', how, wanted = ''] = found;
      const value = named(s, trial, name);
      if (value === undefined || value === null) return false;
      const text = String(value).toLowerCase();
      if (how === ':') return wanted.split(',').some((w) => text.startsWith(w.toLowerCase()));
      return how === '<' ? Number(value) <= Number(wanted) : Number(value) >= Number(wanted);
    });
}
