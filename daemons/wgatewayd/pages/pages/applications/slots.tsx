// Role: slots by application over time, and what changed last, in words.

import {useMemo} from 'preact/hooks';
import type {Change, Slots} from '../../api/shapes.ts';
import {jobPath} from '../../api/client.ts';
import {step} from '../../base/text.ts';
import {clock} from '../../base/time.ts';
import {colours} from '../../figures/colours.ts';
import {Figure} from '../../figures/figure.tsx';
import {layersOf} from '../../figures/slots.ts';
import type {FigureSpec} from '../../figures/spec.ts';
import {Outside, Panel, Segment} from '../../parts/basic.tsx';
import {now, second} from '../../state/clock.ts';
import {type Applications, beginOf, RANGES} from './model.ts';

const MOST_AREAS = 7;
const BUCKETS = 720;

/** What a change of size was, in words. */
function Sentence({change}: {change: Change}) {
  const name = (
    <>
      <a href={jobPath(change.id)}>{change.id}</a> <Outside text={change.name} most={40} />
    </>
  );
  if (change.event === 'END') return <span>{name} ended</span>;
  if (change.event === 'DISPATCH') {
    return (
      <span>
        {name} started on {change.to} {change.to === 1 ? 'slot' : 'slots'}
      </span>
    );
  }
  return (
    <span>
      {name} <b>{step(change.from, change.to)}</b>
      {change.reason && ': '}
      <Outside text={change.reason} />
    </span>
  );
}

function specOf(
  slots: Slots,
  minutes: number,
  at: number,
  marks: FigureSpec['marks'] & {},
): FigureSpec {
  const from = beginOf(slots.apps, minutes, at);
  const layers = layersOf(slots.apps, from, at, MOST_AREAS, BUCKETS);
  const own = colours(layers.filter((l) => l.id).map((l) => l.id));
  return {
    title: 'Slots',
    x: 'time',
    lines: layers.map((layer) => ({
      name: layer.name,
      colour: own.get(layer.id) ?? 'kt',
      points: layer.points,
      kind: 'steps' as const,
      stacked: true,
    })),
    limits: slots.capacity > 0 ? [{value: slots.capacity, text: `${slots.capacity} slots`}] : [],
    marks,
    bounds: [from, at],
    top: Math.max(1, slots.capacity) * 1.05,
    fromZero: true,
    height: 140,
  };
}

export function SlotsPanel({model}: {model: Applications}) {
  const slots = model.slots.value.value;
  const minutes = model.minutes.value;
  // The right end follows the clock, at most so often that a step is seen.
  const beat = Math.floor(second.value / Math.max(2, minutes / 6));
  const made = useMemo(() => {
    if (!slots) return null;
    const from = beginOf(slots.apps, minutes, now());
    const changes = slots.changes.filter((c) => c.t >= from).slice(0, 4);
    const marks = changes.map((c, i) => ({at: c.t, n: changes.length - i}));
    return {changes, spec: specOf(slots, minutes, now(), marks)};
  }, [slots, minutes, beat]);
  const ranges = (
    <Segment
      label="Range"
      value={minutes}
      options={RANGES}
      onChoose={(chosen) => {
        model.minutes.value = chosen;
        void model.slots.refresh();
      }}
    />
  );
  return (
    <Panel title="Slots by application" id="h-s" tools={ranges}>
      <div class="pb">
        {made ? <Figure spec={made.spec} /> : <NotKnown model={model} />}
        <div class="ev2">
          {made?.changes.map((change, i) => (
            <p key={`${change.t}${change.id}`}>
              <span class="n">{made.changes.length - i}</span>
              <span class="m">{clock(change.t, now())}</span>
              <Sentence change={change} />
            </p>
          ))}
          {made?.changes.length === 0 && (
            <span class="m">Nothing started, ended or changed its size.</span>
          )}
        </div>
      </div>
    </Panel>
  );
}

const NotKnown = ({model}: {model: Applications}) =>
  model.slots.failure.value ? (
    <p class="m">Slots are not known: {model.slots.failure.value.message}.</p>
  ) : (
    <div class="heightless" aria-hidden="true" />
  );
