// Role: lines of unlike times on one axis: joined, with gaps where nothing was for long. Pure.

export type Point = readonly [at: number, value: number | null];
/**
 * One axis, and for each line its value there: null is a gap, undefined: nothing of this line is
 * here.
 */
export interface Joined {
  readonly x: number[];
  readonly lines: (number | null | undefined)[][];
}

/** Runs of points without a gap: a value that is none, or nothing for longer than `most`. */
export function runs(points: readonly Point[], most: number): Point[][] {
  const found: Point[][] = [];
  let last: number | null = null;
  for (const [at, value] of points) {
    if (value === null || !Number.isFinite(value)) {
      last = null;
      continue;
    }
    if (last === null || at - last > most) found.push([]);
    found[found.length - 1]?.push([at, value]);
    last = at;
  }
  return found;
}

/** Points in order of their place; of equal places the last one counts. @cost O(n log n) */
export function sorted(points: readonly Point[]): Point[] {
  const kept = new Map<number, number | null>();
  for (const [at, value] of points) if (Number.isFinite(at)) kept.set(at, value);
  return [...kept].sort((a, b) => a[0] - b[0]);
}

/**
 * All lines on one axis. @param gap places farther apart than this are not joined; Infinity: all
 * are
 */
export function joined(lines: readonly (readonly Point[])[], gap: number): Joined {
  const marked = lines.map((line) => withGaps(sorted(line), gap));
  const x = [...new Set(marked.flatMap((line) => [...line.keys()]))].sort((a, b) => a - b);
  return {x, lines: marked.map((line) => x.map((at) => line.get(at)))};
}

function withGaps(points: readonly Point[], gap: number): Map<number, number | null> {
  const line = new Map<number, number | null>();
  let last: number | null = null;
  for (const [at, value] of points) {
    if (last !== null && at - last > gap) line.set((last + at) / 2, null);
    line.set(at, value !== null && Number.isFinite(value) ? value : null);
    last = at;
  }
  return line;
}

/** A step function's value at each of `times`, which are in order; 0 before it begins. */
export function sampled(steps: readonly (readonly [number, number])[], times: readonly number[]) {
  let at = -1;
  return times.map((t) => {
    while ((steps[at + 1]?.[0] ?? Infinity) <= t) ++at;
    return steps[at]?.[1] ?? 0;
  });
}
