// Role: one definition in the form: new, with its code, or one that the project has.

import {useEffect} from 'preact/hooks';
import {bytes} from '../../base/number.ts';
import {clean} from '../../base/text.ts';
import {Outside, Segment} from '../../parts/basic.tsx';
import {Area, Field, Select} from '../../parts/form.tsx';
import type {Choices} from './choices.ts';
import type {NewExperiment} from './model.ts';
import type {Part} from './parts.ts';

const TYPES = [
  ['single', 'Single node'],
  ['multi', 'Multi node'],
  ['elastic', 'Elastic nodes'],
] as const;
const KINDS = [
  ['full', 'Full'],
  ['generic', 'Generic'],
  ['slice', 'Slice'],
] as const;

interface DefinitionProps {
  readonly one: Part;
  readonly model: NewExperiment;
  readonly choices: Choices;
}

const Remove = ({one, model}: {one: Part; model: NewExperiment}) => (
  <button type="button" class="link s" onClick={() => model.remove(one)}>
    Remove
  </button>
);

function Existing({one, model}: DefinitionProps) {
  const d = model.existing.value.find((found) => found.name === one.existing);
  const device = d && `${d.per_worker} ${d.device.toUpperCase()}${d.mig ? ` ${d.mig}` : ''}`;
  return (
    <div class="card">
      <div class="cardh">
        <b>
          <Outside text={one.existing} />
        </b>
        <span class="sp" />
        {d && (
          <button type="button" class="link s" onClick={() => model.change(one)}>
            Change
          </button>
        )}
        <Remove one={one} model={model} />
      </div>
      {d ? (
        <p class="s m">
          <Outside text={`${d.framework}, ${d.nodes} × ${d.hardware || device}`} />,{' '}
          <Outside text={`${d.code_name}: ${d.command}`} />
        </p>
      ) : (
        <p class="s err">It is not there any more.</p>
      )}
    </div>
  );
}

function Choosing(props: {
  label: string;
  name: string;
  value: string;
  options: readonly (readonly [string, string, boolean?])[];
  onChoose: (value: string) => void;
}) {
  return (
    <div class="field">
      <span>{props.label}</span>
      <Segment {...props} />
    </div>
  );
}

function Code({one, model}: {one: Part; model: NewExperiment}) {
  const file = model.files.value.get(one.key);
  const error = one.form.errors.value.code;
  return (
    <label class="field">
      <span>Zip, tar or script</span>
      <input
        type="file"
        name="code"
        accept=".zip,.tar,.gz,.tgz,.py,.sh"
        aria-invalid={error ? 'true' : undefined}
        onChange={(event) => model.choose(one, event.currentTarget.files?.[0])}
      />
      {error && !file && <small class="err">{error}</small>}
      {one.changes && !file && <small>Without another one its code stays.</small>}
      {file && (
        <small>
          {clean(file.name)}, {bytes(file.size)}
        </small>
      )}
    </label>
  );
}

/** One of those that there are; where none is known it is typed. */
function Mig({one, model}: Omit<DefinitionProps, 'choices'>) {
  const {form, key} = one;
  const known = model.migs.value ?? [];
  useEffect(() => void model.findMigs(), []);
  const about = {form, name: 'mig' as const, id: `f-${key}-mig`, label: 'MIG profile'};
  const own = form.value.value.mig;
  const listed = own && !known.includes(own) ? [...known, own] : known;
  if (!known.length) return <Field {...about} note="Such as 1g.10gb. No GPU is divided now." />;
  return <Select {...about} options={[['', 'Choose …'], ...listed.map((m) => [m, m] as const)]} />;
}

function Custom({one, model, choices}: DefinitionProps) {
  const {form, key} = one;
  const d = form.value.value;
  const gpu = d.device === 'gpu';
  return (
    <div>
      <div class="two">
        <Choosing
          label="Resource"
          name="device"
          value={d.device}
          options={[
            ['cpu', 'CPU'],
            ['gpu', 'GPU', !choices.gpus],
          ]}
          onChoose={(device) => form.set('device', device)}
        />
        <Field
          form={form}
          name="per_worker"
          id={`f-${key}-per_worker`}
          label={gpu ? 'GPUs of each worker' : 'CPUs of each worker'}
          note={choices.gpus ? null : 'The cluster has no GPU.'}
          input={{type: 'number', min: '1', max: '64'}}
        />
      </div>
      <div class="two">
        <Field
          form={form}
          name="memory"
          id={`f-${key}-memory`}
          label="Memory of each worker"
          note="Such as 8g; without it what the queue gives."
        />
        {gpu && (
          <Choosing
            label="Kind of GPU"
            name="kind"
            value={d.gpu_kind}
            options={KINDS}
            onChoose={(kind) => form.set('gpu_kind', kind)}
          />
        )}
      </div>
      {gpu && d.gpu_kind === 'slice' && <Mig one={one} model={model} />}
    </div>
  );
}

function Nodes({one}: {one: Part}) {
  const {form, key} = one;
  const {type} = form.value.value;
  if (type === 'single') {
    return (
      <label class="field">
        <span>Nodes</span>
        <input type="number" value="1" disabled />
        <small>A single node has one worker.</small>
      </label>
    );
  }
  const elastic = type === 'elastic';
  return (
    <Field
      form={form}
      name="nodes"
      id={`f-${key}-nodes`}
      label={elastic ? 'Nodes, at most' : 'Nodes'}
      note={elastic ? 'It has 1 to this many, as its share allows.' : 'All start together.'}
      input={{type: 'number', min: '1', max: '1000'}}
    />
  );
}

function Framework({one, model, choices}: DefinitionProps) {
  const chosen = choices.frameworks.find((f) => f.name === one.form.value.value.framework);
  const options = choices.frameworks.map((f) => {
    const version = f.frameworkVersion ? ` ${f.frameworkVersion}` : '';
    return [f.name, `${f.name}${version}${f.available ? '' : ' (not available)'}`] as const;
  });
  return (
    <Select
      form={one.form}
      name="framework"
      id={`f-${one.key}-framework`}
      label="Framework"
      options={options}
      note={clean(chosen?.reason ?? chosen?.desc[0] ?? '')}
      onSet={(framework) => model.setFramework(one, framework)}
    />
  );
}

const NEXT =
  'There is one of that name: this is its next version. ' +
  'Experiments keep the version that they name.';

function New(props: DefinitionProps) {
  const {one, model, choices} = props;
  const {form, key} = one;
  const d = form.value.value;
  const taken = model.existing.value.some((e) => e.name === d.definition.trim());
  const specs = choices.hardware.map(
    (s) => [s.name, s.description ? `${s.name}: ${s.description}` : s.name] as const,
  );
  return (
    <div class="card">
      <div class="cardh">
        <b>{d.definition ? <Outside text={d.definition} /> : 'New definition'}</b>
        {one.changes && <span class="s m">its next version</span>}
        <span class="sp" />
        {model.parts.value.length > 1 && <Remove one={one} model={model} />}
      </div>
      <div class="two">
        <Field
          form={form}
          name="definition"
          id={`f-${key}-definition`}
          label="Name"
          input={{maxLength: 60, readOnly: one.changes !== ''}}
          note={taken ? NEXT : ''}
        />
        <Code one={one} model={model} />
      </div>
      <Field
        form={form}
        name="command"
        id={`f-${key}-command`}
        label="Execution command"
        note="The script’s path within the code, then what it is given: train.py --epochs 20"
      />
      <Choosing
        label="Training type"
        name="type"
        value={d.type}
        options={TYPES}
        onChoose={(type) => model.setType(one, type)}
      />
      <div class="two">
        <Framework {...props} />
        <Nodes one={one} />
      </div>
      {specs.length > 0 && (
        <Select
          form={form}
          name="hardware"
          id={`f-${key}-hardware`}
          label="Hardware specification"
          options={[['', 'Custom'], ...specs]}
        />
      )}
      {!d.hardware && <Custom {...props} />}
      <Area
        form={form}
        name="env"
        id={`f-${key}-env`}
        label="Environment"
        note="NAME=VALUE, one a line."
        area={{rows: 2}}
      />
    </div>
  );
}

export const DefinitionCard = (props: DefinitionProps) =>
  props.one.existing ? <Existing {...props} /> : <New {...props} />;
