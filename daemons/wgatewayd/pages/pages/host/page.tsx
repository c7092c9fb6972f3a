// Role: the page of one host: what it has, how loaded it is, whether its GPUs are healthy, which
// jobs are on it; closed and opened by administrators.

import {signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import {get, jobPath, part} from '../../api/client.ts';
import type {JobRow} from '../../api/shapes.ts';
import type {Gpu, Host} from '../../api/shapes_admin.ts';
import {bytes, DASH, number, percent} from '../../base/number.ts';
import {clean} from '../../base/text.ts';
import {duration} from '../../base/time.ts';
import {elapsed} from '../../live/jobs.ts';
import {look} from '../../live/port.ts';
import {Mark, Outside, Panel, StateMark, type Tile, Tiles} from '../../parts/basic.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {Asked, keepAsking, useOnce} from '../../state/asked.ts';
import {second} from '../../state/clock.ts';
import {session} from '../../state/session.ts';
import {CloseDialog, Closing} from '../shared/close_dialog.tsx';
import {gpuShown, hostShown, hostWhy, jobsOn} from './rules.ts';

const MOST_JOBS = 500;

class HostModel {
  readonly host: Asked<{readonly host: Host}>;
  readonly jobs = signal<readonly JobRow[] | null>(null);
  readonly closing: Closing;

  constructor(readonly name: string) {
    this.host = new Asked(() => get<{host: Host}>(`/api/v1/hosts/${part(name)}`));
    this.closing = new Closing('hosts', () => void this.host.refresh());
  }
  begin() {
    const filter = `host:${this.name.toLowerCase()}`;
    const view = {mine: false, group: 'running', filter, sort: '', from: 0, to: MOST_JOBS};
    return look('host', view, (window) => {
      this.jobs.value = jobsOn(window.rows, this.name);
    });
  }
}

function tilesOf(host: Host): Tile[] {
  const load = host.load_indexes;
  const memory = host.total_mem_bytes ?? 0;
  return [
    {label: 'State', value: <Mark shown={hostShown(host)} />},
    {label: 'Slots', value: number(host.run), unit: `of ${number(host.max)}`},
    {
      label: 'GPUs',
      value: host.ngpus ? number(host.ngpus_alloc) : DASH,
      unit: host.ngpus ? `of ${number(host.ngpus)}` : '',
    },
    {
      label: 'CPUs busy',
      value: percent(load.ut),
      note: `${number(host.ncpus_alloc)} of ${number(host.ncpus)} given to jobs`,
    },
    {label: 'Load', value: number(load.r1m), note: `${number(load.r15m)} over 15 min`},
    {
      label: 'Memory',
      value: bytes(host.reserved_mem_bytes),
      note: `of ${bytes(memory)} promised to jobs`,
    },
  ];
}

function Bar({share, words}: {share: number | null; words: string}) {
  if (share === null) return <>{DASH}</>;
  return (
    <span class="pg">
      <span>{words}</span>
      <i style={{'--w': `${Math.round(100 * Math.min(1, share))}%`}} />
    </span>
  );
}

const GPUS: readonly Column<Gpu>[] = [
  {key: 'id', text: 'GPU', width: '36px', cell: (gpu) => gpu.gpu_id},
  {key: 'state', text: 'State', width: '92px', cell: (gpu) => <Mark shown={gpuShown(gpu)} />},
  {
    key: 'model',
    text: 'Model',
    width: 'minmax(90px,1fr)',
    cell: (gpu) => <Outside text={[gpu.gpu_model, gpu.mig].filter(Boolean).join(' ')} />,
  },
  {
    key: 'use',
    text: 'Busy',
    width: 'minmax(70px,.7fr)',
    cell: (gpu) => (
      <Bar share={gpu.ut === null ? null : gpu.ut / 100} words={`${number(gpu.ut)} %`} />
    ),
  },
  {
    key: 'memory',
    text: 'Memory',
    width: 'minmax(110px,1fr)',
    cell: (gpu) => (
      <Bar
        share={gpu.mused_bytes === null ? null : gpu.mused_bytes / (gpu.mtotal_bytes || 1)}
        words={`${bytes(gpu.mused_bytes)} of ${bytes(gpu.mtotal_bytes)}`}
      />
    ),
  },
  {
    key: 'temp',
    text: 'Heat',
    width: '52px',
    numeric: true,
    cell: (gpu) => (gpu.temp === null ? DASH : `${number(gpu.temp)} °C`),
  },
  {
    key: 'jobs',
    text: 'Jobs',
    width: 'minmax(60px,.6fr)',
    cell: (gpu) =>
      gpu.jobids.map((id) => (
        <a key={id} href={jobPath(id)}>
          {id}{' '}
        </a>
      )),
  },
  {
    key: 'why',
    text: 'Why it is out of use',
    width: 'minmax(110px,1.4fr)',
    cell: (gpu) => <Outside text={gpu.gpu_reason} />,
  },
];

const JOBS: readonly Column<JobRow>[] = [
  {key: 'state', text: 'State', width: '96px', cell: (job) => <StateMark word={job.wm_state} />},
  {
    key: 'name',
    text: 'Job',
    width: 'minmax(110px,2fr)',
    cell: (job) => (
      <a class="name" href={jobPath(job.jobid)}>
        {job.jobid} <Outside text={job.job_name ?? ''} most={60} />
      </a>
    ),
  },
  {key: 'user', text: 'User', width: '1fr', cell: (job) => <Outside text={job.user} most={40} />},
  {key: 'plan', text: 'Plan', width: '1fr', cell: (job) => <Outside text={job.plan} most={60} />},
  {
    key: 'slots',
    text: 'Slots in all',
    width: '80px',
    numeric: true,
    cell: (job) => number(job.nalloc_slot),
  },
  {
    key: 'for',
    text: 'For',
    width: '80px',
    numeric: true,
    cell: (job) => duration(elapsed(job, second.value)),
  },
];

function Acts({model, host}: {model: HostModel; host: Host}) {
  if (!session.value?.admin) return null;
  const verb = host.closed ? 'open' : 'close';
  return (
    <button
      type="button"
      class={host.closed ? 'btn pri' : 'btn'}
      data-do={`${verb}-host`}
      onClick={() => model.closing.open(host.host_name, verb)}
    >
      {host.closed ? 'Open it again' : 'Drain'}
    </button>
  );
}

function About({model, host}: {model: HostModel; host: Host}) {
  const why = hostWhy(host, second.value);
  const jobs = model.jobs.value;
  return (
    <>
      <Stale of={model.host} />
      {why && (
        <p class="note">
          <Outside text={why} most={400} />
        </p>
      )}
      <Tiles tiles={tilesOf(host)} />
      {host.gpus.length > 0 && (
        <Panel title="GPUs" id="h-g" class="scroll">
          <Table
            label="GPUs"
            columns={GPUS}
            source={memory(host.gpus)}
            rowKey={(gpu) => String(gpu.gpu_id)}
          />
        </Panel>
      )}
      <Panel title="Jobs on it" id="h-j" class="scroll">
        {jobs && (
          <Table
            label="Jobs on it"
            columns={JOBS}
            source={memory(jobs)}
            rowKey={(job) => job.jobid}
            empty="None runs there."
          />
        )}
      </Panel>
      <p class="m s">
        In a shell: bhosts -l {clean(host.host_name)}; what administrators did to it:{' '}
        {session.value?.admin ? (
          <a href={`/audit?about=${part(host.host_name)}`}>the record of acts</a>
        ) : (
          `badmin hhist ${clean(host.host_name)}`
        )}
      </p>
      <CloseDialog closing={model.closing} />
    </>
  );
}

export default function HostPage({args: [name = '']}: {args: readonly string[]}) {
  const model = useOnce(() => new HostModel(name));
  useEffect(() => {
    const ends = [keepAsking(model.host, {onJobs: 2000, every: 10_000}), model.begin()];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  return (
    <Loaded of={model.host} title={name}>
      {({host}) => (
        <Page
          title={host.host_name}
          crumb={<a href="/cluster">Cluster</a>}
          sub={<Outside text={host.address} />}
          acts={<Acts model={model} host={host} />}
        >
          <About model={model} host={host} />
        </Page>
      )}
    </Loaded>
  );
}
