// Role: the table of a comparison: a row a run, the settings that differ, the metrics that are
// drawn, each beside that of the baseline.

import {jobPath} from '../../api/client.ts';
import type {ComparedRun} from '../../api/shapes_more.ts';
import {counted, DASH, number} from '../../base/number.ts';
import {byId, ordered, type Value} from '../../base/order.ts';
import {clean} from '../../base/text.ts';
import {Outside, StateMark} from '../../parts/basic.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {param, setParam} from '../../state/address.ts';
import {lookOf} from './curves.tsx';
import type {Comparison} from './model.ts';
import {bestOf, metricWords, ordering, settingOf, settingsOf} from './rules.ts';

interface Sorted extends Column<ComparedRun> {
  readonly value?: (run: ComparedRun) => Value;
}

/** How far a value is from the baseline's; empty: it is it, or one of them is missing. */
function delta(value: number | null, base: number | null): string {
  if (value === null || base === null || value === base) return '';
  return `${value > base ? '+' : '−'}${number(Math.abs(value - base))}`;
}

function Beside({value, base}: {value: number | null; base: number | null}) {
  const far = delta(value, base);
  return (
    <>
      {number(value)}
      {far && <small class="m far">{far}</small>}
    </>
  );
}

function settingColumns(runs: readonly ComparedRun[]): Sorted[] {
  return settingsOf(runs).differing.map((name) => ({
    key: `s ${name}`,
    text: clean(name, 40),
    width: 'minmax(72px,max-content)',
    sort: `s ${name}`,
    value: (run) => ordering(settingOf(run, name)),
    cell: (run) => <Outside text={settingOf(run, name) ?? DASH} most={80} />,
  }));
}

function metricColumns(model: Comparison): Sorted[] {
  const base = model.runs.value.find((run) => run.id === model.baseline.value);
  return model.drawn.value.flatMap((key): Sorted[] => {
    const column = (word: string, of: (run: ComparedRun) => number | null): Sorted => ({
      key: `${word} ${key}`,
      text: `${clean(metricWords(key), 40)}, ${word}`,
      width: 'minmax(96px,max-content)',
      sort: `${word} ${key}`,
      numeric: true,
      value: of,
      cell: (run) => <Beside value={of(run)} base={base ? of(base) : null} />,
    });
    return [
      column('best', (run) => bestOf(run, key)),
      column('last', (run) => run.metrics[key] ?? null),
    ];
  });
}

function columnsOf(model: Comparison): Sorted[] {
  const {ids} = model.chosen.value;
  const place = (run: ComparedRun) => model.runs.value.indexOf(run);
  return [
    {
      key: 'run',
      text: 'Run',
      width: 'minmax(180px,1fr)',
      sort: 'run',
      value: (run) => Number(run.id),
      cell: (run) => {
        const look = lookOf(ids, run, place(run));
        return (
          <span class={`run ${look.colour}`}>
            <i class={look.dash ? 'dash dashed' : 'dash'} />
            <a href={jobPath(run.id)}>
              <Outside text={look.name} most={40} />
            </a>
          </span>
        );
      },
    },
    {key: 'state', text: 'State', width: '92px', cell: (run) => <StateMark word={run.state} />},
    {
      key: 'base',
      text: 'Baseline',
      width: '56px',
      cell: (run) => (
        <input
          type="radio"
          name="baseline"
          aria-label={`${run.id} is the baseline`}
          checked={run.id === model.baseline.value}
          onChange={() => setParam('base', run.id)}
        />
      ),
    },
    ...settingColumns(model.runs.value),
    ...metricColumns(model),
  ];
}

export function RunsTable({model}: {model: Comparison}) {
  const columns = columnsOf(model);
  const sort = param('sort');
  const by = columns.find((column) => column.sort === sort.replace(/^-/, ''))?.value;
  const runs = model.runs.value;
  const rows = by ? ordered(runs, by, sort.startsWith('-'), (a, b) => byId(a.id, b.id)) : [...runs];
  return (
    <Table
      label="Settings and results"
      columns={columns}
      source={memory(rows)}
      rowKey={(run) => run.id}
      sort={sort}
      onSort={(next) => setParam('sort', next)}
    />
  );
}

/** What is alike in all of them. */
export function SettingsNote({runs}: {runs: readonly ComparedRun[]}) {
  const {differing, equal} = settingsOf(runs);
  const [first] = runs;
  if (!first) return null;
  return (
    <details class="pb">
      <summary>
        {differing.length ? 'Equal' : 'No setting differs'}: {counted(equal.length, 'setting')}
      </summary>
      <dl class="kv">
        {equal.map((name) => (
          <div key={name}>
            <dt>{clean(name, 60)}</dt>
            <dd>
              <Outside text={settingOf(first, name) || DASH} most={200} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
