// Role: models that were saved from runs: what each is made of, promoting it to a space.

import {useEffect} from 'preact/hooks';
import {ask, get, part, send} from '../../api/client.ts';
import type {Model, SpaceRow} from '../../api/shapes.ts';
import {DASH} from '../../base/number.ts';
import {clean} from '../../base/text.ts';
import {clock} from '../../base/time.ts';
import {told} from '../../base/values.ts';
import {mayUse, RunLink} from '../../parts/assets.tsx';
import {Asking, Questions} from '../../parts/asking.tsx';
import {Alert, NextStep, Outside} from '../../parts/basic.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {go} from '../../state/address.ts';
import {Asked, keepAsking, useOnce} from '../../state/asked.ts';
import {now} from '../../state/clock.ts';
import {Doing} from '../../state/doing.ts';
import {promoted} from '../shared/promote.ts';
import {VersionsButton, VersionsDialog} from '../shared/versions.tsx';
import {Versions} from '../shared/versions_model.ts';

interface Known {
  readonly models: readonly Model[];
  /** Those that one may promote to. */
  readonly spaces: readonly SpaceRow[];
}

const pathOf = (m: Model) => `/api/v1/projects/${part(m.project)}/models/${part(m.name)}`;

class Models {
  readonly known = new Asked<Known>(async () => {
    const [{models}, {spaces}] = await Promise.all([
      get<{models: Model[]}>('/api/v1/models'),
      get<{spaces: SpaceRow[]}>('/api/v1/spaces'),
    ]);
    return {models, spaces: spaces.filter((s) => mayUse(s.role))};
  });
  readonly doing = new Doing();

  readonly versions = new Versions(() => void this.known.refresh());

  async promote(m: Model, space: string, asking: Asking) {
    let taken = false;
    const done = await this.doing.run(async () => {
      taken = !(await promoted(pathOf(m), space));
    });
    if (done && !taken) go(`/spaces/${part(space)}`);
    if (taken)
      asking.ask({
        title: 'Promote as the next version?',
        said: (
          <p>
            <Outside text={space} most={60} /> has a model of this name. The one that is there stays
            as its version before; what was deployed of it goes on.
          </p>
        ),
        verb: 'Promote',
        act: () => void this.promoteNext(m, space),
      });
  }
  private async promoteNext(m: Model, space: string) {
    const next = () => send(`${pathOf(m)}/promote`, {space}, 'PUT');
    if (await this.doing.run(next)) go(`/spaces/${part(space)}`);
  }
  async remove(m: Model) {
    await this.doing.run(() => ask('DELETE', pathOf(m)));
    await this.known.refresh();
  }
}

interface PromoteProps {
  readonly m: Model;
  readonly known: Known;
  readonly models: Models;
  readonly asking: Asking;
}
function Promote({m, known, models, asking}: PromoteProps) {
  const id = `promote-${m.project}-${m.name}`;
  if (!known.spaces.length) return <a href="/spaces">Make a space first</a>;
  const chosen = () => {
    const select = document.getElementById(id);
    return select instanceof HTMLSelectElement ? select.value : '';
  };
  return (
    <span class="inline">
      <select id={id} aria-label={`Space for ${clean(m.name)}`}>
        {known.spaces.map((s) => (
          <option key={s.name} value={s.name}>
            {clean(s.name, 60)}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="btn"
        data-promote={m.name}
        onClick={() => void models.promote(m, chosen(), asking)}
      >
        Promote
      </button>
    </span>
  );
}

function columnsOf(known: Known, models: Models, asking: Asking): readonly Column<Model>[] {
  const remove = (m: Model) =>
    asking.ask({
      title: (
        <>
          Delete <Outside text={m.name} most={60} />?
        </>
      ),
      said: (
        <p>The saved files go. The run that it came from, and what was deployed of it, stay.</p>
      ),
      verb: 'Delete it',
      act: () => void models.remove(m),
    });
  return [
    {key: 'model', text: 'Model', cell: (m) => <Outside text={m.name} />},
    {
      key: 'project',
      text: 'Project',
      cell: (m) => (
        <a href={`/projects/${part(m.project)}`}>
          <Outside text={m.project} />
        </a>
      ),
    },
    {key: 'run', text: 'From run', cell: (m) => <RunLink run={m.run} />},
    {key: 'metrics', text: 'Metrics', width: '1fr', cell: (m) => told(m.metrics)},
    {
      key: 'code',
      text: 'Code',
      cell: (m) => (
        <span class="mono s">
          <Outside text={m.code_hash.slice(0, 8) || DASH} />
        </span>
      ),
    },
    {key: 'saved', text: 'Saved', cell: (m) => clock(m.saved, now())},
    {
      key: 'to',
      text: 'Promote to',
      cell: (m) => <Promote m={m} known={known} models={models} asking={asking} />,
    },
    {
      key: 'delete',
      text: '',
      cell: (m) => (
        <span class="inline">
          <VersionsButton
            of={m.name}
            versions={() =>
              void models.versions.open({kind: 'models', project: m.project, name: m.name})
            }
          />
          <button type="button" class="link s" onClick={() => remove(m)}>
            Delete
          </button>
        </span>
      ),
    },
  ];
}

const SUB =
  'Saved from runs, with what they were made of. Promoted to a space they can be deployed.';

export default function ModelsPage() {
  const models = useOnce(() => new Models());
  const asking = useOnce(() => new Asking());
  useEffect(() => keepAsking(models.known), []);
  return (
    <Loaded of={models.known} title="Models">
      {(known) => (
        <Page title="Models" sub={SUB} still>
          <Stale of={models.known} />
          <Alert text={models.doing.problem.value} />
          <section class="panel scroll" aria-label="Models">
            <Table
              label="Models"
              columns={columnsOf(known, models, asking)}
              source={memory(known.models)}
              rowKey={(m) => `${m.project}/${m.name}`}
              empty={
                <NextStep
                  said="No model yet: save that of a finished run. A folder is deployed by:"
                  line="dlim model deploy -p FOLDER"
                />
              }
            />
          </section>
          <Questions asking={asking} />
          <VersionsDialog versions={models.versions} />
        </Page>
      )}
    </Loaded>
  );
}
