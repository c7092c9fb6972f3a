// Role: Account: API keys, of which the secret is shown once; all sessions ended; what one used and
// may use.

import {useEffect, useMemo} from 'preact/hooks';
import {get} from '../../api/client.ts';
import type {ApiKey, Results} from '../../api/shapes_admin.ts';
import {bytes, number} from '../../base/number.ts';
import {stamp} from '../../base/time.ts';
import {Asking, Questions} from '../../parts/asking.tsx';
import {Alert, Mark, NextStep, Outside, Pairs, Panel} from '../../parts/basic.tsx';
import {Field, Foot, FormBox, Select} from '../../parts/form.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {keepAsking, useAsked, useOnce} from '../../state/asked.ts';
import {me, session} from '../../state/session.ts';
import {BudgetTable} from '../shared/budgets.tsx';
import {Account, type Known} from './model.ts';
import {keyShown, SCOPES, scopeWords, usingLines} from './rules.ts';

const HOUR_S = 3600;

function columnsOf(model: Account, asking: Asking, now: number): readonly Column<ApiKey>[] {
  const revoke = (key: ApiKey) =>
    asking.ask({
      title: `Revoke ${key.name}?`,
      said: <p>What uses it is refused from then on. Sessions it began last 8 hours at most.</p>,
      verb: 'Revoke it',
      act: () => void model.revoke(key.name),
    });
  return [
    {key: 'name', text: 'Key', width: '1.4fr', cell: (key) => <Outside text={key.name} />},
    {key: 'scopes', text: 'May', width: '1fr', cell: (key) => scopeWords(key.scopes)},
    {key: 'made', text: 'Made', width: '1fr', cell: (key) => stamp(key.created)},
    {
      key: 'ends',
      text: 'Ends',
      width: '1.2fr',
      cell: (key) => (
        <>
          <Mark shown={keyShown(key, now)} /> <span class="far m s">{stamp(key.expires)}</span>
        </>
      ),
    },
    {
      key: 'act',
      text: '',
      width: '64px',
      cell: (key) => (
        <button type="button" class="link s" onClick={() => revoke(key)}>
          Revoke
        </button>
      ),
    },
  ];
}

/** The secret, while the page is open. */
function Made({model}: {model: Account}) {
  const made = model.made.value;
  if (!made) return null;
  const lines = usingLines(location.origin, me.value, made.secret);
  return (
    <div class="pb" role="status">
      <p class="say">
        <b>{made.name}</b> is made. Its secret is shown here once: it stands for your password.
      </p>
      <pre class="cmd" id="secret">
        {made.secret}
      </pre>
      <p>
        <button
          type="button"
          class="btn"
          onClick={() => void navigator.clipboard?.writeText(made.secret)}
        >
          Copy
        </button>
      </p>
      <p class="s m gap2">With it, in a shell:</p>
      <pre class="cmd">{lines}</pre>
    </div>
  );
}

function MakeKey({model}: {model: Account}) {
  const {form} = model;
  return (
    <FormBox form={form} label="New API key" onSubmit={() => void model.make()}>
      <h2>New API key</h2>
      <Field form={form} name="name" label="Name" note="Where it is used: laptop, ci." />
      <Select form={form} name="scopes" label="It may" options={SCOPES} />
      <Field form={form} name="days" label="Days until it ends" input={{inputMode: 'numeric'}} />
      <Foot form={form} verb="Make it" />
    </FormBox>
  );
}

function Used({used}: {used: Known['used']}) {
  return (
    <Panel title="Used in 30 days" id="h-u" tools={<a href="/usage">All of it</a>}>
      <div class="pb">
        {used ? (
          <Pairs
            list={[
              ['GPU hours', number(Math.round(used.gpu_s / HOUR_S))],
              ['Slot hours', number(Math.round(used.slot_s / HOUR_S))],
              ['Jobs that ended', number(used.jobs)],
              ['of which succeeded', number(used.done)],
            ]}
          />
        ) : (
          <p class="m s">No job of yours has ended.</p>
        )}
      </div>
    </Panel>
  );
}

const amounts = ({bytes: held, files, quota, counted, counting}: Results) => (
  <Pairs
    list={[
      ['They take up', counted ? bytes(held) : 'not counted yet'],
      ['of', quota ? bytes(quota) : 'any amount'],
      ['Files', counted ? number(files) : ''],
      ['Counted', counting ? 'now' : counted ? stamp(counted) : ''],
    ]}
  />
);

/** Asked for by itself: where it cannot be told, the rest of the page is there all the same. */
function ResultsHeld() {
  const {value, failure} = useAsked(() => get<Results>('/api/v1/results'));
  const found = value.value;
  return (
    <Panel title="Results" id="h-f" tools={<a href="/runs">Runs</a>}>
      <div class="pb">
        <Alert text={failure.value?.message ?? found?.words ?? ''} />
        {found && amounts(found)}
      </div>
    </Panel>
  );
}

function Body({model, known, asking}: {model: Account; known: Known; asking: Asking}) {
  const columns = useMemo(() => columnsOf(model, asking, known.now), [known.now]);
  return (
    <div class="form">
      <div>
        <Panel title="API keys" id="h-k" class="scroll">
          <Made model={model} />
          <Table
            label="API keys"
            columns={columns}
            source={memory(known.keys)}
            rowKey={(key) => key.name}
            empty={
              <NextStep
                said="No key yet. One stands for your password in scripts. In a shell:"
                line="wmkey create NAME -scope read,submit -for 90"
              />
            }
          />
        </Panel>
        <Panel title="Budgets" id="h-b" class="scroll">
          <BudgetTable budgets={known.budgets} />
        </Panel>
      </div>
      <div class="side">
        <MakeKey model={model} />
        <Used used={known.used} />
        <ResultsHeld />
      </div>
    </div>
  );
}

export default function AccountPage() {
  const model = useOnce(() => new Account());
  const asking = useOnce(() => new Asking());
  useEffect(() => keepAsking(model.known), []);
  const endAll = () =>
    asking.ask({
      title: 'End all sessions?',
      said: <p>Here and everywhere else, also those that keys began. Jobs and keys stay.</p>,
      verb: 'End them',
      act: () => void model.endAll(),
    });
  const acts = (
    <button type="button" class="btn" data-do="end-all" onClick={endAll}>
      End all sessions
    </button>
  );
  const who = session.value;
  const sub = (
    <>
      <Outside text={who?.user} most={40} />
      {who?.admin ? ', an administrator' : ''}, cluster <Outside text={who?.cluster} most={60} />,
      WM <Outside text={who?.version} most={40} />.
    </>
  );
  return (
    <Loaded of={model.known} title="Account">
      {(known) => (
        <Page title="Account" sub={sub} acts={acts} still>
          <Stale of={model.known} />
          <Alert text={model.doing.problem.value} />
          <Body model={model} known={known} asking={asking} />
          <Questions asking={asking} />
        </Page>
      )}
    </Loaded>
  );
}
