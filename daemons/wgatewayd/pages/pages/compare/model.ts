// Role: the model of a comparison: the runs that the address names, the metrics that are drawn, and
// what is asked for: settings and ends of all metrics at once, curves of the drawn metrics alone.

import {computed, effect, signal} from '@preact/signals';
import {get, part} from '../../api/client.ts';
import type {JobEvent} from '../../api/shapes.ts';
import type {ComparedRun, ComparedSeries, GridSeries} from '../../api/shapes_more.ts';
import {isOver} from '../../base/states.ts';
import {param, setParam} from '../../state/address.ts';
import {Asked} from '../../state/asked.ts';
import {AXES, type Axis, type Clock, FEWEST, metricsOf, runsIn} from './rules.ts';

const POINTS = 512;
const FIRST = 6;

interface Curves {
  readonly ids: readonly string[];
  readonly series: ComparedSeries;
}

const isAxis = (text: string): text is Axis => AXES.some(([axis]) => axis === text);

export class Comparison {
  private readonly named = computed(() => param('runs'));
  /** The same value until other runs are named: all that is asked for hangs on it. */
  readonly chosen = computed(() => runsIn(this.named.value));
  readonly axis = computed((): Axis => {
    const asked = param('x');
    return isAxis(asked) ? asked : 'step';
  });
  /** More than the first metrics are drawn. */
  readonly whole = signal(false);
  /** The run that is pointed at, by the name of its line. */
  readonly near = signal<string | null>(null);
  readonly known = new Asked<readonly ComparedRun[]>(() => this.load());
  readonly curves = new Asked<Curves>(() => this.loadCurves());
  readonly events = signal<ReadonlyMap<string, readonly JobEvent[]>>(new Map());

  /** Runs of which the events were asked for. */
  private readonly timed = new Set<string>();

  readonly runs = computed(() => this.known.value.value ?? []);
  readonly metrics = computed(() => metricsOf(this.runs.value));
  private readonly words = computed(() => param('q').toLowerCase());
  readonly fitting = computed(() => {
    const words = this.words.value;
    return this.metrics.value.filter((key) => key.toLowerCase().includes(words));
  });
  readonly drawn = computed(() =>
    this.whole.value ? this.fitting.value : this.fitting.value.slice(0, FIRST),
  );
  readonly baseline = computed(() => {
    const {ids} = this.chosen.value;
    const asked = param('base');
    return ids.includes(asked) ? asked : (ids[0] ?? '');
  });

  private async load(): Promise<readonly ComparedRun[]> {
    const {ids} = this.chosen.peek();
    if (ids.length < FEWEST) return [];
    const path = `/api/v1/runs/compare?ids=${ids.map(part).join(',')}`;
    return (await get<{runs: readonly ComparedRun[]}>(path)).runs;
  }
  private async loadCurves(): Promise<Curves> {
    const ids = this.runs.peek().map((run) => run.id);
    const epochs = this.metrics.peek().filter((key) => / epoch$/i.test(key));
    const names = [...new Set([...this.drawn.peek(), ...epochs])];
    if (!ids.length || !names.length) return {ids, series: {width: 1, runs: []}};
    const query = `ids=${ids.map(part).join(',')}&names=${part(names.join('\n'))}`;
    return {ids, series: await get(`/api/v1/runs/series?${query}&points=${POINTS}`)};
  }
  private async loadEvents() {
    const missing = this.runs.peek().filter((run) => !this.timed.has(run.id));
    for (const {id} of missing) this.timed.add(id);
    const told = await Promise.all(
      missing.map(async ({id}) => {
        const {events} = await get<{events: readonly JobEvent[]}>(
          `/api/v1/jobs/${part(id)}/timeline`,
        ).catch(() => ({events: []}));
        return [id, events] as const;
      }),
    );
    if (told.length) this.events.value = new Map([...this.events.peek(), ...told]);
  }

  /** Asks while it is looked at. */
  begin(): () => void {
    const ends = [
      effect(() => {
        if (this.chosen.value.ids.length >= FEWEST) void this.known.refresh();
      }),
      effect(() => {
        if (this.runs.value.length && this.drawn.value) void this.curves.refresh();
      }),
      effect(() => {
        if (this.runs.value.length && this.axis.value === 'running') void this.loadEvents();
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }
  /** Asks again while one of them goes on. */
  async refresh(): Promise<void> {
    if (this.runs.peek().some((run) => !isOver(run.state))) await this.known.refresh();
  }

  /** The curves of a run; none where they have not come. */
  clockOf(id: string): Clock {
    const curves = this.curves.value.value;
    const series: readonly GridSeries[] = curves?.series.runs[curves.ids.indexOf(id)]?.series ?? [];
    return {series, events: this.events.value.get(id) ?? []};
  }
  setRuns(ids: readonly string[]) {
    setParam('runs', ids.join(','));
  }
}
