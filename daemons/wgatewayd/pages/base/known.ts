// Role: what is known of a value: not asked yet, hidden from who looks, none there, or the value
// itself. A page never shows the one for the other.

export type Known<T> =
  | {readonly is: 'loading'}
  | {readonly is: 'hidden'}
  | {readonly is: 'none'}
  | {readonly is: 'value'; readonly value: T};

export const LOADING: Known<never> = {is: 'loading'};
export const HIDDEN: Known<never> = {is: 'hidden'};
export const NONE: Known<never> = {is: 'none'};

/** What is there as a value; null and undefined are none. */
export function known<T>(value: T | null | undefined): Known<T> {
  return value === null || value === undefined ? NONE : {is: 'value', value};
}

/** The words for a value, or for why there is none. @param none what "none" means here */
export function words<T>(of: Known<T>, told: (value: T) => string, none = '–'): string {
  if (of.is === 'value') return told(of.value);
  if (of.is === 'hidden') return 'not visible to you';
  return of.is === 'none' ? none : '';
}
