// Role: spaces, where models are put to use: one's own and those that others share; making one.

import {useEffect} from 'preact/hooks';
import {ask, get, send} from '../../api/client.ts';
import type {SpaceRow} from '../../api/shapes.ts';
import {number} from '../../base/number.ts';
import {clean} from '../../base/text.ts';
import {Asking, Questions} from '../../parts/asking.tsx';
import {Alert, Icon, Outside} from '../../parts/basic.tsx';
import {Field, FormBox} from '../../parts/form.tsx';
import {Form} from '../../parts/form_model.ts';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {Asked, keepAsking, useOnce} from '../../state/asked.ts';
import {Doing} from '../../state/doing.ts';
import {isMine, plainName, spacePath} from '../shared/space.ts';

interface Known {
  readonly spaces: readonly SpaceRow[];
  /** Owners who are not logged on: what they share is closed. */
  readonly away: readonly string[];
}

class Spaces {
  readonly known = new Asked(() => get<Known>('/api/v1/spaces'));
  readonly doing = new Doing();
  readonly form = new Form({name: '', plan: '', description: ''}, 'wm-new-space');

  async make() {
    const {name, plan, description} = this.form.value.value;
    const body = {name: name.trim(), plan: plan.trim(), description: description.trim()};
    const missing: Record<string, string> = body.name ? {} : {name: 'Which name?'};
    const made = await this.form.submit(
      () => send('/api/v1/spaces', body, 'POST', this.form.key),
      missing,
    );
    if (!made) return;
    this.form.reset();
    await this.known.refresh();
  }
  async remove(name: string) {
    await this.doing.run(() => ask('DELETE', `/api/v1${spacePath(name)}`));
    await this.known.refresh();
  }
}

const Owner = ({s}: {s: SpaceRow}) =>
  isMine(s) ? (
    <>you</>
  ) : (
    <>
      <Outside text={s.owner} />, you are {clean(s.role)}
    </>
  );

function columnsOf(spaces: Spaces, asking: Asking): readonly Column<SpaceRow>[] {
  const remove = (s: SpaceRow) =>
    asking.ask({
      title: (
        <>
          Delete <Outside text={s.name} most={60} />?
        </>
      ),
      said: <p>The space and the models promoted to it go, for its members too.</p>,
      verb: 'Delete it',
      act: () => void spaces.remove(s.name),
    });
  return [
    {
      key: 'space',
      text: 'Space',
      cell: (s) => (
        <a href={spacePath(s.name)}>
          <Outside text={plainName(s)} />
        </a>
      ),
    },
    {key: 'owner', text: 'Owner', cell: (s) => <Owner s={s} />},
    {
      key: 'description',
      text: 'Description',
      width: '1fr',
      cell: (s) => <Outside text={s.description} />,
    },
    {key: 'plan', text: 'Plan', cell: (s) => <Outside text={s.plan || 'its deployer’s'} />},
    {key: 'members', text: 'Members', cell: (s) => (s.members ? number(s.members) : '')},
    {key: 'models', text: 'Models', cell: (s) => number(s.models)},
    {key: 'deployments', text: 'Deployments', cell: (s) => number(s.deployments)},
    {
      key: 'delete',
      text: '',
      cell: (s) =>
        isMine(s) && (
          <button type="button" class="link s" onClick={() => remove(s)}>
            Delete
          </button>
        ),
    },
  ];
}

function NewSpace({spaces}: {spaces: Spaces}) {
  const {form} = spaces;
  return (
    <FormBox form={form} onSubmit={() => void spaces.make()} label="New space">
      <h2>New space</h2>
      <div class="two">
        <Field form={form} name="name" id="space-name" label="Name" />
        <Field
          form={form}
          name="plan"
          id="space-plan"
          label="Resource plan"
          note="Empty: the plan of who deploys."
        />
        <Field form={form} name="description" id="space-description" label="Description" />
      </div>
      <button type="submit" class="btn pri" id="make-space" disabled={form.busy.value}>
        <Icon name="plus" />
        Create
      </button>
    </FormBox>
  );
}

const SUB =
  'Where models are put to use, apart from where they are made. ' +
  'Yours, and those that others share with you.';

export default function SpacesPage() {
  const spaces = useOnce(() => new Spaces());
  const asking = useOnce(() => new Asking());
  useEffect(() => keepAsking(spaces.known), []);
  return (
    <Loaded of={spaces.known} title="Spaces">
      {(known) => (
        <Page title="Spaces" sub={SUB} still>
          <Stale of={spaces.known} />
          <Alert text={spaces.doing.problem.value} />
          {known.away.length > 0 && (
            <p class="note warn">
              Not logged on, so that what they share is closed:{' '}
              <Outside text={known.away.join(', ')} most={400} />.
            </p>
          )}
          <section class="panel scroll" aria-label="Spaces">
            <Table
              label="Spaces"
              columns={columnsOf(spaces, asking)}
              source={memory(known.spaces)}
              rowKey={(s) => s.name}
              empty="No space yet."
            />
          </section>
          <NewSpace spaces={spaces} />
          <Questions asking={asking} />
        </Page>
      )}
    </Loaded>
  );
}
