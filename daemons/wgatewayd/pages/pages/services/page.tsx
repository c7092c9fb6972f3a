// Role: the list of inference services: one's own, and for administrators those of others.

import {useEffect} from 'preact/hooks';
import {get, jobPath, part} from '../../api/client.ts';
import type {ServiceRow} from '../../api/shapes_more.ts';
import {DASH, number} from '../../base/number.ts';
import {Asking, Questions} from '../../parts/asking.tsx';
import {Alert, Outside, Panel} from '../../parts/basic.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {Asked, keepAsking, useOnce} from '../../state/asked.ts';
import {Doing} from '../../state/doing.ts';
import {me, session} from '../../state/session.ts';
import {command, ms, Pill, servicePath, standing} from '../shared/service.tsx';

interface Known {
  readonly services: readonly ServiceRow[];
  readonly others: readonly ServiceRow[];
}

class Services {
  readonly known = new Asked(() => get<Known>('/api/v1/services'));
  readonly doing = new Doing();
  async act(name: string, verb: string) {
    await this.doing.run(() => command(name, verb), name);
    await this.known.refresh();
  }
}

interface RowProps {
  readonly s: ServiceRow;
  readonly services: Services;
  readonly asking: Asking;
}
function Acts({s, services, asking}: RowProps) {
  const stop = () =>
    asking.ask({
      title: (
        <>
          Stop <Outside text={s.name} most={60} />?
        </>
      ),
      said: <p>Its kernels end, and requests are refused until it is started again.</p>,
      verb: 'Stop it',
      act: () => void services.act(s.name, 'stop'),
    });
  const undeploy = () =>
    asking.ask({
      title: (
        <>
          Undeploy <Outside text={s.name} most={60} />?
        </>
      ),
      said: <p>The service and its profile go. The model that it was made of stays.</p>,
      verb: 'Undeploy it',
      act: () => void services.act(s.name, 'undeploy'),
    });
  const may = s.owner === me.value || session.value?.admin;
  if (!may) return null;
  const own = s.owner === me.value;
  const busy = services.doing.busy.value;
  if (s.state === 'Started') {
    return (
      <button type="button" class="btn" disabled={busy} onClick={stop}>
        Stop
      </button>
    );
  }
  return (
    <span class="acts">
      <button
        type="button"
        class="btn"
        disabled={busy}
        onClick={() => void services.act(s.name, 'start')}
      >
        Start
      </button>
      {own && (
        <button type="button" class="link s" onClick={undeploy}>
          Undeploy
        </button>
      )}
    </span>
  );
}

const ofWhat = (s: ServiceRow) =>
  s.space ? (
    <a href={`/spaces/${part(s.space)}`}>
      <Outside text={`${s.space} / ${s.model}`} />
    </a>
  ) : (
    DASH
  );

const columnsOf = (services: Services, asking: Asking): readonly Column<ServiceRow>[] => [
  {
    key: 'service',
    text: 'Service',
    cell: (s) => (
      <a href={servicePath(s.name)}>
        <Outside text={s.name} />
      </a>
    ),
  },
  {key: 'state', text: 'State', cell: (s) => <Pill word={standing(s)} />},
  {key: 'of', text: 'Of', width: '1fr', cell: ofWhat},
  {
    key: 'kernels',
    text: 'Kernels',
    numeric: true,
    cell: ({router, kernel_min, kernel_max}) =>
      `${router ? number(router.kernels.length) : DASH} of ${kernel_min}–${kernel_max}`,
  },
  {
    key: 'requests',
    text: 'Requests/s',
    numeric: true,
    cell: (s) => number(s.router?.requests_per_s),
  },
  {
    key: 'p99',
    text: 'p99',
    numeric: true,
    cell: (s) => ms(s.router?.latency_ms.total[2] || undefined),
  },
  {
    key: 'queue',
    text: 'Queue, oldest',
    numeric: true,
    cell: ({router}) => (router ? `${number(router.queued)}, ${ms(router.oldest_ms)}` : DASH),
  },
  {key: 'acts', text: '', cell: (s) => <Acts s={s} services={services} asking={asking} />},
];

const othersColumns = (services: Services, asking: Asking): readonly Column<ServiceRow>[] => [
  {key: 'service', text: 'Service', cell: (s) => <Outside text={s.name} />},
  {key: 'state', text: 'State', cell: (s) => <Pill word={standing(s)} />},
  {key: 'owner', text: 'Owner', cell: (s) => <Outside text={s.owner} most={40} />},
  {key: 'plan', text: 'Plan', cell: (s) => <Outside text={s.plan} most={60} />},
  {key: 'job', text: 'Job', cell: (s) => <a href={jobPath(s.job)}>{s.job}</a>},
  {key: 'acts', text: '', cell: (s) => <Acts s={s} services={services} asking={asking} />},
];

const Empty = () => (
  <>
    <p>No service yet. Save the model of a run, promote it to a space, deploy it there; or:</p>
    <pre class="cmd">{'dlim model deploy -p FOLDER\ndlim model start NAME'}</pre>
  </>
);

const SUB =
  'Models that answer requests. Kernels come and go with the load, ' +
  'in the shares of everything else.';

export default function ServicesPage() {
  const services = useOnce(() => new Services());
  const asking = useOnce(() => new Asking());
  useEffect(() => keepAsking(services.known, {every: 2000}), []);
  const acts = (
    <a class="btn pri" href="/spaces">
      Deploy a model
    </a>
  );
  return (
    <Loaded of={services.known} title="Services">
      {(known) => (
        <Page title="Services" sub={SUB} acts={acts}>
          <Stale of={services.known} />
          <Alert text={services.doing.problem.value} />
          <section class="panel scroll" aria-label="Services">
            <Table
              label="Services"
              columns={columnsOf(services, asking)}
              source={memory(known.services)}
              rowKey={(s) => s.name}
              empty={<Empty />}
            />
          </section>
          {known.others.length > 0 && (
            <Panel title="Of other users" id="h-o" class="scroll">
              <Table
                label="Of other users"
                columns={othersColumns(services, asking)}
                source={memory(known.others)}
                rowKey={(s) => `${s.owner}/${s.name}`}
              />
            </Panel>
          )}
          <Questions asking={asking} />
        </Page>
      )}
    </Loaded>
  );
}
