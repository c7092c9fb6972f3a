// Role: the curves of a comparison: a figure a metric, a line a run, all on one axis.

import {useMemo} from 'preact/hooks';
import type {ComparedRun} from '../../api/shapes_more.ts';
import {COLOURS, colours, NEUTRAL} from '../../figures/colours.ts';
import {Figure} from '../../figures/figure.tsx';
import type {FigureSpec, LineSpec} from '../../figures/spec.ts';
import {AXES, type Axis, metricWords, placed} from './rules.ts';
import type {Comparison} from './model.ts';

const KINDS: Readonly<Record<Axis, FigureSpec['x']>> = {
  step: 'number',
  relative: 'number',
  time: 'time',
  running: 'duration',
  epoch: 'number',
};

export interface Look {
  readonly name: string;
  readonly colour: string;
  readonly dash: number;
}

/** How a run's lines look. Beyond as many as there are colours they are dashed. */
export function lookOf(ids: readonly string[], run: ComparedRun, at: number): Look {
  const own = colours(ids.slice(0, COLOURS.length)).get(run.id) ?? NEUTRAL;
  const cycled = COLOURS[at % COLOURS.length] ?? NEUTRAL;
  return {
    name: run.name ? `${run.id} ${run.name}` : run.id,
    colour: at < COLOURS.length && own !== NEUTRAL ? own : cycled,
    dash: Math.floor(at / COLOURS.length),
  };
}

function lineOf(model: Comparison, key: string, run: ComparedRun, at: number): LineSpec[] {
  const clock = model.clockOf(run.id);
  const series = clock.series.find((s) => `${s.group} ${s.name}` === key);
  if (!series) return [];
  const {mean, least, most, counts} = placed(series, model.axis.value, clock);
  if (!mean.length) return [];
  const look = lookOf(model.chosen.value.ids, run, at);
  const folded = counts.some((count) => count > 1);
  const few = model.runs.value.length <= COLOURS.length; // bands of many would hide each other
  return [{...look, points: mean, counts, ...(folded && few ? {low: least, high: most} : {})}];
}

function specOf(model: Comparison, key: string): FigureSpec {
  const lines = model.runs.value.flatMap((run, i) => lineOf(model, key, run, i));
  return {
    title: metricWords(key),
    x: KINDS[model.axis.value],
    lines,
    canLog: true,
    canSmooth: true,
    height: 150,
  };
}

/** Why a metric has no line on this axis. */
function noneWords(axis: Axis): string {
  const name = AXES.find(([one]) => one === axis)?.[1].toLowerCase() ?? axis;
  if (axis === 'epoch') return 'None of them reports a metric named epoch.';
  return `Nothing that has a ${name}.`;
}

export function CurveFigures({model}: {model: Comparison}) {
  const drawn = model.drawn.value;
  const curves = model.curves.value.value;
  const axis = model.axis.value;
  const specs = useMemo(
    () => drawn.map((key) => specOf(model, key)),
    [drawn, curves, axis, model.events.value],
  );
  if (!curves) return <div class="ghost" aria-hidden="true" />;
  return (
    <div class="figures">
      {specs.map((spec) =>
        spec.lines.length ? (
          <Figure key={spec.title} spec={spec} near={model.near} legend={false} />
        ) : (
          <div key={spec.title}>
            <div class="figt">
              <b>{spec.title}</b>
            </div>
            <p class="m s">{noneWords(axis)}</p>
          </div>
        ),
      )}
    </div>
  );
}
