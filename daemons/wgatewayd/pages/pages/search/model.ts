// Role: the model of a search's page: the search, what can be done to it, its trials in order and
// as rows.

import {momentOr} from '../../base/time.ts';
import {computed} from '@preact/signals';
import {ask, get, part} from '../../api/client.ts';
import type {Search, Setting, Trial} from '../../api/shapes_more.ts';
import {ordered, type Value} from '../../base/order.ts';
import {type Shown, state} from '../../base/states.ts';
import {param} from '../../state/address.ts';
import {Asked} from '../../state/asked.ts';
import {Doing} from '../../state/doing.ts';
import {axesOf, fits} from './axes.ts';

const PRUNED: Shown = {word: 'Pruned', icon: 'stop', kind: ''};
export const shownState = (word: string) => (word === 'stopped' ? PRUNED : state(word));

/** A column of the table of trials, and what it orders by. */
export interface TrialColumn {
  readonly key: string;
  readonly text: string;
  readonly value: (trial: Trial) => Setting | undefined;
}

export function trialColumns(s: Search, now: number): TrialColumn[] {
  const settings = axesOf(s).filter((axis) => !axis.result);
  return [
    {key: 'index', text: '#', value: (t) => t.index},
    {key: 'state', text: 'State', value: (t) => shownState(t.state).word},
    {key: 'value', text: s.search.metric, value: (t) => t.value},
    ...settings.map(({name}) => ({key: name, text: name, value: (t: Trial) => t.config[name]})),
    {
      key: 'time',
      text: 'Time',
      value: (t) => (t.start_time ? momentOr(t.finish_time, now) - t.start_time : null),
    },
    {key: 'why', text: 'Why', value: (t) => t.why},
  ];
}

/** The order that is asked for; without one the best first. */
export const sortOf = (s: Search, asked: string) =>
  asked || (s.search.goal === 'maximize' ? '-value' : 'value');

export function inOrder(trials: readonly Trial[], columns: readonly TrialColumn[], sort: string) {
  const down = sort.startsWith('-');
  const column = columns.find((c) => c.key === (down ? sort.slice(1) : sort));
  const value = (t: Trial): Value => {
    const found = column?.value(t);
    return typeof found === 'boolean' ? String(found) : found;
  };
  return ordered(trials, value, down, (a, b) => a.index - b.index);
}

export class SearchModel {
  readonly path: string;
  readonly known: Asked<Search>;
  readonly doing = new Doing();
  readonly words = computed(() => param('q'));
  readonly sort = computed(() => param('sort'));
  readonly axes = computed(() => {
    const s = this.known.value.value;
    return s ? axesOf(s) : [];
  });
  readonly chosen = computed(() => {
    const s = this.known.value.value;
    return s ? s.trials.filter((t) => fits(s, t, this.words.value)) : [];
  });

  constructor(readonly name: string) {
    this.path = `/api/v1/searches/${part(name)}`;
    this.known = new Asked(async () => (await get<{search: Search}>(this.path)).search);
  }
  async act(verb: string) {
    await this.doing.run(() => ask('POST', `${this.path}/${verb}`));
    await this.known.refresh();
  }
}
