// Role: where data is fetched from, whether it can be, and making new ones.

import {useEffect} from 'preact/hooks';
import type {Connection} from '../../api/shapes_more.ts';
import {clean} from '../../base/text.ts';
import {Alert, NextStep, Outside} from '../../parts/basic.tsx';
import {Asking, Questions} from '../../parts/asking.tsx';
import {Area, Field, Foot, FormBox, Select} from '../../parts/form.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {keepAsking, useOnce} from '../../state/asked.ts';
import {Connections, TYPES, wanted} from './model.ts';

const rest = (c: Connection) =>
  Object.entries(c)
    .filter(([key]) => !['name', 'type', 'version'].includes(key))
    .map(([key, value]) => `${key} ${value}`)
    .join(', ');

function Acts({c, model, asking}: {c: Connection; model: Connections; asking: Asking}) {
  const remove = () =>
    asking.ask({
      title: (
        <>
          Delete <Outside text={c.name} most={60} />?
        </>
      ),
      said: <p>Its keys go. What was fetched with it stays.</p>,
      verb: 'Delete it',
      act: () => void model.remove(c.name),
    });
  return (
    <span class="acts">
      <button type="button" class="btn" data-test={c.name} onClick={() => void model.test(c.name)}>
        Test
      </button>
      <button type="button" class="btn" aria-label={`Delete ${clean(c.name)}`} onClick={remove}>
        Delete
      </button>
    </span>
  );
}

const columnsOf = (model: Connections, asking: Asking): readonly Column<Connection>[] => [
  {key: 'name', text: 'Name', cell: (c) => <Outside text={c.name} />},
  {key: 'type', text: 'Type', cell: (c) => <Outside text={c.type} />},
  {key: 'where', text: 'Where', width: '1fr', cell: (c) => <Outside text={rest(c)} />},
  {
    key: 'standing',
    text: 'Standing',
    width: '1fr',
    cell: (c) => (
      <span role="status">
        <Outside text={model.words.value[c.name] ?? ''} />
      </span>
    ),
  },
  {key: 'acts', text: '', cell: (c) => <Acts c={c} model={model} asking={asking} />},
];

const KEPT =
  'key = value, one a line: wmfetch(1) says which. ' +
  'Kept in your own ~/.config/wm/connections.conf.';

function NewConnection({model}: {model: Connections}) {
  const {form} = model;
  const example = wanted(form.value.value.type);
  return (
    <FormBox form={form} onSubmit={() => void model.save()} label="New connection">
      <h2>New connection</h2>
      <div class="two">
        <Field form={form} name="name" label="Name" input={{maxLength: 64}} />
        <Select form={form} name="type" label="Type" options={TYPES.map((t) => [t, t])} />
      </div>
      <Area
        form={form}
        name="keys"
        label="Keys"
        area={{rows: 5, autocomplete: 'off', placeholder: example.map((k) => `${k} =`).join('\n')}}
        note={KEPT}
      />
      <Foot form={form} verb="Save" />
    </FormBox>
  );
}

export default function ConnectionsPage() {
  const model = useOnce(() => new Connections());
  const asking = useOnce(() => new Asking());
  useEffect(() => keepAsking(model.list), []);
  return (
    <Loaded of={model.list} title="Connections">
      {(list) => (
        <Page
          title="Connections"
          sub="Data that an execution names is fetched before it begins."
          still
        >
          <Stale of={model.list} />
          <Alert text={model.doing.problem.value} />
          <section class="panel scroll" aria-label="Connections">
            <Table
              label="Connections"
              columns={columnsOf(model, asking)}
              source={memory(list)}
              rowKey={(c) => c.name}
              empty={
                <NextStep
                  said="None yet. One says where data lies; dlicmd names it, it is there in time:"
                  line={
                    '--data-source \'[{"type":"connection_asset","connection":{"name":"NAME"}}]\''
                  }
                />
              }
            />
          </section>
          <NewConnection model={model} />
          <Questions asking={asking} />
        </Page>
      )}
    </Loaded>
  );
}
