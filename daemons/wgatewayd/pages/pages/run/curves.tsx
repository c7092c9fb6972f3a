// Role: the curves of one run, a figure a metric; a part of one that is looked at is drawn from
// what the server has of that part.

import {useSignal} from '@preact/signals';
import {useEffect, useMemo, useRef} from 'preact/hooks';
import type {Metric} from '../../api/shapes.ts';
import {newest} from '../../base/limiter.ts';
import {number} from '../../base/number.ts';
import {Figure} from '../../figures/figure.tsx';
import {type FigureSpec, type LineSpec, usualGap} from '../../figures/spec.ts';
import {useOnce} from '../../state/asked.ts';
import {type Axis, keyOf, namesWith, type Range, stepsIn} from './curves.ts';
import type {Facts, Run} from './model.ts';

const FIRST_METRICS = 12;

export function lineOf(metric: Metric, axis: Axis): LineSpec {
  const at = (p: Metric['points'][number]) => (axis === 'time' ? p[1] : p[0]);
  const points = metric.points.map((p) => [at(p), p[2]] as const);
  const validation = metric.group === 'test';
  const line = {
    name: validation ? 'validation' : 'train',
    colour: validation ? 'kv' : 'k1',
    points,
    kind: validation ? ('dots' as const) : ('line' as const),
  };
  if (validation || metric.points.length < 2) return line;
  return {
    ...line,
    low: metric.points.map((p) => [at(p), p[3]] as const),
    high: metric.points.map((p) => [at(p), p[4]] as const),
  };
}

export function specOf(name: string, series: readonly Metric[], axis: Axis, bounds: Range) {
  const lines = series.map((s) => lineOf(s, axis));
  const gaps = lines.map((l) => usualGap([...l.points].sort((a, b) => a[0] - b[0])));
  const spec: FigureSpec = {
    title: name,
    x: axis === 'time' ? 'time' : 'number',
    lines,
    canLog: true,
    canSmooth: true,
    height: name === 'loss' ? 130 : 100,
    gap: axis === 'time' ? Math.max(...gaps) : Infinity,
    bounds,
  };
  return spec;
}

/** Bounds of steps that all metrics share. */
export function stepBounds(series: readonly Metric[]): [number, number] {
  let last = 1;
  for (const {points} of series) for (const [step] of points) if (step > last) last = step;
  return [0, last];
}

interface CurveProps {
  readonly name: string;
  readonly series: readonly Metric[];
  readonly axis: Axis;
  readonly bounds: Range;
  readonly model: Run;
}
/** One metric. Until its part has come the whole one's points are drawn of it. */
function Curve({name, series, axis, bounds, model}: CurveProps) {
  const detail = useSignal<readonly Metric[] | null>(null);
  const whole = useRef(series);
  whole.current = series;
  const ask = useOnce(() =>
    newest(async (range: Range | null) => {
      const steps = range && stepsIn(whole.current, axis, range);
      return steps ? await model.curves.within(whole.current, steps) : [];
    }),
  );
  const zoomed = (range: Range | null) =>
    void ask(range).then(
      (found) => {
        if (found) detail.value = found.length ? found : null;
      },
      () => {
        detail.value = null;
      },
    );
  const shown = detail.value ?? series;
  const spec = useMemo(() => specOf(name, shown, axis, bounds), [shown, axis, bounds.join()]);
  return <Figure spec={spec} onZoom={zoomed} />;
}

interface CurvesProps {
  readonly known: Facts;
  readonly model: Run;
}
export function CurveFigures({known, model}: CurvesProps) {
  const word = useSignal('');
  const {curves} = model;
  const all = useMemo(() => [...known.series, ...curves.named.value], [known, curves.named.value]);
  const timed = all.some((s) => s.points.some((p) => p[1] > 0));
  const axis: Axis = timed ? model.axis.value : 'step';
  // Those that have come are drawn at first.
  const keys = useMemo(
    () => [...known.series.map(keyOf), ...(curves.keys.value ?? [])],
    [known, curves.keys.value],
  );
  const names = useMemo(() => namesWith(keys, ''), [keys]);
  const chosen = namesWith(keys, word.value);
  useEffect(() => void curves.list(known.series), [known]);
  useEffect(() => {
    if (word.value) void curves.want(chosen.slice(0, FIRST_METRICS), all);
  }, [word.value, curves.keys.value]);
  const bounds = axis === 'time' ? model.window() : stepBounds(all);
  return (
    <>
      {names.length > FIRST_METRICS && (
        <label class="field">
          <span>
            {number(names.length)} metrics, {Math.min(FIRST_METRICS, chosen.length)} shown
          </span>
          <input
            type="search"
            placeholder="Which: part of a name"
            value={word.value}
            onInput={(event) => {
              word.value = event.currentTarget.value;
            }}
          />
        </label>
      )}
      {chosen.slice(0, FIRST_METRICS).map((name) => {
        const series = all.filter((s) => s.name === name);
        if (!series.length) return <p class="m s" key={name}>{`${name} is asked for …`}</p>;
        const about = {name, series, axis, bounds, model};
        return <Curve key={`${name} ${axis}`} {...about} />;
      })}
    </>
  );
}
