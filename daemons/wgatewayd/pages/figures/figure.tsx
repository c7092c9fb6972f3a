// Role: the one figure: its title, legend and tools are there at once; what is drawn comes when it
// is in sight. Dragging zooms, Escape and a double click show all again.

import type {Signal} from '@preact/signals';
import {useSignal} from '@preact/signals';
import {useEffect, useMemo, useRef} from 'preact/hooks';
import {number} from '../base/number.ts';
import {clean} from '../base/text.ts';
import {clock, duration} from '../base/time.ts';
import {now} from '../state/clock.ts';
import {savePicture, saveRows} from './export.ts';
import {type Columns, columnsOf, type FigureSpec, type LineSpec, rowsOf, sentence} from './spec.ts';
import type {Drawn, Hooks} from './uplot.ts';

interface Pointed {
  readonly index: number;
  readonly left: number;
  readonly top: number;
}
interface State {
  readonly log: Signal<boolean | null>;
  readonly smooth: Signal<number>;
  readonly zoom: Signal<readonly [number, number] | null>;
  readonly hidden: Signal<ReadonlySet<string>>;
  readonly pointed: Signal<Pointed | null>;
  /** The line that is pointed at. */
  readonly near: Signal<string | null>;
  readonly seen: Signal<boolean>;
  /** Counted up when the colours of the system change. */
  readonly scheme: Signal<number>;
}

/** Lines that are told of beside the pointer. */
const MOST_TOLD = 12;

const last = (line: LineSpec) => line.points[line.points.length - 1]?.[1] ?? null;

function Legend({lines, state}: {lines: readonly LineSpec[]; state: State}) {
  const toggle = (name: string) => {
    const next = new Set(state.hidden.value);
    if (!next.delete(name)) next.add(name);
    state.hidden.value = next;
  };
  const point = (name: string | null) => {
    state.near.value = name;
  };
  return (
    <span class="legend">
      {lines.map((line) => (
        <button
          key={line.name}
          type="button"
          class={line.colour}
          aria-pressed={state.hidden.value.has(line.name) ? 'false' : 'true'}
          onClick={() => toggle(line.name)}
          onPointerEnter={() => point(line.name)}
          onPointerLeave={() => point(null)}
          onFocus={() => point(line.name)}
          onBlur={() => point(null)}
        >
          <i class={line.stacked ? 'sw' : 'dash'} />
          {clean(line.name, 40)} {number(last(line))}
        </button>
      ))}
    </span>
  );
}

interface ToolsProps {
  readonly spec: FigureSpec;
  readonly columns: Columns;
  readonly state: State;
  readonly canvas: () => HTMLCanvasElement | null;
}
function Tools({spec, columns, state, canvas}: ToolsProps) {
  const picture = () => {
    const drawn = canvas();
    const ground = getComputedStyle(document.documentElement).getPropertyValue('--surface').trim();
    if (drawn) savePicture(spec.title, drawn, ground);
  };
  const link = (text: string, act: () => void) => (
    <button type="button" class="link" onClick={act}>
      {text}
    </button>
  );
  return (
    <span class="tools">
      {state.zoom.value &&
        link('Show all', () => {
          state.zoom.value = null;
        })}
      {spec.canSmooth && (
        <label class="smooth">
          Smooth
          <input
            type="range"
            min="0"
            max="0.98"
            step="0.02"
            value={String(state.smooth.value)}
            onInput={(event) => {
              state.smooth.value = Number(event.currentTarget.value);
            }}
          />
        </label>
      )}
      {spec.canLog &&
        link(columns.log ? 'Linear' : 'Log', () => {
          state.log.value = !columns.log;
        })}
      {link('CSV', () => saveRows(spec.title, rowsOf(spec, columns)))}
      {link('PNG', picture)}
    </span>
  );
}

/** Values at the pointed place, beside it. */
function Tip({spec, columns, state}: Omit<ToolsProps, 'canvas'>) {
  const pointed = state.pointed.value;
  const at = pointed && columns.data[0]?.[pointed.index];
  if (!pointed || at === null || at === undefined) return null;
  const values = spec.lines.flatMap((line, i) => {
    const value = columns.data[columns.places[i]?.value ?? 0]?.[pointed.index];
    const below = line.stacked ? columns.data[(columns.places[i]?.value ?? 1) - 1] : null;
    const under = i > 0 && below ? (below[pointed.index] ?? 0) : 0;
    return value === null || value === undefined ? [] : [{line, value: value - under}];
  });
  if (values.length === 0) return null;
  const near = state.near.value;
  const first = values.filter(({line}) => line.name === near);
  const told = values.length > MOST_TOLD ? [...first, ...values].slice(0, MOST_TOLD) : values;
  const side =
    pointed.left > 300
      ? {right: `calc(100% - ${pointed.left + 36}px)`}
      : {left: `${pointed.left + 60}px`};
  return (
    <div class="tip" style={{...side, top: '12px'}}>
      {spec.x === 'time' ? clock(at, now()) : spec.x === 'duration' ? duration(at) : number(at)}
      {told.map(({line, value}) => (
        <p key={line.name} class={line.name === near ? 'near' : ''}>
          <i class={`sw ${line.colour}`} /> {clean(line.name, 40)} <b>{number(value)}</b>
        </p>
      ))}
    </div>
  );
}

/** Whether an element is near what is in sight. */
function useSight(element: {readonly current: HTMLElement | null}, seen: Signal<boolean>) {
  useEffect(() => {
    if (!element.current) return;
    const watch = new IntersectionObserver(
      ([entry]) => {
        seen.value = entry?.isIntersecting ?? false;
      },
      {rootMargin: '200px'},
    );
    watch.observe(element.current);
    return () => watch.disconnect();
  }, []);
}

/** Draws where what is shown, the width or the system's colours change; once a frame. */
function useDrawing(spec: FigureSpec, columns: Columns, state: State) {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<{readonly plot: Drawn; readonly scheme: number} | null>(null);
  useSight(box, state.seen);
  const width = useWidth(box);
  useEffect(() => {
    if (!state.seen.value || !box.current) return;
    let current = true;
    const draw = async () => {
      const {drawIn} = await import('./uplot.ts');
      if (!current || !box.current) return;
      const scheme = state.scheme.peek();
      const before = drawn.current;
      if (before?.scheme === scheme && before.plot.update(spec, columns)) return;
      before?.plot.end();
      drawn.current = {plot: drawIn(box.current, spec, columns, hooksOf(state)), scheme};
      drawn.current.plot.forward(state.near.peek());
    };
    const frame = requestAnimationFrame(() => void draw());
    return () => {
      current = false;
      cancelAnimationFrame(frame);
    };
  }, [columns, spec, state.seen.value, state.scheme.value, width.value]);
  useEffect(() => () => drawn.current?.plot.end(), []);
  useEffect(() => drawn.current?.plot.forward(state.near.value), [state.near.value]);
  return {box, canvas: () => drawn.current?.plot.canvas ?? null};
}

const hooksOf = (state: State): Hooks => ({
  now,
  pointed: (index, left, top) => {
    state.pointed.value = index === null || left < 0 ? null : {index, left, top};
  },
  zoomed: (from, to) => {
    state.zoom.value = [from, to];
  },
  near: (line) => {
    state.near.value = line;
  },
});

function useWidth(element: {readonly current: HTMLElement | null}) {
  const width = useSignal(0);
  useEffect(() => {
    if (!element.current) return;
    const watch = new ResizeObserver(([entry]) => {
      width.value = Math.round(entry?.contentRect.width ?? 0);
    });
    watch.observe(element.current);
    return () => watch.disconnect();
  }, []);
  return width;
}

function useScheme(scheme: Signal<number>) {
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const heard = () => {
      scheme.value++;
    };
    query.addEventListener('change', heard);
    return () => query.removeEventListener('change', heard);
  }, []);
}

function useFigure(near: Signal<string | null> | undefined): State {
  const own = useSignal<string | null>(null);
  return {
    log: useSignal<boolean | null>(null),
    smooth: useSignal(0),
    zoom: useSignal<readonly [number, number] | null>(null),
    hidden: useSignal<ReadonlySet<string>>(new Set()),
    pointed: useSignal<Pointed | null>(null),
    near: near ?? own,
    seen: useSignal(false),
    scheme: useSignal(0),
  };
}

/** Tells of each change, not of how it is at first. */
function useZoom(zoom: Signal<readonly [number, number] | null>, told: FigureProps['onZoom']) {
  const before = useRef(zoom.value);
  useEffect(() => {
    if (before.current === zoom.value) return;
    before.current = zoom.value;
    told?.(zoom.value);
  }, [zoom.value]);
}

interface FigureProps {
  readonly spec: FigureSpec;
  /** The line that is pointed at, where several figures share it. */
  readonly near?: Signal<string | null>;
  /** false: where its lines are told of elsewhere. */
  readonly legend?: boolean;
  /** Called with the part that is looked at; null: all of it again. */
  readonly onZoom?: (range: readonly [number, number] | null) => void;
}
export function Figure({spec, near, legend = true, onZoom}: FigureProps) {
  const state = useFigure(near);
  useZoom(state.zoom, onZoom);
  useScheme(state.scheme);
  const shown = useMemo(() => {
    const lines = spec.lines.filter((line) => !state.hidden.value.has(line.name));
    const bounds = state.zoom.value ?? spec.bounds;
    return bounds ? {...spec, lines, bounds} : {...spec, lines};
  }, [spec, state.hidden.value, state.zoom.value]);
  const ways = {log: state.log.value, smooth: state.smooth.value};
  const columns = useMemo(() => columnsOf(shown, ways), [shown, ways.log, ways.smooth]);
  const {box, canvas} = useDrawing(shown, columns, state);
  const all = () => {
    state.zoom.value = null;
  };
  return (
    <div class="figure" data-lines={spec.lines.length}>
      <div class="figt">
        <b>
          {clean(spec.title, 60)}
          {spec.unit ? `, ${spec.unit}` : ''}
          {columns.log ? ', log scale' : ''}
        </b>
        {legend && <Legend lines={spec.lines} state={state} />}
        <Tools spec={shown} columns={columns} state={state} canvas={canvas} />
      </div>
      <div
        class="plot shown"
        ref={box}
        role="img"
        aria-label={sentence(spec, number)}
        style={{height: `${(spec.height ?? 120) + 24}px`}}
        onDblClick={all}
      />
      <Tip spec={shown} columns={columns} state={state} />
    </div>
  );
}
