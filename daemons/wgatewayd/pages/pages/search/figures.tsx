// Role: figures of a search: the best so far over its trials, and settings against values on
// parallel axes, in one pass over a canvas, however many trials there are.

import {useEffect, useMemo, useRef} from 'preact/hooks';
import type {Search, Trial} from '../../api/shapes_more.ts';
import {number} from '../../base/number.ts';
import type {Point} from '../../base/series.ts';
import {Figure} from '../../figures/figure.tsx';
import type {FigureSpec} from '../../figures/spec.ts';
import {Outside} from '../../parts/basic.tsx';
import {type Axis, place, valueAt, settingOf} from './axes.ts';

const TINTS = [0.16, 0.28, 0.45, 0.65, 0.85];

/** Each trial's value, and the best until then of those that have finished. */
export function bestSpec(s: Search): FigureSpec | null {
  const done = s.trials.filter((t) => t.value !== null && Number.isFinite(t.value));
  if (!done.length) return null;
  const most = s.search.goal === 'maximize';
  let best: number | null = null;
  const line: Point[] = [];
  for (const {state, index, value} of done) {
    if (state !== 'finished' || value === null) continue;
    if (best === null || (most ? value > best : value < best)) best = value;
    line.push([index, best]);
  }
  const count = Math.max(s.total ?? 0, s.trials.length, 2);
  return {
    title: s.search.metric,
    x: 'number',
    lines: [
      {name: 'a trial', colour: 'kt', kind: 'dots', points: done.map((t) => [t.index, t.value])},
      {name: 'the best until then', colour: 'k1', kind: 'steps', points: line},
    ],
    bounds: [0.5, count + 0.5],
    height: 168,
    canLog: true,
  };
}

export function BestFigure({s}: {s: Search}) {
  const spec = useMemo(() => bestSpec(s), [s]);
  if (spec) return <Figure spec={spec} />;
  return (
    <p class="empty">
      No trial has reported <Outside text={s.search.metric} most={60} /> yet. It is what a trial
      writes to val_dict_list.json, or by emetrics.
    </p>
  );
}

/** Which of the tints a trial has: the better, the stronger. */
export function tintOf(s: Search, trials: readonly Trial[]): (trial: Trial) => number {
  const values = trials.flatMap((t) => (t.value === null ? [] : [t.value])).sort((a, b) => a - b);
  if (s.search.goal !== 'maximize') values.reverse();
  const rank = new Map(values.map((v, i) => [v, i]));
  const last = values.length - 1;
  return ({value}) => {
    if (value === null) return 0;
    if (last < 1) return TINTS.length - 1;
    return Math.floor(((rank.get(value) ?? 0) / last) * (TINTS.length - 0.001));
  };
}

type Pen = CanvasRenderingContext2D;
function stroke(pen: Pen, axes: readonly Axis[], trial: Trial, width: number, height: number) {
  let down = false;
  axes.forEach((axis, i) => {
    const at = place(axis, settingOf(axis, trial));
    if (at === null) {
      down = false;
      return;
    }
    const x = (i / (axes.length - 1)) * (width - 2) + 1;
    const y = height - at * (height - 4) - 2;
    if (down) pen.lineTo(x, y);
    else pen.moveTo(x, y);
    down = true;
  });
}

interface ParallelProps {
  readonly axes: readonly Axis[];
  readonly s: Search;
  readonly chosen: readonly Trial[];
  readonly onBrush: (axis: Axis, low: string | number, high: string | number) => void;
}

function drawAll(canvas: HTMLCanvasElement, {axes, s, chosen}: ParallelProps) {
  const pen = canvas.getContext('2d');
  if (!pen) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const ratio = devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  pen.scale(ratio, ratio);
  const group = (trials: readonly Trial[], ink: string, alpha: number, wide: number) => {
    pen.beginPath();
    for (const trial of trials) stroke(pen, axes, trial, width, height);
    pen.globalAlpha = alpha;
    pen.strokeStyle = ink;
    pen.lineWidth = wide;
    pen.stroke();
  };
  const inside = new Set(chosen);
  const tint = tintOf(s, chosen);
  group(
    s.trials.filter((t) => !inside.has(t)),
    colour('--line'),
    1,
    1,
  );
  TINTS.forEach((alpha, i) => {
    group(
      chosen.filter((t) => tint(t) === i),
      colour('--c1'),
      alpha,
      1.25,
    );
  });
  group(
    chosen.filter((t) => t.index === s.best?.index),
    colour('--c1'),
    1,
    3,
  );
  pen.globalAlpha = 1;
  pen.strokeStyle = colour('--line2');
  pen.lineWidth = 1;
  pen.beginPath();
  axes.forEach((_, i) => {
    const x = (i / (axes.length - 1)) * (width - 2) + 1;
    pen.moveTo(x, 0);
    pen.lineTo(x, height);
  });
  pen.stroke();
}

/** From where somebody presses to where they let go, along the nearest axis. */
function brush(event: PointerEvent, {axes, onBrush}: ParallelProps) {
  const target = event.currentTarget;
  if (!(target instanceof HTMLElement)) return;
  const box = target.getBoundingClientRect();
  const axis = axes[Math.round(((event.clientX - box.left) / box.width) * (axes.length - 1))];
  const at = (y: number) => Math.min(1, Math.max(0, 1 - (y - box.top) / box.height));
  const from = at(event.clientY);
  event.preventDefault();
  const up = (end: PointerEvent) => {
    const to = at(end.clientY);
    if (!axis || Math.abs(to - from) <= 0.02) return;
    onBrush(axis, valueAt(axis, Math.min(from, to)), valueAt(axis, Math.max(from, to)));
  };
  addEventListener('pointerup', up, {once: true});
}

function ends(axis: Axis): [string, string] {
  const shown = (v: number) => number(Number(v.toPrecision(3)));
  const {words} = axis;
  if (words.length) return [words[words.length - 1] ?? '', words[0] ?? ''];
  return [shown(axis.high), shown(axis.low)];
}
const edge = (i: number, count: number) => (i === 0 ? 'first' : i === count - 1 ? 'last' : '');

export function Parallel(props: ParallelProps) {
  const {axes, s, chosen} = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const draw = () => drawAll(element, props);
    const watch = new ResizeObserver(draw);
    watch.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      watch.disconnect();
      scheme.removeEventListener('change', draw);
    };
  }, [axes, s, chosen]);
  const left = (i: number) => ({left: `${(100 * i) / Math.max(1, axes.length - 1)}%`});
  return (
    <div class="pc">
      <div class="pcn">
        {axes.map((axis, i) => (
          <span key={axis.name} class={edge(i, axes.length)} style={left(i)}>
            <b>
              <Outside text={axis.name} most={18} />
            </b>
            <span class="m">
              <Outside text={ends(axis)[0]} most={14} />
              {axis.log ? ', log' : ''}
            </span>
          </span>
        ))}
      </div>
      <div class="pcp" onPointerDown={(event) => brush(event, props)}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${chosen.length} trials on ${axes.length} axes; the table has the same`}
        />
      </div>
      <div class="pcn low">
        {axes.map((axis, i) => (
          <span key={axis.name} class={`m ${edge(i, axes.length)}`} style={left(i)}>
            <Outside text={ends(axis)[1]} most={14} />
          </span>
        ))}
      </div>
    </div>
  );
}
