// Role: pictures as requests, and answers as rankings: what a service is tested with. Pure.

/** A grid of w × h brightnesses, each the mean of what falls on it. `pixels`: [[…], …] of any size. */
export function reduced(pixels, width, height) {
  const rows = pixels.length, columns = pixels[0].length;
  const cell = (r, c) => {
    const top = (r * rows) / height, bottom = ((r + 1) * rows) / height, left = (c * columns) / width, right = ((c + 1) * columns) / width;
    let sum = 0, area = 0;
    for (let y = Math.floor(top); y < Math.ceil(bottom); ++y) {
      for (let x = Math.floor(left); x < Math.ceil(right); ++x) {
        const part = (Math.min(y + 1, bottom) - Math.max(y, top)) * (Math.min(x + 1, right) - Math.max(x, left));
        sum += part * pixels[y][x];
        area += part;
      }
    }
    return sum / area;
  };
  return Array.from({length: height}, (_, r) => Array.from({length: width}, (_, c) => cell(r, c)));
}

/** What is bright, cut out, made square around its middle, with a margin as digit sets have. */
export function framed(pixels, margin) {
  const rows = [], columns = [];
  pixels.forEach((row, y) => row.forEach((v, x) => {
    if (v > 0.1) {
      rows.push(y);
      columns.push(x);
    }
  }));
  if (!rows.length) return pixels;
  const low = (list) => list.reduce((a, b) => Math.min(a, b)), high = (list) => list.reduce((a, b) => Math.max(a, b));
  const [top, bottom, left, right] = [low(rows), high(rows) + 1, low(columns), high(columns) + 1];
  const side = Math.ceil(Math.max(bottom - top, right - left) / (1 - 2 * margin));
  const y0 = Math.round((top + bottom - side) / 2), x0 = Math.round((left + right - side) / 2);
  return Array.from({length: side}, (_, y) => Array.from({length: side}, (_, x) => pixels[y + y0]?.[x + x0] ?? 0));
}

/** The request of KServe's v2 for one picture. `shape`: [channels, height, width] */
export function request(pixels, shape) {
  const [channels, height, width] = shape;
  const grid = reduced(pixels, width, height).flat();
  const data = Array.from({length: channels}, () => grid).flat().map((v) => Math.round(v * 1000) / 1000);
  return {inputs: [{name: 'input', shape: [1, ...shape], datatype: 'FP32', data}]};
}

/** [[label, probability], …] of an answer, the best first; null: it says no such thing. */
export function ranking(answer) {
  const output = (name) => answer?.outputs?.find((o) => o.name === name)?.data;
  const shares = output('probability'), best = output('label');
  if (!shares || !best) return null;
  const ranked = shares.map((p, i) => [String(i), p]).sort((a, b) => b[1] - a[1]);
  ranked[0][0] = best[0];
  return ranked;
}
