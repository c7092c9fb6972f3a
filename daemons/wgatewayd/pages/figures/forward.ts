// Role: the line of a plot that is pointed at, above all others.

import type uPlot from 'uplot';
import {propertyOf} from './colours.ts';
import type {Columns, FigureSpec} from './spec.ts';

/** What is drawn now: it is replaced while the plot stays. */
export interface Current {
  spec: FigureSpec;
  columns: Columns;
}

/** The style sheet's colours as a canvas wants them. */
export function paletteOf(element: Element) {
  const style = getComputedStyle(element);
  return (property: string) => style.getPropertyValue(property).trim() || '#888';
}
export type Palette = ReturnType<typeof paletteOf>;

type Draw = (at: number, value: number | null) => void;

/** Each value that a line has, with its place; null where it has a gap. */
function eachValue({columns}: Current, place: number, draw: Draw) {
  const [xs = []] = columns.data;
  columns.data[columns.places[place]?.value ?? 0]?.forEach((value, i) => {
    const at = xs[i];
    if (value !== undefined && at !== null && at !== undefined) draw(at, value);
  });
}

function pathOf(u: uPlot, current: Current, place: number): Path2D {
  const path = new Path2D();
  let drawing = false;
  eachValue(current, place, (at, value) => {
    if (value !== null) {
      const [x, y] = [u.valToPos(at, 'x', true), u.valToPos(value, 'y', true)];
      if (drawing) path.lineTo(x, y);
      else path.moveTo(x, y);
    }
    drawing = value !== null;
  });
  return path;
}

/**
 * Draws one line once more, thicker, on a canvas of its own, so that the others are not drawn
 * again. @param front its name; null: none
 */
export function bringForward(
  u: uPlot,
  canvas: HTMLCanvasElement,
  current: Current,
  front: string | null,
) {
  const {width, height} = u.ctx.canvas;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, {width, height});
  const ctx = canvas.getContext('2d');
  const place = current.spec.lines.findIndex((l) => l.name === front);
  const line = current.spec.lines[place];
  ctx?.clearRect(0, 0, width, height);
  if (!ctx || !line) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  ctx.clip();
  ctx.strokeStyle = paletteOf(u.root)(propertyOf(line.colour));
  ctx.lineWidth = 3 * devicePixelRatio;
  ctx.stroke(pathOf(u, current, place));
  ctx.restore();
}
