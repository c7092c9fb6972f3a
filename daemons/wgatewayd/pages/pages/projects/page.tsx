// Role: the projects there are.

import {get, part} from '../../api/client.ts';
import type {Project} from '../../api/shapes.ts';
import {Icon, NextStep, Outside} from '../../parts/basic.tsx';
import {Loaded, Page} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {useAsked} from '../../state/asked.ts';

const COLUMNS: readonly Column<Project>[] = [
  {
    key: 'project',
    text: 'Project',
    cell: (p) => (
      <a href={`/projects/${part(p.name)}`}>
        <Outside text={p.name} />
      </a>
    ),
  },
  {key: 'owner', text: 'Owner', cell: (p) => <Outside text={p.owner ?? ''} />},
  {key: 'role', text: 'You are', cell: (p) => <Outside text={p.role ?? ''} />},
  {key: 'plan', text: 'Resource plan', cell: (p) => <Outside text={p.plan || 'default'} />},
  {
    key: 'description',
    text: 'Description',
    width: '2fr',
    cell: (p) => <Outside text={p.description} />,
  },
];

export default function ProjectsPage() {
  const projects = useAsked(
    async () => (await get<{projects: Project[]}>('/api/v1/projects')).projects,
  );
  const acts = (
    <a class="btn pri" href="/new/experiment">
      <Icon name="plus" />
      New experiment
    </a>
  );
  const sub = 'Definitions, experiments, and the resource plan that they draw on.';
  return (
    <Loaded of={projects} title="Projects">
      {(list) => (
        <Page title="Projects" sub={sub} acts={acts} still>
          <section class="panel scroll" aria-label="Projects">
            <Table
              label="Projects"
              columns={COLUMNS}
              source={memory(list)}
              rowKey={(p) => p.name}
              empty={
                <NextStep
                  said="No project yet: New experiment makes one. A run without a project:"
                  line="dlicmd --exec-start PyTorch --model-main train.py --model-dir code"
                />
              }
            />
          </section>
        </Page>
      )}
    </Loaded>
  );
}
