// Role: a figure's specification as uPlot draws it. Loaded when the first figure is in sight, and
// by nothing else.

import uPlot from 'uplot';
import {labels} from '../base/number.ts';
import {ticks} from '../base/scale.ts';
import {clock} from '../base/time.ts';
import {propertyOf} from './colours.ts';
import type {Columns, FigureSpec, LineSpec} from './spec.ts';

export interface Hooks {
  /** The pointed place; null: none. `left`, `top`: pixels in the plot. */
  pointed(index: number | null, left: number, top: number): void;
  zoomed(from: number, to: number): void;
  now(): number;
}

const AXIS_PX = 46;
const FONT = '12px -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif';

/** The style sheet's colours as a canvas wants them. */
function paletteOf(element: Element) {
  const style = getComputedStyle(element);
  return (property: string) => style.getPropertyValue(property).trim() || '#888';
}
type Palette = ReturnType<typeof paletteOf>;

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
  if (line.dashed) series.dash = [4, 3];
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

function axesOf(spec: FigureSpec, columns: Columns, palette: Palette, hooks: Hooks): uPlot.Axis[] {
  const common = {
    stroke: palette('--text3'),
    font: FONT,
    grid: {stroke: palette('--line'), width: 1},
    ticks: {show: false},
  };
  const x: uPlot.Axis = {...common, grid: {show: false}, size: 24, gap: 4, space: 90};
  if (spec.x === 'time') x.values = (_, splits) => splits.map((t) => clock(t, hooks.now()));
  else {
    x.splits = (u, _axis, low, high) => ticks(low, high, Math.max(2, u.width / 110));
    x.values = (_, splits) => labels(splits);
  }
  const y: uPlot.Axis = {...common, size: AXIS_PX, gap: 6};
  if (!columns.log) {
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

function optionsOf(
  spec: FigureSpec,
  columns: Columns,
  at: HTMLElement,
  hooks: Hooks,
): uPlot.Options {
  const palette = paletteOf(at);
  const {series, bands} = allSeries(spec, palette);
  const [from, to] = spec.bounds ?? [null, null];
  return {
    width: Math.max(120, at.clientWidth),
    height: (spec.height ?? 120) + 24,
    series,
    bands,
    legend: {show: false},
    padding: [8, 28, 0, 0],
    scales: {
      x: {time: false, ...(from !== null && to !== null ? {range: [from, to] as const} : {})},
      y: {distr: columns.log ? 3 : 1, range: () => [...columns.range] as [number, number]},
    },
    axes: axesOf(spec, columns, palette, hooks),
    cursor: {
      points: {show: spec.lines.length <= 30},
      drag: {x: true, y: false, setScale: false},
      y: false,
      sync: {key: 'wm'},
    },
    hooks: {
      setCursor: [
        (u) => hooks.pointed(u.cursor.idx ?? null, u.cursor.left ?? 0, u.cursor.top ?? 0),
      ],
      setSelect: [
        (u) => {
          const {left, width} = u.select;
          if (width > 4) hooks.zoomed(u.posToVal(left, 'x'), u.posToVal(left + width, 'x'));
          if (width > 0) u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
        },
      ],
      draw: [(u) => drawMarks(u, spec, palette)],
    },
  };
}

export interface Drawn {
  readonly canvas: HTMLCanvasElement;
  end(): void;
}

/** Draws in `at`, as wide as it is. */
export function drawIn(at: HTMLElement, spec: FigureSpec, columns: Columns, hooks: Hooks): Drawn {
  const options = optionsOf(spec, columns, at, hooks);
  const plot = new uPlot(options, columns.data as uPlot.AlignedData, at);
  return {canvas: plot.ctx.canvas, end: () => plot.destroy()};
}
