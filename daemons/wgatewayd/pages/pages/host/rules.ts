// Role: a host and its GPUs in words. Pure.

import type {Gpu, Host} from '../../api/shapes_admin.ts';
import type {JobRow} from '../../api/shapes.ts';
import {duration} from '../../base/time.ts';
import type {Shown} from '../../base/states.ts';

/** Jobs with a task on the host; a filter finds names that only begin so, too. */
export const jobsOn = (jobs: readonly JobRow[], host: string) =>
  jobs.filter((job) => job.exec_host.includes(host));

export function hostShown(host: Host): Shown {
  if (host.state === 'dead') return {word: 'Dead', icon: 'bad', kind: 'bad'};
  if (host.state === 'silent' || !host.connected)
    return {word: 'Silent', icon: 'what', kind: 'warn'};
  if (host.closed) return {word: 'Closed', icon: 'hold', kind: 'warn'};
  return {word: 'Open', icon: 'run', kind: 'run'};
}

/** How far a drain has come. */
function movingWords({draining, moving}: Host): string {
  if (!draining) return '';
  return moving ? ` Tasks of ${moving} slots move elsewhere.` : ' What could move has moved.';
}

/** Why nothing starts there; empty: something may. */
export function hostWhy(host: Host, now: number): string {
  if (host.state !== 'ok' || !host.connected) {
    const since = host.silent_since ? ` for ${duration(now - host.silent_since)}` : '';
    return `Nothing was heard from it${since}. In a shell there: systemctl status wnoded`;
  }
  // The comment begins with who did it.
  if (host.closed) return `Closed by ${host.comments || 'an administrator'}.${movingWords(host)}`;
  return host.status === 'ok' ? '' : `Takes nothing now: ${host.status}.`;
}

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

export function gpuShown(gpu: Gpu): Shown {
  if (/stuck|lost|broken|fail/i.test(gpu.gpu_status))
    return {word: capital(gpu.gpu_status), icon: 'bad', kind: 'bad'};
  if (gpu.gpu_status !== 'ok') return {word: capital(gpu.gpu_status), icon: 'hold', kind: 'warn'};
  return gpu.jobids.length
    ? {word: 'In use', icon: 'run', kind: 'run'}
    : {word: 'Free', icon: 'wait', kind: ''};
}
