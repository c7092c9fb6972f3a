// Role: figures of values over time, several lines on one axis: what a service did. Pure but for h().

import {h} from './dom.js';
import {number} from './format.js';

const W = 1000, H = 100;

/** The least of 1, 2, 5 times a power of ten that is not below `value`. */
export function niceTop(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((f) => f * power).find((top) => top >= value * (1 - 1e-9));
}

/** Runs of points without a gap: a value that is null, or nothing for longer than `most` seconds. */
export function runs(points, most) {
  const found = [];
  let last = null;
  for (const [t, v] of points) {
    if (v === null || v === undefined || !Number.isFinite(v)) {
      last = null;
      continue;
    }
    if (last === null || t - last > most) found.push([]);
    found.at(-1).push([t, v]);
    last = t;
  }
  return found;
}

const linePath = (run, x, y) => run.map(([t, v], i) => `${i ? 'L' : 'M'}${x(t)} ${y(v)}`).join('');
const stepPath = (run, x, y) => run.map(([t, v], i) => (i ? `H${x(t)}V${y(v)}` : `M${x(t)} ${y(v)}`)).join('');

/**
 * One figure. `lines`: [{name, kind, points: [[t, value], …], dashed}]; `limits`: [{value, text}] drawn across.
 * @param bounds [from, to], seconds  @param least at least this at the top
 */
export function timeFigure({title, unit, lines, limits = [], bounds, height = 84, least = 0, steps = false}) {
  const values = lines.flatMap((l) => l.points.map(([, v]) => v)).filter((v) => Number.isFinite(v));
  const top = niceTop(Math.max(least, ...values, ...limits.map((l) => l.value)));
  const x = (t) => Math.round(((t - bounds[0]) / (bounds[1] - bounds[0])) * W * 10) / 10;
  const y = (v) => Math.round((H - (Math.min(v, top) / top) * H) * 10) / 10;
  const told = lines.map((l) => `${l.name} ${number(l.points.at(-1)?.[1])}`).join(', ');
  const shapes = lines.flatMap((l) => runs(l.points, 10).map((run, i) =>
    h('path', {class: `ln ${l.kind}`, key: `${l.name}${i}`, d: (steps ? stepPath : linePath)(run.length > 1 ? run : [run[0], [run[0][0] + 1, run[0][1]]], x, y)})));
  return [
    h('div', {class: 'figt'}, h('b', null, title, unit ? `, ${unit}` : ''),
      h('span', {class: 'legend'}, lines.length > 1 && lines.map((l) => h('span', {class: l.kind, key: l.name}, h('i', {class: 'dash'}), `${l.name} ${number(l.points.at(-1)?.[1])}`)))),
    h('div', {class: 'fig'},
      h('div', {class: 'yax', style: {height: `${height}px`}, 'aria-hidden': 'true'}, [top, 0].map((v, i) => h('span', {key: i, style: {top: `${i * 100}%`}}, number(v)))),
      h('div', {class: 'plot', style: {height: `${height}px`}},
        h('svg', {viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${title}: ${told}`},
          h('path', {class: 'grid', d: `M0 0H${W}M0 ${H}H${W}`}), limits.length > 0 && h('path', {class: 'cap', d: limits.map((l) => `M0 ${y(l.value)}H${W}`).join('')}), shapes),
        limits.map((l) => h('span', {class: 'limit s', key: l.text, style: {top: `${(y(l.value) / H) * 100}%`}}, l.text)))),
  ];
}
