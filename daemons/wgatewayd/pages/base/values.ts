// Role: values inside others: profiles with what was typed, metrics as a line. Pure.

import {DASH, number} from './number.ts';
import {clean} from './text.ts';

export type Tree = {readonly [key: string]: unknown};

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** What stands at "a.b.c"; undefined: nothing. */
export const at = (value: unknown, where: string): unknown =>
  where.split('.').reduce((inner: unknown, key) => (isTree(inner) ? inner[key] : undefined), value);

/** A copy with another value there. */
export function placed(value: Tree, where: string, to: unknown): Tree {
  const [key = '', ...rest] = where.split('.');
  const inner = value[key];
  const below = isTree(inner) ? inner : {};
  return {...value, [key]: rest.length ? placed(below, rest.join('.'), to) : to};
}

/** A field of a profile: where it stands, and whether it is a number. */
export interface Place {
  readonly where: string;
  readonly numeric: boolean;
}

const numeric = (text: string) =>
  text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;

/**
 * A profile with what was typed; a number that is none goes as it was typed: the server says so.
 */
export function typed(profile: Tree, edits: ReadonlyMap<string, string>, fields: readonly Place[]) {
  return fields.reduce((made, field) => {
    const text = edits.get(field.where);
    if (text === undefined) return made;
    return placed(made, field.where, field.numeric ? numeric(text) : text);
  }, profile);
}

const weight = (name: string) => (/^acc/.test(name) ? 0 : /loss/.test(name) ? 2 : 1);

/** "accuracy 0.984, loss 0.05": those that people look at, first. */
export function told(metrics: Readonly<Record<string, number>> | null | undefined): string {
  const all = Object.entries(metrics ?? {});
  const named = all.filter(([name]) => !name.startsWith('train '));
  const shown = [...(named.length ? named : all)].sort((a, b) => weight(a[0]) - weight(b[0]));
  return (
    shown
      .slice(0, 3)
      .map(([name, v]) => `${clean(name, 30)} ${number(v)}`)
      .join(', ') || DASH
  );
}
