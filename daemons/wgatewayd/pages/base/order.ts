// Role: the order of rows: by one key, up or down; what is missing or NaN last in both directions;
// ties by the second order. Pure.

export type Value = string | number | null | undefined;

const missing = (v: Value) => v === null || v === undefined || v === '' || Number.isNaN(v);

/** Below 0: `a` stands before `b`. */
export function compare(a: Value, b: Value, down: boolean): number {
  if (missing(a) || missing(b)) return Number(missing(a)) - Number(missing(b));
  const order = (a as string | number) < (b as string | number) ? -1 : a === b ? 0 : 1;
  return down ? -order : order;
}

/** A copy in order. Values are asked for once a row. @cost O(n log n) */
export function ordered<R>(
  rows: readonly R[],
  value: (row: R) => Value,
  down: boolean,
  ties: (a: R, b: R) => number,
): R[] {
  const keyed = rows.map((row) => ({row, key: value(row)}));
  keyed.sort((a, b) => compare(a.key, b.key, down) || ties(a.row, b.row));
  return keyed.map((k) => k.row);
}

/** "12" before "101" before "101[2]" before "101[10]". */
export function byId(a: string, b: string): number {
  const [x, y] = [a, b].map((id) => id.split(/[[\]]/).map(Number));
  return (x?.[0] ?? 0) - (y?.[0] ?? 0) || (x?.[1] ?? 0) - (y?.[1] ?? 0);
}
