// Role: a project: what there is in it, what used it, and running it again.

import {useEffect} from 'preact/hooks';
import {part, runPath} from '../../api/client.ts';
import type {Definition, Experiment, Project} from '../../api/shapes.ts';
import {state} from '../../base/states.ts';
import {clean} from '../../base/text.ts';
import {Asking, Questions} from '../../parts/asking.tsx';
import {Alert, Icon, NextStep, Outside, Panel} from '../../parts/basic.tsx';
import {MembersDialog, Share} from '../../parts/members.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {keepAsking, useOnce} from '../../state/asked.ts';
import {me} from '../../state/session.ts';
import {VersionsButton, VersionsDialog} from '../shared/versions.tsx';
import {jobOf, ProjectModel, SHOWN_RUNS} from './model.ts';

function Run({run, model}: {run: string; model: ProjectModel}) {
  const job = model.jobs.value.get(jobOf(run));
  return (
    <span class="b">
      {job && <Icon name={state(job.wm_state).icon} />}
      <a href={runPath(run)} aria-label={job && `${jobOf(run)}, ${state(job.wm_state).word}`}>
        {jobOf(run)}
      </a>{' '}
    </span>
  );
}

const remove = (
  model: ProjectModel,
  asking: Asking,
  kind: 'experiments' | 'definitions',
  name: string,
) =>
  asking.ask({
    title: (
      <>
        Delete <Outside text={name} most={60} />?
      </>
    ),
    said:
      kind === 'experiments' ? (
        <p>The experiment goes. Its runs, and what they left, stay.</p>
      ) : (
        <p>The definition goes, with the code that it holds. Runs of it stay.</p>
      ),
    verb: 'Delete it',
    act: () => void model.remove(kind, name),
  });

const experimentColumns = (model: ProjectModel, asking: Asking): readonly Column<Experiment>[] => [
  {key: 'name', text: 'Name', cell: (e) => <Outside text={e.name} />},
  {
    key: 'definitions',
    text: 'Definitions',
    cell: (e) => <Outside text={e.definitions.join(', ')} />,
  },
  {key: 'data', text: 'Data', cell: (e) => <Outside text={e.data || '–'} />},
  {key: 'plan', text: 'Plan', cell: (e) => <Outside text={e.plan || 'the project’s'} />},
  {
    key: 'runs',
    text: 'Runs',
    width: '1fr',
    cell: (e) => e.runs.slice(-SHOWN_RUNS).map((run) => <Run key={run} run={run} model={model} />),
  },
  {
    key: 'acts',
    text: '',
    cell: (e) => (
      <span class="acts">
        <button
          type="button"
          class="btn"
          disabled={model.doing.busy.value}
          onClick={() => void model.run(e.name)}
        >
          Run
        </button>
        <VersionsButton of={e.name} versions={() => void model.open('experiments', e.name)} />
        <button
          type="button"
          class="link s"
          onClick={() => remove(model, asking, 'experiments', e.name)}
        >
          Delete
        </button>
      </span>
    ),
  },
];

const each = (d: Definition) =>
  d.hardware || `${d.per_worker} ${d.device.toUpperCase()}${d.memory ? `, ${d.memory}` : ''}`;

const definitionColumns = (model: ProjectModel, asking: Asking): readonly Column<Definition>[] => [
  {key: 'name', text: 'Name', cell: (d) => <Outside text={d.name} />},
  {key: 'framework', text: 'Framework', cell: (d) => <Outside text={d.framework} />},
  {key: 'each', text: 'Each worker', cell: (d) => <Outside text={each(d)} />},
  {key: 'nodes', text: 'Nodes', cell: (d) => <Outside text={d.nodes} />},
  {key: 'code', text: 'Code', cell: (d) => <Outside text={d.code_name} />},
  {
    key: 'command',
    text: 'Command',
    width: '1fr',
    cell: (d) => (
      <span class="mono">
        <Outside text={d.command} />
      </span>
    ),
  },
  {
    key: 'acts',
    text: '',
    cell: (d) => (
      <span class="acts">
        <VersionsButton of={d.name} versions={() => void model.open('definitions', d.name)} />
        <button
          type="button"
          class="link s"
          onClick={() => remove(model, asking, 'definitions', d.name)}
        >
          Delete
        </button>
      </span>
    ),
  },
];

const MAY = [
  'sees definitions, experiments and runs',
  'adds and changes them, and runs experiments',
  'changes the members, too',
] as const;

/** One's own says no role. */
const shares = (p: Project) => !p.role || p.role === 'owner' || p.role === 'admin';

function ProjectMembers({name, model}: {name: string; model: ProjectModel}) {
  const shared = name.includes('~') ? name : `${me.value}~${name}`;
  return (
    <MembersDialog members={model.members} may={MAY} onSave={() => void model.saveMembers()}>
      Members find it under Projects; who does not opens{' '}
      <span class="mono">{clean(`${location.origin}/projects/${part(shared)}`)}</span>. What a
      member runs is the member’s own, in the plan of the project.
    </MembersDialog>
  );
}

export default function ProjectPage({args: [name = '']}: {args: readonly string[]}) {
  const model = useOnce(() => new ProjectModel(name));
  const asking = useOnce(() => new Asking());
  useEffect(() => {
    const end = keepAsking(model.known, {onJobs: 2000});
    return () => {
      end();
      model.leave();
    };
  }, []);
  const crumb = (
    <>
      <a href="/projects">Projects</a> / <Outside text={name} />
    </>
  );
  const acts = (
    <a class="btn pri" href={`/new/experiment?project=${part(name)}`}>
      <Icon name="plus" />
      New experiment
    </a>
  );
  return (
    <Loaded of={model.known} title={name}>
      {({project, experiments, definitions}) => (
        <Page
          title={name}
          name={<Outside text={name} />}
          crumb={crumb}
          acts={
            <>
              {shares(project) && <Share members={model.members} list={project.members} />}
              {acts}
            </>
          }
        >
          <Stale of={model.known} />
          <Alert text={model.doing.problem.value} />
          <Panel title="Experiments" id="h-x" class="scroll">
            <Table
              label="Experiments"
              columns={experimentColumns(model, asking)}
              source={memory(experiments)}
              rowKey={(e) => e.name}
              empty={
                <NextStep
                  said="No experiment yet: New experiment makes one. A single run:"
                  line="dlicmd --exec-start PyTorch --model-main train.py --model-dir code"
                />
              }
            />
          </Panel>
          <Panel title="Model definitions" id="h-f" class="scroll">
            <Table
              label="Model definitions"
              columns={definitionColumns(model, asking)}
              source={memory(definitions)}
              rowKey={(d) => d.name}
              empty="No definition yet: a new experiment makes one."
            />
          </Panel>
          {shares(project) && <ProjectMembers name={name} model={model} />}
          <Questions asking={asking} />
          <VersionsDialog versions={model.versions} />
        </Page>
      )}
    </Loaded>
  );
}
