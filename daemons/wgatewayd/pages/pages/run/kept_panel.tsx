// Role: what its owner says of a run, beside its figures, and the dialog in which it is said.

import {Alert, Outside, Panel} from '../../parts/basic.tsx';
import {Dialog} from '../../parts/dialog.tsx';
import {Area, Field, Foot, FormBox} from '../../parts/form.tsx';
import type {Kept} from './kept.ts';

function Words({kept}: {kept: Kept}) {
  const {form} = kept;
  return (
    <FormBox form={form} class="plain" label="Describe" onSubmit={() => void kept.save()}>
      <Field form={form} name="name" label="Name" input={{maxLength: 200}} />
      <Field form={form} name="tags" label="Tags" note="Words; Runs finds them by tag:WORD." />
      <Field form={form} name="description" label="Description" />
      <Area form={form} name="note" label="Note" area={{rows: 4}} />
      <Foot form={form} verb="Save" onCancel={kept.close} />
    </FormBox>
  );
}

export function KeptPanel({kept}: {kept: Kept}) {
  const run = kept.run.value;
  if (!run?.own) return null;
  const edit = (
    <button type="button" class="link s" data-do="describe" onClick={() => kept.open()}>
      Edit
    </button>
  );
  const nothing = !run.tags.length && !run.description && !run.note;
  return (
    <Panel title="Kept with it" id="h-k" tools={edit}>
      <div class="pb">
        <Alert text={kept.doing.problem.value} />
        <p>
          <button
            type="button"
            class="link star"
            aria-label="Star this run"
            aria-pressed={run.starred ? 'true' : 'false'}
            onClick={() => void kept.star()}
          >
            {run.starred ? '★' : '☆'}
          </button>
          {run.tags.map((tag) => (
            <a class="tag" key={tag} href={`/runs?q=tag:${encodeURIComponent(tag)}`}>
              <Outside text={tag} most={40} />
            </a>
          ))}
          {nothing && <span class="m s"> No tags, no note yet.</span>}
        </p>
        {run.description && (
          <p class="say">
            <Outside text={run.description} most={600} />
          </p>
        )}
        {run.note && (
          <p class="s m">
            <Outside text={run.note} most={2000} />
          </p>
        )}
      </div>
      <Dialog id="words" title="About this run" open={kept.shown.value} onClose={kept.close}>
        <Words kept={kept} />
      </Dialog>
    </Panel>
  );
}
