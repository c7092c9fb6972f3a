// Role: what happened to a job: when, how its size changed, why, and what that cost.

import type {JobEvent} from '../../api/shapes.ts';
import {step} from '../../base/text.ts';
import {clock} from '../../base/time.ts';
import {Outside} from '../../parts/basic.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
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

interface Numbered {
  readonly event: JobEvent;
  readonly n: number;
}

function What({event}: Numbered) {
  const name = NAMES[event.event] ?? '';
  return (
    <>
      {name}
      {name && event.reason ? ': ' : ''}
      <Outside text={event.reason} />
    </>
  );
}

function columnsOf(events: readonly JobEvent[]): readonly Column<Numbered>[] {
  const cost = ({event}: Numbered) => costOf(event, events);
  const sized = (event: JobEvent) => event.event === 'RESIZE' || event.event === 'DISPATCH';
  return [
    {key: 'n', text: '#', width: '18px', cell: ({n}) => <span class="n">{n}</span>},
    {key: 't', text: 'Time', width: '62px', cell: ({event}) => clock(event.t, now())},
    {
      key: 'slots',
      text: 'Slots',
      width: '58px',
      cell: ({event}) => (sized(event) ? <b>{step(event.from, event.to)}</b> : ''),
    },
    {key: 'why', text: 'What and why', width: 'minmax(0,1fr)', cell: What},
    {
      key: 'pause',
      text: 'Pause',
      width: '60px',
      numeric: true,
      cell: (one) => {
        const pause = cost(one)?.pause_ms;
        return pause == null ? '' : `${Math.round(pause)} ms`;
      },
    },
    {
      key: 'lost',
      text: 'Steps lost',
      width: '66px',
      numeric: true,
      cell: (one) => cost(one)?.steps_lost ?? '',
    },
  ];
}

export function EventTable({events}: {events: readonly JobEvent[]}) {
  const told = events
    .filter((e) => e.event in NAMES)
    .slice(-MOST)
    .reverse();
  if (!told.length) return null;
  return (
    <Table
      label="What happened"
      kind="list evs"
      columns={columnsOf(events)}
      source={memory(told.map((event, i) => ({event, n: told.length - i})))}
      rowKey={({event, n}) => `${event.t}${event.event}${n}`}
    />
  );
}
