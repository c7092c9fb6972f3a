// Role: the list of searches: how good is each one's best, how far is it.

import {get, part} from '../../api/client.ts';
import type {SearchRow} from '../../api/shapes_more.ts';
import {number} from '../../base/number.ts';
import {state} from '../../base/states.ts';
import {clock, duration, momentOr} from '../../base/time.ts';
import {Icon, Mark, Outside} from '../../parts/basic.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {useAsked} from '../../state/asked.ts';
import {now, second} from '../../state/clock.ts';
import {aim} from '../shared/search.ts';

function Standing({s}: {s: SearchRow}) {
  const shown = state(s.state);
  const pausing = s.paused && s.state === 'running';
  return <Mark shown={pausing ? {...shown, word: 'Pausing'} : shown} />;
}

function Trials({s}: {s: SearchRow}) {
  return (
    <span class="pg">
      <span>
        {number(s.over)} of {number(s.total)}
        {s.running > 0 && <span class="m">, {s.running} running</span>}
      </span>
      <i style={{'--w': `${s.total ? (100 * s.over) / s.total : 0}%`}} />
    </span>
  );
}

function Best({s}: {s: SearchRow}) {
  if (!s.best) return <span class="m">no value yet</span>;
  return (
    <>
      <b>{number(s.best.value)}</b> <span class="m">trial {s.best.index}</span>
    </>
  );
}

const COLUMNS: readonly Column<SearchRow>[] = [
  {key: 'state', text: 'State', width: '104px', class: 'st', cell: (s) => <Standing s={s} />},
  {
    key: 'name',
    text: 'Name',
    width: 'minmax(120px,1.2fr)',
    class: 'nm',
    cell: (s) => (
      <a class="name" href={`/searches/${part(s.name)}`}>
        <Outside text={s.name} most={60} />
      </a>
    ),
  },
  {
    key: 'aim',
    text: 'Looks for',
    width: 'minmax(130px,1fr)',
    class: 'pl',
    pre: () => '',
    cell: (s) => <Outside text={aim(s)} most={60} />,
  },
  {key: 'best', text: 'Best', width: '150px', class: 'slc', cell: (s) => <Best s={s} />},
  {
    key: 'trials',
    text: 'Trials',
    width: 'minmax(140px,1fr)',
    class: 'pgc',
    cell: (s) => <Trials s={s} />,
  },
  {
    key: 'time',
    text: 'Time',
    width: '76px',
    numeric: true,
    class: 'el m',
    cell: (s) => (
      <span title={clock(s.submit_time, now())}>
        {duration(momentOr(s.finish_time, second.value) - s.submit_time)}
      </span>
    ),
  },
];

const New = () => (
  <a class="btn pri" href="/new/search">
    <Icon name="plus" />
    New search
  </a>
);

const Empty = () => (
  <>
    <p>No search yet. Begin one by form, or with a file in a shell:</p>
    <p class="cmd mono">dlicmd --hpo-start search.json --model-dir code</p>
    <p>
      <New />
    </p>
    <p class="s">The guide “tune a model” has one to begin with.</p>
  </>
);

function about(rows: readonly SearchRow[]): string {
  const running = rows.filter((s) => s.state === 'running').length;
  const what = 'Each tries settings of one training, and looks at what was reached';
  return `${rows.length} in all, ${running} running. ${what} before it tries the next.`;
}

export default function SearchesPage() {
  const searches = useAsked(
    async () => (await get<{searches: SearchRow[]}>('/api/v1/searches')).searches,
    {onJobs: 1500},
  );
  return (
    <Loaded of={searches} title="Searches">
      {(rows) => (
        <Page title="Searches" sub={about(rows)} acts={<New />}>
          <Stale of={searches} />
          <section class="panel" aria-label="Search list">
            <Table
              label="Searches"
              kind="srch"
              columns={COLUMNS}
              source={memory(rows)}
              rowKey={(s) => String(s.job)}
              empty={<Empty />}
            />
            <div class="fine">
              <span>{rows.length} shown</span>
              <span>the same in a shell: dlicmd --hpo-get-all</span>
            </div>
          </section>
        </Page>
      )}
    </Loaded>
  );
}
