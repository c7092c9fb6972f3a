// Role: the page of one service: does it answer in time, how many kernels has it and why, what may
// be changed. Figures come from its router, every two seconds.

import {useEffect} from 'preact/hooks';
import {jobPath, part} from '../../api/client.ts';
import type {Service} from '../../api/shapes_more.ts';
import {DASH, number} from '../../base/number.ts';
import {clean} from '../../base/text.ts';
import {Asking, Questions} from '../../parts/asking.tsx';
import {Alert, Icon, Outside, Panel, type Tile, Tiles} from '../../parts/basic.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {setParam} from '../../state/address.ts';
import {keepAsking, useOnce} from '../../state/asked.ts';
import {me} from '../../state/session.ts';
import {ms, Pill, servicePath, standing} from '../shared/service.tsx';
import {ServiceModel, TABS} from './model.ts';
import {Overview} from './overview.tsx';
import {ProfileTab} from './profile_tab.tsx';
import {TrafficTab} from './traffic_tab.tsx';
import {VerifyTab} from './verify.tsx';

function tilesOf(f: Service): Tile[] {
  const r = f.router;
  const answered = r ? r.finished + r.failed : 0;
  const total = answered ? r?.latency_ms.total : undefined;
  return [
    {
      label: 'Kernels',
      value: number(r?.kernels.length),
      unit: `of ${f.kernel_min}–${f.kernel_max}`,
      note: r ? `wants ${number(r.wanted)}` : 'no router now',
    },
    {
      label: 'Requests',
      value: number(r?.requests_per_s),
      unit: '/s',
      note: `${number(r?.arrived)} since it began`,
    },
    {label: 'Latency p50', value: number(total?.[0]), unit: 'ms', note: 'from arrival to answer'},
    {
      label: 'Latency p95',
      value: number(total?.[1]),
      unit: 'ms',
      note: total ? `p99 ${number(total[2])} ms` : 'since it began',
    },
    {label: 'Queue', value: number(r?.queued), note: r ? `oldest ${ms(r.oldest_ms)}` : ''},
    {
      label: 'Errors',
      value: answered && r ? number((100 * r.failed) / answered) : DASH,
      unit: '%',
      note: `${number(r?.failed)} of ${number(answered)}`,
    },
  ];
}

function About({f}: {f: Service}) {
  return (
    <>
      {f.space && (
        <>
          Of model{' '}
          <a href={`/spaces/${part(f.space)}`}>
            <Outside text={f.model} />
          </a>{' '}
          in space <Outside text={f.space} />.{' '}
        </>
      )}
      Version <Outside text={f.version} />.{' '}
      {f.canary && (
        <>
          {f.canary.percent} % of its requests go to{' '}
          <a href={servicePath(f.canary.service)}>
            <Outside text={f.canary.service} />
          </a>
          .{' '}
        </>
      )}
      {f.job && (
        <>
          Job <a href={jobPath(f.job)}>{f.job}</a>.
        </>
      )}
    </>
  );
}

function Acts({f, model, asking}: {f: Service; model: ServiceModel; asking: Asking}) {
  if (f.owner !== me.value) return null;
  const busy = model.doing.busy.value;
  const ask = (verb: string, words: string, said: string) => () =>
    asking.ask({
      title: (
        <>
          {words} <Outside text={f.name} most={60} />?
        </>
      ),
      said: <p>{said}</p>,
      verb: `${words} it`,
      act: () => void model.act(verb),
    });
  if (f.state === 'Started') {
    const said = 'Its kernels end, and requests are refused until it is started again.';
    return (
      <button type="button" class="btn danger" disabled={busy} onClick={ask('stop', 'Stop', said)}>
        <Icon name="stop" />
        Stop
      </button>
    );
  }
  const earlier = f.earlier[f.earlier.length - 1];
  const gone = 'The service and its profile go. The model that it was made of stays.';
  return (
    <>
      {earlier && (
        <button
          type="button"
          class="btn"
          title={`To ${clean(earlier)}`}
          disabled={busy}
          onClick={() => void model.act('rollback')}
        >
          Roll back
        </button>
      )}
      <button type="button" class="btn" disabled={busy} onClick={ask('undeploy', 'Undeploy', gone)}>
        Undeploy
      </button>
      <button type="button" class="btn pri" disabled={busy} onClick={() => void model.act('start')}>
        Start
      </button>
    </>
  );
}

const LogsTab = ({log}: {log: string}) => (
  <Panel title="What kernels wrote" id="h-l">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what is longer than its box */}
    <section class="log" tabIndex={0} aria-label="Output">
      <pre>
        {log
          ? log
              .split('\n')
              .slice(-400)
              .map((line) => clean(line, 4000))
              .join('\n')
          : 'No output.'}
      </pre>
    </section>
  </Panel>
);

function Tab({f, model}: {f: Service; model: ServiceModel}) {
  const tab = model.tab.value;
  if (tab === 'test' && model.verify) return <VerifyTab model={model.verify} uri={f.uri} />;
  if (tab === 'profile' && model.profile) {
    return <ProfileTab model={model.profile} started={f.state === 'Started'} />;
  }
  if (tab === 'traffic' && model.traffic) return <TrafficTab f={f} traffic={model.traffic} />;
  if (tab === 'logs') return <LogsTab log={model.log.value} />;
  return <Overview f={f} model={model} />;
}

function Tabs({model}: {model: ServiceModel}) {
  const show = (key: string) => {
    setParam('tab', key === 'overview' ? '' : key);
    void model.known.refresh();
  };
  return (
    <div class="tabs">
      <fieldset class="seg" aria-label="What to show">
        {TABS.map(([key, text]) => (
          <button
            key={key}
            type="button"
            data-tab={key}
            aria-pressed={model.tab.value === key ? 'true' : 'false'}
            onClick={() => show(key)}
          >
            {text}
          </button>
        ))}
      </fieldset>
    </div>
  );
}

export default function ServicePage({args: [name = '']}: {args: readonly string[]}) {
  const model = useOnce(() => new ServiceModel(name));
  const asking = useOnce(() => new Asking());
  useEffect(() => keepAsking(model.known, {every: 2000}), []);
  const crumb = (
    <>
      <a href="/services">Services</a> / <Outside text={name} />
    </>
  );
  return (
    <Loaded of={model.known} title={name}>
      {(f) => (
        <Page
          title={`${name} · ${f.state}`}
          name={
            <>
              <Outside text={name} /> <Pill word={standing(f)} />
            </>
          }
          crumb={crumb}
          sub={<About f={f} />}
          acts={<Acts f={f} model={model} asking={asking} />}
        >
          <Stale of={model.known} />
          <Alert text={model.doing.problem.value} />
          <Tiles tiles={tilesOf(f)} />
          <Tabs model={model} />
          <Tab f={f} model={model} />
          <Questions asking={asking} />
        </Page>
      )}
    </Loaded>
  );
}
