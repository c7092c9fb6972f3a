// Role: what the filter of runs asks the server for, which columns there are, what a cell of one
// is, and the order of rows. Pure.

import type {ComparedRun, RunRow} from '../../api/shapes_more.ts';
import {byId, ordered, type Value} from '../../base/order.ts';
import type {Problem} from '../../base/query.ts';

/** Words that the server filters by itself, "name:x" as the filter of applications has them. */
export const RUN_FIELDS = [
  'user',
  'name',
  'state',
  'tag',
  'project',
  'plan',
  'queue',
  'app',
  'framework',
  'type',
  'service',
  'label',
  'is',
] as const;
const FLAGS = ['starred', 'shelved', 'search'];
const STATES = [
  'pending',
  'held',
  'running',
  'suspended',
  'unknown',
  'finished',
  'failed',
  'killed',
  'error',
];
export const RUN_VALUES: Readonly<Record<string, readonly string[]>> = {
  state: STATES,
  type: ['batch', 'training', 'notebook', 'inference'],
  is: FLAGS,
};

export interface Asked {
  readonly params: Readonly<Record<string, string>>;
  readonly problems: readonly Problem[];
}

function wordOf(word: string): [name: string, value: string] | string {
  const [name = '', value] = word.split(/:(.*)/s);
  if (value === undefined) return ['text', word];
  if (!RUN_FIELDS.some((field) => field === name)) {
    const close = RUN_FIELDS.find((field) => field.startsWith(name.slice(0, 2)));
    return `no field "${name}:"${close ? `; ${close}:?` : ''}`;
  }
  if (name === 'is') {
    return FLAGS.includes(value) ? [value, 'true'] : `is:${value}? One of ${FLAGS.join(', ')}`;
  }
  const known = RUN_VALUES[name];
  const wrong = known && value.split(',').find((one) => !known.includes(one));
  return wrong === undefined ? [name, value] : `${name}:${wrong}? One of ${known?.join(', ')}`;
}

/** Words of the filter as the server is asked for them; those of one field are joined. */
export function askedFor(text: string, mine: boolean): Asked {
  const params: Record<string, string> = mine ? {} : {user: 'all'};
  const problems: Problem[] = [];
  for (const found of text.matchAll(/\S+/g)) {
    const made = wordOf(found[0]);
    if (typeof made === 'string') problems.push({at: found.index, text: made});
    else {
      const [name, value] = made;
      const before = name === 'user' ? undefined : params[name];
      const between = name === 'text' ? ' ' : ',';
      params[name] = before === undefined ? value : `${before}${between}${value}`;
    }
  }
  return {params, problems};
}

/** "--lr 0.1 --tags=a" after the words that WM itself reads. */
export function settingsOf(args: string): Record<string, string> {
  const own = args.split(/\s--\s(.*)/s)[1] ?? '';
  const settings: Record<string, string> = {};
  let name = '';
  for (const word of own.split(/\s+/).filter(Boolean)) {
    const option = word.match(/^--([^=\s]+)(?:=(.*))?$/s);
    if (option?.[1]) {
      name = option[2] === undefined ? option[1] : '';
      settings[option[1]] = option[2] ?? '';
    } else if (name) {
      settings[name] = word;
      name = '';
    }
  }
  return settings;
}

export type Known = ReadonlyMap<string, ComparedRun>;

/** A column besides the usual ones: "s:lr" a setting, "m:test accuracy" a metric's newest value. */
export const cellOf = (run: RunRow, column: string, known: Known): Value => {
  const name = column.slice(2);
  if (column.startsWith('s:')) {
    const text = known.get(run.id)?.settings[name] ?? settingsOf(run.args ?? '')[name];
    const number = text === undefined || text === '' ? Number.NaN : Number(text);
    return Number.isNaN(number) ? text : number;
  }
  return known.get(run.id)?.metrics[name];
};

/** All that the runs have, settings first; names of all of them, not only of those in sight. */
export function columnNames(runs: readonly RunRow[], known: Known): string[] {
  const settings = new Set<string>();
  const metrics = new Set<string>();
  for (const run of runs) {
    const more = known.get(run.id);
    for (const name of Object.keys(more?.settings ?? settingsOf(run.args ?? '')))
      settings.add(`s:${name}`);
    for (const name of Object.keys(more?.metrics ?? {})) metrics.add(`m:${name}`);
  }
  return [...[...settings].sort(), ...[...metrics].sort()];
}

/** When it began, or was submitted: a moment that has not been is 0, or none. */
export const begun = (run: RunRow) => run.start_time || run.submit_time || null;

const USUAL: Readonly<Record<string, (run: RunRow) => Value>> = {
  id: (run) => Number(run.id),
  name: (run) => run.name ?? run.job_name,
  user: (run) => run.user,
  state: (run) => run.state,
  began: begun,
  ran: (run) => (run.start_time && run.finish_time ? run.finish_time - run.start_time : undefined),
};

/** In the order that `sort` names, of rows that are here; what is missing comes last. */
export function runsInOrder(runs: readonly RunRow[], sort: string, known: Known): RunRow[] {
  if (!sort) return [...runs];
  const down = sort.startsWith('-');
  const name = down ? sort.slice(1) : sort;
  const value = USUAL[name] ?? ((run: RunRow) => cellOf(run, name, known));
  return ordered(runs, value, down, (a, b) => byId(b.id, a.id));
}

/** "30: 4 running, 20 finished" of an array. */
export function countWords(run: RunRow): string {
  if (run.elements === 0) return '';
  const parts = Object.entries(run.counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`);
  return `${run.elements} elements${parts.length ? `: ${parts.join(', ')}` : ''}`;
}

/** Adds and takes away; "-x" takes x away. */
export function retagged(tags: readonly string[], words: readonly string[]): string[] {
  const gone = new Set(words.filter((word) => word.startsWith('-')).map((word) => word.slice(1)));
  const kept = tags.filter((tag) => !gone.has(tag));
  const added = words.filter((word) => !word.startsWith('-') && !kept.includes(word));
  return [...kept, ...added];
}
