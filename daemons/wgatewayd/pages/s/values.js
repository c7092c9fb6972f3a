// Role: values inside others: profiles with what was typed, metrics as a line, names out of any text. Pure.

import {clean} from './dom.js';
import {DASH, number} from './format.js';

/** What stands at "a.b.c". */
export const at = (value, where) => where.split('.').reduce((inner, key) => inner?.[key], value);

/** A copy with another value there. */
export function placed(value, where, to) {
  const [key, ...rest] = where.split('.');
  return {...value, [key]: rest.length ? placed(value?.[key] ?? {}, rest.join('.'), to) : to};
}

/**
 * A profile with what was typed, by where it stands; a number that is none goes as it was typed: the server says so.
 * @param fields [[where, label, note, kind], …]
 */
export function typed(profile, edits, fields) {
  const numeric = (text) => (text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text);
  return fields.reduce((made, [where, , , kind]) => (edits.has(where)
    ? placed(made, where, kind === 'number' ? numeric(edits.get(where)) : edits.get(where)) : made), profile);
}

/** "accuracy 0.984, loss 0.05": those that people look at, first. */
export function told(metrics) {
  const named = Object.entries(metrics || {}).filter(([name]) => !name.startsWith('train '));
  const all = named.length ? named : Object.entries(metrics || {});
  const weight = ([name]) => (/^acc/.test(name) ? 0 : /loss/.test(name) ? 2 : 1);
  return all.sort((a, b) => weight(a) - weight(b)).slice(0, 3).map(([name, v]) => `${clean(name, 30)} ${number(v)}`).join(', ') || DASH;
}

/** A name that models and services may have, out of any text. */
export const nameFrom = (text) => text.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '').slice(0, 64) || 'model';
