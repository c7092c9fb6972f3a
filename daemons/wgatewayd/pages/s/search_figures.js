// Role: figures of a search: the best so far over its trials, and settings against values on parallel
// axes. What is drawn of all trials is five lines' worth of elements, however many there are. Pure but
// for the pointer.

import {h, outside} from './dom.js';
import {number} from './format.js';

const W = 1000, H = 100, TINTS = 5;

/** Axes of a search: its settings in their order, then the metric. {name, words | low, high, log, result}. */
export function axesOf(s) {
  const names = new Set();
  for (const p of s.search.space || []) names.add(p.name);
  for (const t of s.trials) for (const name of Object.keys(t.config)) if (name !== 'wm_resume') names.add(name);
  const axes = [...names].map((name) => axisOf(name, s.trials.map((t) => t.config[name]), (s.search.space || []).find((p) => p.name === name)));
  return [...axes, {...axisOf(s.search.metric, s.trials.map((t) => t.value)), result: true}];
}

function axisOf(name, values, param) {
  const there = values.filter((v) => v !== undefined && v !== null);
  const numbers = there.map(Number);
  if (there.some((v) => typeof v === 'boolean') || numbers.some((v) => !Number.isFinite(v))) return {name, words: [...new Set(there.map(String))].sort()};
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  if (!numbers.length) return {name, low: 0, high: 1};
  const log = low > 0 && (high / low > 20 || param?.log === true || Number(param?.power) > 0);
  return low === high ? {name, low: low - (Math.abs(low) || 1) / 2, high: high + (Math.abs(high) || 1) / 2} : {name, low, high, log};
}

/** Where a value lies on its axis, 0 to 1; null: nowhere. */
function place(axis, value) {
  if (value === undefined || value === null) return null;
  if (axis.words) {
    const at = axis.words.indexOf(String(value));
    return at < 0 ? null : axis.words.length === 1 ? 0.5 : at / (axis.words.length - 1);
  }
  const scale = axis.log ? Math.log : (v) => v, v = Number(value);
  return Number.isFinite(v) ? (scale(v) - scale(axis.low)) / (scale(axis.high) - scale(axis.low)) : null;
}

/** The value at a place. */
function valueAt(axis, at) {
  if (axis.words) return axis.words[Math.round(at * (axis.words.length - 1))];
  if (axis.log) return Math.exp(Math.log(axis.low) + at * (Math.log(axis.high) - Math.log(axis.low)));
  return axis.low + at * (axis.high - axis.low);
}

const valueOf = (axis, trial) => (axis.result ? trial.value : trial.config[axis.name]);
const better = (s) => (s.search.goal === 'maximize' ? (a, b) => a > b : (a, b) => a < b);

function scaleOf(values, goal) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (low > 0 && high / low > 20) return {low, high, log: true};
  if (low === high) return {low: low - (Math.abs(low) || 1) / 2, high: high + (Math.abs(high) || 1) / 2};
  // One that is far off shall not press the others together: it lies on the edge.
  const sorted = [...values].sort((a, b) => a - b), at = (q) => sorted[Math.floor(q * (sorted.length - 1))];
  const room = 4 * (at(0.9) - at(0.1)) || high - low;
  return goal === 'maximize' ? {low: Math.max(low, high - room), high} : {low, high: Math.min(high, low + room)};
}

// As many dots as are told apart; the best is one of them.
function spread(trials, best) {
  const every = Math.ceil(trials.length / 400);
  return every === 1 ? trials : trials.filter((t, i) => i % every === 0 || t.index === best?.index);
}

/** The best so far over the trials, each one's value as a dot. */
export function bestFigure(s) {
  const done = s.trials.filter((t) => Number.isFinite(t.value) && t.value !== null);
  if (!done.length) return h('p', {class: 'empty'}, `No trial has reported ${s.search.metric} yet. It is what a trial writes to val_dict_list.json, or by emetrics.`);
  const axis = scaleOf(done.map((t) => t.value), s.search.goal), is = better(s);
  const count = Math.max(s.total || 0, s.trials.length, 2), px = (i) => ((i - 1) / (count - 1)) * W;
  const y = (v) => H - Math.min(1, Math.max(0, place(axis, v))) * H;
  let best = null, line = '';
  for (const t of done) {
    if (t.state !== 'finished') continue;
    if (best === null) line = `M${px(t.index)} ${y(t.value)}`;
    else line += `H${px(t.index)}`;
    if (best === null || is(t.value, best)) line += `V${y(best = t.value)}`;
  }
  if (line) line += `H${px(Math.max(...s.trials.map((t) => t.index)))}`;
  const middle = axis.log ? Math.sqrt(axis.low * axis.high) : (axis.low + axis.high) / 2;
  return h('div', {class: 'fig values'},
    h('div', {class: 'yax', style: {height: '168px'}, 'aria-hidden': 'true'}, [axis.high, middle, axis.low].map((v, i) => h('span', {style: {top: `${i * 50}%`}}, number(Number(v.toPrecision(2)))))),
    h('div', {class: 'plot', style: {height: '168px'}},
      h('svg', {viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${s.search.metric} of ${done.length} trials, the best is ${number(best)}`},
        h('path', {class: 'grid', d: `M0 0H${W}M0 ${H / 2}H${W}M0 ${H}H${W}`}), h('path', {class: 'ln k1', d: line || 'M0 0'})),
      spread(done, s.best).map((t) => h('i', {key: t.index, title: `trial ${t.index}: ${number(t.value)}`, class: `dot tr${t.state === 'finished' ? '' : ' open'}${t.index === s.best?.index ? ' top' : ''}`,
        style: {left: `${px(t.index) / 10}%`, top: `${y(t.value)}%`}}))),
    h('div', {class: 'xax', 'aria-hidden': 'true'}, [1, Math.round((count + 1) / 2), count].map((n, i) => h('span', {style: {left: `${i * 50}%`}}, i ? number(n) : 'trial 1'))));
}

function ranked(s, trials) {
  const values = trials.filter((t) => t.value !== null).map((t) => t.value).sort((a, b) => a - b);
  if (s.search.goal !== 'maximize') values.reverse();
  const rank = new Map(values.map((v, i) => [v, i]));
  return (t) => (t.value === null ? 0 : values.length < 2 ? TINTS - 1 : Math.floor((rank.get(t.value) / (values.length - 1)) * (TINTS - 0.001)));
}

function lineOf(axes, trial) {
  let d = '', pen = 'M';
  axes.forEach((axis, i) => {
    const at = place(axis, valueOf(axis, trial));
    if (at === null) pen = 'M';
    else {
      d += `${pen}${(i / (axes.length - 1)) * W} ${H - at * H}`;
      pen = 'L';
    }
  });
  return d;
}

/** Parallel axes. `brushed(axis, low, high)`: somebody drew along one. */
export function parallel(axes, s, chosen, brushed) {
  const tint = ranked(s, chosen), paths = Array.from({length: TINTS}, () => '');
  const inside = new Set(chosen);
  let others = '';
  for (const t of s.trials) {
    if (inside.has(t)) paths[tint(t)] += lineOf(axes, t);
    else others += lineOf(axes, t);
  }
  const best = s.best && chosen.find((t) => t.index === s.best.index);
  const ends = (axis) => (axis.words ? [axis.words.at(-1), axis.words[0]] : [number(Number(axis.high.toPrecision(3))), number(Number(axis.low.toPrecision(3)))]);
  return h('div', {class: 'pc'},
    h('div', {class: 'pcn'}, axes.map((a, i) => h('span', {key: a.name, class: i === 0 ? 'first' : i === axes.length - 1 ? 'last' : '', style: {left: `${(100 * i) / (axes.length - 1)}%`}}, h('b', null, outside(a.name, 18)), h('span', {class: 'm'}, outside(ends(a)[0] ?? '', 14), a.log ? ', log' : '')))),
    h('div', {class: 'plot pcp', onPointerDown: (event) => brush(event, axes, brushed)},
      h('svg', {viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${chosen.length} trials on ${axes.length} axes; the table has the same`},
        h('path', {class: 'pcl out', d: others || 'M0 0'}), paths.map((d, i) => h('path', {class: `pcl t${i}`, d: d || 'M0 0'})), best && h('path', {class: 'pcl top', d: lineOf(axes, best)}),
        h('path', {class: 'cap', d: axes.map((_, i) => `M${(i / (axes.length - 1)) * W} 0V${H}`).join('')}))),
    h('div', {class: 'pcn low'}, axes.map((a, i) => h('span', {key: a.name, class: `m ${i === 0 ? 'first' : i === axes.length - 1 ? 'last' : ''}`, style: {left: `${(100 * i) / (axes.length - 1)}%`}}, outside(ends(a)[1] ?? '', 14)))));
}

function brush(event, axes, brushed) {
  const box = event.currentTarget.getBoundingClientRect(), i = Math.round(((event.clientX - box.left) / box.width) * (axes.length - 1));
  const at = (e) => Math.min(1, Math.max(0, 1 - (e.clientY - box.top) / box.height)), from = at(event);
  event.preventDefault();
  const up = (e) => {
    removeEventListener('pointerup', up);
    const to = at(e), axis = axes[i];
    if (Math.abs(to - from) > 0.02) brushed(axis, valueAt(axis, Math.min(from, to)), valueAt(axis, Math.max(from, to)));
  };
  addEventListener('pointerup', up);
}

const short = (v) => String(Number(v.toPrecision(4)));

/** The filter's words with a range of one axis in place of what they said of it. */
export function brushWords(words, axis, low, high) {
  const kept = words.split(/\s+/).filter((w) => w && !w.startsWith(`${axis.name}<`) && !w.startsWith(`${axis.name}>`) && !w.startsWith(`${axis.name}:`));
  if (!axis.words) return [...kept, `${axis.name}>${short(low)}`, `${axis.name}<${short(high)}`].join(' ');
  const chosen = axis.words.slice(axis.words.indexOf(low), axis.words.indexOf(high) + 1);
  return [...kept, `${axis.name}:${chosen.join(',')}`].join(' ');
}

/** Does a trial fit words such as lr<0.01 optimizer:adam,sgd state:failed? */
export function fits(s, trial, words) {
  return words.trim().split(/\s+/).filter(Boolean).every((word) => {
    const found = word.match(/^([^<>:]+)([<>:])(.+)$/);
    if (!found) return `${trial.index}`.includes(word) || trial.state.includes(word.toLowerCase());
    const [, name, how, wanted] = found;
    const value = name === 'state' ? (trial.state === 'stopped' ? 'pruned' : trial.state) : name === s.search.metric ? trial.value : trial.config[name];
    if (value === undefined || value === null) return false;
    if (how === ':') return wanted.split(',').some((w) => String(value).toLowerCase().startsWith(w.toLowerCase()));
    return how === '<' ? Number(value) <= Number(wanted) : Number(value) >= Number(wanted);
  });
}
