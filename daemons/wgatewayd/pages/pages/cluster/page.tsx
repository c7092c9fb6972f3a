// Role: hosts, plans and queues, as the server lists them, asked for again when jobs change.

import type {ComponentChildren} from 'preact';
import {get} from '../../api/client.ts';
import type {Host, Plan, Queue} from '../../api/shapes.ts';
import {bytes, DASH, number} from '../../base/number.ts';
import {Outside} from '../../parts/basic.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {useAsked} from '../../state/asked.ts';

interface Listing<R> {
  readonly title: string;
  readonly sub: string;
  readonly load: () => Promise<readonly R[]>;
  readonly key: (row: R) => string;
  readonly columns: readonly Column<R>[];
}

const count = <R,>(text: string, of: (row: R) => number | null): Column<R> => ({
  key: text,
  text,
  numeric: true,
  cell: (row) => number(of(row)),
});
const text = <R,>(name: string, of: (row: R) => ComponentChildren): Column<R> => ({
  key: name,
  text: name,
  cell: of,
});

/** Used, deserved and wanted on one scale. */
function PlanBar({plan}: {plan: Plan}) {
  const used = plan.used ?? 0;
  const deserved = plan.deserved ?? 0;
  const demand = plan.demand ?? 0;
  const most = Math.max(used, deserved, demand, plan.owns ?? 0, 1);
  const words = `uses ${used}, deserves ${deserved}, wants ${demand}`;
  return (
    <div class="planbar" role="img" aria-label={words}>
      <i style={{width: `${(100 * used) / most}%`}} />
      <b style={{left: `${(100 * deserved) / most}%`}} />
    </div>
  );
}

const PLANS: Listing<Plan> = {
  title: 'Plans',
  sub: 'Who deserves how much, has it, and wants more. The tick is what is deserved now.',
  load: async () => (await get<{plans: Plan[]}>('/api/v1/plans')).plans,
  key: (p) => p.plan,
  columns: [
    text('Plan', (p) => <Outside text={p.plan} />),
    count('Shares', (p) => p.shares),
    {...count<Plan>('Owns', (p) => p.owns), cell: (p) => (p.owns ? number(p.owns) : DASH)},
    count('Deserves', (p) => p.deserved),
    count('Uses', (p) => p.used),
    count('Wants', (p) => p.demand),
    count('Lent', (p) => p.lent),
    count('Borrowed', (p) => p.borrowed),
    {key: 'bar', text: '', width: 'minmax(140px,1fr)', cell: (p) => <PlanBar plan={p} />},
  ],
};
const QUEUES: Listing<Queue> = {
  title: 'Queues',
  sub: 'Jobs wait in queues; a higher priority goes first.',
  load: async () => (await get<{queues: Queue[]}>('/api/v1/queues')).queues,
  key: (q) => q.queue_name,
  columns: [
    text('Queue', (q) => <Outside text={q.queue_name} />),
    count('Priority', (q) => q.priority),
    text('Status', (q) => <Outside text={q.status} />),
    count('Slots asked', (q) => q.njobs),
    count('Pending', (q) => q.pend),
    count('Running', (q) => q.run),
    count('Suspended', (q) => q.susp),
  ],
};
const HOSTS: Listing<Host> = {
  title: 'Hosts',
  sub: 'What each host has, and what is in use.',
  load: async () => (await get<{hosts: Host[]}>('/api/v1/hosts')).hosts,
  key: (x) => x.host_name,
  columns: [
    text('Host', (x) => <Outside text={x.host_name} />),
    text('Status', (x) => <Outside text={x.status} />),
    {...text<Host>('Slots', (x) => `${number(x.run)} of ${number(x.max)}`), numeric: true},
    {
      ...text<Host>('GPUs', (x) =>
        x.ngpus ? `${number(x.ngpus_alloc)} of ${number(x.ngpus)}` : DASH,
      ),
      numeric: true,
    },
    count('CPUs', (x) => x.ncpus),
    {...text<Host>('Memory', (x) => bytes(x.total_mem_bytes)), numeric: true},
    text('Note', (x) => <Outside text={x.comments} />),
  ],
};

function ListingPage<R>({listing}: {listing: Listing<R>}) {
  const rows = useAsked(listing.load, {onJobs: 2000});
  return (
    <Loaded of={rows} title={listing.title}>
      {(list) => (
        <Page title={listing.title} sub={listing.sub}>
          <Stale of={rows} />
          <section class="panel scroll" aria-label={listing.title}>
            <Table
              label={listing.title}
              columns={listing.columns}
              source={memory(list)}
              rowKey={listing.key}
              empty="There is none."
            />
          </section>
        </Page>
      )}
    </Loaded>
  );
}

export default function ClusterPage({args: [which]}: {args: readonly string[]}) {
  if (which === 'plans') return <ListingPage listing={PLANS} />;
  if (which === 'queues') return <ListingPage listing={QUEUES} />;
  return <ListingPage listing={HOSTS} />;
}
