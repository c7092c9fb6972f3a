// Role: what happened to a job: when, how its size changed, why, and what that cost.

import type {JobEvent} from '../../api/shapes.ts';
import {DASH} from '../../base/number.ts';
import {step} from '../../base/text.ts';
import {clock} from '../../base/time.ts';
import {Outside} from '../../parts/basic.tsx';
import {now} from '../../state/clock.ts';

const MOST = 12;
const NAMES: Readonly<Record<string, string>> = {
  SUBMIT: 'Submitted',
  DISPATCH: 'Placed',
  START: 'Started',
  RESIZE: '',
  END: 'Ended',
  REQUEUE: 'Queued again',
  HOLD: 'Held',
  RELEASE: 'Released',
  PREEMPT: 'Made way',
  SUSPEND: 'Suspended',
  RESUME: 'Resumed',
};

/** What a change of size cost: of the epoch that began with it. */
export function costOf(event: JobEvent, events: readonly JobEvent[]): JobEvent | undefined {
  if (event.event !== 'RESIZE') return undefined;
  return events.find(
    (e) => e.event === 'EPOCH' && e.pause_ms !== null && e.t >= event.t - 1 && e.t - event.t < 60,
  );
}

function EventRow({event, n, events}: {event: JobEvent; n: number; events: readonly JobEvent[]}) {
  const sized = event.event === 'RESIZE' || event.event === 'DISPATCH';
  const name = NAMES[event.event] ?? '';
  const cost = costOf(event, events);
  return (
    <div class="ev" role="row">
      <span role="cell">
        <span class="n">{n}</span>
      </span>
      <span role="cell" class="m">
        {clock(event.t, now())}
      </span>
      <b role="cell">{sized ? step(event.from, event.to) : ''}</b>
      <span role="cell" class="why">
        {name}
        {name && event.reason ? ': ' : ''}
        <Outside text={event.reason} />
      </span>
      <span role="cell" class="r m">
        {cost?.pause_ms == null ? DASH : `${Math.round(cost.pause_ms)} ms`}
      </span>
      <span role="cell" class="r m lost">
        {cost?.steps_lost ?? DASH}
      </span>
    </div>
  );
}

export function EventTable({events}: {events: readonly JobEvent[]}) {
  const shown = events
    .filter((e) => e.event in NAMES)
    .slice(-MOST)
    .reverse();
  if (!shown.length) return null;
  return (
    <div role="table" aria-label="What happened">
      <div class="ev hd m" role="row">
        {['#', 'Time', 'Slots', 'What and why'].map((text) => (
          <span key={text} role="columnheader">
            {text}
          </span>
        ))}
        <span role="columnheader" class="r">
          Pause
        </span>
        <span role="columnheader" class="r lost">
          Steps lost
        </span>
      </div>
      {shown.map((event, i) => (
        <EventRow
          key={`${event.t}${event.event}`}
          event={event}
          n={shown.length - i}
          events={events}
        />
      ))}
    </div>
  );
}
