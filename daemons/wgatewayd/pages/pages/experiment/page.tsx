// Role: the form of a new experiment: data, one or several model definitions, new or there already,
// one command for all if wanted; beside it the same request in the words of bsub, dlicmd and curl.

import {useEffect} from 'preact/hooks';
import {jobPath} from '../../api/client.ts';
import {clean, quoted} from '../../base/text.ts';
import {Icon, Panel} from '../../parts/basic.tsx';
import {Field, FormBox, Select} from '../../parts/form.tsx';
import {Loaded, Page} from '../../parts/page.tsx';
import {guardLeaving} from '../../state/address.ts';
import {keepAsking, useOnce} from '../../state/asked.ts';
import {me} from '../../state/session.ts';
import {DefinitionCard} from './definition.tsx';
import type {Choices} from './choices.ts';
import {NewExperiment} from './model.ts';
import type {Verdict} from './parts.ts';

const EXECS = '/platform/rest/deeplearning/v1/execs';

interface Props {
  readonly model: NewExperiment;
  readonly choices: Choices;
}

function ProjectFields({model, choices}: Props) {
  const {form} = model;
  const x = form.value.value;
  const plans = choices.plans.map((p) => [p, p] as const);
  const projects = choices.projects.map(
    (p) => [p.name, p.plan ? `${p.name} (${p.plan})` : p.name] as const,
  );
  return (
    <>
      <div class="two">
        <Select
          form={form}
          name="project"
          label="Project"
          options={[...projects, ['', 'New project …']]}
          note="A project names the plan that its runs draw on."
          onSet={() => model.setProject()}
        />
        {x.project ? (
          <Select
            form={form}
            name="plan"
            label="Resource plan"
            options={[['', 'the project’s'], ...plans]}
          />
        ) : (
          <Field
            form={form}
            name="newProject"
            label="Name of the new project"
            input={{maxLength: 60}}
          />
        )}
      </div>
      {!x.project && (
        <div class="two">
          <Select
            form={form}
            name="projectPlan"
            label="Its resource plan"
            options={[['', 'default'], ...plans]}
          />
        </div>
      )}
    </>
  );
}

function Head({model, choices}: Props) {
  const {form} = model;
  const volume = choices.volumes.find((v) => v.name === form.value.value.volume);
  const volumes = choices.volumes.map(
    (v) => [v.name, v.description ? `${v.name} (${v.description})` : v.name] as const,
  );
  return (
    <>
      <h2>1 Experiment</h2>
      <div class="two">
        <Field
          form={form}
          name="name"
          label="Name"
          note="Letters, digits, dots, dashes."
          input={{maxLength: 60}}
        />
        <Field form={form} name="description" label="Description" />
      </div>
      <ProjectFields model={model} choices={choices} />
      <div class="two">
        <Select
          form={form}
          name="volume"
          label="Data: storage volume"
          options={[['', 'the cluster’s data'], ...volumes]}
          note={volume?.reason && clean(volume.reason)}
        />
        <Field
          form={form}
          name="data"
          label="Relative folder"
          note="Below the volume; DATA_DIR in the script."
        />
      </div>
    </>
  );
}

function Adding({model}: {model: NewExperiment}) {
  const used = new Set(model.parts.value.map((one) => one.existing || one.changes));
  const left = model.existing.value.filter((d) => !used.has(d.name));
  return (
    <div class="foot2 start">
      <button type="button" class="btn" id="add-new" onClick={() => model.addNew()}>
        <Icon name="plus" />
        New definition
      </button>
      {left.length > 0 && (
        <select
          name="existing"
          id="f-existing"
          aria-label="Add an existing definition"
          value=""
          onChange={(event) => {
            const name = event.currentTarget.value;
            if (name) model.addExisting(name);
          }}
        >
          <option value="">Existing definition …</option>
          {left.map((d) => (
            <option key={d.name} value={d.name}>
              {clean(d.name, 80)}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

function Buttons({model}: {model: NewExperiment}) {
  const busy = model.form.busy.value;
  const sent = model.sent.value;
  const doing = sent === null ? 'Creating…' : `Uploading ${Math.floor(sent * 100)} %`;
  return (
    <div class="foot2">
      {sent !== null && <progress value={sent} aria-label="Upload" />}
      <button type="button" class="btn" disabled={busy} onClick={() => model.startOver()}>
        Start over
      </button>
      <button type="button" class="btn" disabled={busy} onClick={() => void model.submit(false)}>
        Create
      </button>
      <button type="submit" class="btn pri" disabled={busy}>
        {busy ? doing : 'Create and run'}
      </button>
    </div>
  );
}

function Lines({v}: {v: Verdict}) {
  if (v.problem) {
    return (
      <p class="err" role="status">
        {clean(v.problem, 600)}
      </p>
    );
  }
  const args = v.dlicmd.replace(/^dlicmd /, '');
  const [ours, theirs] = args.split(/ -- (.*)/s);
  const data = v.data ? ` -F data=${quoted(v.data)}` : '';
  const address = `${location.origin}${EXECS}?args=${encodeURIComponent(args)}`;
  return (
    <>
      <p class="s m">The equivalent bsub line</p>
      <pre class="cmd bsub-line">{v.bsub}</pre>
      <p class="s m gap2">dlicmd</p>
      <pre class="cmd">
        dlicmd {ours} --model-dir code{theirs ? ` -- ${theirs}` : ''}
      </pre>
      <p class="s m gap2">curl</p>
      <pre class="cmd">
        curl -u {me.value} -F file=@code.zip{data} {quoted(address)}
      </pre>
    </>
  );
}

function Builder({model, choices}: Props) {
  return (
    <FormBox
      form={model.form}
      id="experiment"
      label="New experiment"
      onSubmit={() => void model.submit(true)}
    >
      <Head model={model} choices={choices} />
      <h2>2 Model definitions</h2>
      {model.parts.value.map((one) => (
        <DefinitionCard key={one.key} one={one} model={model} choices={choices} />
      ))}
      <Adding model={model} />
      <h2>3 One command for all</h2>
      <Field
        form={model.form}
        name="allCommand"
        label="Global execution command"
        note="Empty: each definition’s own."
      />
      <Buttons model={model} />
    </FormBox>
  );
}

export default function NewExperimentPage() {
  const model = useOnce(() => new NewExperiment());
  useEffect(() => {
    const guard = () =>
      model.form.busy.peek() ? 'The experiment is being created. Leave all the same?' : null;
    const ends = [keepAsking(model.choices), model.begin(), guardLeaving(guard)];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  return (
    <Loaded of={model.choices} title="New experiment">
      {(choices) => (
        <Page
          title="New experiment"
          sub="Definitions that run together. Each run is a job like any other."
          still
        >
          {model.cloned.value && (
            <p class="note">
              As <a href={jobPath(model.cloned.value)}>{clean(model.cloned.value, 40)}</a> was asked
              for. Change what you like, and choose its code again.
            </p>
          )}
          <div class="form">
            <Builder model={model} choices={choices} />
            <div class="side">
              <Panel title="The same request" id="h-e">
                <div class="pb">
                  {model.verdicts.value.map((v) => (
                    <Lines key={v.key} v={v} />
                  ))}
                </div>
              </Panel>
            </div>
          </div>
        </Page>
      )}
    </Loaded>
  );
}
