// Role: keeping the model of a run, asked for on the pages of runs and of searches.

import {signal} from '@preact/signals';
import {get, kept, part, send} from '../api/client.ts';
import {asRefused, Refused} from '../api/problem.ts';
import type {Project} from '../api/shapes.ts';
import {nameFrom} from '../base/text.ts';
import {go} from '../state/address.ts';
import {Dialog} from './dialog.tsx';
import {Field, Foot, FormBox, Select} from './form.tsx';
import {Form} from './form_model.ts';

const FRESH = {name: '', project: 'default', description: '', weight: ''};

export class Saving {
  readonly form = new Form(FRESH);
  readonly shown = signal(false);
  readonly projects = signal<readonly string[]>([]);
  readonly trouble = signal('');
  /** There is one of that name: it may be saved as the next version. */
  readonly taken = signal('');
  private run = '';

  async open(run: string, name: string) {
    this.run = run;
    this.form.reset({...FRESH, name: nameFrom(name)});
    this.taken.value = '';
    try {
      const {projects} = await get<{projects: Project[]}>('/api/v1/projects');
      this.projects.value = projects.map((p) => p.name);
      this.trouble.value = '';
      this.shown.value = true;
    } catch (problem) {
      this.trouble.value = asRefused(problem).message;
    }
  }
  async save() {
    const {project, name, ...rest} = this.form.value.value;
    const list = `/api/v1/projects/${part(project)}/models`;
    const to = kept(list, name.trim(), this.taken.value === `${project}/${name.trim()}`);
    const missing: Record<string, string> = name.trim() ? {} : {name: 'Which name?'};
    const done = await this.form.submit(
      () => this.send(to, {...rest, name: name.trim(), run: this.run}, `${project}/${name.trim()}`),
      missing,
    );
    if (!done) return;
    this.shown.value = false;
    go('/models');
  }
  private async send(to: {method: string; path: string}, body: object, name: string) {
    try {
      await send(to.path, body, to.method, this.form.key);
    } catch (problem) {
      const refused = asRefused(problem);
      if (refused.status !== 409 || to.method !== 'POST') throw problem;
      this.taken.value = name;
      this.form.key = crypto.randomUUID();
      const words = 'There is a model of this name: save once more to make its next version.';
      throw new Refused(409, words, {name: words});
    }
  }
}

export function SaveDialog({saving}: {saving: Saving}) {
  const {form} = saving;
  const close = () => {
    saving.shown.value = false;
  };
  return (
    <Dialog id="save-model" title="Save the model" open={saving.shown.value} onClose={close}>
      <p>What the run left in its folder model, with its code, data and metrics.</p>
      <FormBox form={form} class="plain" onSubmit={() => void saving.save()}>
        <Field form={form} name="name" id="model-name" label="Name" />
        <Select
          form={form}
          name="project"
          id="model-project"
          label="Project"
          options={saving.projects.value.map((p) => [p, p])}
        />
        <Field form={form} name="description" id="model-description" label="Description" />
        <Field
          form={form}
          name="weight"
          id="model-weight"
          label="File of weights"
          input={{placeholder: 'the only one there is'}}
        />
        <Foot form={form} verb="Save" button={{id: 'save-model-go'}} onCancel={close} />
      </FormBox>
    </Dialog>
  );
}
