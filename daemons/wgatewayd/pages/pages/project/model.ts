// Role: the model of a project's page: its definitions and experiments, running and deleting them.

import {signal} from '@preact/signals';
import {ask, get, part, runPath} from '../../api/client.ts';
import type {Definition, Experiment, JobRow, Project} from '../../api/shapes.ts';
import {follow} from '../../live/port.ts';
import {Members} from '../../parts/members_model.ts';
import {go} from '../../state/address.ts';
import {Asked} from '../../state/asked.ts';
import {Doing} from '../../state/doing.ts';
import {type Kind, Versions} from '../shared/versions_model.ts';

export const SHOWN_RUNS = 8;

export interface Known {
  readonly project: Project;
  readonly definitions: readonly Definition[];
  readonly experiments: readonly Experiment[];
}

/** The job that an execution is. */
export const jobOf = (run: string) => run.slice(run.lastIndexOf('-') + 1);

export class ProjectModel {
  readonly base: string;
  readonly known: Asked<Known>;
  readonly doing = new Doing();
  readonly members = new Members();
  readonly versions = new Versions(() => void this.known.refresh());
  /** What is known of its runs' jobs, by id. */
  readonly jobs = signal<ReadonlyMap<string, JobRow>>(new Map());
  private end = () => {};

  constructor(readonly name: string) {
    this.base = `/api/v1/projects/${part(name)}`;
    this.known = new Asked(() => this.load());
  }
  private async load(): Promise<Known> {
    const [project, {definitions}, {experiments}] = await Promise.all([
      get<Project>(this.base),
      get<{definitions: Definition[]}>(`${this.base}/definitions`),
      get<{experiments: Experiment[]}>(`${this.base}/experiments`),
    ]);
    const runs = experiments.flatMap((e) => e.runs.slice(-SHOWN_RUNS).map(jobOf));
    this.end = follow('project', runs, (rows) => {
      this.jobs.value = new Map(rows.map((row) => [row.jobid, row]));
    });
    return {project, definitions, experiments};
  }
  async saveMembers() {
    if (await this.members.save(this.base)) await this.known.refresh();
  }
  open(kind: Kind, name: string) {
    return this.versions.open({kind, project: this.name, name});
  }
  leave() {
    this.end();
  }

  async run(name: string) {
    let runs: string[] = [];
    const done = await this.doing.run(async () => {
      const answer = await ask('POST', `${this.base}/experiments/${part(name)}/run`, {
        headers: {'Idempotency-Key': crypto.randomUUID()},
      });
      runs = (await answer.json()).runs;
    });
    if (!done) return;
    go(runs.length === 1 && runs[0] ? runPath(runs[0]) : '/apps?whose=mine');
  }
  async remove(kind: 'experiments' | 'definitions', name: string) {
    await this.doing.run(() => ask('DELETE', `${this.base}/${kind}/${part(name)}`));
    await this.known.refresh();
  }
}
