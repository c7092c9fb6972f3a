// Role: a queue's limits in words. Pure.

import type {Queue} from '../../api/shapes_admin.ts';
import {counted} from '../../base/number.ts';
import {duration} from '../../base/time.ts';
import type {Shown} from '../../base/states.ts';

/** What bounds the jobs of a queue; empty: nothing does. */
export function limitWords(queue: Queue): string {
  const said = (count: number | null, whose: string) =>
    count ? `${counted(count, 'slot')} ${whose}` : '';
  return [
    said(queue.max, 'in all'),
    said(queue.jl_u, 'a user'),
    said(queue.jl_h, 'a host'),
    queue.runlimit_s ? `runs ${duration(queue.runlimit_s)} at most` : '',
  ]
    .filter(Boolean)
    .join(', ');
}

export function queueShown(queue: Queue): Shown {
  if (queue.closed) return {word: 'Closed', icon: 'hold', kind: 'warn'};
  if (queue.inactive) return {word: 'Starts nothing', icon: 'wait', kind: 'warn'};
  return {word: 'Open', icon: 'run', kind: 'run'};
}
