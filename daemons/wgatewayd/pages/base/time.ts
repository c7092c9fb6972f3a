// Role: times and spans as people read them, in seconds. Pure: the server's clock is handed in.

import {DASH} from './number.ts';

const two = (n: number) => String(n).padStart(2, '0');

/** 5s, 6m 15s, 1h 02m, 3d 04h. @param seconds below 0 counts as 0 */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return DASH;
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m ${two(s % 60)}s`;
  if (s < 86400) return `${Math.floor(s / 3600)}h ${two(Math.floor(s / 60) % 60)}m`;
  return `${Math.floor(s / 86400)}d ${two(Math.floor(s / 3600) % 24)}h`;
}

/** 10:43:13 today, else 23 Nov 10:43. @param now the server's */
export function clock(seconds: number | null | undefined, now?: number): string {
  if (!seconds) return DASH;
  const date = new Date(seconds * 1000);
  const today = new Date((now ?? seconds) * 1000);
  const text = date.toTimeString();
  if (date.toDateString() === today.toDateString()) return text.slice(0, 8);
  const month = date.toLocaleString('en', {month: 'short'});
  return `${date.getDate()} ${month} ${text.slice(0, 5)}`;
}

/** A moment, or `other` where there has been none: the server says 0 or nothing then. */
export const momentOr = (at: number | null | undefined, other: number): number => at || other;

/** Medium date and time, with the year. */
export const stamp = (seconds: number) =>
  new Date(seconds * 1000).toLocaleString('en-GB', {dateStyle: 'medium', timeStyle: 'medium'});
