// Role: beside the figures: why it waits or has this size, its workers now, what was asked for.

import type {ComponentChildren} from 'preact';
import {jobPath, part} from '../../api/client.ts';
import type {JobFull, Staged} from '../../api/shapes.ts';
import {bytes, number} from '../../base/number.ts';
import {isOver, isWaiting, slotRange, state} from '../../base/states.ts';
import {clean} from '../../base/text.ts';
import {clock} from '../../base/time.ts';
import {Outside, Pairs, Panel} from '../../parts/basic.tsx';
import {now} from '../../state/clock.ts';
import {session} from '../../state/session.ts';
import type {Facts} from './model.ts';

function WhyWords({job}: {job: JobFull}) {
  const word = job.wm_state;
  const reasons = job.reasons ?? [];
  if (isWaiting(word)) {
    return (
      <>
        {reasons.map((reason) => (
          <div key={`${reason.code}${reason.text}`}>
            <p class="say">
              <Outside text={reason.text ?? 'Why is not visible to you.'} />
            </p>
            {reason.fix && (
              <p class="s m">
                <Outside text={reason.fix} />
              </p>
            )}
          </div>
        ))}
      </>
    );
  }
  if (isOver(word)) {
    const ended =
      word === 'finished'
        ? 'It ended by itself.'
        : job.exit_code === null
          ? 'It was ended before it could say how.'
          : `Exit code ${job.exit_code}.`;
    return (
      <p class="say">
        <Outside text={job.exit_reason || ended} most={600} />
      </p>
    );
  }
  const has = job.nalloc_slot ?? 0;
  const range = slotRange(has, job.min_req_proc ?? has, job.max_req_proc ?? has);
  return (
    <>
      <p class="say">
        Has {has} {has === 1 ? 'slot' : 'slots'}
        {job.elastic ? ` ${range}.` : ', a fixed number.'}
      </p>
      {reasons.map((reason) => (
        <p class="s m" key={`${reason.code}${reason.text}`}>
          <Outside text={reason.text ?? 'Why is not visible to you.'} most={600} />
        </p>
      ))}
      {job.elastic && reasons.length === 0 && (
        <p class="s m">It grows and shrinks while it trains; bwhy says what binds it now.</p>
      )}
    </>
  );
}

export function Why({job}: {job: JobFull}) {
  const word = job.wm_state;
  const title = isWaiting(word) ? 'Why it waits' : isOver(word) ? 'How it ended' : 'Why this size';
  const {min_req_proc: least, max_req_proc: most} = job;
  return (
    <Panel title={title} id="h-w">
      <div class="pb">
        <WhyWords job={job} />
        <Pairs
          list={[
            ['Asked for', least === most ? number(least) : `${number(least)} to ${number(most)}`],
            ['Queue', <Outside key="q" text={job.queue} />],
            ['Plan', <Outside key="p" text={job.plan} />],
            job.estimated_start_time ? ['Expected', clock(job.estimated_start_time, now())] : null,
          ]}
        />
        <p class="cmd mono">$ bwhy {job.jobid}</p>
      </div>
    </Panel>
  );
}

/** How far the data is that it waits for, and which job brings it. */
function DataWords({data}: {data: Staged}) {
  const p = data.progress;
  const link = <a href={jobPath(data.job)}>job {data.job}</a>;
  if (p?.error) {
    return (
      <span class="err">
        not fetched: <Outside text={p.error} /> ({link})
      </span>
    );
  }
  if (p?.state === 'done') {
    return (
      <>
        {bytes(p.total || p.bytes)}, {p.cached ? 'here since before' : 'fetched by'} ({link})
      </>
    );
  }
  const far = p?.total
    ? `${Math.floor((100 * (p.bytes ?? 0)) / p.total)} % of ${bytes(p.total)}`
    : '';
  return (
    <>
      {far || state(data.state).word.toLowerCase()}, {link}
    </>
  );
}

const worker = (job: JobFull) =>
  [
    job.gpu_num ? `${number(job.gpu_num)} GPU` : '',
    `${number(job.task_cpus)} CPU`,
    job.task_mem_bytes ? bytes(job.task_mem_bytes) : '',
  ]
    .filter(Boolean)
    .join(', ');

export function Request({known}: {known: Facts}) {
  const {facts, data} = known;
  const {job, exec} = facts;
  const pairs: (readonly [string, ComponentChildren] | null)[] = [
    exec ? ['Framework', <Outside key="f" text={exec.framework} />] : null,
    ['Each worker', worker(job)],
    data
      ? [
          'Data',
          <span key="d" id="data">
            <DataWords data={data} />
          </span>,
        ]
      : null,
    ['Execution', <Outside key="e" text={facts.exec_id} />],
    facts.own ? null : ['Command', 'not visible to you'],
    session.value?.admin
      ? [
          'Acts of administrators',
          <a key="a" href={`/audit?about=${part(job.jobid)}`}>
            the record
          </a>,
        ]
      : null,
  ];
  const copy = (line: string) => (
    <button type="button" class="link s" onClick={() => void navigator.clipboard?.writeText(line)}>
      Copy
    </button>
  );
  return (
    <Panel title="Request" id="h-r" tools={exec?.bsub && copy(exec.bsub)}>
      <div class="pb">
        <Pairs list={pairs} />
        {exec?.bsub && <p class="s m gap2">The equivalent bsub line</p>}
        {exec?.bsub && <pre class="cmd">{clean(exec.bsub, 4000)}</pre>}
        {!exec && job.command && <p class="s m gap2">What it runs</p>}
        {!exec && job.command && <pre class="cmd">{clean(job.command, 4000)}</pre>}
      </div>
    </Panel>
  );
}
