// Role: one notebook: what it waits for, how long it stays, how it ended; opening, extending,
// sharing, stopping.

import {jobPath, part} from '../../api/client.ts';
import type {Notebook} from '../../api/shapes_more.ts';
import {number} from '../../base/number.ts';
import {isAlive, isOver, isWaiting, type Shown, state} from '../../base/states.ts';
import {clean} from '../../base/text.ts';
import {clock, duration, momentOr} from '../../base/time.ts';
import {Mark, Outside} from '../../parts/basic.tsx';
import {second} from '../../state/clock.ts';
import {me} from '../../state/session.ts';
import type {NotebooksModel} from './model.ts';

const STARTING: Shown = {word: 'Starting', icon: 'half', kind: 'run'};
const WEB: Readonly<Record<string, Shown>> = {
  starting: STARTING,
  ready: {word: 'Ready', icon: 'run', kind: 'run'},
  warned: {word: 'Idle', icon: 'what', kind: 'warn'},
  idle: {word: 'Stopped, idle', icon: 'stop', kind: ''},
};

export function shownOf(n: Notebook): Shown {
  const word = n.job.wm_state;
  const web = WEB[n.web?.state ?? ''];
  if (web && (isAlive(word) || word === 'finished')) return web;
  return isAlive(word) ? STARTING : state(word);
}

function Waits({n}: {n: Notebook}) {
  const {job, ahead} = n;
  const queue = clean(job.queue);
  const place = ahead
    ? `${number(ahead)} ahead of it in queue ${queue}. `
    : `Next in queue ${queue}. `;
  const at = job.estimated_start_time;
  return (
    <>
      {place}
      <Outside text={job.pend_reason} />
      {at ? ` Expected ${clock(at, second.value)}.` : ''}
    </>
  );
}

function Sentence({n}: {n: Notebook}) {
  const {job, web} = n;
  const now = second.value;
  if (isWaiting(job.wm_state)) return <Waits n={n} />;
  if (isOver(job.wm_state)) {
    if (web?.state !== 'idle') return <Outside text={job.exit_reason || 'It ended.'} />;
    return <>Not used since {clock(web.active, now)}; what it saved stays.</>;
  }
  if (!web || web.state === 'starting') return <>Its server starts.</>;
  const used = web.busy ? `In use: ${clean(web.busy)}.` : `Last used ${clock(web.active, now)}.`;
  if (!web.stops_at) return <>{used} No limit for idle ones.</>;
  return (
    <>
      {used}{' '}
      {web.state === 'warned' ? (
        <b>Stops in {duration(web.stops_at - now)}</b>
      ) : (
        `Stops at ${clock(web.stops_at, now)}`
      )}{' '}
      unless it is used: cells that run, terminals that write, processes that compute. An open page
      is no use.
    </>
  );
}

/** What it is, and how long. */
function about({id, job, ends}: Notebook): string {
  const now = second.value;
  const over = isOver(job.wm_state);
  const ran =
    job.start_time && duration((over ? momentOr(job.finish_time, now) : now) - job.start_time);
  const parts = [
    `job ${id}`,
    clean(job.application),
    job.exec_host.length ? `on ${clean(job.exec_host.join(', '), 40)}` : '',
    job.gpu_num ? `${number(job.gpu_num)} GPU` : '',
    ran
      ? `${over ? 'ran' : 'runs for'} ${ran}`
      : `waits for ${duration(now - momentOr(job.submit_time, now))}`,
    ends ? `its time is over at ${clock(ends, now)}, in ${duration(ends - now)}` : '',
  ];
  return parts.filter(Boolean).join(', ');
}

/** Who may come in besides its owner, and the link for them. */
function Sharing({n, model}: {n: Notebook; model: NotebooksModel}) {
  const names = model.names.value[n.id] ?? n.shared.join(', ');
  const link = `${location.origin}/notebooks/${n.id}?owner=${part(me.value)}`;
  return (
    <details>
      <summary class="s">
        {n.shared.length ? `Shared with ${clean(n.shared.join(', '), 120)}` : 'Share'}
      </summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void model.share(n.id, names);
        }}
      >
        <label class="field">
          <span>Users, who may then do there what you may</span>
          <input
            type="text"
            name="users"
            value={names}
            onInput={(event) => {
              model.names.value = {...model.names.value, [n.id]: event.currentTarget.value};
            }}
          />
        </label>
        <div class="foot2 start">
          <button type="submit" class="btn">
            Share with these
          </button>
        </div>
        {n.shared.length > 0 && <p class="cmd mono">{link}</p>}
      </form>
    </details>
  );
}

interface CardProps {
  readonly n: Notebook;
  readonly model: NotebooksModel;
  readonly onStop: (n: Notebook) => void;
}
export function Card({n, model, onStop}: CardProps) {
  const {id, job, web} = n;
  const ready = isAlive(job.wm_state) && Boolean(web?.address);
  const limited = (web?.idle_limit ?? 0) > 0;
  const button = (verb: string, text: string, kind: string, act: () => void) => (
    <button
      type="button"
      class={`btn ${kind}`}
      data-do={verb}
      disabled={model.doing.busy.value}
      onClick={act}
    >
      {text}
    </button>
  );
  return (
    <section class="panel notebook" data-id={id} aria-label={`Notebook ${id}`}>
      <div class="ph">
        <h2>
          <a href={jobPath(id)}>
            <Outside text={job.job_name || id} />
          </a>
        </h2>
        <Mark shown={shownOf(n)} pill />
        <span class="sp" />
        {ready && button('open', 'Open', 'pri', () => void model.open(id))}
        {ready &&
          limited &&
          button('extend', 'Extend by 1 h', '', () => void model.post(id, 'extend', {minutes: 60}))}
        {isWaiting(job.wm_state) &&
          button('stop', 'Cancel', 'danger', () => void model.post(id, 'stop'))}
        {isAlive(job.wm_state) && button('stop', 'Stop', 'danger', () => onStop(n))}
      </div>
      <div class="pb">
        <p class="say">
          <Sentence n={n} />
        </p>
        <p class="s m">{about(n)}</p>
        {ready && <Sharing n={n} model={model} />}
      </div>
    </section>
  );
}
