// Role: where the time goes: what ended jobs used over days, by user, plan, project, queue or
// profile; how budgets stand.

import {computed} from '@preact/signals';
import {useEffect, useMemo} from 'preact/hooks';
import {get} from '../../api/client.ts';
import type {Budget, Limit, Usage} from '../../api/shapes_admin.ts';
import {DASH, number, percent} from '../../base/number.ts';
import {clock, duration} from '../../base/time.ts';
import {colours} from '../../figures/colours.ts';
import {Figure} from '../../figures/figure.tsx';
import type {FigureSpec} from '../../figures/spec.ts';
import {NextStep, Outside, Panel, Segment} from '../../parts/basic.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {param, setParam} from '../../state/address.ts';
import {Asked, keepAsking, useOnce} from '../../state/asked.ts';
import {now} from '../../state/clock.ts';
import {BudgetTable} from '../shared/budgets.tsx';
import {LimitTable} from './limits.tsx';
import {layersOf, rowsOf, type Told, type Unit, usualUnit} from './rules.ts';

const BY = [
  ['user', 'User'],
  ['plan', 'Plan'],
  ['project', 'Project'],
  ['queue', 'Queue'],
  ['app', 'Profile'],
] as const;
const DAYS = [
  ['7', '7 d'],
  ['30', '30 d'],
  ['90', '90 d'],
  ['365', '1 y'],
] as const;
const MOST_AREAS = 7;

interface Known {
  readonly usage: Usage;
  readonly budgets: readonly Budget[];
  readonly limits: readonly Limit[];
}

const one = <T extends string>(list: readonly (readonly [T, string])[], word: string, other: T) =>
  list.find(([value]) => value === word)?.[0] ?? other;

class UsageModel {
  readonly by = computed(() => one(BY, param('by'), 'user'));
  readonly days = computed(() => one(DAYS, param('days'), '30'));
  readonly known = new Asked<Known>(async () => {
    const [usage, {budgets}, {limits}] = await Promise.all([
      get<Usage>(`/api/v1/usage?by=${this.by.peek()}&days=${this.days.peek()}`),
      get<{budgets: Budget[]}>('/api/v1/budgets'),
      get<{limits: Limit[]}>('/api/v1/limits'),
    ]);
    return {usage, budgets, limits};
  });
  choose(name: string, value: string) {
    setParam(name, value);
    void this.known.refresh();
  }
}

function specOf(usage: Usage, unit: Unit): FigureSpec {
  const layers = layersOf(usage, unit, MOST_AREAS);
  const own = colours(layers.filter((l) => l.user).map((l) => `user ${l.user}`));
  return {
    title: `${unit === 'gpu' ? 'GPU' : 'Slot'} hours a day, by user`,
    x: 'time',
    lines: layers.map((layer) => ({
      name: layer.name,
      colour: own.get(`user ${layer.user}`) ?? 'kt',
      points: layer.points,
      kind: 'steps' as const,
      stacked: true,
    })),
    bounds: [usage.from, usage.now],
    fromZero: true,
    height: 160,
  };
}

const hours = (text: string, of: (row: Told) => number): Column<Told> => ({
  key: text,
  text,
  numeric: true,
  cell: (row) => number(Number(of(row).toPrecision(3))),
});
const columnsOf = (by: string): readonly Column<Told>[] => [
  {
    key: 'name',
    text: BY.find(([value]) => value === by)?.[1] ?? 'Name',
    width: 'minmax(120px,2fr)',
    cell: (row) => <Outside text={row.name || DASH} />,
  },
  hours('GPU hours', (row) => row.gpu_h),
  hours('Slot hours', (row) => row.slot_h),
  {key: 'jobs', text: 'Jobs', numeric: true, cell: (row) => number(row.jobs)},
  {key: 'done', text: 'Succeeded', numeric: true, cell: (row) => percent(row.done)},
  {key: 'wait', text: 'Waited, mean', numeric: true, cell: (row) => duration(row.wait)},
  {key: 'cpu', text: 'CPU a slot', numeric: true, cell: (row) => percent(row.cpu)},
];

function Over({model, usage}: {model: UsageModel; usage: Usage}) {
  const unit = usualUnit(usage);
  const spec = useMemo(() => specOf(usage, unit), [usage, unit]);
  const range = (
    <Segment
      label="Range"
      value={model.days.value}
      options={DAYS}
      onChoose={(days) => model.choose('days', days === '30' ? '' : days)}
    />
  );
  return (
    <Panel title="Over time" id="h-o" tools={range}>
      <div class="pb">
        {spec.lines.length ? (
          <Figure spec={spec} />
        ) : (
          <p class="m s">No job that held a slot has ended in this time.</p>
        )}
      </div>
    </Panel>
  );
}

function Rows({model, usage}: {model: UsageModel; usage: Usage}) {
  const unit = usualUnit(usage);
  const columns = useMemo(() => columnsOf(usage.by), [usage.by]);
  const by = (
    <Segment
      label="By"
      value={model.by.value}
      options={BY}
      onChoose={(chosen) => model.choose('by', chosen === 'user' ? '' : chosen)}
    />
  );
  return (
    <Panel title="Who used it" id="h-b" tools={by} class="scroll">
      <Table
        label="What was used"
        columns={columns}
        source={memory(rowsOf(usage, unit))}
        rowKey={(row) => row.name}
        empty={
          <NextStep
            said="No job has ended in this time. What runs is under Applications; in a shell:"
            line="bacct -u all"
          />
        }
      />
      <p class="fine">
        <span>Jobs that ended since {clock(usage.from, now())}; days are those of UTC.</span>
        <span>in a shell: bacct -by {usage.by} -u all, wmreport</span>
      </p>
    </Panel>
  );
}

export default function UsagePage() {
  const model = useOnce(() => new UsageModel());
  useEffect(() => keepAsking(model.known, {every: 60_000}), []);
  return (
    <Loaded of={model.known} title="Usage">
      {({usage, budgets, limits}) => (
        <Page title="Usage" sub="Where the time goes, and what is left of budgets." still>
          <Stale of={model.known} />
          <Over model={model} usage={usage} />
          <Rows model={model} usage={usage} />
          <Panel title="Budgets" id="h-u" class="scroll">
            <BudgetTable budgets={budgets} />
          </Panel>
          <Panel title="Limits" id="h-m" class="scroll">
            <LimitTable limits={limits} />
          </Panel>
        </Page>
      )}
    </Loaded>
  );
}
