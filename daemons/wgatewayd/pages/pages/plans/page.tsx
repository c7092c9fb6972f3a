// Role: the tree of plans: is it fair, and who owes whom. What each owns, deserves, uses and wants,
// on one scale; loans in words.

import {useMemo} from 'preact/hooks';
import {get, part} from '../../api/client.ts';
import type {Plan} from '../../api/shapes_admin.ts';
import {counted, DASH, number} from '../../base/number.ts';
import {NextStep, Outside, Panel} from '../../parts/basic.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {useAsked} from '../../state/asked.ts';
import {session} from '../../state/session.ts';
import {barOf, loansOf, mostOf, planWords, treeOf, type PlanRow} from './rules.ts';

function Bar({plan, most}: {plan: Plan; most: number}) {
  const bar = barOf(plan, most);
  const words = [
    `uses ${number(plan.used)}`,
    plan.borrowed ? `of which ${number(plan.borrowed)} borrowed` : '',
    `deserves ${number(plan.deserved)}`,
    `wants ${number(plan.demand)}`,
    plan.owns ? `owns ${number(plan.owns)}` : '',
  ];
  return (
    <div class="planbar" role="img" aria-label={words.filter(Boolean).join(', ')}>
      <u style={{width: `${bar.wanted}%`}} />
      {bar.owned !== null && <s style={{width: `${bar.owned}%`}} />}
      <i style={{width: `${bar.own}%`}} />
      {bar.borrowed > 0 && (
        <i class="lent" style={{left: `${bar.own}%`, width: `${bar.borrowed}%`}} />
      )}
      <b style={{left: `${bar.deserved}%`}} />
    </div>
  );
}

const Name = ({row: {plan, depth, name}}: {row: PlanRow}) => (
  <span style={{paddingLeft: `${Math.min(depth, 6) * 14}px`, display: 'block'}}>
    <a href={`/apps?q=${part(`plan:${plan.plan.toLowerCase()}`)}`} title="Its applications">
      <Outside text={name} most={60} />
    </a>{' '}
    {(plan.shares ?? 1) !== 1 && <span class="m s">{number(plan.shares)} shares</span>}
  </span>
);

const count = (
  text: string,
  of: (plan: Plan) => number | null,
  width = '64px',
): Column<PlanRow> => ({
  key: text,
  text,
  width,
  numeric: true,
  cell: ({plan}) => (of(plan) ? number(of(plan)) : <span class="m">{DASH}</span>),
});

const columnsOf = (most: number): readonly Column<PlanRow>[] => [
  {key: 'plan', text: 'Plan', width: 'minmax(130px,1.2fr)', cell: (row) => <Name row={row} />},
  count('Owns', (p) => p.owns),
  count('Deserves', (p) => p.deserved),
  count('Uses', (p) => p.used),
  count('Wants', (p) => p.demand),
  count('Limit', (p) => p.limit),
  {
    key: 'bar',
    text: `0 to ${number(most)} slots`,
    width: 'minmax(140px,1.6fr)',
    cell: ({plan}) => <Bar plan={plan} most={most} />,
  },
  {
    key: 'words',
    text: 'What that means',
    width: 'minmax(120px,1.6fr)',
    cell: ({plan}) => <span class="m s">{planWords(plan)}</span>,
  },
];

function Loans({plans}: {plans: readonly Plan[]}) {
  const loans = loansOf(plans);
  return (
    <Panel title="Lent now" id="h-l">
      <div class="pb">
        {loans.map((loan) => (
          <p key={`${loan.from} ${loan.to}`}>
            <Outside text={loan.from} most={100} /> lends {counted(loan.amount, 'slot')} to{' '}
            <Outside text={loan.to} most={100} />, until they are wanted back.
          </p>
        ))}
        {loans.length === 0 && <p class="m s">Nobody has anything that another owns.</p>}
      </div>
    </Panel>
  );
}

const Legend = () => (
  <p class="fine">
    <span>Filled: used. Striped: borrowed. Tick: deserved now. Outline: owned. Pale: wanted.</span>
    {session.value?.admin && <a href="/config/plans.conf">Edit plans.conf</a>}
    <span>
      what used when: <a href="/usage?by=plan">Usage</a>; in a shell: bplans -l
    </span>
  </p>
);

function Tree({plans}: {plans: readonly Plan[]}) {
  const rows = useMemo(() => treeOf(plans), [plans]);
  const most = mostOf(plans);
  const columns = useMemo(() => columnsOf(most), [most]);
  return (
    <section class="panel scroll" aria-label="Plans">
      <Table
        label="Plans"
        columns={columns}
        source={memory(rows)}
        rowKey={(row) => row.plan.plan}
        empty={
          <NextStep
            said="There is one plan for all: plans.conf divides the cluster. After a change:"
            line="badmin ckconfig && badmin reconfig"
          />
        }
      />
      <Legend />
    </section>
  );
}

export default function PlansPage() {
  const plans = useAsked(async () => (await get<{plans: Plan[]}>('/api/v1/plans')).plans, {
    onJobs: 2000,
    every: 30_000,
  });
  return (
    <Loaded of={plans} title="Plans">
      {(list) => (
        <Page title="Plans" sub="Who deserves how much, has it, and wants more.">
          <Stale of={plans} />
          <Tree plans={list} />
          <Loans plans={list} />
        </Page>
      )}
    </Loaded>
  );
}
