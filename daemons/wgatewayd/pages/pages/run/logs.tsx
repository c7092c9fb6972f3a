// Role: what each worker wrote, of any number of workers.

import {part} from '../../api/client.ts';
import {isWaiting} from '../../base/states.ts';
import {clean} from '../../base/text.ts';
import {Panel, Segment} from '../../parts/basic.tsx';
import {LogBox} from '../../parts/log.tsx';
import {FoundBox, MergedBox} from './log_views.tsx';
import type {Facts, Output, Run} from './model.ts';

const BUTTONS = 8;
const ALL = -1;

/** All workers as one, or one of them. */
function Workers({known, model}: {known: Facts; model: Run}) {
  const output = model.output.value ?? 'stdout';
  const task = model.all.value ? ALL : (model.task.value ?? known.workers[0]?.task ?? 0);
  const options = [
    [ALL, 'All'] as const,
    ...known.workers.map((w) => [w.task, `worker ${w.task}`] as const),
  ];
  const choose = (chosen: number) =>
    chosen === ALL ? model.chooseAll() : model.choose(chosen, output);
  if (options.length <= BUTTONS) {
    return (
      <Segment label="Worker" name="worker" value={task} options={options} onChoose={choose} />
    );
  }
  return (
    <select
      aria-label="Worker"
      value={String(task)}
      onChange={(event) => choose(Number(event.currentTarget.value))}
    >
      {options.map(([value, text]) => (
        <option key={value} value={String(value)}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** Where output is that is in no worker's file. */
function noneWords(known: Facts): string {
  const {job} = known.facts;
  if (isWaiting(job.wm_state)) return 'No output yet: it has not started.';
  const file = job.output_file;
  if (known.workers.length === 0 && file) return `Its output is in its file: ${clean(file, 400)}`;
  return 'No output.';
}

const OUTPUTS: readonly (readonly [Output, string])[] = [
  ['stdout', 'stdout'],
  ['stderr', 'stderr'],
];

function Bar({known, model}: {known: Facts; model: Run}) {
  const task = model.task.value;
  return (
    <div class="logbar">
      <Workers known={known} model={model} />
      {!model.all.value && (
        <Segment
          label="Output"
          value={model.output.value ?? 'stdout'}
          options={OUTPUTS}
          onChoose={(chosen) => task !== null && model.choose(task, chosen)}
        />
      )}
      <button
        type="button"
        class="link s"
        data-do="errors"
        disabled={model.search.doing.busy.value}
        onClick={() => void model.search.look('')}
      >
        Find errors
      </button>
    </div>
  );
}

export function Logs({known, model}: {known: Facts; model: Run}) {
  if (!known.facts.own) return null;
  const task = model.task.value;
  const output = model.output.value ?? 'stdout';
  const log = model.log.value;
  const link = task !== null && !model.all.value && (
    <span class="tools">
      <a
        href={`${model.path}/logs/${part(String(task))}/${output}`}
        download={`${known.facts.exec_id}-${task}-${output}.txt`}
      >
        Download
      </a>
    </span>
  );
  const none = noneWords(known);
  return (
    <Panel title="Logs" id="h-l" tools={link}>
      {known.workers.length > 0 && <Bar known={known} model={model} />}
      <FoundBox search={model.search} onLine={(line) => model.goToLine(line)} />
      {model.all.value ? (
        <MergedBox log={model.all.value} none={none} />
      ) : log ? (
        <LogBox
          key={`${task}${output}`}
          log={log}
          id="log"
          none={none}
          onWhole={(word) => void model.search.look(word)}
        />
      ) : (
        <p class="empty">{none}</p>
      )}
    </Panel>
  );
}
