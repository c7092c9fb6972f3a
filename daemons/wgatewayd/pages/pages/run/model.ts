// Role: the model of a job's page: what is known of it, its figures, its output, what can be done
// to it.

import {momentOr} from '../../base/time.ts';
import {batch, computed, signal} from '@preact/signals';
import {ask, get, part, send} from '../../api/client.ts';
import type {JobEvent, JobFacts, Metric, Staged, Task, WorkerLog} from '../../api/shapes.ts';
import type {FoundLine, HostUse, Output} from '../../api/shapes_logs.ts';
import {isAlive} from '../../base/states.ts';
import {LogText} from '../../parts/log_model.ts';
import {Asked} from '../../state/asked.ts';
import {Doing} from '../../state/doing.ts';
import {now} from '../../state/clock.ts';
import {Acting} from '../shared/act_dialog.tsx';
import {bodyOf} from '../shared/acts.ts';
import {Again} from './again.ts';
import {type Axis, Curves} from './curves.ts';
import {Files} from './files.ts';
import {Kept} from './kept.ts';
import {MergedLog} from './merged.ts';
import {LogSearch} from './search_log.ts';

export type {Output};

/** What is asked for together: it is drawn together. */
export interface Facts {
  readonly facts: JobFacts;
  readonly events: readonly JobEvent[];
  readonly series: readonly Metric[];
  readonly workers: readonly WorkerLog[];
  readonly data: Staged | null;
  /** Tasks of the job's other groups, as its parameter servers. */
  readonly others: readonly Task[];
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

/** The groups of its job whose tasks are not its own; of a whole job those behind the first. */
export function otherGroups({job, groups}: Pick<JobFacts, 'job' | 'groups'>): readonly string[] {
  const ids = groups.map((group) => group.jobid);
  return ids.includes(job.jobid) ? ids.filter((id) => id !== job.jobid) : ids.slice(1);
}
async function tasksOf(ids: readonly string[]): Promise<readonly Task[]> {
  const all = await Promise.all(ids.map((id) => get<JobFacts>(`/api/v1/jobs/${part(id)}`)));
  return all.flatMap(({job}) => job.tasks ?? []);
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
  /** The output of all workers as one, instead of one worker's; null: it is not looked at. */
  readonly all = signal<MergedLog | null>(null);
  readonly search: LogSearch;
  readonly again: Again;
  readonly curves: Curves;
  readonly files: Files;
  /** How busy is what its workers have, by host. */
  readonly use = signal<ReadonlyMap<string, HostUse>>(new Map());
  readonly job = computed(() => this.known.value.value?.facts.job ?? null);

  constructor(readonly id: string) {
    this.path = `/api/v1/jobs/${part(id)}`;
    this.kept = new Kept(id);
    this.search = new LogSearch(this.path);
    this.again = new Again(this.path);
    this.curves = new Curves(this.path, id);
    this.files = new Files(id);
    this.known = new Asked(() => this.load());
  }

  private async load(): Promise<Facts> {
    const [facts, {events}] = await Promise.all([
      get<JobFacts>(this.path),
      get<{events: JobEvent[]}>(`${this.path}/timeline`),
    ]);
    const none = {series: [], workers: [], data: null, others: []};
    if (!facts.own) return {...none, facts, events};
    const [{series}, {workers}, {data}, others] = await Promise.all([
      get<{series: Metric[]}>(`${this.path}/metrics`),
      get<{workers: WorkerLog[]}>(`${this.path}/logs`),
      get<{data: Staged | null}>(`${this.path}/data`),
      tasksOf(otherGroups(facts)),
    ]);
    return {facts, events, series, workers, data, others};
  }

  /** Whether it is worth asking again without a change that was told. */
  goesOn = () => isAlive(this.job.peek()?.wm_state ?? '');

  /** After each answer: the output of the worker that is looked at. */
  async readOutput() {
    if (this.all.peek()) return this.all.peek()?.follow();
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
      this.log.value = new LogText(async (from, tail, most) => {
        const where = from === null ? `tail=${tail}` : `from=${from}`;
        const answer = await ask('GET', `${path}?${where}${most ? `&most=${most}` : ''}`);
        const begin = Number(answer.headers.get('X-Offset') ?? 0);
        return {from: begin, bytes: new Uint8Array(await answer.arrayBuffer())};
      });
    });
  }
  choose(task: number, output: Output) {
    this.all.value = null;
    this.open(task, output);
    void this.log.peek()?.follow();
  }
  /** The output of all workers as one. */
  chooseAll() {
    const job = this.job.peek();
    this.all.value = new MergedLog(this.path, momentOr(job?.start_time, now()));
    void this.all.peek()?.follow();
  }
  /** Shows a line that was found, where it stands. */
  goToLine({task, stream, at}: FoundLine) {
    this.all.value = null;
    this.open(task, stream);
    void this.log.peek()?.goTo(at);
  }
  /** What is not known stays as it was: a load that is missing is no error of a run. */
  async readUse() {
    if (!this.goesOn()) return;
    try {
      const {hosts} = await get<{hosts: HostUse[]}>(`${this.path}/use`);
      this.use.value = new Map(hosts.map((host) => [host.host_name, host]));
    } catch {
      // asked again with the next answer
    }
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
