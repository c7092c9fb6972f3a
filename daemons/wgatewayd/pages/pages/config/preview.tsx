// Role: what the production scheduler says of the text: who gains, who waits, by user and queue,
// and the jobs that move most.

import {jobPath} from '../../api/client.ts';
import type {Foretold, ForetoldCount, Preview} from '../../api/shapes_config.ts';
import {number} from '../../base/number.ts';
import {clock} from '../../base/time.ts';
import {Alert, Outside, Panel} from '../../parts/basic.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {now} from '../../state/clock.ts';
import type {Editing} from './model.ts';
import {moveWords, previewWords} from './rules.ts';

const date = (at: number | null) => (at === null ? 'no date' : clock(at, now()));

const JOBS: readonly Column<Foretold>[] = [
  {
    key: 'job',
    text: 'Job',
    width: 'minmax(110px,1.6fr)',
    cell: (job) => (
      <a href={jobPath(job.id)}>
        {job.id} <Outside text={job.name} most={60} />
      </a>
    ),
  },
  {key: 'user', text: 'User', width: '1fr', cell: (job) => <Outside text={job.user} most={40} />},
  {key: 'queue', text: 'Queue', width: '1fr', cell: (job) => <Outside text={job.queue} />},
  {key: 'plan', text: 'Plan', width: '1fr', cell: (job) => <Outside text={job.plan} />},
  {key: 'now', text: 'Starts, as it is', width: '112px', cell: (job) => date(job.now)},
  {key: 'then', text: 'with this text', width: '112px', cell: (job) => date(job.then)},
  {
    key: 'move',
    text: 'So it',
    width: 'minmax(110px,1.2fr)',
    cell: (job) => (
      <span class={`b ${job.verdict === 'gains' ? 'run' : 'warned'}`}>{moveWords(job)}</span>
    ),
  },
];

const count = (text: string, of: (row: ForetoldCount) => number): Column<ForetoldCount> => ({
  key: text,
  text,
  width: '76px',
  numeric: true,
  cell: (row) => number(of(row)),
});
const countsOf = (text: string): readonly Column<ForetoldCount>[] => [
  {key: 'name', text, width: 'minmax(90px,1fr)', cell: (row) => <Outside text={row.name} />},
  count('Earlier', (row) => row.gains),
  count('Later', (row) => row.waits),
  count('As now', (row) => row.same),
];
const BY_USER = countsOf('User');
const BY_QUEUE = countsOf('Queue');

const Counts = ({
  label,
  columns,
  rows,
}: {
  label: string;
  columns: typeof BY_USER;
  rows: readonly ForetoldCount[];
}) => <Table label={label} columns={columns} source={memory(rows)} rowKey={(row) => row.name} />;

function Told({told, old}: {told: Preview; old: boolean}) {
  const moved = told.gains + told.waits;
  return (
    <>
      <div class="pb" role="status">
        <p>
          <b>{previewWords(told)}</b>
        </p>
        {old && <p class="m s">The text was changed since: look again.</p>}
        {moved > told.jobs.length && (
          <p class="m s">The {told.jobs.length} that move most are shown.</p>
        )}
      </div>
      {told.jobs.length > 0 && (
        <>
          <div class="twins">
            <Counts label="By user" columns={BY_USER} rows={told.users} />
            <Counts label="By queue" columns={BY_QUEUE} rows={told.queues} />
          </div>
          <Table
            label="Jobs that move"
            columns={JOBS}
            source={memory(told.jobs)}
            rowKey={(job) => job.id}
          />
        </>
      )}
    </>
  );
}

/** Why it cannot be looked ahead now; empty: it can. */
function whyNot(model: Editing): string {
  if (model.wrong.value.length > 0) return 'What is wrong has to be mended first.';
  return model.changed.value ? '' : 'Nothing is changed yet.';
}

export function PreviewPanel({model}: {model: Editing}) {
  const made = model.preview.value;
  const why = whyNot(model);
  const tools = (
    <button
      type="button"
      class="btn"
      data-do="preview"
      disabled={why !== '' || model.previewing.busy.value}
      onClick={() => void model.lookAhead()}
    >
      {model.previewing.busy.value ? 'Looking ahead …' : 'Who gains, who waits'}
    </button>
  );
  return (
    <Panel title="What it would do" id="h-w" tools={tools} class="scroll">
      <div class="pb">
        <Alert text={model.previewing.problem.value} />
        {!made && (
          <p class="m s">
            {why} The master’s own scheduler goes on with the jobs of now, once as it is and once
            with this text. Jobs count as ending at their run limits. Nothing is changed.
          </p>
        )}
      </div>
      {made && <Told told={made.told} old={made.of !== model.text.value} />}
    </Panel>
  );
}
