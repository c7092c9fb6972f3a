// Role: views that are kept, as a row of links, and the dialog in which one is kept.

import {clean} from '../../base/text.ts';
import type {Asking} from '../../parts/asking.tsx';
import {Alert, Outside} from '../../parts/basic.tsx';
import {Dialog} from '../../parts/dialog.tsx';
import {Field, Foot, FormBox, Select} from '../../parts/form.tsx';
import {path, search} from '../../state/address.ts';
import {type View, type Views, viewTitle} from './views.ts';

export function ViewDialog({views}: {views: Views}) {
  const {form} = views;
  const places = [
    ['', 'Only me'] as const,
    ...views.projects.value.map((name) => [name, `Members of ${name}`] as const),
  ];
  return (
    <Dialog id="view" title="Keep this view" open={views.shown.value} onClose={views.close}>
      <FormBox
        form={form}
        class="plain"
        label="Keep this view"
        onSubmit={() => void views.keep(search.peek())}
      >
        <p>Filter, order and columns, by a name.</p>
        <Field form={form} name="name" id="view-name" label="Name" input={{maxLength: 60}} />
        <Select form={form} name="project" label="Who has it" options={places} />
        <Foot form={form} verb="Keep" button={{'data-do': 'keep-view'}} onCancel={views.close} />
      </FormBox>
    </Dialog>
  );
}

/** What others have too is forgotten after a question. */
function forget(views: Views, asking: Asking, view: View) {
  const act = () => void views.drop(view);
  if (!view.project) return act();
  asking.ask({
    title: (
      <>
        Forget <Outside text={view.name} most={60} />?
      </>
    ),
    said: (
      <p>
        The members of <Outside text={view.project} most={60} /> have it no more.
      </p>
    ),
    verb: 'Forget it',
    act,
  });
}

export function KeptViews({views, asking}: {views: Views; asking: Asking}) {
  return (
    <>
      {views.list.value.map((view) => (
        <span class="chip" key={`${view.project} ${view.name}`}>
          <a
            href={`${path.value}${view.search}`}
            title={view.project ? `Kept by ${clean(view.by, 40)}` : undefined}
          >
            {clean(viewTitle(view), 80)}
          </a>
          <button
            type="button"
            class="link"
            aria-label={`Forget the view ${clean(view.name, 80)}`}
            onClick={() => forget(views, asking, view)}
          >
            ×
          </button>
        </span>
      ))}
      <button type="button" class="chip" data-do="view" onClick={views.open}>
        Keep this view
      </button>
      <Alert text={views.doing.problem.value} />
    </>
  );
}
