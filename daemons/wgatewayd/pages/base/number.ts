// Role: numbers and amounts as people read them. Pure.

export const DASH = '–';

const raised = (digits: string) =>
  [...digits].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)] ?? '').join('');

const scientific = (value: number) =>
  value
    .toExponential(1)
    .replace('e-', '·10⁻')
    .replace(/⁻(\d+)$/, (_, digits: string) => `⁻${raised(digits)}`);

/** 18,760; 12.3; .9868: what is measured has three or four digits that count, never more. */
export function number(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return DASH;
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (Number.isInteger(value) || Math.abs(value) >= 1000) {
    return Math.round(value).toLocaleString('en');
  }
  const shown = Number(value.toPrecision(Math.abs(value) < 1 ? 4 : 3));
  return Math.abs(shown) < 1e-4 ? scientific(shown) : String(shown);
}

/** 2.52e6: as many digits as tell it from what is `step` away. */
function powered(value: number, step: number): string {
  const apart = step > 0 && Number.isFinite(step) ? Math.log10(Math.abs(value) / step) : 1;
  const digits = Math.min(15, Math.max(1, Math.ceil(apart - 1e-9)));
  return value
    .toExponential(digits)
    .replace(/\.?0+e/, 'e')
    .replace('+', '');
}

/** Labels of values beside each other: so many digits that no two are alike. */
export function labels(values: readonly number[]): string[] {
  const step = Math.min(...values.slice(1).map((v, i) => Math.abs(v - (values[i] ?? v))));
  const digits = step > 0 && Number.isFinite(step) ? Math.ceil(-Math.log10(step) - 1e-9) : 0;
  return values.map((value) => {
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (size >= 1e6 || size < 1e-4) return powered(value, step);
    return value.toLocaleString('en', {
      minimumFractionDigits: 0,
      maximumFractionDigits: Math.min(8, Math.max(0, digits)),
    });
  });
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** 8 GiB; 0 and nothing are a dash. */
export function bytes(value: number | null | undefined): string {
  if (!value) return DASH;
  let unit = 0;
  let left = value;
  for (; left >= 1024 && unit < UNITS.length - 1; ++unit) left /= 1024;
  return `${number(Math.round(left * 10) / 10)} ${UNITS[unit] ?? ''}`;
}

/** 91 %. @param share 0 to 1 */
export const percent = (share: number | null | undefined) =>
  share === null || share === undefined || !Number.isFinite(share)
    ? DASH
    : `${number(Math.round(share * 1000) / 10)} %`;

/** "1 slot", "4 slots". */
export const counted = (count: number, one: string, many = `${one}s`) =>
  `${number(count)} ${count === 1 ? one : many}`;
