// Role: what each worker wrote, of any number of workers.

import {part} from '../../api/client.ts';
import {isWaiting} from '../../base/states.ts';
import {clean} from '../../base/text.ts';
import {Panel, Segment} from '../../parts/basic.tsx';
import {LogBox} from '../../parts/log.tsx';
import type {Facts, Output, Run} from './model.ts';

const BUTTONS = 8;

function Workers({known, model}: {known: Facts; model: Run}) {
  const task = model.task.value ?? known.workers[0]?.task ?? 0;
  const output = model.output.value ?? 'stdout';
  const options = known.workers.map((w) => [w.task, `worker ${w.task}`] as const);
  if (options.length <= BUTTONS) {
    return (
      <Segment
        label="Worker"
        value={task}
        options={options}
        onChoose={(chosen) => model.choose(chosen, output)}
      />
    );
  }
  return (
    <select
      aria-label="Worker"
      value={String(task)}
      onChange={(event) => model.choose(Number(event.currentTarget.value), output)}
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

export function Logs({known, model}: {known: Facts; model: Run}) {
  if (!known.facts.own) return null;
  const task = model.task.value;
  const output = model.output.value ?? 'stdout';
  const log = model.log.value;
  const link = task !== null && (
    <span class="tools">
      <a
        href={`${model.path}/logs/${part(String(task))}/${output}`}
        download={`${known.facts.exec_id}-${task}-${output}.txt`}
      >
        Download
      </a>
    </span>
  );
  const outputs: readonly (readonly [Output, string])[] = [
    ['stdout', 'stdout'],
    ['stderr', 'stderr'],
  ];
  return (
    <Panel title="Logs" id="h-l" tools={link}>
      {known.workers.length > 0 && (
        <div class="logbar">
          <Workers known={known} model={model} />
          <Segment
            label="Output"
            value={output}
            options={outputs}
            onChoose={(chosen) => task !== null && model.choose(task, chosen)}
          />
        </div>
      )}
      {log ? (
        <LogBox key={`${task}${output}`} log={log} id="log" none={noneWords(known)} />
      ) : (
        <p class="empty">{noneWords(known)}</p>
      )}
    </Panel>
  );
}
