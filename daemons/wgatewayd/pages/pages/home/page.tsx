// Role: Home: what of mine is wrong, runs, waits until when; what my plan has of what it deserves.

import {useEffect} from 'preact/hooks';
import {jobPath} from '../../api/client.ts';
import type {JobRow} from '../../api/shapes.ts';
import type {Plan} from '../../api/shapes_admin.ts';
import {counted, DASH, number} from '../../base/number.ts';
import {slotRange} from '../../base/states.ts';
import {clean} from '../../base/text.ts';
import {clock, duration} from '../../base/time.ts';
import {elapsed} from '../../live/jobs.ts';
import {Icon, Outside, Panel, StateMark} from '../../parts/basic.tsx';
import {NotListed, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {keepAsking, useOnce} from '../../state/asked.ts';
import {now, second} from '../../state/clock.ts';
import {Waits} from '../shared/waits.tsx';
import {Home} from './model.ts';
import {shareWords} from './rules.ts';

function Name({job}: {job: JobRow}) {
  const name = job.job_name || job.jobid;
  return (
    <a class="name" href={jobPath(job.jobid)} title={clean(name)}>
      {job.jobid} <Outside text={name} most={60} />
    </a>
  );
}
const Elapsed = ({job}: {job: JobRow}) => <>{duration(elapsed(job, second.value))}</>;

/** What it does now, or why it ended. */
function Doing({job}: {job: JobRow}) {
  const has = job.nalloc_slot ?? 0;
  const range = slotRange(has, job.min_req_proc ?? has, job.max_req_proc ?? has);
  const done = [
    `${counted(has, 'slot')} ${range}`.trim(),
    job.step ? `step ${number(job.step)}` : '',
    job.loss == null ? '' : `loss ${number(job.loss)}`,
    job.complete_percent ? `${number(job.complete_percent)} % done` : '',
  ];
  return <>{done.filter(Boolean).join(', ')}</>;
}
const Ended = ({job}: {job: JobRow}) => (
  <Outside text={job.exit_reason || (job.exit_code ? `exit ${job.exit_code}` : DASH)} most={300} />
);

type Cell = Column<JobRow>;
const state: Cell = {
  key: 'state',
  text: 'State',
  width: '96px',
  class: 'st',
  cell: (job) => <StateMark word={job.wm_state} />,
};
const name: Cell = {
  key: 'name',
  text: 'Name',
  width: 'minmax(110px,1fr)',
  cell: (job) => <Name job={job} />,
};
const what = (text: string, cell: Cell['cell']): Cell => ({
  key: 'what',
  text,
  width: 'minmax(120px,2fr)',
  cell,
});
const when = (text: string, cell: Cell['cell']): Cell => ({
  key: 'when',
  text,
  width: 'minmax(56px,auto)',
  numeric: true,
  cell,
});
const since = when('For', (job) => <Elapsed job={job} />);
const ended = when('Ended', (job) => clock(job.finish_time, now()));

const COLUMNS = {
  needs: [name, state, what('What happened', (job) => <Ended job={job} />), ended],
  running: [name, state, what('Now', (job) => <Doing job={job} />), since],
  waiting: [name, state, what('Why', (job) => <Waits job={job} />), since],
  recent: [name, ended],
};

interface JobsProps {
  readonly title: string;
  readonly id: string;
  readonly jobs: readonly JobRow[];
  readonly total: number;
  readonly columns: readonly Cell[];
  readonly none: string;
  readonly all: string;
}
function Jobs({title, id, jobs, total, columns, none, all}: JobsProps) {
  const more = total > jobs.length && (
    <a class="s" href={all}>
      all {number(total)}
    </a>
  );
  return (
    <Panel title={total ? `${title} ${number(total)}` : title} id={id} tools={more}>
      {jobs.length ? (
        <Table label={title} columns={columns} source={memory(jobs)} rowKey={(job) => job.jobid} />
      ) : (
        <p class="pb m s">{none}</p>
      )}
    </Panel>
  );
}

function NeedsYou({model}: {model: Home}) {
  const failed = model.failed.value;
  const jobs = [...model.silent.value, ...failed];
  if (!jobs.length) return null;
  const seen = failed.length > 0 && (
    <button type="button" class="link s" id="seen" onClick={() => model.seen()}>
      Seen
    </button>
  );
  return (
    <Panel title={`Needs you ${number(jobs.length)}`} id="h-need" tools={seen}>
      <Table
        label="Needs you"
        columns={COLUMNS.needs}
        source={memory(jobs)}
        rowKey={(job) => job.jobid}
      />
    </Panel>
  );
}

function Share({plan}: {plan: Plan}) {
  const most = Math.max(plan.used ?? 0, plan.deserved ?? 0, plan.demand ?? 0, 1);
  return (
    <div class="share">
      <p class="s">
        <b>
          <Outside text={plan.plan} most={60} />
        </b>
      </p>
      <div class="planbar" aria-hidden="true">
        <i style={{width: `${(100 * (plan.used ?? 0)) / most}%`}} />
        <b style={{left: `${(100 * (plan.deserved ?? 0)) / most}%`}} />
      </div>
      <p class="s m">{shareWords(plan)}</p>
    </div>
  );
}

function Side({model}: {model: Home}) {
  const known = model.cluster.value.value;
  const plans = model.plans.value;
  const hosts = known?.hosts ?? [];
  return (
    <>
      <Panel title="My share" id="h-share" tools={<a href="/plans">Plans</a>}>
        <div class="pb">
          {plans.map((plan) => (
            <Share key={plan.plan} plan={plan} />
          ))}
          {known && !plans.length && <p class="s m">No plan is yours or has a job of yours.</p>}
        </div>
      </Panel>
      <Panel title="Notices" id="h-notes" tools={<a href="/cluster">Hosts</a>}>
        <div class="pb">
          {hosts.slice(0, 6).map((host) => (
            <p class="s" key={host.host_name}>
              <Outside text={host.host_name} most={60} />: <Outside text={host.status} most={40} />
              {host.comments ? ', ' : ''}
              <Outside text={host.comments} most={200} />
            </p>
          ))}
          {hosts.length > 6 && (
            <p class="s m">
              and more: <a href="/cluster">the map</a>
            </p>
          )}
          {known && !hosts.length && <p class="s m">All hosts take jobs.</p>}
        </div>
      </Panel>
      <Jobs
        title="Recent"
        id="h-recent"
        jobs={model.recent.value}
        total={model.recent.value.length}
        columns={COLUMNS.recent}
        none="Nothing of yours has finished."
        all="/apps?whose=mine&q=state:finished"
      />
    </>
  );
}

const Start = () => (
  <div class="panel empty">
    <p>Nothing of yours runs or waits. Three ways to start:</p>
    <p>
      <a href="/new/experiment">New experiment</a>: a training, from a zip of its code.
    </p>
    <p>
      <a href="/notebooks">Notebook</a>: a session in the browser.
    </p>
    <p class="cmd mono">bsub -n 4 -J hello python3 train.py</p>
  </div>
);

function Main({model}: {model: Home}) {
  if (!model.known.value) return <NotListed />;
  const busy = model.total('running') + model.total('pending') > 0;
  return (
    <>
      <NeedsYou model={model} />
      {!busy && <Start />}
      {busy && (
        <Jobs
          title="Running"
          id="h-run"
          jobs={model.running.value}
          total={model.total('running')}
          columns={COLUMNS.running}
          none="Nothing of yours runs."
          all="/apps?whose=mine&state=running"
        />
      )}
      {busy && (
        <Jobs
          title="Waiting"
          id="h-wait"
          jobs={model.waiting.value}
          total={model.total('pending')}
          columns={COLUMNS.waiting}
          none="Nothing of yours waits."
          all="/apps?whose=mine&state=pending"
        />
      )}
    </>
  );
}

export default function HomePage() {
  const model = useOnce(() => new Home());
  useEffect(() => {
    const ends = [model.begin(), keepAsking(model.cluster, {onJobs: 2000, every: 15_000})];
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
    <Page title="Home" acts={acts}>
      <Stale of={model.cluster} />
      <div class="cols">
        <div>
          <Main model={model} />
        </div>
        <div>
          <Side model={model} />
        </div>
      </div>
    </Page>
  );
}
