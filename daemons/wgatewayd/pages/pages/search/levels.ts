// Role: trials by how far they were allowed to go: of halving; or how far they came, where some
// were pruned. Pure.

import type {Search, Setting, Trial} from '../../api/shapes_more.ts';

export interface Level {
  readonly at: number;
  readonly trials: number;
  readonly running: number;
  /** Went no further. */
  readonly left: number;
  readonly best: number | null;
}
export interface Levels {
  readonly unit: string;
  readonly note: string;
  readonly list: readonly Level[];
}

const STEPS = ['step', 'steps', 'epoch', 'iteration'];
const MOST = 24;

const lastStep = (trial: Trial) =>
  STEPS.map((k) => trial.metrics[k]?.latest).find((v) => Number.isFinite(v)) ?? 0;
const isLive = (t: Trial) => t.state === 'running' || t.state === 'launching';

function bestOf(s: Search, trials: readonly Trial[]): number | null {
  const values = trials.flatMap((t) => (t.value === null ? [] : [t.value]));
  if (!values.length) return null;
  const most = s.search.goal === 'maximize';
  return values.reduce((a, b) => (most ? Math.max(a, b) : Math.min(a, b)));
}

/** A parameter of the algorithm, in any case of letters. */
function param(s: Search, name: string): Setting | undefined {
  const {params} = s.search;
  const pairs: (readonly [string, Setting])[] = Array.isArray(params)
    ? params.map((p) => [p.name, p.value] as const)
    : Object.entries(params ?? {});
  return pairs.find(([key]) => key.toLowerCase() === name)?.[1];
}

function level(s: Search, at: number, here: readonly Trial[], left: number): Level {
  return {
    at,
    trials: here.length,
    running: here.filter(isLive).length,
    left,
    best: bestOf(s, here),
  };
}

function byResource(s: Search, resource: string): Levels {
  const at = (t: Trial) => Number(t.config[resource]);
  const resumed = new Set(s.trials.map((t) => t.config.wm_resume).filter(Boolean));
  const levels = [...new Set(s.trials.map(at).filter(Number.isFinite))].sort((a, b) => a - b);
  const list = levels.map((value) => {
    const here = s.trials.filter((t) => at(t) === value);
    const left = here.filter((t) => t.state === 'finished' && !resumed.has(t.index)).length;
    return level(s, value, here, left);
  });
  return {unit: resource, note: 'the best of each go on to the next', list};
}

// The levels at which running trials are compared: eta apart, below the most steps that one has
// ended with.
function byProgress(s: Search, eta: number): Levels {
  const ended = s.trials.filter((t) => t.state === 'finished').map(lastStep);
  const most = ended.reduce((a, b) => Math.max(a, b), 0);
  const levels = [most];
  for (let at = most / eta; at >= 1 && levels.length < MOST; at /= eta)
    levels.unshift(Math.floor(at));
  const list = levels.map((value, i) => {
    const next = levels[i + 1] ?? Infinity;
    const here = s.trials.filter((t) => lastStep(t) >= value);
    const left = here.filter((t) => t.state === 'stopped' && lastStep(t) < next).length;
    return level(s, value, here, left);
  });
  return {unit: 'Steps', note: 'who is behind at a level is stopped', list};
}

/** Empty where no trial was cut short. */
export function levelsOf(s: Search): Levels {
  const resource = param(s, 'resourcename');
  if (resource) return byResource(s, String(resource));
  if (!s.trials.some((t) => t.state === 'stopped')) return {unit: '', note: '', list: []};
  return byProgress(s, Number(param(s, 'eta')) || 3);
}
