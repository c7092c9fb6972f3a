// Role: the workers of now: where they are, and how busy is what they have.

import type {JobFull, Task} from '../../api/shapes.ts';
import type {GpuUse} from '../../api/shapes_logs.ts';
import {bytes, DASH, number} from '../../base/number.ts';
import {isOver} from '../../base/states.ts';
import {Outside, Panel} from '../../parts/basic.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import type {Run} from './model.ts';
import {busyOf, cpusOf, gpusOf, memoryOf, together, type Uses} from './use.ts';

function Bar({percent, words}: {percent: number | null; words: string}) {
  if (percent === null) return <>{words}</>;
  return (
    <span class="pg">
      <span>{words}</span>
      <i style={{'--w': `${Math.min(100, Math.max(0, percent))}%`}} />
    </span>
  );
}

const memoryWords = (gpus: readonly GpuUse[]) =>
  gpus
    .filter((gpu) => gpu.mused_bytes !== null)
    .map((gpu) => `${bytes(gpu.mused_bytes)} of ${bytes(gpu.mtotal_bytes)}`)
    .join(', ') || DASH;

const Percent = ({of}: {of: number | null}) => (
  <Bar percent={of} words={of === null ? DASH : `${number(of)} %`} />
);

/** Of the GPUs that were given to it. */
const gpuColumns = (uses: Uses): readonly Column<Task>[] => [
  {
    key: 'busy',
    text: 'GPU busy',
    width: 'minmax(72px,1fr)',
    cell: (task) => <Percent of={busyOf(gpusOf(task, uses))} />,
  },
  {
    key: 'gpumem',
    text: 'GPU memory',
    width: 'minmax(80px,1.2fr)',
    cell: (task) => memoryWords(gpusOf(task, uses)),
  },
];

/** Of all that runs on its host: no more is measured of one worker. */
const hostColumns = (uses: Uses): readonly Column<Task>[] => [
  {
    key: 'cpus',
    text: 'Host’s CPUs',
    width: 'minmax(72px,1fr)',
    cell: (task) => <Percent of={cpusOf(uses.get(task.host))} />,
  },
  {
    key: 'memory',
    text: 'Host’s memory',
    width: 'minmax(88px,1.2fr)',
    cell: (task) => {
      const memory = memoryOf(uses.get(task.host));
      if (!memory) return DASH;
      const [used, all] = memory;
      return <Bar percent={(100 * used) / all} words={`${bytes(used)} of ${bytes(all)}`} />;
    },
  },
];

function columnsOf(uses: Uses, roles: boolean): readonly Column<Task>[] {
  const onGpus = [...uses.values()].some((use) => use.gpus.length > 0);
  return [
    ...(roles
      ? [
          {
            key: 'role',
            text: 'Role',
            width: '64px',
            cell: (t: Task) => (t.role === 'ps' ? 'server' : <Outside text={t.role} most={40} />),
          },
        ]
      : []),
    {key: 'rank', text: 'Rank', width: '40px', cell: (t) => t.rank ?? DASH},
    {
      key: 'host',
      text: 'Host',
      width: 'minmax(70px,1.2fr)',
      cell: (t) => (
        <a href={`/cluster/${encodeURIComponent(t.host)}`}>
          <Outside text={t.host} most={40} />
        </a>
      ),
    },
    {key: 'gpu', text: 'GPU', width: '40px', cell: (t) => (t.gpus ?? []).join(', ') || DASH},
    {key: 'state', text: 'State', width: '64px', cell: (t) => t.state},
    ...(onGpus ? gpuColumns(uses) : []),
    ...hostColumns(uses),
  ];
}

/** What its processes use on all of their hosts together. */
const Together = ({job, shared}: {job: JobFull; shared: ReadonlyMap<string, number>}) => (
  <p class="fine">
    <span>
      In sum: {bytes(job.mem_bytes)} of memory, at most {bytes(job.max_mem_bytes)};{' '}
      {number(job.idle_factor)} CPUs busy on the mean
    </span>
    {shared.size > 0 && <span>Workers of one host share what it uses.</span>}
  </p>
);

export function WorkersNow({job, model}: {job: JobFull; model: Run}) {
  const others = model.known.value.value?.others ?? [];
  const tasks = [...(job.tasks ?? []), ...others].filter((task) => task.state !== 'gone');
  if (!tasks.length || isOver(job.wm_state)) return null;
  const uses = model.use.value;
  return (
    <Panel
      title="Workers now"
      id="h-n"
      class="scroll"
      tools={<span class="s m">membership {number(job.epoch)}</span>}
    >
      <Table
        label="Workers now"
        columns={columnsOf(
          uses,
          tasks.some((task) => task.role !== ''),
        )}
        source={memory(tasks)}
        rowKey={(t) => `${t.role}${t.task}`}
      />
      <Together job={job} shared={together(tasks)} />
    </Panel>
  );
}
