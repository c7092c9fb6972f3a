// Role: the columns of the list of applications: what each cell says of a job.

import {jobPath, part} from '../../api/client.ts';
import type {JobRow, SlotsApp} from '../../api/shapes.ts';
import type {Row} from '../../live/messages.ts';
import {DASH, number} from '../../base/number.ts';
import {isAlive, isFailed, isOver, isWaiting, slotRange} from '../../base/states.ts';
import {clean} from '../../base/text.ts';
import {duration} from '../../base/time.ts';
import {colours} from '../../figures/colours.ts';
import {elapsed} from '../../live/jobs.ts';
import {Outside, StateMark} from '../../parts/basic.tsx';
import type {Column} from '../../parts/table.tsx';
import {now, second} from '../../state/clock.ts';
import {Waits} from '../shared/waits.tsx';
import {type Applications, beginOf} from './model.ts';

/** A job's slots as a small figure, to the same scale for all. */
function Spark({app, from, to, top}: {app: SlotsApp; from: number; to: number; top: number}) {
  const x = (t: number) => Math.round(Math.max(0, ((t - from) / (to - from)) * 720));
  const y = (v: number) => 40 - (Math.min(v, top) / top) * 40;
  let line = '';
  for (const [t, v] of app.steps) {
    if (v === 0 && !line) continue;
    line += line ? `H${x(t)}V${y(v)}` : `M${x(t)} 40V${y(v)}`;
  }
  if (!line) return null;
  const colour = colours([app.id]).get(app.id) ?? 'kt';
  return (
    <svg
      class={`spark ${colour}`}
      viewBox="0 -2 720 44"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path class="ar" d={`${line}H720V40Z`} />
      <path class="ln" d={`${line}H720`} />
    </svg>
  );
}

function SlotsCell({job, model}: {job: Row; model: Applications}) {
  if (job.folded) return <b>{job.nalloc_slot || DASH}</b>;
  if (isWaiting(job.wm_state)) return <span class="m">asks {job.max_req_proc ?? DASH}</span>;
  if (isOver(job.wm_state)) return <span class="m">ended</span>;
  const has = job.nalloc_slot ?? 0;
  const app = model.byJob.value.get(job.jobid);
  const to = now();
  const from = beginOf(model.slots.value.value?.apps ?? [], model.minutes.value, to);
  const top = Math.max(1, model.slots.value.value?.capacity ?? 1);
  return (
    <span class="sl">
      <span>
        <b>{has}</b>{' '}
        <span class="m">{slotRange(has, job.min_req_proc ?? has, job.max_req_proc ?? has)}</span>
      </span>
      {app && <Spark app={app} from={from} to={to} top={top} />}
    </span>
  );
}

function Progress({job}: {job: Row}) {
  const word = job.wm_state;
  if (job.folded) {
    const counts = Object.entries(job.folded).map(([state, count]) => `${count} ${state}`);
    return <span class="m s">{counts.join(', ')}</span>;
  }
  if (isWaiting(word)) return <Waits job={job} />;
  if (isAlive(word) && job.step) {
    const parts = [`step ${number(job.step)}`, job.loss == null ? '' : `loss ${number(job.loss)}`];
    const text = parts.filter(Boolean).join(', ');
    if (!job.complete_percent) return <>{text}</>;
    return (
      <span class="pg">
        <span>{text}</span>
        <i style={{'--w': `${job.complete_percent}%`}} />
      </span>
    );
  }
  if (isFailed(word) || word === 'killed') {
    return <Outside text={job.exit_reason || (job.exit_code ? `exit ${job.exit_code}` : DASH)} />;
  }
  if (job.accuracy != null) return <>accuracy {number(job.accuracy)}</>;
  return (
    <span class="m">
      <Outside text={job.app_type || DASH} />
    </span>
  );
}

const Elapsed = ({job}: {job: JobRow}) => (
  <>{duration(elapsed(job, isOver(job.wm_state) ? now() : second.value))}</>
);

function Check({job, model}: {job: Row; model: Applications}) {
  if (job.folded) return null;
  return (
    <input
      type="checkbox"
      aria-label={`Choose ${job.jobid}`}
      checked={model.chosen.value.has(job.jobid)}
      onChange={() => model.choose(job)}
    />
  );
}

/** Elements of an array in a row of their own each. */
const eachPath = (array: string) => `/apps?each=1&q=${part(`array:${array}`)}`;
const total = (folded: Readonly<Record<string, number>>) =>
  Object.values(folded).reduce((a, b) => a + b, 0);

function Name({job}: {job: Row}) {
  const name = job.job_name ?? '(not visible to you)';
  return (
    <a
      class="name"
      href={job.folded ? eachPath(job.jobid) : jobPath(job.jobid)}
      title={clean(name)}
    >
      <Outside text={name} />
      {job.folded && `[${total(job.folded)}]`}
    </a>
  );
}

export const columnsOf = (model: Applications): readonly Column<Row>[] => [
  {
    key: 'chosen',
    text: '',
    width: '16px',
    class: 'ch',
    cell: (job) => <Check job={job} model={model} />,
  },
  {
    key: 'state',
    text: 'State',
    width: '86px',
    sort: 'wm_state',
    class: 'st',
    cell: (job) => <StateMark word={job.wm_state} />,
  },
  {key: 'id', text: 'Id', width: '44px', sort: 'jobid', class: 'id m', cell: (job) => job.jobid},
  {
    key: 'name',
    text: 'Name',
    width: 'minmax(110px,1.6fr)',
    sort: 'job_name',
    class: 'nm',
    cell: (job) => <Name job={job} />,
  },
  {
    key: 'user',
    text: 'User',
    width: '64px',
    sort: 'user',
    class: 'us',
    cell: (job) => <Outside text={job.user} most={40} />,
  },
  {
    key: 'plan',
    text: 'Plan',
    width: 'minmax(56px,.7fr)',
    sort: 'plan',
    class: 'pl',
    pre: (job) => `${job.jobid} · ${clean(job.user, 40)} · `,
    cell: (job) => <Outside text={job.plan} most={60} />,
  },
  {
    key: 'slots',
    text: 'Slots',
    width: 'minmax(120px,164px)',
    sort: 'nalloc_slot',
    class: 'slc',
    cell: (job) => <SlotsCell job={job} model={model} />,
  },
  {
    key: 'progress',
    text: 'Progress',
    width: 'minmax(130px,1.4fr)',
    class: 'pgc wide',
    cell: (job) => <Progress job={job} />,
  },
  {
    key: 'elapsed',
    text: 'Elapsed',
    width: '68px',
    sort: 'elapsed',
    numeric: true,
    class: 'el m',
    cell: (job) => <Elapsed job={job} />,
  },
];
