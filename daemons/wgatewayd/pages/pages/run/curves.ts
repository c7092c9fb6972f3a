// Role: curves of one run beyond what its page has at first: a metric by its name, of however many
// there are, and what lies within a part of one, from the server, with as many points as the whole.

import {signal} from '@preact/signals';
import {get, part} from '../../api/client.ts';
import type {Metric} from '../../api/shapes.ts';
import type {ComparedRun} from '../../api/shapes_more.ts';

export type Axis = 'time' | 'step';
export type Range = readonly [from: number, to: number];

/** Series that come without being named. */
const UNNAMED = 64;
/** Names that are asked for at once. */
const MOST_NAMES = 12;

/** "train loss". */
export const keyOf = ({group, name}: Metric) => `${group} ${name}`;
const nameOf = (key: string) => key.slice(key.indexOf(' ') + 1);

/**
 * The steps that a range of an axis spans, as far as the points tell: the last before it to the
 * first after it. null: none is known there. @cost O(points)
 */
export function stepsIn(series: readonly Metric[], axis: Axis, [from, to]: Range): Range | null {
  let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const {points} of series) {
    for (const [step, t] of points) {
      const at = axis === 'time' ? t : step;
      if (axis === 'time' && t <= 0) continue;
      [least, most] = [Math.min(least, step), Math.max(most, step)];
      if (at <= from) low = Math.max(low, step);
      if (at >= to) high = Math.min(high, step);
    }
  }
  if (least > most) return null;
  return [Math.max(low, least), Math.min(high, most)];
}

/** Names that hold a word, of those that are known; each once. */
export const namesWith = (keys: readonly string[], word: string): string[] =>
  [...new Set(keys.map(nameOf))].filter((name) => name.toLowerCase().includes(word.toLowerCase()));

export class Curves {
  /** "group name" of all that it reported; null: those that came are all. */
  readonly keys = signal<readonly string[] | null>(null);
  /** Those that were asked for by name. */
  readonly named = signal<readonly Metric[]>([]);
  private asked = new Set<string>();
  private listed = false;

  /** @param path of the job at the interface */
  constructor(
    private readonly path: string,
    private readonly id: string,
  ) {}

  /** Asks which there are, once, where there may be more than have come. */
  async list(come: readonly Metric[]) {
    if (this.listed || come.length < UNNAMED) return;
    this.listed = true;
    try {
      const address = `/api/v1/runs/compare?ids=${part(this.id)}`;
      const [run] = (await get<{runs: readonly ComparedRun[]}>(address)).runs;
      this.keys.value = run ? Object.keys(run.metrics).sort() : null;
    } catch {
      this.listed = false; // those that came are there all the same
    }
  }
  /** Has those of some names come; the first of them are asked for. */
  async want(names: readonly string[], come: readonly Metric[]) {
    const here = new Set(come.map(keyOf));
    const wanted = (this.keys.peek() ?? [])
      .filter((key) => names.includes(nameOf(key)) && !here.has(key) && !this.asked.has(key))
      .slice(0, 2 * MOST_NAMES);
    if (wanted.length === 0) return;
    for (const key of wanted) this.asked.add(key);
    try {
      const found = await this.ask(wanted);
      this.named.value = [...this.named.peek(), ...found];
    } catch {
      for (const key of wanted) this.asked.delete(key); // asked for again with the next word
    }
  }
  /** What lies between two steps. */
  within(series: readonly Metric[], [from, to]: Range): Promise<readonly Metric[]> {
    return this.ask(series.map(keyOf), `&from=${from}&to=${to}`);
  }
  private async ask(keys: readonly string[], more = ''): Promise<readonly Metric[]> {
    const address = `${this.path}/metrics?names=${part(keys.join('\n'))}${more}`;
    return (await get<{series: readonly Metric[]}>(address)).series;
  }
}
