// Role: pictures as requests, and answers as rankings: what a service is tested with. Pure.

/** Brightnesses, 0 to 1, by row. */
export type Grid = readonly (readonly number[])[];
/** [channels, height, width] */
export type Shape = readonly [number, number, number];

function cell(pixels: Grid, top: number, bottom: number, left: number, right: number): number {
  let sum = 0;
  let area = 0;
  for (let y = Math.floor(top); y < Math.ceil(bottom); ++y) {
    for (let x = Math.floor(left); x < Math.ceil(right); ++x) {
      const high = Math.min(y + 1, bottom) - Math.max(y, top);
      const part = high * (Math.min(x + 1, right) - Math.max(x, left));
      sum += part * (pixels[y]?.[x] ?? 0);
      area += part;
    }
  }
  return sum / area;
}

/** A grid of width × height brightnesses, each the mean of what falls on it. */
export function reduced(pixels: Grid, width: number, height: number): number[][] {
  const rows = pixels.length / height;
  const columns = (pixels[0]?.length ?? 0) / width;
  return Array.from({length: height}, (_, r) =>
    Array.from({length: width}, (__, c) =>
      cell(pixels, r * rows, (r + 1) * rows, c * columns, (c + 1) * columns),
    ),
  );
}

/** What is bright, cut out, made square around its middle, with a margin as digit sets have. */
export function framed(pixels: Grid, margin: number): Grid {
  let [top, bottom, left, right] = [Infinity, -1, Infinity, -1];
  pixels.forEach((row, y) => {
    row.forEach((v, x) => {
      if (v <= 0.1) return;
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y + 1)];
      [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
    });
  });
  if (bottom < 0) return pixels;
  const side = Math.ceil(Math.max(bottom - top, right - left) / (1 - 2 * margin));
  const y0 = Math.round((top + bottom - side) / 2);
  const x0 = Math.round((left + right - side) / 2);
  return Array.from({length: side}, (_, y) =>
    Array.from({length: side}, (__, x) => pixels[y + y0]?.[x + x0] ?? 0),
  );
}

/** The request of KServe's v2 for one picture. */
export function request(pixels: Grid, shape: Shape) {
  const [channels, height, width] = shape;
  const grid = reduced(pixels, width, height).flat();
  const data = Array.from({length: channels}, () => grid).flat();
  const rounded = data.map((v) => Math.round(v * 1000) / 1000);
  return {inputs: [{name: 'input', shape: [1, ...shape], datatype: 'FP32', data: rounded}]};
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function output(answer: unknown, name: string): unknown[] | null {
  if (!isRecord(answer) || !Array.isArray(answer.outputs)) return null;
  const found: unknown = answer.outputs.find((o: unknown) => isRecord(o) && o.name === name);
  return isRecord(found) && Array.isArray(found.data) ? found.data : null;
}

/** [[label, probability], …] of an answer, the best first; null: it says no such thing. */
export function ranking(answer: unknown): [string, number][] | null {
  const shares = output(answer, 'probability');
  const best = output(answer, 'label');
  if (!shares || !best) return null;
  const ranked = shares.map((p, i): [string, number] => [String(i), Number(p)]);
  ranked.sort((a, b) => b[1] - a[1]);
  if (ranked[0]) ranked[0][0] = String(best[0]);
  return ranked;
}

/** What a service says went wrong within an answer; empty: nothing. */
export const errorIn = (answer: unknown) =>
  isRecord(answer) && answer.error ? String(answer.error) : '';
