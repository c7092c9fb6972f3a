// Role: the columns of the list of runs: the usual ones, and those of settings and metrics that
// somebody chose.

import {jobPath} from '../../api/client.ts';
import type {RunRow} from '../../api/shapes_more.ts';
import {DASH, number} from '../../base/number.ts';
import {clean} from '../../base/text.ts';
import {clock, duration} from '../../base/time.ts';
import {Outside, StateMark} from '../../parts/basic.tsx';
import type {Column} from '../../parts/table.tsx';
import {now} from '../../state/clock.ts';
import type {Runs} from './model.ts';
import {begun, cellOf, countWords} from './rules.ts';

function Star({run, model}: {run: RunRow; model: Runs}) {
  if (!run.own) return null;
  return (
    <button
      type="button"
      class="link star"
      aria-label={`Star ${run.id}`}
      aria-pressed={run.starred ? 'true' : 'false'}
      onClick={() => void model.star(run)}
    >
      {run.starred ? '★' : '☆'}
    </button>
  );
}

function Name({run}: {run: RunRow}) {
  const name = run.name || run.job_name || run.id;
  const counts = countWords(run);
  return (
    <>
      <a class="name" href={jobPath(run.id)} title={clean(name)}>
        <Outside text={name} most={80} />
      </a>
      {run.tags.map((tag) => (
        <span class="tag" key={tag}>
          <Outside text={tag} most={30} />
        </span>
      ))}
      {(counts || run.description) && (
        <span class="far m s">
          <Outside text={[counts, run.description].filter(Boolean).join('. ')} most={160} />
        </span>
      )}
    </>
  );
}

const ran = (run: RunRow) => (run.start_time ? (run.finish_time || now()) - run.start_time : null);

function Cell({value}: {value: ReturnType<typeof cellOf>}) {
  if (typeof value === 'number') return <>{number(value)}</>;
  return value === undefined || value === null ? (
    <span class="m">{DASH}</span>
  ) : (
    <Outside text={value} most={60} />
  );
}

/** "test accuracy" of "m:test accuracy". */
export const nameOf = (column: string) => column.slice(2);

export const columnsOf = (model: Runs, more: readonly string[]): readonly Column<RunRow>[] => [
  {
    key: 'chosen',
    text: '',
    width: '16px',
    cell: (run) =>
      run.own && (
        <input
          type="checkbox"
          aria-label={`Choose ${run.id}`}
          checked={model.chosen.value.has(run.id)}
          onChange={() => model.choose(run.id)}
        />
      ),
  },
  {key: 'star', text: '', width: '20px', cell: (run) => <Star run={run} model={model} />},
  {
    key: 'state',
    text: 'State',
    sort: 'state',
    width: '86px',
    cell: (run) => <StateMark word={run.elements && !run.state ? 'array' : run.state} />,
  },
  {key: 'id', text: 'Id', sort: 'id', width: '48px', cell: (run) => run.id},
  {
    key: 'name',
    text: 'Name',
    sort: 'name',
    width: 'minmax(150px,2fr)',
    cell: (run) => <Name run={run} />,
  },
  {
    key: 'user',
    text: 'User',
    sort: 'user',
    width: '64px',
    cell: (run) => <Outside text={run.user ?? DASH} most={40} />,
  },
  ...more.map(
    (column): Column<RunRow> => ({
      key: column,
      text: clean(nameOf(column), 40),
      sort: column,
      numeric: true,
      width: 'minmax(70px,.6fr)',
      cell: (run) => <Cell value={cellOf(run, column, model.known.value)} />,
    }),
  ),
  {
    key: 'began',
    text: 'Began',
    sort: 'began',
    numeric: true,
    width: 'minmax(88px,auto)',
    cell: (run) => clock(begun(run), now()),
  },
  {
    key: 'ran',
    text: 'Ran',
    sort: 'ran',
    numeric: true,
    width: '68px',
    cell: (run) => duration(ran(run)),
  },
];
