// Role: does it learn: every metric over time or steps, workers from start to end, what happened.

import type {JobFull, Task} from '../../api/shapes.ts';
import {isOver, isWaiting} from '../../base/states.ts';
import {clock, momentOr} from '../../base/time.ts';
import {Outside, Panel, Segment} from '../../parts/basic.tsx';
import {now} from '../../state/clock.ts';
import {CurveFigures} from './curves.tsx';
import {EventTable} from './events.tsx';
import type {Facts, Run} from './model.ts';

const MOST_LANES = 24;

const share = (t: number, from: number, to: number) =>
  Math.min(100, Math.max(0, ((t - from) / (to - from)) * 100));

function Lane({
  place,
  tasks,
  window,
}: {
  place: string;
  tasks: readonly Task[];
  window: [number, number];
}) {
  const [from, to] = window;
  return (
    <div class="lane">
      {tasks.map((task) => {
        const left = share(momentOr(task.dispatch_time, from), from, to);
        const right = share(momentOr(task.end_time, task.state === 'gone' ? from : to), from, to);
        const width = Math.max(0.4, right - left);
        return <i key={task.task} style={{left: `${left}%`, width: `${width}%`}} />;
      })}
      <b>
        <Outside text={place} most={40} />
      </b>
    </div>
  );
}

/** Workers by their place. */
function byPlace(tasks: readonly Task[]): [string, Task[]][] {
  const places = new Map<string, Task[]>();
  for (const task of tasks) {
    const gpu = task.gpus?.[0];
    const place = `${task.host}${gpu === undefined ? '' : `:gpu${gpu}`}`;
    places.set(place, [...(places.get(place) ?? []), task]);
  }
  return [...places];
}

function Lanes({job, model}: {job: JobFull; model: Run}) {
  const tasks = job.tasks ?? [];
  if (!tasks.length) return null;
  const window = model.window();
  const lanes = byPlace(tasks);
  const times = Array.from({length: 5}, (_, i) => window[0] + ((window[1] - window[0]) * i) / 4);
  return (
    <>
      <div class="figt">
        <b>Workers, from start to end</b>
        {lanes.length > MOST_LANES && (
          <span>
            {MOST_LANES} of {lanes.length} places
          </span>
        )}
      </div>
      <div class="lanebox">
        <div class="lanes" role="img" aria-label={`${lanes.length} places had workers`}>
          {lanes.slice(0, MOST_LANES).map(([place, list]) => (
            <Lane key={place} place={place} tasks={list} window={window} />
          ))}
        </div>
        <div class="xax" aria-hidden="true">
          {times.map((t, i) => (
            <span key={t} class={i % 2 ? 'xo' : ''} style={{left: `${i * 25}%`}}>
              {i === 4 && !isOver(job.wm_state) ? 'now ' : ''}
              {clock(t, now())}
            </span>
          ))}
        </div>
      </div>
    </>
  );
}

export function Training({known, model}: {known: Facts; model: Run}) {
  const {facts, series} = known;
  const job = facts.job;
  const timed = series.some((s) => s.points.some((p) => p[1] > 0));
  const none = isWaiting(job.wm_state)
    ? 'Curves begin with the training.'
    : 'No metric reported yet: FabricModel, emetrics and val_dict_list.json are read.';
  const axes = (
    <Segment
      label="Axis"
      value={timed ? model.axis.value : 'step'}
      options={[
        ['time', 'Time', !timed],
        ['step', 'Step'],
      ]}
      onChoose={(axis) => {
        model.axis.value = axis;
      }}
    />
  );
  return (
    <Panel title="Training" id="h-t" tools={series.length > 0 && axes}>
      <div class="pb">
        {series.length > 0 && <CurveFigures known={known} model={model} />}
        {series.length === 0 && (
          <p class="m s">{facts.own ? none : 'Metrics: not visible to you.'}</p>
        )}
        <Lanes job={job} model={model} />
        <EventTable events={known.events} />
      </div>
    </Panel>
  );
}
