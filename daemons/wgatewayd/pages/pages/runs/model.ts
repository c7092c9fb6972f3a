// Role: the model of Runs: pages of what has run, their settings and metrics where columns of them
// are shown, what is chosen and done to it, views that are kept.

import {batch, computed, signal} from '@preact/signals';
import {ask, get, part, send} from '../../api/client.ts';
import {asRefused, type Refused} from '../../api/problem.ts';
import type {ComparedRun, RunRow} from '../../api/shapes_more.ts';
import {newest} from '../../base/limiter.ts';
import {byId} from '../../base/order.ts';
import {param, setParam} from '../../state/address.ts';
import {type Outcome, toEach} from '../shared/acts.ts';
import {Views} from '../shared/views.ts';
import {askedFor, columnNames, type Known, retagged, runsInOrder} from './rules.ts';

const PAGE = 100;
const COMPARED = 50;

interface Page {
  readonly runs: readonly RunRow[];
  readonly next?: string;
  readonly count?: number | string;
}

export class Runs {
  /** null: none has come yet. */
  readonly rows = signal<readonly RunRow[] | null>(null);
  readonly next = signal('');
  readonly count = signal<number | string>(0);
  readonly failure = signal<Refused | null>(null);
  readonly known = signal<Known>(new Map());
  readonly chosen = signal<ReadonlySet<string>>(new Set());
  readonly outcomes = signal<readonly Outcome[]>([]);
  readonly busy = signal(false);
  readonly views = new Views('/runs');
  readonly mine = computed(() => param('whose') !== 'all');
  readonly filter = computed(() => param('q'));
  readonly sort = computed(() => param('sort'));
  readonly columns = computed(() => param('cols').split(',').filter(Boolean));
  readonly asked = computed(() => askedFor(this.filter.value, this.mine.value));
  readonly shown = computed(() =>
    runsInOrder(this.rows.value ?? [], this.sort.value, this.known.value),
  );
  readonly names = computed(() => columnNames(this.rows.value ?? [], this.known.value));
  private readonly first = newest(() => this.page(''));

  private page(cursor: string): Promise<Page> {
    const {params} = this.asked.peek();
    const words = new URLSearchParams({...params, limit: String(PAGE), count: '1'});
    if (cursor) words.set('cursor', cursor);
    return get<Page>(`/api/v1/runs?${words}`);
  }

  /** From the newest on, as far as the first page goes. */
  async refresh() {
    try {
      const page = await this.first();
      if (page) this.take(page, []);
    } catch (problem) {
      this.failure.value = asRefused(problem);
    }
    await this.compare();
  }
  async more() {
    if (this.busy.value || !this.next.value) return;
    this.busy.value = true;
    try {
      this.take(await this.page(this.next.value), this.rows.value ?? []);
    } catch (problem) {
      this.failure.value = asRefused(problem);
    }
    this.busy.value = false;
    await this.compare();
  }
  private take(page: Page, before: readonly RunRow[]) {
    batch(() => {
      this.rows.value = [...before, ...page.runs];
      this.next.value = page.next ?? '';
      this.count.value = page.count ?? this.rows.value.length;
      this.failure.value = null;
    });
  }

  /** Asks for metrics of one's own runs that are here, if a column shows any. */
  async compare(all = this.columns.value.some((column) => column.startsWith('m:'))) {
    if (!all) return;
    const ids = (this.rows.value ?? [])
      .filter((run) => run.own && !this.known.value.has(run.id))
      .map((run) => run.id);
    for (let at = 0; at < ids.length; at += COMPARED) {
      const some = ids.slice(at, at + COMPARED).join(',');
      try {
        const {runs} = await get<{runs: ComparedRun[]}>(`/api/v1/runs/compare?ids=${some}`);
        this.known.value = new Map([...this.known.value, ...runs.map((r) => [r.id, r] as const)]);
      } catch (problem) {
        this.failure.value = asRefused(problem);
        return;
      }
    }
  }

  setColumns(columns: readonly string[]) {
    setParam('cols', columns.join(','));
    void this.compare();
  }
  choose(id: string) {
    const next = new Set(this.chosen.value);
    if (!next.delete(id)) next.add(id);
    this.chosen.value = next;
  }

  /** What its owner says of a run. */
  async describe(id: string, words: Partial<RunRow>) {
    const answer = await send(`/api/v1/runs/${part(id)}`, words, 'PATCH');
    const {run}: {run: RunRow} = await answer.json();
    this.rows.value = (this.rows.value ?? []).map((one) => (one.id === id ? run : one));
  }
  async star(run: RunRow) {
    try {
      await this.describe(run.id, {starred: !run.starred});
    } catch (problem) {
      this.outcomes.value = [{id: run.id, problem: asRefused(problem).message}];
    }
  }

  stop = () => this.each((id) => ask('POST', `/api/v1/jobs/${part(id)}/stop`));
  remove = () => this.each((id) => ask('DELETE', `/api/v1/runs/${part(id)}`));
  tag(words: readonly string[]) {
    const rows = new Map((this.rows.value ?? []).map((run) => [run.id, run]));
    return this.each((id) => this.describe(id, {tags: retagged(rows.get(id)?.tags ?? [], words)}));
  }
  /** To all that are chosen, each on its own; those that were refused stay chosen. */
  private async each(act: (id: string) => Promise<unknown>) {
    if (this.busy.value) return;
    this.busy.value = true;
    const ids = [...this.chosen.value].sort(byId);
    const outcomes = await toEach(ids, act, (problem) => asRefused(problem).message);
    batch(() => {
      this.outcomes.value = outcomes;
      this.chosen.value = new Set(outcomes.filter((o) => o.problem).map((o) => o.id));
      this.busy.value = false;
    });
    await this.refresh();
  }
}
