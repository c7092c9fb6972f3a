// Role: the Overview tab: what the service did over time, how many kernels it has and why.

import {useMemo} from 'preact/hooks';
import {jobPath} from '../../api/client.ts';
import type {Kernel, Service, ServiceSample} from '../../api/shapes_more.ts';
import {DASH, number} from '../../base/number.ts';
import {at} from '../../base/values.ts';
import {clock} from '../../base/time.ts';
import {Figure} from '../../figures/figure.tsx';
import type {FigureSpec, LineSpec} from '../../figures/spec.ts';
import {Outside, Pairs, Panel, Segment} from '../../parts/basic.tsx';
import {memory, Table} from '../../parts/table.tsx';
import {now} from '../../state/clock.ts';
import {ms} from '../shared/service.tsx';
import type {ServiceModel} from './model.ts';

const SPANS = [
  [300, '5 min'],
  [900, '15 min'],
  [3600, '1 h'],
] as const;
const GAP_S = 10;

type Of = (sample: ServiceSample) => number | null;
type Stage = 'total_ms' | 'queue_ms' | 'kernel_ms';

export function specsOf(f: Service, samples: readonly ServiceSample[], span: number): FigureSpec[] {
  const to = now();
  const begun = (samples[0]?.t ?? to) - GAP_S; // a young service fills the figure
  const bounds = [Math.max(to - span, Math.min(begun, to - 60)), to] as const;
  const line = (name: string, colour: string, of: Of): LineSpec => ({
    name,
    colour,
    points: samples.map((s) => [s.t, of(s)]),
  });
  const stage = (key: Stage) =>
    ['p50', 'p95', 'p99'].map((name, i) => line(name, `k${i + 1}`, (s) => s[key]?.[i] ?? null));
  const figure = (title: string, unit: string, height: number, lines: LineSpec[]): FigureSpec => ({
    title,
    unit,
    height,
    lines,
    x: 'time',
    bounds,
    gap: GAP_S,
    fromZero: true,
  });
  const steps = (l: LineSpec): LineSpec => ({...l, kind: 'steps'});
  const seen = samples.reduce((most, s) => Math.max(most, s.kernels, s.wanted), 1);
  const top = Math.min(f.kernel_max, Math.max(f.kernel_min, seen) + 1);
  const limits = [
    ...(f.kernel_min > 0 ? [{value: f.kernel_min, text: `min ${f.kernel_min}`}] : []),
    ...(f.kernel_max <= top ? [{value: f.kernel_max, text: `max ${f.kernel_max}`}] : []),
  ];
  return [
    figure('Requests', 'per s', 90, [line('requests', 'k1', (s) => s.rate)]),
    figure('Answered in', 'ms', 90, stage('total_ms')),
    figure('of that in the queue', 'ms', 66, stage('queue_ms')),
    figure('and in a kernel', 'ms', 66, stage('kernel_ms')),
    figure('Oldest in the queue', 'ms', 66, [line('age', 'k2', (s) => s.oldest_ms)]),
    {
      ...figure('Kernels', '', 90, [
        steps(line('there', 'k1', (s) => s.kernels)),
        steps(line('wanted', 'k2', (s) => s.wanted)),
      ]),
      limits,
      top,
    },
  ];
}

function Figures({f, model}: {f: Service; model: ServiceModel}) {
  const samples = model.samples.value;
  const span = model.span.value;
  const specs = useMemo(() => specsOf(f, samples, span), [samples, span]);
  const none =
    f.state === 'Started'
      ? 'The first figures come within two seconds.'
      : 'Figures begin when it is started.';
  const spans = (
    <Segment
      label="Span"
      value={span}
      options={SPANS}
      onChoose={(chosen) => {
        model.span.value = chosen;
        void model.known.refresh();
      }}
    />
  );
  return (
    <Panel title="Over time" id="h-s" tools={spans}>
      <div class="pb">
        {samples.length ? (
          specs.map((spec) => <Figure key={spec.title} spec={spec} />)
        ) : (
          <p class="m s">{none}</p>
        )}
      </div>
    </Panel>
  );
}

/** How many kernels are wanted, in one sentence. */
export function whyWords(f: Service): string {
  const r = f.router;
  if (f.state !== 'Started') return 'It is stopped: requests are refused.';
  if (!r) return 'Its router is not there: it waits for its slot, or starts.';
  const cost = r.task_us / 1e6;
  const rate = `${number(r.requests_per_s)}/s at ${ms(r.task_us / 1000)} a task`;
  const needs = cost > 0 ? `${rate} keep ${number(r.requests_per_s * cost)} kernels busy. ` : '';
  const next = r.wanted === 0 ? ' The next request starts one.' : '';
  const has = `It wants ${number(r.wanted)} and has ${number(r.kernels.length)}`;
  return `${needs}${has}; from ${f.kernel_min} to ${f.kernel_max} are allowed.${next}`;
}

function WhySoMany({f}: {f: Service}) {
  return (
    <Panel title="Why so many" id="h-w">
      <div class="pb">
        <p class="say">{whyWords(f)}</p>
        {f.why && (
          <p class="s m">
            <Outside text={f.why} most={400} />
          </p>
        )}
        <Pairs
          list={[
            ['Plan', <Outside key="p" text={f.plan || 'its owner’s'} />],
            ['GPU', <Outside key="g" text={at(f.profile, 'kernel.gpu')} />],
            ['Started', f.started ? clock(f.started, now()) : DASH],
            f.job
              ? [
                  'Job',
                  <a key="j" href={jobPath(f.job)}>
                    {f.job}
                  </a>,
                ]
              : null,
          ]}
        />
        {f.job && <p class="cmd mono">$ bwhy {f.job}</p>}
      </div>
    </Panel>
  );
}

function Kernels({f}: {f: Service}) {
  const standing = (k: Kernel) => (k.leaving ? 'Leaving' : k.running ? 'Busy' : 'Idle');
  return (
    <Panel title="Kernels now" id="h-k" class="scroll">
      <Table
        label="Kernels now"
        columns={[
          {key: 'host', text: 'Host', cell: (k: Kernel) => <Outside text={k.host} most={40} />},
          {key: 'state', text: 'State', cell: standing},
          {key: 'done', text: 'Done', numeric: true, cell: (k) => number(k.finished)},
          {key: 'failed', text: 'Failed', numeric: true, cell: (k) => number(k.failed)},
        ]}
        source={memory(f.router?.kernels ?? [])}
        rowKey={(k) => k.instance}
        empty="None."
      />
    </Panel>
  );
}

export const Overview = ({f, model}: {f: Service; model: ServiceModel}) => (
  <div class="cols">
    <div>
      <Figures f={f} model={model} />
    </div>
    <div>
      <WhySoMany f={f} />
      <Kernels f={f} />
    </div>
  </div>
);
