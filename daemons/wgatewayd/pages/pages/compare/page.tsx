// Role: Compare: which of some runs is better, and what was changed between them.

import {useSignal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import {jobPath} from '../../api/client.ts';
import {counted, number} from '../../base/number.ts';
import {clean} from '../../base/text.ts';
import {saveRows} from '../../figures/export.ts';
import {Alert, Outside, Panel, Segment, StateMark} from '../../parts/basic.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {param, setParam} from '../../state/address.ts';
import {keepAsking, useOnce} from '../../state/asked.ts';
import {CurveFigures, lookOf} from './curves.tsx';
import {Comparison} from './model.ts';
import {AXES, FEWEST, MOST, tableRows} from './rules.ts';
import {RunsTable, SettingsNote} from './tables.tsx';

/** The runs, in their colours; pointing at one brings its lines forward. */
function Chosen({model}: {model: Comparison}) {
  const runs = model.runs.value;
  const {ids} = model.chosen.value;
  return (
    <div class="chosen">
      {runs.map((run, i) => {
        const look = lookOf(ids, run, i);
        const point = (name: string | null) => () => {
          model.near.value = name;
        };
        return (
          <span
            key={run.id}
            class={`run ${look.colour} ${model.near.value === look.name ? 'near' : ''}`}
            onPointerEnter={point(look.name)}
            onPointerLeave={point(null)}
          >
            <i class={look.dash ? 'dash dashed' : 'dash'} />
            <a href={jobPath(run.id)} onFocus={point(look.name)} onBlur={point(null)}>
              <Outside text={look.name} most={40} />
            </a>
            <StateMark word={run.state} />
            {ids.length > FEWEST && (
              <button
                type="button"
                class="link"
                aria-label={`Leave out ${run.id}`}
                onClick={() => model.setRuns(ids.filter((id) => id !== run.id))}
              >
                ✕
              </button>
            )}
          </span>
        );
      })}
    </div>
  );
}

function AddRun({model}: {model: Comparison}) {
  const id = useSignal('');
  const {ids} = model.chosen.value;
  return (
    <form
      class="inline"
      onSubmit={(event) => {
        event.preventDefault();
        if (id.value.trim()) model.setRuns([...ids, id.value.trim()]);
        id.value = '';
      }}
    >
      <input
        type="text"
        name="run"
        inputMode="numeric"
        aria-label="Another run: its id"
        placeholder="Another run: its id"
        value={id.value}
        disabled={ids.length >= MOST}
        onInput={(event) => {
          id.value = event.currentTarget.value;
        }}
      />
      <button type="submit" class="btn" disabled={ids.length >= MOST}>
        Add
      </button>
    </form>
  );
}

function CurvesPanel({model}: {model: Comparison}) {
  const all = model.metrics.value.length;
  const more = model.fitting.value.length - model.drawn.value.length;
  const axes = (
    <Segment
      label="Axis"
      value={model.axis.value}
      options={AXES.map(([axis, text]) => [axis, text] as const)}
      onChoose={(axis) => setParam('x', axis === 'step' ? '' : axis)}
    />
  );
  return (
    <Panel title="Curves" id="h-c" tools={axes}>
      <div class="pb">
        {all > 1 && (
          <label class="field">
            <span>{counted(all, 'metric')}</span>
            <input
              type="search"
              name="metric"
              placeholder="Which: part of a name"
              value={param('q')}
              onInput={(event) => setParam('q', event.currentTarget.value)}
            />
          </label>
        )}
        <CurveFigures model={model} />
        {all === 0 && <p class="m s">None of them has reported a metric.</p>}
        {more > 0 && (
          <button
            type="button"
            class="btn"
            onClick={() => {
              model.whole.value = true;
            }}
          >
            {number(more)} more
          </button>
        )}
      </div>
    </Panel>
  );
}

function Shown({model}: {model: Comparison}) {
  const runs = model.runs.value;
  const {left} = model.chosen.value;
  const save = (
    <button type="button" class="link s" onClick={() => saveRows('compared', tableRows(runs))}>
      CSV
    </button>
  );
  return (
    <Page
      title={`Compare ${counted(runs.length, 'run')}`}
      crumb={<a href="/apps">Applications</a>}
      sub={left > 0 ? `${MOST} are compared at most: ${number(left)} are left out.` : undefined}
      acts={<AddRun model={model} />}
    >
      <Stale of={model.known} />
      <Alert text={model.curves.failure.value?.message ?? ''} />
      <Chosen model={model} />
      <CurvesPanel model={model} />
      <Panel title="Settings and results" id="h-r" class="scroll" tools={save}>
        <RunsTable model={model} />
        <SettingsNote runs={runs} />
      </Panel>
    </Page>
  );
}

const TooFew = ({model}: {model: Comparison}) => (
  <Page title="Compare" still crumb={<a href="/apps">Applications</a>}>
    <div class="panel empty">
      <p>
        Choose {FEWEST} to {MOST} runs in the list of <a href="/apps">applications</a>, then
        Compare; or name them here.
      </p>
      <AddRun model={model} />
      {model.chosen.value.ids.map((id) => (
        <p key={id}>Run {clean(id, 40)}, and another.</p>
      ))}
    </div>
  </Page>
);

export default function ComparePage() {
  const model = useOnce(() => new Comparison());
  useEffect(() => {
    const ends = [model.begin(), keepAsking(model, {onJobs: 2000, every: 5000})];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  if (model.chosen.value.ids.length < FEWEST) return <TooFew model={model} />;
  return (
    <Loaded of={model.known} title="Compare">
      {() => <Shown model={model} />}
    </Loaded>
  );
}
