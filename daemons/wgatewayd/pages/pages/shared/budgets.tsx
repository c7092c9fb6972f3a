// Role: how budgets stand, as a table: what was granted, what is gone, when it ends.

import type {Budget} from '../../api/shapes_admin.ts';
import {DASH, number} from '../../base/number.ts';
import {clock} from '../../base/time.ts';
import {NextStep, Outside} from '../../parts/basic.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {now} from '../../state/clock.ts';

const hours = (text: string, of: (b: Budget) => number): Column<Budget> => ({
  key: text,
  text,
  numeric: true,
  cell: (b) => number(Number(of(b).toPrecision(4))),
});

const COLUMNS: readonly Column<Budget>[] = [
  {
    key: 'budget',
    text: 'Budget',
    width: 'minmax(110px,1.4fr)',
    cell: (b) => <Outside text={b.budget} />,
  },
  {
    key: 'period',
    text: 'Period',
    width: 'minmax(76px,auto)',
    cell: (b) => <Outside text={b.period} most={40} />,
  },
  {key: 'unit', text: 'Unit', cell: (b) => b.unit},
  hours('Granted', (b) => b.granted + b.carried),
  hours('Used', (b) => b.used),
  hours('Reserved', (b) => b.reserved),
  hours('Left', (b) => b.left),
  {
    key: 'percent',
    text: 'Gone',
    width: 'minmax(90px,1fr)',
    cell: (b) => (
      <span class="pg">
        <span>{number(b.percent_used)} %</span>
        <i style={{'--w': `${Math.min(100, b.percent_used)}%`}} />
      </span>
    ),
  },
  {
    key: 'empty',
    text: 'At this rate empty',
    numeric: true,
    cell: (b) => (b.empty_at ? clock(b.empty_at, now()) : DASH),
  },
];

export const BudgetTable = ({budgets}: {budgets: readonly Budget[]}) => (
  <Table
    label="Budgets"
    columns={COLUMNS}
    source={memory(budgets)}
    rowKey={(b) => `${b.budget} ${b.unit}`}
    empty={
      <NextStep
        said="No budget bounds anybody: budgets.conf grants hours. How they stand:"
        line="bplans -b"
      />
    }
  />
);
