// Role: limits, whom each bounds, and how much of it is in use.

import type {Limit} from '../../api/shapes_admin.ts';
import {DASH} from '../../base/number.ts';
import {NextStep, Outside} from '../../parts/basic.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {amountsOf, boundWords} from './rules.ts';

const COLUMNS: readonly Column<Limit>[] = [
  {
    key: 'name',
    text: 'Limit',
    width: 'minmax(100px,1fr)',
    cell: (l) => <Outside text={l.name || DASH} most={80} />,
  },
  {
    key: 'whom',
    text: 'Of',
    width: 'minmax(140px,2fr)',
    cell: (l) => <Outside text={boundWords(l)} />,
  },
  {
    key: 'used',
    text: 'In use',
    width: 'minmax(160px,1.6fr)',
    cell: (l) =>
      amountsOf(l).map(({text, share}) => (
        <span class="pg" key={text}>
          <span>{text}</span>
          <i style={{'--w': `${Math.round(100 * share)}%`}} />
        </span>
      )),
  },
];

export const LimitTable = ({limits}: {limits: readonly Limit[]}) => (
  <Table
    label="Limits"
    columns={COLUMNS}
    source={memory(limits)}
    rowKey={(l) => [l.name, l.users, l.queues, l.hosts, l.plans, l.projects, l.apps].join('\n')}
    empty={
      <NextStep
        said="No limit is set, or nobody uses any: queues, users, plans and limits.conf have them."
        line="blimits"
      />
    }
  />
);
