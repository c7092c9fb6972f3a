// Role: the model of the form of a new experiment. The server judges each definition's words as
// they are typed; what is made and then not wanted any more is taken away again.

import {computed, effect, signal} from '@preact/signals';
import {ask, get, kept, part, runPath, send, upload} from '../../api/client.ts';
import {asRefused} from '../../api/problem.ts';
import type {Definition, Experiment, JobFacts, Project} from '../../api/shapes.ts';
import {Form} from '../../parts/form_model.ts';
import {go, param} from '../../state/address.ts';
import {Asked} from '../../state/asked.ts';
import {type Choices, loadChoices, loadMigs, undoOf} from './choices.ts';
import {clonedFrom} from './from.ts';
import {DRAFT, forget, type Part, partOf, partsFrom, partsText, type Verdict} from './parts.ts';
import {
  dataOf,
  type DefinitionTexts,
  type ExperimentTexts,
  FRESH,
  FRESH_DEFINITION,
  frameworkFor,
  located,
  type Manifest,
  manifestOf,
  textsOf,
  typeOf,
  wordsOf,
} from './words.ts';

const JUDGE_MS = 400;

const stored = (name: string) => globalThis.sessionStorage?.getItem(name) ?? '';

export class NewExperiment {
  readonly form = new Form(FRESH, DRAFT);
  readonly parts = signal<readonly Part[]>([]);
  readonly files = signal<ReadonlyMap<string, File>>(new Map());
  readonly choices = new Asked<Choices>(() => this.load());
  /** Definitions that the chosen project has. */
  readonly existing = signal<readonly Definition[]>([]);
  /** Ways in which GPUs of the cluster are divided; null: not asked for yet. */
  readonly migs = signal<readonly string[] | null>(null);
  /** Names of its experiments. */
  private experiments: readonly string[] = [];
  readonly verdicts = signal<readonly Verdict[]>([]);
  /** The run that the form was filled from; empty: none. */
  readonly cloned = signal('');
  /** How much of the code is sent, 0 to 1; null: nothing is being sent. */
  readonly sent = signal<number | null>(null);
  readonly plan = computed(() => {
    const x = this.form.value.value;
    if (x.plan || !x.project) return x.plan || x.projectPlan;
    const projects = this.choices.value.value?.projects ?? [];
    return projects.find((p) => p.name === x.project)?.plan ?? '';
  });
  private timer: ReturnType<typeof setTimeout> | undefined;
  private here = true;
  private turn = 0;

  private async load() {
    const choices = await loadChoices();
    const asked = param('project');
    if (asked) this.form.set('project', asked);
    const from = param('from');
    if (from && this.cloned.peek() !== from) await this.clone(from);
    else if (!this.parts.peek().length) this.restore(choices.gpus > 0);
    await this.fetchExisting(choices.projects);
    return choices;
  }
  /** The form as a run was asked for; what was typed before is gone. */
  private async clone(id: string) {
    const {exec, job} = await get<JobFacts>(`/api/v1/jobs/${part(id)}`);
    if (!exec) return;
    const {experiment, definition} = clonedFrom(exec.args, job.job_name ?? '');
    this.startOver();
    for (const [field, text] of Object.entries(experiment))
      this.form.set(field as keyof ExperimentTexts, text);
    const [one] = this.parts.peek();
    for (const [field, text] of Object.entries(definition))
      one?.form.set(field as keyof DefinitionTexts, text);
    this.cloned.value = id;
  }
  private restore(gpus: boolean) {
    const parts = partsFrom(stored(`${DRAFT}-parts`), gpus);
    if (!parts.length) return this.addNew(gpus);
    this.parts.value = parts;
  }
  private async fetchExisting(projects: readonly Project[]) {
    const {project} = this.form.value.peek();
    const known = projects.some((p) => p.name === project);
    const base = `/api/v1/projects/${part(project)}`;
    const [{definitions}, {experiments}] = known
      ? await Promise.all([
          get<{definitions: Definition[]}>(`${base}/definitions`),
          get<{experiments: Experiment[]}>(`${base}/experiments`),
        ])
      : [{definitions: []}, {experiments: []}];
    this.experiments = experiments.map((e) => e.name);
    this.existing.value = definitions;
  }

  /** Judges while the page is there. */
  begin(): () => void {
    const end = effect(() => {
      // Whatever it is made of.
      void [this.form.value.value, this.plan.value, this.existing.value];
      for (const one of this.parts.value) void one.form.value.value;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.judge(), JUDGE_MS);
    });
    return () => {
      this.here = false;
      clearTimeout(this.timer);
      end();
    };
  }
  private remember(parts: readonly Part[]) {
    this.parts.value = parts;
    globalThis.sessionStorage?.setItem(`${DRAFT}-parts`, partsText(parts));
  }
  addNew(gpus = (this.choices.value.peek()?.gpus ?? 0) > 0) {
    this.remember([...this.parts.value, partOf(gpus)]);
  }
  addExisting(name: string) {
    this.remember([...this.parts.value, partOf(false, {existing: name})]);
  }
  /** The attributes of one that is there are typed on: it gets another version. */
  change(one: Part) {
    const known = this.existing.value.find((d) => d.name === one.existing);
    if (!known) return;
    const changed = partOf(false, {changes: one.existing});
    for (const [field, text] of Object.entries(textsOf(known)))
      changed.form.set(field as keyof DefinitionTexts, text);
    this.remember(this.parts.value.map((part) => (part === one ? changed : part)));
  }
  remove(one: Part) {
    this.remember(this.parts.value.filter((p) => p !== one));
    this.choose(one, undefined);
    forget(one);
  }
  choose(one: Part, file: File | undefined) {
    const files = new Map(this.files.value);
    if (file) files.set(one.key, file);
    else files.delete(one.key);
    this.files.value = files;
  }
  setProject() {
    this.remember(this.parts.value.filter((p) => !p.existing && !p.changes));
    void this.fetchExisting(this.choices.value.peek()?.projects ?? []);
  }
  /** What cannot be asked for is typed. */
  async findMigs() {
    this.migs.value ??= await loadMigs().catch(() => []);
  }
  setType(one: Part, type: string) {
    one.form.set('type', type);
    one.form.set('framework', frameworkFor(type, one.form.value.peek().framework));
  }
  setFramework(one: Part, framework: string) {
    one.form.set('type', typeOf(framework));
  }
  startOver() {
    for (const one of this.parts.value) one.form.reset();
    this.form.reset();
    this.files.value = new Map();
    this.remember([]);
    this.addNew();
  }

  private manifest(one: Part): Manifest | null {
    if (!one.existing) return manifestOf(one.form.value.peek());
    return this.existing.peek().find((d) => d.name === one.existing) ?? null;
  }
  private async judge() {
    const turn = ++this.turn;
    const made = await Promise.all(this.parts.peek().map((one) => this.verdict(one)));
    if (turn === this.turn) this.verdicts.value = made.flatMap((v) => v ?? []);
  }
  private async verdict(one: Part): Promise<Verdict | null> {
    const d = this.manifest(one);
    if (!d) return null;
    const x = this.form.value.peek();
    const data = dataOf(x, d);
    const args = wordsOf(x, d, this.plan.peek()).join(' ');
    try {
      const path = `/api/v1/lines?args=${part(args)}&data=${part(data)}`;
      const {bsub, dlicmd} = await get<{bsub: string; dlicmd: string}>(path);
      one.form.errors.value = {};
      return {key: one.key, problem: '', bsub, dlicmd, data};
    } catch (problem) {
      const {field, text} = located(asRefused(problem).message);
      const own = field in FRESH_DEFINITION && !one.existing;
      one.form.errors.value = own ? {[field]: text} : {};
      if (field in FRESH && !own) this.form.errors.value = {[field]: text};
      return {key: one.key, problem: text, bsub: '', dlicmd: '', data};
    }
  }

  /** What is wanting, by field; of definitions at their own fields. */
  private missing(): Record<string, string> {
    const x = this.form.value.peek();
    const wrong: Record<string, string> = {};
    if (!x.name.trim()) wrong.name = 'Which name? The experiment needs one.';
    if (!x.project && !x.newProject.trim())
      wrong.newProject = 'Which name? The new project needs one.';
    this.parts.peek().forEach((one, i) => {
      if (one.existing) return;
      const own: Record<string, string> = {};
      if (!one.form.value.peek().definition.trim()) own.definition = 'Which name?';
      if (!one.changes && !this.files.peek().has(one.key))
        own.code = 'Which code? Choose a zip, a tar, or one script.';
      one.form.errors.value = own;
      const [first] = Object.values(own);
      if (first) wrong[`${one.key}-definition`] = `Definition ${i + 1}: ${first}`;
    });
    if (!this.parts.peek().length)
      wrong.existing = 'A definition is wanted: new, or one that is there.';
    return wrong;
  }

  async submit(runs: boolean) {
    let begun: readonly string[] = [];
    let project = '';
    const done = await this.form.submit(async () => {
      project = await this.makeProject();
      begun = await this.create(project, runs);
    }, this.missing());
    if (!done) return;
    for (const one of this.parts.value) one.form.reset();
    this.remember([]);
    this.form.reset();
    if (!this.here) return; // went on meanwhile: is not thrown out there
    if (!begun.length) return go(`/projects/${part(project)}`);
    go(begun.length === 1 && begun[0] ? runPath(begun[0]) : '/apps?whose=mine');
  }
  /** The project's name; made where it is new, and the one from then on. */
  private async makeProject(): Promise<string> {
    const x = this.form.value.peek();
    if (x.project) return x.project;
    const name = x.newProject.trim();
    await send('/api/v1/projects', {name, plan: x.projectPlan}, 'POST', `${this.form.key}-p`);
    await this.choices.refresh();
    this.form.set('project', name);
    return name;
  }
  /** What was made of it goes again where a later part is refused. */
  private async create(project: string, runs: boolean): Promise<readonly string[]> {
    const base = `/api/v1/projects/${part(project)}`;
    const made: string[] = [];
    try {
      for (const one of this.parts.peek()) {
        if (one.existing) continue;
        const undo = await this.sendDefinition(base, one);
        if (undo) made.push(undo);
      }
      const {name, description, data, volume, plan, allCommand: command} = this.form.value.peek();
      const definitions = this.parts
        .peek()
        .map((one) => one.existing || one.form.value.peek().definition.trim());
      const body = {name, description, data: data.trim(), volume, plan, command, definitions};
      const known = this.experiments.includes(name);
      const to = kept(`${base}/experiments`, name, known);
      const answer = await send(to.path, body, to.method, `${this.form.key}-x`);
      made.unshift(undoOf(`${base}/experiments`, await answer.json(), known));
      if (!runs) return [];
      const headers = {'Idempotency-Key': `${this.form.key}-r`};
      const path = `${base}/experiments/${part(name)}/run`;
      return (await (await ask('POST', path, {headers})).json()).runs;
    } catch (problem) {
      for (const path of made) await ask('DELETE', path).catch(() => {});
      this.form.key = crypto.randomUUID();
      throw problem;
    } finally {
      this.sent.value = null;
    }
  }
  /** What takes it away again. */
  private async sendDefinition(base: string, one: Part): Promise<string> {
    const file = this.files.peek().get(one.key);
    if (!file && !one.changes) return '';
    const name = one.changes || one.form.value.peek().definition.trim();
    const known = this.existing.peek().some((d) => d.name === name);
    const body = new FormData();
    body.append('data', JSON.stringify(manifestOf(one.form.value.peek())));
    if (file) body.append('file', file); // else the code of the version before stays
    this.sent.value = 0;
    const progress = (share: number) => {
      this.sent.value = share;
    };
    const to = kept(`${base}/definitions`, name, known);
    const answer = await upload(to, body, progress, `${this.form.key}-${one.key}`);
    return undoOf(`${base}/definitions`, JSON.parse(answer), known);
  }
}
