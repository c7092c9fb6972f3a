// Role: the model of a job's page: what is known of it, its figures, its output, what can be done
// to it.

import {momentOr} from '../../base/time.ts';
import {batch, computed, signal} from '@preact/signals';
import {ask, get, part, send} from '../../api/client.ts';
import type {JobEvent, JobFacts, Metric, Staged, WorkerLog} from '../../api/shapes.ts';
import {isAlive} from '../../base/states.ts';
import {LogText} from '../../parts/log_model.ts';
import {Asked} from '../../state/asked.ts';
import {Doing} from '../../state/doing.ts';
import {now} from '../../state/clock.ts';
import {Acting} from '../shared/act_dialog.tsx';
import {bodyOf} from '../shared/acts.ts';
import {Kept} from './kept.ts';

export type Output = 'stdout' | 'stderr';
export type Axis = 'time' | 'step';

/** What is asked for together: it is drawn together. */
export interface Facts {
  readonly facts: JobFacts;
  readonly events: readonly JobEvent[];
  readonly series: readonly Metric[];
  readonly workers: readonly WorkerLog[];
  readonly data: Staged | null;
}

/** Where a failed job says why: in stderr, where there is any. */
export function firstOutput(state: string, worker: WorkerLog | undefined): Output {
  const failed = state === 'failed' || state === 'error';
  return failed && worker && worker.stderr > 0 ? 'stderr' : 'stdout';
}

/**
 * The best of what the metrics hold: of accuracy the most, of a loss the least; validation before
 * train.
 */
export function bestOf(series: readonly Metric[]) {
  const find = (name: string, group: string) =>
    series.find((s) => s.name === name && s.group === group && s.points.length > 0);
  const found =
    find('accuracy', 'test') ??
    find('accuracy', 'train') ??
    find('loss', 'test') ??
    find('loss', 'train');
  if (!found) return null;
  let value: number | null = null;
  for (const [, , , least, most] of found.points) {
    const one = found.name === 'loss' ? least : most;
    if (!Number.isFinite(one)) continue;
    const better = found.name === 'loss' ? one < (value ?? Infinity) : one > (value ?? -Infinity);
    if (better) value = one;
  }
  return {name: found.name, group: found.group, value};
}

export class Run {
  readonly path: string;
  readonly known: Asked<Facts>;
  readonly doing = new Doing();
  readonly kept: Kept;
  readonly acting = new Acting(async (verb, _, words) => {
    await send(`${this.path}/${verb}`, bodyOf(words));
    await this.known.refresh();
  });
  readonly axis = signal<Axis>('time');
  readonly task = signal<number | null>(null);
  readonly output = signal<Output | null>(null);
  readonly log = signal<LogText | null>(null);
  readonly job = computed(() => this.known.value.value?.facts.job ?? null);

  constructor(readonly id: string) {
    this.path = `/api/v1/jobs/${part(id)}`;
    this.kept = new Kept(id);
    this.known = new Asked(() => this.load());
  }

  private async load(): Promise<Facts> {
    const [facts, {events}] = await Promise.all([
      get<JobFacts>(this.path),
      get<{events: JobEvent[]}>(`${this.path}/timeline`),
    ]);
    if (!facts.own) return {facts, events, series: [], workers: [], data: null};
    const [{series}, {workers}, {data}] = await Promise.all([
      get<{series: Metric[]}>(`${this.path}/metrics`),
      get<{workers: WorkerLog[]}>(`${this.path}/logs`),
      get<{data: Staged | null}>(`${this.path}/data`),
    ]);
    return {facts, events, series, workers, data};
  }

  /** Whether it is worth asking again without a change that was told. */
  goesOn = () => isAlive(this.job.peek()?.wm_state ?? '');

  /** After each answer: the output of the worker that is looked at. */
  async readOutput() {
    const known = this.known.value.peek();
    const first = known?.workers[0];
    if (!known || !first) return;
    const task = this.task.peek() ?? first.task;
    const worker = known.workers.find((w) => w.task === task) ?? first;
    const output = this.output.peek() ?? firstOutput(known.facts.job.wm_state, worker);
    if (this.log.peek() === null) this.open(worker.task, output);
    await this.log.peek()?.follow();
  }
  /** Shows the output of another worker, or the other output. */
  open(task: number, output: Output) {
    const path = `${this.path}/logs/${task}/${output}`;
    batch(() => {
      this.task.value = task;
      this.output.value = output;
      this.log.value = new LogText(async (from, tail) => {
        const answer = await ask(
          'GET',
          `${path}?${from === null ? `tail=${tail}` : `from=${from}`}`,
        );
        const begin = Number(answer.headers.get('X-Offset') ?? 0);
        return {from: begin, bytes: new Uint8Array(await answer.arrayBuffer())};
      });
    });
  }
  choose(task: number, output: Output) {
    this.open(task, output);
    void this.log.peek()?.follow();
  }

  async act(verb: string) {
    await this.doing.run(() => ask('POST', `${this.path}/${verb}`), verb);
    await this.known.refresh();
  }

  /** When it ran, in the server's seconds: from its start, or its submission, to now or its end. */
  window(): [number, number] {
    const job = this.job.value;
    const from = momentOr(job?.start_time, momentOr(job?.submit_time, now()));
    return [from, Math.max(from + 1, momentOr(job?.finish_time, now()))];
  }
}
