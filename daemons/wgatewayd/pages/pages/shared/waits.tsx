// Role: why a job waits, and until when.

import {jobPath} from '../../api/client.ts';
import type {JobRow} from '../../api/shapes.ts';
import {clock} from '../../base/time.ts';
import {Outside} from '../../parts/basic.tsx';
import {now} from '../../state/clock.ts';

export function Waits({job}: {job: JobRow}) {
  const text =
    job.pend_reason ||
    (job.wm_state === 'held' ? 'Held until it is released' : 'Waits to be looked at');
  const at = job.estimated_start_time;
  return (
    <span class="m s">
      <Outside text={text} />
      {at ? ` Expected ${clock(at, now())}.` : ''} <a href={jobPath(job.jobid)}>Why</a>
    </span>
  );
}
