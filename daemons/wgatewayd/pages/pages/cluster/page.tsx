// Role: the map of the cluster: what is free, what is broken, the largest start now; the same as a
// table of hosts.

import {useEffect, useMemo} from 'preact/hooks';
import {jobPath} from '../../api/client.ts';
import type {Host} from '../../api/shapes_admin.ts';
import {bytes, counted, DASH, number} from '../../base/number.ts';
import {CellMap} from '../../figures/cell_map.tsx';
import type {Look, Place} from '../../figures/cells.ts';
import {mixed} from '../../figures/colours.ts';
import {Outside, Segment, type Tile, Tiles} from '../../parts/basic.tsx';
import {Filter} from '../../parts/filter.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {go, setParam} from '../../state/address.ts';
import {keepAsking, useOnce} from '../../state/asked.ts';
import {hostPath} from '../shared/host.ts';
import {ClusterMap, WAYS} from './model.ts';
import {type Box, cellWords, largestStart, sumsOf, type Tone, toneOf} from './rules.ts';

const FIELDS = ['host', 'gpu', 'state', 'user', 'job', 'reason'];
const STATES = ['used', 'free', 'aside', 'broken', 'silent'];

function tilesOf(boxes: readonly Box[]): Tile[] {
  const sums = sumsOf(boxes);
  const start = largestStart(boxes);
  const unit = start.gpus ? 'GPUs' : 'slots';
  const hosts = boxes.map((box) => box.host);
  const good = hosts.filter((host) => host.state === 'ok' && !host.closed).length;
  return [
    {label: `${unit} in use`, value: number(sums.used), unit: `of ${number(sums.total)}`},
    {label: 'Healthy', value: number(sums.healthy), unit: `of ${number(sums.total)}`},
    {
      label: 'Largest start now',
      value: number(start.one),
      unit: 'on one host',
      note: `${number(start.spread)} spread`,
    },
    {label: 'Hosts that take jobs', value: number(good), unit: `of ${number(hosts.length)}`},
  ];
}

function Bar({model}: {model: ClusterMap}) {
  return (
    <div class="bar">
      <Segment
        label="As"
        value={model.table.value ? 'table' : ''}
        options={[
          ['', 'Map'],
          ['table', 'Table'],
        ]}
        onChoose={(as) => setParam('as', as)}
      />
      {!model.table.value && (
        <Segment
          label="Cells by"
          value={model.by.value}
          options={WAYS}
          onChoose={(by) => setParam('by', by === 'state' ? '' : by)}
        />
      )}
      <Filter
        label="Filter the cluster"
        placeholder="Filter: host, gpu:H100, state:broken"
        value={model.filter.value}
        names={FIELDS}
        values={{state: STATES, host: model.names.value}}
        problems={model.query.value.problems}
        onInput={(text) => setParam('q', text)}
      />
    </div>
  );
}

const groundOf = ({colour, strength}: Tone) =>
  `color-mix(in srgb,var(${colour}) ${strength}%,var(--surface))`;

/** Its entries filter, as words of the filter would. */
function Legend({model}: {model: ClusterMap}) {
  const field = model.by.value === 'owner' ? 'user' : 'state';
  const filters = model.by.value === 'state' || model.by.value === 'owner';
  return (
    <fieldset class="chips legends" aria-label="Cells">
      {model.legend.value.map(({tone, count}) => {
        const word = `${STATES.includes(tone.name) ? 'state' : field}:${tone.name}`;
        const on = model.filter.value === word;
        return (
          <button
            type="button"
            class="chip"
            key={tone.name}
            aria-pressed={on ? 'true' : 'false'}
            disabled={!filters || tone.name === '?'}
            onClick={() => setParam('q', on ? '' : word)}
          >
            <i class="sw" style={{background: groundOf(tone)}} />
            {tone.text} {number(count)}
          </button>
        );
      })}
    </fieldset>
  );
}

/** The cell that is pointed at, in words. */
function Pointed({model}: {model: ClusterMap}) {
  const cell = model.cell(model.chosen.value);
  return (
    <p class="fine" role="status">
      {cell ? (
        <span>
          <Outside text={cellWords(cell)} />{' '}
          {cell.jobs.map((id) => (
            <a key={id} href={jobPath(id)}>
              job {id}{' '}
            </a>
          ))}
        </span>
      ) : (
        <span>Point at a cell, or walk with the arrow keys.</span>
      )}
      <span>in a shell: bhosts -gpu</span>
    </p>
  );
}

function MapView({model}: {model: ClusterMap}) {
  const tones = model.legend.value;
  const [by, fits, boxes] = [model.by.value, model.query.value.fits, model.boxes.value];
  const look = useMemo(() => {
    const byName = new Map(tones.map(({tone}) => [tone.name, tone]));
    return (place: Place, token: (property: string) => string): Look => {
      const cell = boxes[place.box]?.cells[place.cell];
      const tone = cell && byName.get(toneOf(cell, by));
      if (!cell || !tone) return {colour: token('--line'), cross: false, faint: true};
      const colour = mixed(token(tone.colour), token('--surface'), tone.strength);
      return {colour, cross: tone.cross ?? false, faint: !fits(cell)};
    };
  }, [tones, by, fits, boxes]);
  const open = (place: Place) => {
    const cell = model.cell(place);
    if (cell) go(hostPath(cell.host));
  };
  const label = `${counted(boxes.length, 'host')}, ${cellsWords(model)}`;
  return (
    <>
      <Legend model={model} />
      <div class="pb">
        <CellMap
          label={label}
          names={model.names.value}
          counts={model.counts.value}
          look={look}
          chosen={model.chosen}
          onOpen={open}
        />
      </div>
      <Pointed model={model} />
    </>
  );
}
const cellsWords = (model: ClusterMap) =>
  model.legend.value.map(({tone, count}) => `${tone.text} ${number(count)}`).join(', ');

const text = (name: string, cell: Column<Host>['cell'], width = 'auto'): Column<Host> => ({
  key: name,
  text: name,
  cell,
  width,
});
const COLUMNS: readonly Column<Host>[] = [
  text('Host', (x) => (
    <a href={hostPath(x.host_name)}>
      <Outside text={x.host_name} />
    </a>
  )),
  text('Status', (x) => <Outside text={x.status} />),
  {...text('Slots', (x) => `${number(x.run)} of ${number(x.max)}`), numeric: true},
  {
    ...text('GPUs', (x) => (x.ngpus ? `${number(x.ngpus_alloc)} of ${number(x.ngpus)}` : DASH)),
    numeric: true,
  },
  {...text('CPUs', (x) => `${number(x.ncpus_alloc)} of ${number(x.ncpus)}`), numeric: true},
  {...text('Load', (x) => number(x.load_indexes.r1m)), numeric: true},
  {...text('Memory', (x) => bytes(x.total_mem_bytes)), numeric: true},
  text('Note', (x) => <Outside text={x.comments} />, 'minmax(80px,1fr)'),
];

function TableView({model}: {model: ClusterMap}) {
  const fits = model.query.value.fits;
  const rows = model.boxes.value
    .filter((box) => (box.cells.length ? box.cells.some(fits) : !model.filter.value))
    .map((box) => box.host);
  return (
    <Table
      label="Hosts"
      columns={COLUMNS}
      source={memory(rows)}
      rowKey={(x) => x.host_name}
      empty="No host has what the filter asks for."
    />
  );
}

const Empty = () => (
  <div class="empty">
    <p>No host has come to the cluster yet. On each one, after its line in hosts.conf:</p>
    <p class="cmd">systemctl start wnoded</p>
  </div>
);

export default function ClusterPage() {
  const model = useOnce(() => new ClusterMap());
  useEffect(() => {
    const ends = [keepAsking(model, {onJobs: 2000, every: 15_000}), model.begin()];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  return (
    <Loaded of={model.hosts} title="Cluster">
      {(hosts) => (
        <Page title="Cluster" sub="What is free, what is in use and by whom, what is broken.">
          <Stale of={model.hosts} />
          <Tiles tiles={tilesOf(model.boxes.value)} />
          <section class="panel" aria-label="Hosts">
            <Bar model={model} />
            {hosts.length === 0 ? (
              <Empty />
            ) : model.table.value ? (
              <TableView model={model} />
            ) : (
              <MapView model={model} />
            )}
          </section>
        </Page>
      )}
    </Loaded>
  );
}
