// Role: axes: bounds, round ticks, linear and logarithmic. Pure.

/** The least of 1, 2, 5 times a power of ten that is not below `value`. */
export function niceTop(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((f) => f * power).find((top) => top >= value * (1 - 1e-9)) ?? value;
}

/** Round values within [low, high], at most `count` + 1. */
export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low) || count < 1) return [low];
  const step = niceTop((high - low) / count);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({length: Math.min(100, last - first + 1)}, (_, i) => (first + i) * step);
}

/** Are values so far apart that a logarithmic axis shows more? */
export const wantsLog = (low: number, high: number) => low > 0 && high / low > 20;

/** Bounds with room around what is drawn; shares never go above 1, counts never below 0. */
export function bounds(low: number, high: number, log: boolean): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  if (log && low > 0) return [10 ** Math.floor(Math.log10(low)), high * 1.1];
  if (low === high) {
    return low === 0 ? [0, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
  }
  const room = (high - low) * 0.05;
  const under = low >= 0 ? Math.max(0, low - room) : low - room;
  return [under, high <= 1 && low >= 0 ? Math.min(1, high + room) : high + room];
}
