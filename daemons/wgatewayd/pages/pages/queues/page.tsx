// Role: the queues: what waits and runs in each, who may use it, what bounds it; closed and opened
// by administrators.

import {useMemo} from 'preact/hooks';
import {get, part} from '../../api/client.ts';
import type {Queue} from '../../api/shapes_admin.ts';
import {number} from '../../base/number.ts';
import {clean} from '../../base/text.ts';
import {Mark, NextStep, Outside} from '../../parts/basic.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {useAsked, useOnce} from '../../state/asked.ts';
import {session} from '../../state/session.ts';
import {CloseDialog, Closing} from '../shared/close_dialog.tsx';
import {limitWords, queueShown} from './rules.ts';

const count = (text: string, of: (queue: Queue) => number | null): Column<Queue> => ({
  key: text,
  text,
  width: '72px',
  numeric: true,
  cell: (queue) => number(of(queue)),
});

function NameCell({queue}: {queue: Queue}) {
  return (
    <>
      <a href={`/apps?q=${part(`queue:${queue.queue_name.toLowerCase()}`)}`}>
        <Outside text={queue.queue_name} />
      </a>
      {queue.description && (
        <span class="far m s">
          <Outside text={queue.description} />
        </span>
      )}
    </>
  );
}

const columnsOf = (closing: Closing | null): readonly Column<Queue>[] => [
  {key: 'name', text: 'Queue', width: 'minmax(120px,1.4fr)', cell: (q) => <NameCell queue={q} />},
  count('Priority', (q) => q.priority),
  {
    key: 'state',
    text: 'State',
    width: 'minmax(100px,1fr)',
    cell: (q) => (
      <>
        <Mark shown={queueShown(q)} />
        {q.comments && (
          <span class="far m s">
            <Outside text={q.comments} />
          </span>
        )}
      </>
    ),
  },
  count('Pending', (q) => q.pend),
  count('Running', (q) => q.run),
  count('Suspended', (q) => q.susp),
  {
    key: 'limits',
    text: 'Limits',
    width: 'minmax(120px,1.6fr)',
    cell: (q) => limitWords(q) || <span class="m">none</span>,
  },
  {
    key: 'users',
    text: 'Users',
    width: 'minmax(70px,1fr)',
    cell: (q) => <Outside text={q.users.join(' ') || 'all'} />,
  },
  ...(closing ? [actColumn(closing)] : []),
];
const actColumn = (closing: Closing): Column<Queue> => ({
  key: 'act',
  text: '',
  width: '76px',
  cell: (q) => (
    <button
      type="button"
      class="btn"
      aria-label={`${q.closed ? 'Open' : 'Close'} queue ${clean(q.queue_name)}`}
      onClick={() => closing.open(q.queue_name, q.closed ? 'open' : 'close')}
    >
      {q.closed ? 'Open' : 'Close'}
    </button>
  ),
});

export default function QueuesPage() {
  const queues = useAsked(async () => (await get<{queues: Queue[]}>('/api/v1/queues')).queues, {
    onJobs: 2000,
  });
  const closing = useOnce(() => new Closing('queues', () => void queues.refresh()));
  const admin = session.value?.admin ?? false;
  const columns = useMemo(() => columnsOf(admin ? closing : null), [admin]);
  return (
    <Loaded of={queues} title="Queues">
      {(list) => (
        <Page
          title="Queues"
          sub="Jobs wait in queues; a higher priority goes first. Counts are slots."
        >
          <Stale of={queues} />
          <section class="panel scroll" aria-label="Queues">
            <Table
              label="Queues"
              columns={columns}
              source={memory(list)}
              rowKey={(q) => q.queue_name}
              empty={
                <NextStep
                  said="There is none: queues.conf names them. After a change:"
                  line="badmin reconfig"
                />
              }
            />
            <p class="fine">
              <span>in a shell: bqueues -l, blimits</span>
              {admin && (
                <span>
                  <a href="/config/queues.conf">Edit queues.conf</a>,{' '}
                  <a href="/audit">the record of acts</a>
                </span>
              )}
            </p>
          </section>
          <CloseDialog closing={closing} />
        </Page>
      )}
    </Loaded>
  );
}
