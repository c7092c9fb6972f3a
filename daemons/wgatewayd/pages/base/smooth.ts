// Role: a smoothed line: an exponential mean of bucket means, weighted by how many values each has.
// It stays within the least and most of what it is made of. Pure.

/**
 * @param values means; null is a gap, over which nothing is carried
 * @param counts values in each; missing: 1
 * @param weight 0 (as it is) to below 1 (flat)
 */
export function smoothed(
  values: readonly (number | null)[],
  counts: readonly number[],
  weight: number,
): (number | null)[] {
  let mean: number | null = null;
  return values.map((value, i) => {
    if (value === null || !Number.isFinite(value)) {
      mean = null;
      return null;
    }
    const kept: number = mean === null ? 0 : weight ** Math.max(1, counts[i] ?? 1);
    mean = kept * (mean ?? 0) + (1 - kept) * value;
    return mean;
  });
}
