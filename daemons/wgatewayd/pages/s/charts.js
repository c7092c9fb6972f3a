// Role: figures as SVG: slots of several jobs over time as stacked steps, and a curve with its band.

import {h, outside} from './dom.js';
import {clock, number} from './format.js';

export const COLOURS = 7;
/** A job's colour, the same in every figure: by its number. */
export const colour = (index) => (index < COLOURS ? `k${index + 1}` : 'kt');

const W = 1000, H = 100;

/** A step function's value at each of `times`. */
function sampled(steps, times) {
  let at = 0;
  return times.map((t) => {
    while (at + 1 < steps.length && steps[at + 1][0] <= t) ++at;
    return steps.length && steps[0][0] <= t ? steps[at][1] : 0;
  });
}

function stepPath(xs, ys) {
  let d = `M${xs[0]} ${ys[0]}`;
  for (let i = 1; i < xs.length; ++i) d += `H${xs[i]}V${ys[i]}`;
  return d;
}

/** Areas on top of each other: [{app, values, base}] at the times where anything changes. */
export function stacked(apps, from, now) {
  const times = [...new Set([from, now, ...apps.flatMap((a) => a.steps.map(([t]) => t)).filter((t) => t > from && t < now)])]
    .sort((a, b) => a - b);
  const base = times.map(() => 0);
  const layers = apps.map((app) => {
    const values = sampled(app.steps, times), below = [...base];
    values.forEach((v, i) => (base[i] += v));
    return {app, values, below};
  });
  return {times, layers};
}

const ticks = (from, now, count) => Array.from({length: count}, (_, i) => from + ((now - from) * i) / (count - 1));

/** The time axis below a figure. `over`: it ends at the end of what is drawn, not now. */
export function timeAxis(from, now, over = false) {
  const times = ticks(from, now, 5);
  return h('div', {class: 'xax', 'aria-hidden': 'true'}, times.map((t, i) => h('span', {
    class: i % 2 ? 'xo' : '', style: {left: `${(100 * i) / 4}%`}},
    i === 4 && !over ? `now ${clock(t, now)}` : clock(t, now))));
}

/** Slots by application. `marks`: [{t, n}] numbered points. */
export function slotsFigure({apps, from, now, capacity}, colours, marks) {
  const {times, layers} = stacked(apps, from, now);
  const top = Math.max(capacity, 1);  // that one leaves and another comes is told one after the other
  const x = (t) => ((t - from) / (now - from)) * W, y = (v) => H - (Math.min(v, top) / top) * H;
  const xs = times.map(x);
  const shapes = layers.map(({app, values, below}) => {
    const upper = values.map((v, i) => y(v + below[i])), lower = below.map(y);
    const back = xs.map((_, i) => xs.length - 1 - i).map((i, n) => (n === 0 ? `V${lower[i]}` : `V${lower[i]}H${xs[i]}`)).join('');
    const k = colour(colours.get(app.id) ?? 99);
    return [h('path', {class: `ar ${k}`, d: `${stepPath(xs, upper)}${back}Z`, key: `a${app.id}`}),
      ...edges(xs, upper, values).map((d, i) => h('path', {class: `ln ${k}`, d, key: `l${app.id}.${i}`}))];
  });
  const told = layers.map(({app, values}) => `${app.id}: ${values.at(-1)}`).join(', ');
  return h('div', {class: 'fig'},
    h('div', {class: 'yax', style: {height: '128px'}, 'aria-hidden': 'true'},
      [top, top / 2, 0].map((v, i) => Number.isInteger(v) && h('span', {style: {top: `${i * 50}%`}}, number(v)))),
    h('div', {class: 'plot', style: {height: '128px'}},
      h('svg', {viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: 'none', role: 'img',
        'aria-label': `Slots of ${capacity} in use now. ${told}`},
        h('path', {class: 'grid', d: `M0 ${H / 2}H${W}M0 ${H}H${W}`}),
        h('path', {class: 'cap', d: `M0 ${y(capacity)}H${W}`}), shapes,
        h('path', {class: 'mark', d: marks.map((m) => `M${x(m.t)} 0V${H}`).join('') || 'M0 0'})),
      labels(layers, times, top, colours, from, now),
      marks.map((m) => h('span', {class: 'pt', key: m.n, style: {left: `${Math.min(99, Math.max(1, x(m.t) / 10))}%`, top: '0'}}, m.n))),
    timeAxis(from, now));
}

// Lines only where the job holds something.
function edges(xs, upper, values) {
  const found = [];
  let d = '';
  for (let i = 0; i + 1 < xs.length; ++i) {
    if (values[i] === 0) {
      if (d) found.push(d);
      d = '';
      continue;
    }
    d += d ? `V${upper[i]}H${xs[i + 1]}` : `M${xs[i]} ${upper[i]}H${xs[i + 1]}`;
  }
  if (d) found.push(d);
  return found;
}

// Where a job's area is widest there is room for its name.
function labels(layers, times, top, colours, from, now) {
  return layers.map(({app, values, below}) => {
    let best = -1, width = 0;
    for (let i = 0; i + 1 < times.length; ++i) {
      if (values[i] / top < 0.15) continue;
      if (times[i + 1] - times[i] >= width) [best, width] = [i, times[i + 1] - times[i]];
    }
    if (best < 0 || width / (now - from) < 0.12) return null;
    const left = ((times[best] - from) / (now - from)) * 100;
    const middle = 128 * (1 - (below[best] + values[best] / 2) / top) - 8;
    return h('span', {class: 'lab', key: app.id, style: {left: `${left + 1}%`, top: `${middle}px`, 'max-width': `${(width / (now - from)) * 100 - 2}%`, overflow: 'hidden'}},
      h('i', {class: `sw ${colour(colours.get(app.id) ?? 99)}`}), app.id, ' ', outside(app.name, 40), ' ', h('b', null, values[best]));
  });
}

const niceLog = (v) => 10 ** Math.floor(Math.log10(v));

/** Range of a curve's values: [least, most, is logarithmic]. */
export function range(series) {
  let least = Infinity, most = -Infinity;
  for (const s of series) for (const p of s.points) [least, most] = [Math.min(least, p[3]), Math.max(most, p[4])];
  if (!Number.isFinite(least)) return [0, 1, false];
  if (least > 0 && most / least > 20) return [niceLog(least), most, true];
  if (least === most) return least === 0 ? [0, 1, false] : [least - Math.abs(least) / 2, most + Math.abs(most) / 2, false];
  const room = (most - least) * 0.05;
  const low = least >= 0 ? Math.max(0, least - room) : least - room;
  return [low, most <= 1 ? Math.min(1, most + room) : most + room, false];  // a share is never above 1
}

/** Labels of an axis: so many digits that no two are alike. */
function tickLabels(values) {
  for (let digits = 2; digits < 7; ++digits) {
    const labels = values.map((v) => {
      const shown = Number(v.toPrecision(digits)), plain = digits > 3 && Math.abs(shown) >= 1e-4 && Math.abs(shown) < 1000;
      return plain ? String(shown) : number(shown).replace('.0·', '·');
    });
    if (new Set(labels).size === labels.length || digits === 6) return labels;
  }
  return [];
}

/** One metric: train as line with the band of least and most, test as line with dots. `x`: value of a point. */
export function curve(name, series, x, bounds, height) {
  const [least, most, log] = range(series);
  const scale = log ? Math.log10 : (v) => v;
  const y = (v) => H - ((scale(Math.max(v, least)) - scale(least)) / (scale(most) - scale(least))) * H;
  const px = (p) => ((x(p) - bounds[0]) / (bounds[1] - bounds[0] || 1)) * W;
  const lines = series.map((s) => {
    const k = s.group === 'test' ? 'kv' : 'kt', points = s.points;
    const band = points.length > 1 && points.map((p, i) => `${i ? 'L' : 'M'}${px(p)} ${y(p[4])}`).join('') +
      [...points].reverse().map((p) => `L${px(p)} ${y(p[3])}`).join('') + 'Z';
    return [band && s.group !== 'test' && h('path', {class: `band ${k}`, d: band}),
      h('path', {class: `ln ${k}`, d: points.map((p, i) => `${i ? 'L' : 'M'}${px(p)} ${y(p[2])}`).join('')})];
  });
  const dots = series.filter((s) => s.group === 'test').flatMap((s) => s.points.slice(-60)).map((p) =>
    h('i', {class: 'dot', style: {left: `${px(p) / 10}%`, top: `${y(p[2])}%`}}));
  const at = log ? [most, Math.sqrt(most * least), least] : [most, (most + least) / 2, least];
  const last = series.map((s) => `${s.group} ${number(s.points.at(-1)?.[2])}`).join(', ');
  return [
    h('div', {class: 'figt'}, h('b', null, outside(name, 40), log ? ', log scale' : ''),
      h('span', {class: 'legend'}, series.map((s) => h('span', {class: s.group === 'test' ? 'kv' : 'kt'}, h('i', {class: 'dash'}),
        s.group === 'test' ? `validation ${number(s.points.at(-1)?.[2])}` : `train ${number(s.points.at(-1)?.[2])}`)))),
    h('div', {class: 'fig'},
      h('div', {class: 'yax', style: {height: `${height}px`}, 'aria-hidden': 'true'},
        tickLabels(at).map((text, i) => h('span', {style: {top: `${i * 50}%`}}, text))),
      h('div', {class: 'plot', style: {height: `${height}px`}},
        h('svg', {viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${name}: ${last}`},
          h('path', {class: 'grid', d: `M0 0H${W}M0 ${H / 2}H${W}M0 ${H}H${W}`}), lines), dots)),
  ];
}
