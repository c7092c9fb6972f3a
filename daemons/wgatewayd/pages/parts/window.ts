// Role: which rows of a long table are drawn. Pure.

export interface Seen {
  readonly from: number;
  readonly to: number;
}

const BEYOND = 12;
/** Browsers end a document somewhere between 16.7 and 33.5 million pixels. */
const TALLEST = 15_000_000;

/** The height of all rows, as the document has it. */
export const spaceOf = (total: number, height: number) => Math.min(total * height, TALLEST);

/**
 * Rows in sight and some beyond both edges; the first few also where none is in sight yet.
 * @param above pixels of the table above the sight; below 0: it begins below its upper edge
 * @param sight pixels of the sight
 */
export function seen(above: number, sight: number, total: number, height: number): Seen {
  const whole = total * height;
  const scale = whole > TALLEST ? (whole - sight) / (TALLEST - sight) : 1;
  const first = Math.min(total, Math.floor((Math.max(0, above) * scale) / height));
  const count = Math.ceil((sight + Math.min(0, above)) / height);
  const from = Math.max(0, Math.min(first - BEYOND, total));
  const to = Math.min(total, Math.max(first + count, from) + BEYOND);
  return {from, to};
}
