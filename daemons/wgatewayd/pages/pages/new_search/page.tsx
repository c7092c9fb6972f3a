// Role: the form of a new search: what each trial is, what is tried, by what it is judged and how
// much it may cost; beside it the same as a file for dlicmd.

import {useEffect} from 'preact/hooks';
import {clean} from '../../base/text.ts';
import {Icon, Panel} from '../../parts/basic.tsx';
import {Field, Foot, FormBox, Select} from '../../parts/form.tsx';
import {Loaded, Page} from '../../parts/page.tsx';
import {keepAsking, useOnce} from '../../state/asked.ts';
import {type Choices, NewSearch} from './model.ts';
import {ALGORITHMS, grows, type ParamTexts, searchOf} from './rules.ts';

interface Props {
  readonly model: NewSearch;
  readonly choices: Choices;
}

function Trial({model, choices}: Props) {
  const {form} = model;
  const error = form.errors.value.code;
  const pairs = (list: readonly string[]) => list.map((one) => [one, one] as const);
  return (
    <>
      <h2>1 Each trial</h2>
      <div class="two">
        <Field form={form} name="name" label="Name of the search" note="Empty: one is made." />
        <label class="field" for="f-code">
          <span>Zip, tar or script</span>
          <input
            type="file"
            id="f-code"
            name="code"
            aria-invalid={error ? 'true' : undefined}
            onChange={(event) => {
              model.file.value = event.currentTarget.files?.[0] ?? null;
            }}
          />
          {error && <small class="err">{error}</small>}
        </label>
      </div>
      <Field
        form={form}
        name="command"
        label="Execution command"
        note="The script, then what is the same for all trials. The others stand in config.json."
      />
      <div class="two">
        <Select
          form={form}
          name="framework"
          label="Framework"
          options={pairs(choices.frameworks)}
        />
        <Select
          form={form}
          name="plan"
          label="Resource plan"
          options={[['', 'the default'], ...pairs(choices.plans)]}
        />
        <Select
          form={form}
          name="device"
          label="Resource"
          options={[
            ['cpu', 'CPUs'],
            ['gpu', 'GPUs'],
          ]}
        />
        <Field form={form} name="per_worker" label="How many" input={{inputMode: 'numeric'}} />
      </div>
    </>
  );
}

function Bounds({one, model}: {one: ParamTexts; model: NewSearch}) {
  const field = (name: 'low' | 'high' | 'values', text: string) => (
    <input
      type="text"
      name={name}
      placeholder={text}
      aria-label={`${text} of ${one.name || 'the parameter'}`}
      value={one[name]}
      onInput={(event) => model.change(one.key, {[name]: event.currentTarget.value})}
    />
  );
  const tick = (name: 'whole' | 'log', text: string) => (
    <label class="s">
      <input
        type="checkbox"
        checked={one[name]}
        onChange={(event) => model.change(one.key, {[name]: event.currentTarget.checked})}
      />{' '}
      {text}
    </label>
  );
  if (one.kind === 'values') return field('values', 'Values, commas between');
  return (
    <>
      {field('low', 'From')}
      {field('high', 'To')}
      {tick('log', 'log')}
      {tick('whole', 'whole')}
    </>
  );
}

function ParamRow({one, model}: {one: ParamTexts; model: NewSearch}) {
  const fault = model.faults.value[one.key];
  return (
    <fieldset class="param" aria-label={`Parameter ${clean(one.name, 40)}`}>
      <input
        type="text"
        name="param"
        placeholder="Name"
        aria-label="Name of the parameter"
        aria-invalid={fault ? 'true' : undefined}
        value={one.name}
        onInput={(event) => model.change(one.key, {name: event.currentTarget.value})}
      />
      <select
        aria-label="Kind"
        value={one.kind}
        onChange={(event) =>
          model.change(one.key, {
            kind: event.currentTarget.value === 'values' ? 'values' : 'range',
          })
        }
      >
        <option value="range">Range</option>
        <option value="values">Values</option>
      </select>
      <Bounds one={one} model={model} />
      <button type="button" class="link s" onClick={() => model.remove(one.key)}>
        Remove
      </button>
      {fault && <small class="err">{fault}</small>}
    </fieldset>
  );
}

function Space({model}: {model: NewSearch}) {
  const error = model.form.errors.value.params;
  return (
    <>
      <h2>2 What is tried</h2>
      {model.params.value.map((one) => (
        <ParamRow key={one.key} one={one} model={model} />
      ))}
      {error && <small class="err">{error}</small>}
      <div class="foot2 start">
        <button type="button" class="btn" id="f-params" onClick={model.add}>
          <Icon name="plus" />
          Parameter
        </button>
      </div>
    </>
  );
}

function Judging({model}: {model: NewSearch}) {
  const {form} = model;
  const number = {inputMode: 'numeric'} as const;
  return (
    <>
      <h2>3 By what, and how much</h2>
      <div class="two">
        <Field form={form} name="metric" label="Metric" note="As the script reports it." />
        <Select
          form={form}
          name="goal"
          label="Goal"
          options={[
            ['minimize', 'the least'],
            ['maximize', 'the most'],
          ]}
        />
        <Select form={form} name="algorithm" label="Algorithm" options={ALGORITHMS} />
        <Field form={form} name="trials" label="Trials at most" input={number} />
        <Field form={form} name="parallel" label="At a time" input={number} />
        <Field
          form={form}
          name="minutes"
          label="Minutes at most"
          note="Empty: no limit."
          input={number}
        />
        {grows(form.value.value.algorithm) && (
          <>
            <Field form={form} name="resource" label="What grows" note="A setting of each trial." />
            <Field form={form} name="most" label="Up to" input={number} />
          </>
        )}
      </div>
    </>
  );
}

function Body({model, choices}: Props) {
  const {form} = model;
  const sent = model.sent.value;
  const file = JSON.stringify(searchOf(form.value.value, model.params.value), null, 2);
  return (
    <div class="form">
      <FormBox form={form} label="New search" onSubmit={() => void model.submit()}>
        <Trial model={model} choices={choices} />
        <Space model={model} />
        <Judging model={model} />
        <Foot form={form} verb={form.busy.value ? 'Starting…' : 'Start the search'}>
          {sent !== null && <progress value={sent} aria-label="Upload" />}
        </Foot>
      </FormBox>
      <div class="side">
        <Panel title="The same in a shell" id="h-e">
          <div class="pb">
            <pre class="cmd">dlicmd --hpo-start search.json --model-dir code</pre>
            <p class="s m gap2">search.json</p>
            <pre class="cmd">{clean(file, 8000)}</pre>
          </div>
        </Panel>
      </div>
    </div>
  );
}

const SUB = 'Settings of one training are tried; what was reached decides what is tried next.';

export default function NewSearchPage() {
  const model = useOnce(() => new NewSearch());
  useEffect(() => keepAsking(model.choices), []);
  return (
    <Loaded of={model.choices} title="New search">
      {(choices) => (
        <Page title="New search" crumb={<a href="/searches">Searches</a>} sub={SUB} still>
          <Body model={model} choices={choices} />
        </Page>
      )}
    </Loaded>
  );
}
