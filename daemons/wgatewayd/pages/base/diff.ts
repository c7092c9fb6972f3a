// Role: what is different between two texts, line by line: the fewest lines taken and given, with
// some of what stands around them. Pure.

export type Kind = 'same' | 'gone' | 'new';
export interface DiffLine {
  readonly kind: Kind;
  readonly text: string;
  /** From 1, in the text before and after; 0: it is not in that one. */
  readonly before: number;
  readonly after: number;
}
/** Lines that stand together; between two of them others are left out. */
export type Hunk = readonly DiffLine[];

/** Past so many changes the whole middle is taken out and put in. */
const MOST_STEPS = 1000;

export const linesOf = (text: string): string[] => {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

/** For each number of changes, how far each diagonal comes. null: more than MOST_STEPS. */
function traced(a: readonly string[], b: readonly string[]): Int32Array[] | null {
  const most = Math.min(MOST_STEPS, a.length + b.length);
  const middle = most + 1;
  const far = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let d = 0; d <= most; ++d) {
    trace.push(far.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && at(far, middle + k - 1) < at(far, middle + k + 1));
      let x = down ? at(far, middle + k + 1) : at(far, middle + k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) ++x;
      far[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return trace;
    }
  }
  return null;
}
const at = (array: Int32Array, index: number) => array[index] ?? 0;

/** Back over the trace: which lines are in both. Pairs of places, rising. */
function matches(a: readonly string[], b: readonly string[]): [number, number][] {
  const trace = traced(a, b);
  if (!trace) return [];
  const found: [number, number][] = [];
  let x = a.length;
  let y = b.length;
  for (let d = trace.length - 1; d >= 0; --d) {
    const far = trace[d] ?? new Int32Array();
    const k = x - y;
    const left = at(far, k - 1 + d + 1);
    const right = at(far, k + 1 + d + 1);
    const down = k === -d || (k !== d && left < right);
    const fromX = d === 0 ? 0 : down ? right : left;
    const fromY = d === 0 ? 0 : fromX - (down ? k + 1 : k - 1);
    while (x > fromX && y > fromY && x > 0 && y > 0 && a[x - 1] === b[y - 1])
      found.push([--x, --y]);
    x = fromX;
    y = fromY;
  }
  return found.reverse();
}

/** All lines of both, in order. @cost O(lines x changes) */
export function differ(before: string, after: string): DiffLine[] {
  const a = linesOf(before);
  const b = linesOf(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) ++head;
  let tail = 0;
  const least = Math.min(a.length, b.length) - head;
  while (tail < least && a[a.length - 1 - tail] === b[b.length - 1 - tail]) ++tail;
  const middle = matches(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const pairs: [number, number][] = [
    ...Array.from({length: head}, (_, i): [number, number] => [i, i]),
    ...middle.map(([x, y]): [number, number] => [x + head, y + head]),
    ...Array.from({length: tail}, (_, i): [number, number] => [
      a.length - tail + i,
      b.length - tail + i,
    ]),
  ];
  return woven(a, b, pairs);
}

function woven(a: readonly string[], b: readonly string[], pairs: readonly [number, number][]) {
  const lines: DiffLine[] = [];
  let x = 0;
  let y = 0;
  for (const [toX, toY] of [...pairs, [a.length, b.length] as const]) {
    for (; x < toX; ++x) lines.push({kind: 'gone', text: a[x] ?? '', before: x + 1, after: 0});
    for (; y < toY; ++y) lines.push({kind: 'new', text: b[y] ?? '', before: 0, after: y + 1});
    if (x >= a.length && y >= b.length) break;
    lines.push({kind: 'same', text: a[x] ?? '', before: ++x, after: ++y});
  }
  return lines;
}

/** What changed, with `around` lines that did not before and after. @cost O(lines) */
export function hunksOf(lines: readonly DiffLine[], around = 3): Hunk[] {
  const near = new Uint8Array(lines.length);
  lines.forEach(({kind}, i) => {
    if (kind !== 'same') near.fill(1, Math.max(0, i - around), i + around + 1);
  });
  const hunks: DiffLine[][] = [];
  lines.forEach((line, i) => {
    if (!near[i]) return;
    if (!near[i - 1]) hunks.push([]);
    hunks.at(-1)?.push(line);
  });
  return hunks;
}

/** "3 lines new, 1 gone"; empty: nothing is different. */
export function sumWords(lines: readonly DiffLine[]): string {
  const count = (kind: Kind) => lines.filter((line) => line.kind === kind).length;
  const fresh = count('new');
  const gone = count('gone');
  const lineWord = (n: number) => `${n} ${n === 1 ? 'line' : 'lines'}`;
  if (!fresh && !gone) return '';
  if (!gone) return `${lineWord(fresh)} new`;
  return fresh ? `${lineWord(fresh)} new, ${gone} gone` : `${lineWord(gone)} gone`;
}
