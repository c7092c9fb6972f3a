// Role: a figure's specification as uPlot draws it. Loaded when the first figure is in sight, and
// by nothing else.

import uPlot from 'uplot';
import {labels} from '../base/number.ts';
import {ticks} from '../base/scale.ts';
import {clock, duration} from '../base/time.ts';
import {propertyOf} from './colours.ts';
import {bringForward, type Current, type Palette, paletteOf} from './forward.ts';
import {type Columns, type FigureSpec, type LineSpec, valuesDrawn} from './spec.ts';

export interface Hooks {
  /** The pointed place; null: none. `left`, `top`: pixels in the plot. */
  pointed(index: number | null, left: number, top: number): void;
  zoomed(from: number, to: number): void;
  /** The line nearest to the pointer; null: none is near. */
  near(line: string | null): void;
  now(): number;
}

const AXIS_PX = 46;
const NEAR_PX = 24;
/** More lines than this have no point under the pointer: each would be an element. */
const MOST_POINTED = 30;
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
const FONT = '12px -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif';

/** A colour thinned for areas. */
function tinted(colour: string, share: number): string {
  return /^#[0-9a-f]{6}$/i.test(colour)
    ? colour +
        Math.round(share * 255)
          .toString(16)
          .padStart(2, '0')
    : colour;
}

function seriesOf(line: LineSpec, colour: string): uPlot.Series {
  const series: uPlot.Series = {
    label: line.name,
    stroke: colour,
    width: 1.5,
    points: {show: line.kind === 'dots', size: 5, fill: colour},
  };
  const stepped = uPlot.paths.stepped;
  if (line.kind === 'steps' && stepped) series.paths = stepped({align: 1});
  const dash = DASHES[(line.dash ?? 0) % DASHES.length];
  if (dash?.length) series.dash = dash;
  if (line.stacked) series.fill = tinted(colour, 0.2);
  return series;
}

function allSeries(spec: FigureSpec, palette: Palette) {
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  let before: number | null = null;
  for (const line of spec.lines) {
    const colour = palette(propertyOf(line.colour));
    const own = series.length;
    series.push(seriesOf(line, colour));
    if (line.stacked && before !== null) {
      bands.push({series: [own, before], fill: tinted(colour, 0.2)});
    }
    before = line.stacked ? own : null;
    if (!line.low || !line.high) continue;
    const edge = {stroke: 'transparent', width: 0, points: {show: false}};
    series.push({...edge, label: `${line.name} least`}, {...edge, label: `${line.name} most`});
    bands.push({series: [own + 2, own + 1], fill: tinted(colour, 0.16)});
  }
  return {series, bands};
}

const xTexts: Readonly<Record<FigureSpec['x'], (splits: number[], hooks: Hooks) => string[]>> = {
  time: (splits, hooks) => splits.map((t) => clock(t, hooks.now())),
  duration: (splits) => splits.map((t) => (t < 0 ? '' : duration(t))),
  number: (splits) => labels(splits),
};

function axesOf(current: Current, palette: Palette, hooks: Hooks): uPlot.Axis[] {
  const common = {
    stroke: palette('--text3'),
    font: FONT,
    grid: {stroke: palette('--line'), width: 1},
    ticks: {show: false},
  };
  const x: uPlot.Axis = {...common, grid: {show: false}, size: 24, gap: 4, space: 90};
  x.values = (_, splits) => xTexts[current.spec.x](splits, hooks);
  if (current.spec.x !== 'time') {
    x.splits = (u, _axis, low, high) => ticks(low, high, Math.max(2, u.width / 110));
  }
  const y: uPlot.Axis = {...common, size: AXIS_PX, gap: 6};
  if (!current.columns.log) {
    y.splits = (u, _axis, low, high) => ticks(low, high, Math.max(1, Math.floor(u.height / 44)));
    y.values = (_, splits) => labels(splits);
  } else {
    y.values = (_, splits) =>
      splits.map((v) => (v === null ? '' : String(Number(v.toPrecision(3)))));
  }
  return [x, y];
}

/** Limits and numbered marks, over the lines. */
function drawMarks(u: uPlot, spec: FigureSpec, palette: Palette) {
  const {ctx, bbox} = u;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `${11 * ratio}px sans-serif`;
  ctx.lineWidth = ratio;
  ctx.fillStyle = palette('--text3');
  for (const limit of spec.limits ?? []) {
    const y = u.valToPos(limit.value, 'y', true);
    ctx.strokeStyle = palette('--line2');
    ctx.setLineDash([3 * ratio, 3 * ratio]);
    line(ctx, bbox.left, y, bbox.left + bbox.width, y);
    ctx.textAlign = 'right';
    ctx.fillText(limit.text, bbox.left + bbox.width - 4 * ratio, y - 4 * ratio);
  }
  for (const mark of spec.marks ?? []) {
    const x = u.valToPos(mark.at, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = palette('--text3');
    ctx.setLineDash([2 * ratio, 3 * ratio]);
    line(ctx, x, bbox.top, x, bbox.top + bbox.height);
    ctx.textAlign = 'left';
    ctx.fillText(String(mark.n), x + 3 * ratio, bbox.top + 11 * ratio);
  }
  ctx.restore();
}
function line(ctx: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number) {
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}

/** A range that has a width, whatever it is of. */
function widened(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) {
    return [0, 1];
  }
  return high > low ? [low, high] : [low - 0.5, low + 0.5];
}

function cursorOf(spec: FigureSpec): uPlot.Cursor {
  return {
    points: {show: spec.lines.length <= MOST_POINTED},
    drag: {x: true, y: false, setScale: false},
    y: false,
    sync: {key: 'wm'},
    focus: {prox: NEAR_PX},
  };
}

function hooksOf(current: Current, palette: Palette, hooks: Hooks): uPlot.Hooks.Arrays {
  return {
    setCursor: [(u) => hooks.pointed(u.cursor.idx ?? null, u.cursor.left ?? 0, u.cursor.top ?? 0)],
    setSeries: [
      (_, at) => {
        const line = current.columns.places.findIndex((place) => place.value === at);
        hooks.near(current.spec.lines[line]?.name ?? null);
      },
    ],
    setSelect: [
      (u) => {
        const {left, width} = u.select;
        if (width > 4) hooks.zoomed(u.posToVal(left, 'x'), u.posToVal(left + width, 'x'));
        if (width > 0) u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
      },
    ],
    draw: [
      (u) => {
        drawMarks(u, current.spec, palette);
        const values = valuesDrawn(current.columns);
        u.root.dataset.drawn = String(values.filter((count) => count > 0).length);
        u.root.dataset.values = values.join(' ');
      },
    ],
  };
}

function optionsOf(current: Current, at: HTMLElement, hooks: Hooks): uPlot.Options {
  const palette = paletteOf(at);
  const {series, bands} = allSeries(current.spec, palette);
  return {
    width: Math.max(120, at.clientWidth),
    height: (current.spec.height ?? 120) + 24,
    series,
    bands,
    legend: {show: false},
    focus: {alpha: 1},
    padding: [8, 28, 0, 0],
    scales: {
      x: {
        time: false,
        range: (_, low, high) => {
          const [from, to] = current.spec.bounds ?? [low, high];
          return widened(from, to);
        },
      },
      y: {
        distr: current.columns.log ? 3 : 1,
        range: () => [...current.columns.range] as [number, number],
      },
    },
    axes: axesOf(current, palette, hooks),
    cursor: cursorOf(current.spec),
    hooks: hooksOf(current, palette, hooks),
  };
}

/** What a plot is made for: another one is needed where this is another. */
function shapeOf({spec, columns}: Current): string {
  const lines = spec.lines.map((l) => [l.name, l.colour, l.kind, l.dash, l.stacked, !l.low]);
  return JSON.stringify([spec.x, spec.height, columns.log, lines]);
}

export interface Drawn {
  readonly canvas: HTMLCanvasElement;
  /** Draws another specification in the same plot; false: it needs another plot. */
  update(spec: FigureSpec, columns: Columns): boolean;
  /** Brings a line forward; null: none. */
  forward(line: string | null): void;
  end(): void;
}

/** Draws in `at`, as wide as it is. */
export function drawIn(at: HTMLElement, spec: FigureSpec, columns: Columns, hooks: Hooks): Drawn {
  const current: Current = {spec, columns};
  const shape = shapeOf(current);
  const width = at.clientWidth;
  const plot = new uPlot(optionsOf(current, at, hooks), columns.data as uPlot.AlignedData, at);
  const above = document.createElement('canvas');
  above.className = 'above';
  plot.root.append(above);
  let front: string | null = null;
  return {
    canvas: plot.ctx.canvas,
    update: (next, nextColumns) => {
      if (at.clientWidth !== width || shapeOf({spec: next, columns: nextColumns}) !== shape) {
        return false;
      }
      Object.assign(current, {spec: next, columns: nextColumns});
      plot.setData(nextColumns.data as uPlot.AlignedData);
      if (front !== null) bringForward(plot, above, current, front);
      return true;
    },
    forward: (line) => {
      front = line;
      bringForward(plot, above, current, line);
    },
    end: () => plot.destroy(),
  };
}
