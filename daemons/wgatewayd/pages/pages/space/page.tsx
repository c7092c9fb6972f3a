// Role: one space: the models in it, what is deployed of each, deploying one.

import {useEffect} from 'preact/hooks';
import type {Space, SpaceModel as Promoted} from '../../api/shapes.ts';
import {told} from '../../base/values.ts';
import {mayUse, RunLink} from '../../parts/assets.tsx';
import {Asking, Questions} from '../../parts/asking.tsx';
import {Alert, Outside} from '../../parts/basic.tsx';
import {Field, FormBox, Select} from '../../parts/form.tsx';
import {Share} from '../../parts/members.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {keepAsking, useOnce} from '../../state/asked.ts';
import {servicePath} from '../shared/service.tsx';
import {isMine, plainName} from '../shared/space.ts';
import {SpaceMembers} from './members.tsx';
import {SpaceModel} from './model.ts';

function Deploy({model}: {model: SpaceModel}) {
  const {form} = model;
  const chosen = model.chosen.value;
  if (!chosen) return null;
  const count = (name: 'min' | 'max' | 'batch', label: string) => (
    <Field
      form={form}
      name={name}
      id={`deploy-${name}`}
      label={label}
      input={{type: 'number', min: '0'}}
    />
  );
  return (
    <FormBox form={form} onSubmit={() => void model.deploy()} label={`Deploy ${chosen}`}>
      <h2>
        Deploy <Outside text={chosen} /> online
      </h2>
      <div class="two">
        <Field form={form} name="name" id="deploy-name" label="Name of the service" />
        <Select
          form={form}
          name="gpu"
          id="deploy-gpu"
          label="GPU"
          options={['no', 'shared', 'exclusive'].map((k) => [k, k])}
        />
        {count('min', 'Kernels at least')}
        {count('max', 'Kernels at most')}
        {count('batch', 'Requests of one call')}
      </div>
      <div class="foot2 start">
        <button type="submit" class="btn pri" id="deploy-go" disabled={form.busy.value}>
          Deploy and start
        </button>
        <button
          type="button"
          class="btn"
          onClick={() => {
            model.chosen.value = '';
          }}
        >
          Cancel
        </button>
      </div>
    </FormBox>
  );
}

/** Another's service is theirs to look at: only its name and state are told. */
function Deployed({space, model}: {space: Space; model: string}) {
  const found = space.deployments.filter((d) => d.model === model);
  return (
    <>
      {found.map((d) => (
        <div key={`${d.user}/${d.name}`}>
          {isMine(space) || d.user !== space.owner ? (
            <a href={servicePath(d.name)}>
              <Outside text={d.name} />
            </a>
          ) : (
            <>
              <Outside text={d.name} /> of <Outside text={d.user} />
            </>
          )}{' '}
          {d.state.toLowerCase()}
        </div>
      ))}
    </>
  );
}

function columnsOf(space: Space, model: SpaceModel, asking: Asking): readonly Column<Promoted>[] {
  const may = mayUse(space.role);
  const remove = (m: Promoted) =>
    asking.ask({
      title: (
        <>
          Delete <Outside text={m.name} most={60} />?
        </>
      ),
      said: <p>It goes from this space. The model in its project, and services of it, stay.</p>,
      verb: 'Delete it',
      act: () => void model.remove(m.name),
    });
  return [
    {key: 'model', text: 'Model', cell: (m) => <Outside text={m.name} />},
    {key: 'by', text: 'Promoted by', cell: (m) => <Outside text={m.promoted_by || m.user} />},
    {
      key: 'run',
      text: 'From run',
      cell: (m) => (isMine(space) ? <RunLink run={m.run} /> : <Outside text={m.run} />),
    },
    {key: 'metrics', text: 'Metrics', width: '1fr', cell: (m) => told(m.metrics)},
    {
      key: 'deployments',
      text: 'Deployments',
      cell: (m) => <Deployed space={space} model={m.name} />,
    },
    {
      key: 'deploy',
      text: '',
      cell: (m) =>
        may && (
          <button
            type="button"
            class="btn"
            data-deploy={m.name}
            onClick={() => model.choose(m.name)}
          >
            Deploy online
          </button>
        ),
    },
    {
      key: 'delete',
      text: '',
      cell: (m) =>
        may && (
          <button type="button" class="link s" onClick={() => remove(m)}>
            Delete
          </button>
        ),
    },
  ];
}

function About({space}: {space: Space}) {
  return (
    <>
      {!isMine(space) && (
        <>
          <Outside text={space.owner} /> shares it: you are {space.role}.{' '}
        </>
      )}
      <Outside text={space.description || 'Models that may be deployed.'} />
      {space.plan && (
        <>
          {' '}
          Plan <Outside text={space.plan} />.
        </>
      )}
    </>
  );
}

const Empty = () => (
  <>
    No model yet: promote one from <a href="/models">Models</a>.
  </>
);

function Shown({space, model}: {space: Space; model: SpaceModel}) {
  const asking = useOnce(() => new Asking());
  const shares = isMine(space) || space.role === 'admin';
  const name = plainName(space);
  const acts = shares && <Share members={model.members} list={space.members} />;
  const crumb = (
    <>
      <a href="/spaces">Spaces</a> / <Outside text={name} />
    </>
  );
  return (
    <Page
      title={name}
      name={<Outside text={name} />}
      crumb={crumb}
      sub={<About space={space} />}
      acts={acts}
      still
    >
      <Stale of={model.known} />
      <Alert text={model.doing.problem.value} />
      <Deploy model={model} />
      <section class="panel scroll" aria-label="Models of this space">
        <Table
          label="Models of this space"
          columns={columnsOf(space, model, asking)}
          source={memory(space.models)}
          rowKey={(m) => m.name}
          empty={<Empty />}
        />
      </section>
      {shares && <SpaceMembers space={space} model={model} />}
      <Questions asking={asking} />
    </Page>
  );
}

export default function SpacePage({args: [name = '']}: {args: readonly string[]}) {
  const model = useOnce(() => new SpaceModel(name));
  useEffect(() => keepAsking(model.known), []);
  return (
    <Loaded of={model.known} title={name}>
      {(space) => <Shown space={space} model={model} />}
    </Loaded>
  );
}
