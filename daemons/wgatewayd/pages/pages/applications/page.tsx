// Role: Applications: who has what now, and why. Slots over time, what changed, and the list, which
// is live and changes in place.

import {useEffect, useMemo} from 'preact/hooks';
import type {JobRow} from '../../api/shapes.ts';
import {counted, number} from '../../base/number.ts';
import {GROUPS} from '../../live/jobs.ts';
import {counts} from '../../live/port.ts';
import {Icon, Segment} from '../../parts/basic.tsx';
import {Asking, Questions} from '../../parts/asking.tsx';
import {Filter} from '../../parts/filter.tsx';
import {NotListed, Page, Stale} from '../../parts/page.tsx';
import {Table} from '../../parts/table.tsx';
import {clearParams, go, setParam} from '../../state/address.ts';
import {keepAsking, useOnce} from '../../state/asked.ts';
import {ActDialog} from '../shared/act_dialog.tsx';
import {KeptViews, ViewDialog} from '../shared/kept_views.tsx';
import '../shared/together.ts';
import {columnsOf} from './columns.tsx';
import {Applications} from './model.ts';
import {SlotsPanel} from './slots.tsx';

const FIELDS = ['user', 'plan', 'state', 'queue', 'type', 'app', 'host', 'array', 'reason'];

function summary(model: Applications): string {
  const seen = counts.value;
  if (!seen) return 'Not known yet.';
  const capacity = model.slots.value.value?.capacity;
  const of = capacity ? ` of ${number(capacity)}` : '';
  const gpus = seen.gpuSlots > 0 ? `, ${counted(seen.gpuSlots, 'GPU')}` : '';
  const jobs = `${number(seen.alive)} running, ${number(seen.waiting)} pending.`;
  return `${jobs} ${number(seen.slots)}${of} slots${gpus} in use.`;
}

const STATES = ['pending', 'held', 'running', 'finished', 'failed', 'killed'];
/** Values to complete with: those of the rows in sight. */
function valuesOf(model: Applications): Readonly<Record<string, readonly string[]>> {
  const rows = model.window.value?.rows ?? [];
  const all = (of: (job: JobRow) => string | readonly string[]) => [...new Set(rows.flatMap(of))];
  return {
    state: STATES,
    user: all((job) => job.user),
    plan: all((job) => job.plan),
    queue: all((job) => job.queue),
    app: all((job) => job.application),
    host: all((job) => job.exec_host),
  };
}

function Bar({model, asking}: {model: Applications; asking: Asking}) {
  const {mine, group, filter} = model.asked.value;
  const seen = counts.value;
  const found: Record<string, number> = {
    running: seen?.alive ?? 0,
    pending: seen?.waiting ?? 0,
    failed: seen?.failed ?? 0,
  };
  return (
    <div class="bar">
      <Segment
        label="Whose"
        value={mine ? 'mine' : ''}
        options={[
          ['mine', 'Mine'],
          ['', 'Everyone'],
        ]}
        onChoose={(whose) => setParam('whose', whose)}
      />
      <fieldset class="chips" aria-label="State">
        {GROUPS.map(({name, text}) => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-pressed={group === name ? 'true' : 'false'}
            onClick={() => setParam('state', group === name ? '' : name)}
          >
            {text} {number(found[name])}
          </button>
        ))}
      </fieldset>
      <Filter
        label="Filter applications"
        placeholder="Filter: name, id, user:bob, slots>4"
        value={filter}
        names={FIELDS}
        values={valuesOf(model)}
        problems={model.window.value?.problems ?? []}
        onInput={(text) => setParam('q', text)}
      />
      <button
        type="button"
        class="chip"
        aria-pressed={model.asked.value.fold ? 'true' : 'false'}
        onClick={() => setParam('each', model.asked.value.fold ? '1' : '')}
      >
        Arrays folded
      </button>
      <KeptViews views={model.views} asking={asking} />
      <span class="vh" role="status">
        {number(model.window.value?.total ?? 0)} shown
      </span>
    </div>
  );
}

/** What is chosen, and what can be done to all of it. */
function Bulk({model, asking}: {model: Applications; asking: Asking}) {
  const count = model.chosen.value.size;
  const refused = model.outcomes.value.filter((o) => o.problem);
  const done = model.outcomes.value.length - refused.length;
  const stop = () =>
    asking.ask({
      title: `Stop ${counted(count, 'application')}?`,
      said: <p>Their workers end. What they wrote, checkpoints included, stays.</p>,
      verb: `Stop ${number(count)}`,
      act: () => void model.act('stop'),
    });
  if (count === 0 && model.outcomes.value.length === 0) return null;
  return (
    <div class="bar bulk" role="status">
      {count > 0 && <b>{number(count)} chosen</b>}
      {count > 0 && (
        <button type="button" class="btn danger" disabled={model.busy.value} onClick={stop}>
          Stop
        </button>
      )}
      {count > 0 && (
        <button
          type="button"
          class="btn"
          data-do="acts"
          disabled={model.busy.value}
          onClick={() => model.acting.open([...model.chosen.value.values()])}
        >
          More acts
        </button>
      )}
      {count > 1 && (
        <a class="btn" href={`/compare?runs=${[...model.chosen.value.keys()].join(',')}`}>
          Compare
        </a>
      )}
      {done > 0 && <span>{number(done)} done.</span>}
      {refused.map((one) => (
        <span class="err" key={one.id}>
          {one.id}: {one.problem}
        </span>
      ))}
    </div>
  );
}

const Empty = () => (
  <>
    <p>No application yet. Start one here, or in a shell:</p>
    <p class="cmd mono">
      dlicmd --exec-start edtPyTorch --numWorker 4 --model-main train.py --model-dir code
    </p>
    <p>
      <button type="button" class="btn pri" onClick={() => go('/new/experiment')}>
        New experiment
      </button>
    </p>
  </>
);

const NoMatch = ({all}: {all: number}) => (
  <>
    0 of {number(all)} match.{' '}
    <button type="button" class="btn" onClick={clearParams}>
      Clear the filter
    </button>
  </>
);

function List({model}: {model: Applications}) {
  const window = model.window.value;
  const all = counts.value?.all ?? 0;
  const columns = useMemo(() => columnsOf(model), [model]);
  if (!window || !counts.value) return <NotListed />;
  return (
    <Table
      label="Applications"
      kind="apps"
      columns={columns}
      source={{...window, want: (seen) => model.want(seen)}}
      rowKey={(job) => job.jobid}
      sort={model.asked.value.sort}
      onSort={(sort) => setParam('sort', sort)}
      empty={all === 0 ? <Empty /> : <NoMatch all={all} />}
    />
  );
}

export default function ApplicationsPage() {
  const model = useOnce(() => new Applications());
  const asking = useOnce(() => new Asking());
  useEffect(() => {
    const ends = [model.begin(), keepAsking(model.slots, {onJobs: 1500})];
    void model.slots.refresh().then(() => model.fitRange());
    void model.views.load();
    return () => {
      for (const end of ends) end();
    };
  }, []);
  const acts = (
    <a class="btn pri" href="/new/experiment">
      <Icon name="plus" />
      New experiment
    </a>
  );
  return (
    <Page title="Applications" sub={summary(model)} acts={acts}>
      <Stale of={model.slots} />
      <SlotsPanel model={model} />
      <section class="panel" aria-label="Application list">
        <Bar model={model} asking={asking} />
        <Bulk model={model} asking={asking} />
        <List model={model} />
        <div class="fine">
          <span>
            {number(model.window.value?.total ?? 0)} of {number(counts.value?.all ?? 0)}{' '}
            applications
          </span>
          <span>the same in a shell: bjobs -u all -a</span>
        </div>
      </section>
      <Questions asking={asking} />
      <ActDialog acting={model.acting} />
      <ViewDialog views={model.views} />
    </Page>
  );
}
