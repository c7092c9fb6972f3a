// Role: what executions can be started with, what the default runtime includes, which volumes and
// hardware specifications there are.

import {get} from '../../api/client.ts';
import type {Framework, Hardware, Package, Volume} from '../../api/shapes.ts';
import {DASH, number} from '../../base/number.ts';
import {Outside, Panel} from '../../parts/basic.tsx';
import {Loaded, Page} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {useAsked} from '../../state/asked.ts';

interface Known {
  readonly frameworks: readonly Framework[];
  readonly packages: readonly Package[];
  readonly volumes: readonly Volume[];
  readonly specs: readonly Hardware[];
}

async function load(): Promise<Known> {
  const [{frameworks}, {packages}, {volumes}, {hwspecs}] = await Promise.all([
    get<{frameworks: Framework[]}>('/api/v1/frameworks'),
    get<{packages: Package[]}>('/api/v1/runtime'),
    get<{volumes: Volume[]}>('/api/v1/volumes'),
    get<{hwspecs: Hardware[]}>('/api/v1/hwspecs'),
  ]);
  return {frameworks, packages, volumes, specs: hwspecs};
}

const Standing = ({of}: {of: {readonly available?: boolean; readonly reason?: string}}) =>
  of.available === false ? <Outside text={`no: ${of.reason ?? 'not said'}`} /> : <>yes</>;

function workers(f: Framework): string {
  if (f.elastic) return `1 to ${number(f.maxWorkers)}`;
  return f.execMode === 'distributed' ? `up to ${number(f.maxWorkers)}` : '1';
}

const FRAMEWORKS: readonly Column<Framework>[] = [
  {key: 'name', text: 'Name', cell: (f) => <Outside text={f.name} />},
  {key: 'version', text: 'Version', cell: (f) => <Outside text={f.frameworkVersion || DASH} />},
  {key: 'what', text: 'What it is', width: '2fr', cell: (f) => <Outside text={f.desc[0] ?? ''} />},
  {key: 'workers', text: 'Workers', numeric: true, cell: workers},
  {key: 'from', text: 'From', cell: (f) => <Outside text={f.origin} />},
  {key: 'can', text: 'Can be started', width: '1fr', cell: (f) => <Standing of={f} />},
];
const PACKAGES: readonly Column<Package>[] = [
  {key: 'name', text: 'Package', width: '1fr', cell: (p) => <Outside text={p.name} />},
  {
    key: 'version',
    text: 'Version',
    width: '2fr',
    cell: (p) => (p.available ? <Outside text={p.version} /> : 'not available'),
  },
];
const VOLUMES: readonly Column<Volume>[] = [
  {key: 'name', text: 'Name', cell: (v) => <Outside text={v.name} />},
  {key: 'description', text: 'Description', cell: (v) => <Outside text={v.description} />},
  {key: 'path', text: 'Folder', cell: (v) => <Outside text={v.path} />},
  {key: 'written', text: 'Written to', cell: (v) => (v.read_only ? 'no' : 'yes')},
  {key: 'can', text: 'Can be read', cell: (v) => <Standing of={v} />},
];
const SPECS: readonly Column<Hardware>[] = [
  {key: 'name', text: 'Name', cell: (s) => <Outside text={s.name} />},
  {key: 'description', text: 'Description', cell: (s) => <Outside text={s.description} />},
  {key: 'cpus', text: 'CPUs', numeric: true, cell: (s) => number(s.cpus)},
  {key: 'memory', text: 'Memory', cell: (s) => <Outside text={s.memory || DASH} />},
  {
    key: 'gpus',
    text: 'GPUs',
    numeric: true,
    cell: (s) => (s.gpus ? `${number(s.gpus)} ${s.gpu_kind}` : DASH),
  },
  {key: 'mig', text: 'MIG', cell: (s) => <Outside text={s.mig || DASH} />},
];

interface SectionProps<R> {
  readonly id: string;
  readonly title: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly none: string;
}
const Section = <R extends {readonly name: string}>(props: SectionProps<R>) => (
  <Panel title={props.title} id={props.id} class="scroll">
    <Table
      label={props.title}
      columns={props.columns}
      source={memory(props.rows)}
      rowKey={(row) => row.name}
      empty={props.none}
    />
  </Panel>
);

export default function FrameworksPage() {
  const known = useAsked(load);
  const sub =
    'What executions can be started with here. ' +
    'In a shell: dlicmd --dl-frameworks, dlicmd --dl-runtime.';
  return (
    <Loaded of={known} title="Frameworks">
      {({frameworks, packages, volumes, specs}) => (
        <Page title="Frameworks" sub={sub} still>
          <Section
            id="h-f"
            title="Frameworks"
            columns={FRAMEWORKS}
            rows={frameworks}
            none="There is none."
          />
          <Section
            id="h-r"
            title="Default runtime"
            columns={PACKAGES}
            rows={packages}
            none="Python does not start on the gateway’s host."
          />
          <Section
            id="h-v"
            title="Storage volumes"
            columns={VOLUMES}
            rows={volumes}
            none="The site has none: volumes.conf."
          />
          <Section
            id="h-h"
            title="Hardware specifications"
            columns={SPECS}
            rows={specs}
            none="The site has none: hwspecs.conf."
          />
        </Page>
      )}
    </Loaded>
  );
}
