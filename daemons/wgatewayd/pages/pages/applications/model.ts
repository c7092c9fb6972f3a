// Role: the model of Applications: the window of jobs that is looked at, slots over time, what is
// chosen and what is done to it.

import {batch, computed, effect, signal} from '@preact/signals';
import {get, part, send} from '../../api/client.ts';
import {asRefused} from '../../api/problem.ts';
import type {JobRow, Slots, SlotsApp} from '../../api/shapes.ts';
import {byId} from '../../base/order.ts';
import type {Window} from '../../live/messages.ts';
import {look} from '../../live/port.ts';
import type {Seen} from '../../parts/window.ts';
import {param} from '../../state/address.ts';
import {Asked} from '../../state/asked.ts';
import {now} from '../../state/clock.ts';
import {Acting} from '../shared/act_dialog.tsx';
import {bodyOf, type Outcome, toEach} from '../shared/acts.ts';
import {Views} from '../shared/views.ts';

export const RANGES = [
  [3, '3 min'],
  [12, '12 min'],
  [60, '1 h'],
  [1440, '24 h'],
] as const;

const begun = (apps: readonly SlotsApp[]) => {
  let first = Infinity;
  for (const app of apps) {
    const begin = app.steps.find(([, v]) => v > 0)?.[0];
    if (begin !== undefined && begin < first) first = begin;
  }
  return first;
};

/** Where the figure begins: in the shortest range where something does. @param minutes asked for */
export function beginOf(apps: readonly SlotsApp[], minutes: number, at: number): number {
  const asked = at - minutes * 60;
  const first = begun(apps);
  if (minutes !== RANGES[0][0] || !(first > asked) || !Number.isFinite(first)) return asked;
  return Math.min(first - (at - first) * 0.06, at - 30);
}

export class Applications {
  /** null: none has come yet. */
  readonly window = signal<Window | null>(null);
  readonly minutes = signal<number>(12);
  readonly slots = new Asked<Slots>(() => get(`/api/v1/slots?minutes=${this.minutes.value}`));
  /** By id, as they were when they were chosen. */
  readonly chosen = signal<ReadonlyMap<string, JobRow>>(new Map());
  readonly outcomes = signal<readonly Outcome[]>([]);
  readonly busy = signal(false);
  readonly views = new Views('/apps');
  readonly acting = new Acting((verb, _, words) => this.act(verb, bodyOf(words)));
  private readonly seen = signal<Seen>({from: 0, to: 64});
  readonly asked = computed(() => ({
    mine: param('whose') === 'mine',
    group: param('state'),
    filter: param('q'),
    sort: param('sort'),
    fold: param('each') === '',
  }));
  readonly byJob = computed(
    () => new Map((this.slots.value.value?.apps ?? []).map((app) => [app.id, app])),
  );

  /** Looks at the list until ended. */
  begin(): () => void {
    let stop = () => {};
    const end = effect(() => {
      const view = {...this.asked.value, ...this.seen.value};
      stop = look('applications', view, (window) => {
        this.window.value = window;
      });
    });
    return () => {
      end();
      stop();
    };
  }
  want(seen: Seen) {
    this.seen.value = seen;
  }
  choose(job: JobRow) {
    const next = new Map(this.chosen.value);
    if (!next.delete(job.jobid)) next.set(job.jobid, job);
    this.chosen.value = next;
  }

  /** Does it to all that are chosen, each on its own; what was refused is told by job. */
  async act(verb: string, words: object = {}) {
    if (this.busy.value) return;
    this.busy.value = true;
    const rows = this.chosen.value;
    const ids = [...rows.keys()].sort(byId);
    const outcomes = await toEach(
      ids,
      (id) => send(`/api/v1/jobs/${part(id)}/${verb}`, words),
      (problem) => asRefused(problem).message,
    );
    batch(() => {
      this.outcomes.value = outcomes;
      const left = outcomes.filter((one) => one.problem).flatMap(({id}) => rows.get(id) ?? []);
      this.chosen.value = new Map(left.map((job) => [job.jobid, job]));
      this.busy.value = false;
    });
  }

  /** Where everything that happened is little, it is shown large. */
  fitRange() {
    const apps = this.slots.value.value?.apps ?? [];
    const first = begun(apps);
    if (Number.isFinite(first) && now() - first < 150) this.minutes.value = 3;
  }
}
