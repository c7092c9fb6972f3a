// Role: notebooks: start one, see when its turn comes, open it, see how long it stays. A notebook
// is a job; what it shows lives on an origin of its own, which a form with a ticket opens
// (wgatewayd(8)).

import {useEffect} from 'preact/hooks';
import type {Notebook, NotebookProfile} from '../../api/shapes_more.ts';
import {number} from '../../base/number.ts';
import {isOver} from '../../base/states.ts';
import {clean} from '../../base/text.ts';
import {Asking, Questions} from '../../parts/asking.tsx';
import {Alert, Outside} from '../../parts/basic.tsx';
import {Field, FormBox, Select} from '../../parts/form.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {keepAsking, useOnce} from '../../state/asked.ts';
import {Card} from './card.tsx';
import {lineOf, NotebooksModel, ownerAsked} from './model.ts';

const ENDED = 5;

function Start({model, profiles}: {model: NotebooksModel; profiles: readonly NotebookProfile[]}) {
  const {form} = model;
  const options = profiles.map(
    (p) => [p.name, p.description ? `${p.name}: ${p.description}` : p.name] as const,
  );
  return (
    <FormBox form={form} id="start" label="Start a notebook" onSubmit={() => void model.start()}>
      <h2>Start a notebook</h2>
      <Select form={form} name="profile" label="What" options={options} />
      <div class="two">
        <Field form={form} name="name" label="Name" input={{maxLength: 60}} />
        <Field form={form} name="queue" label="Queue" input={{placeholder: 'the default'}} />
      </div>
      <div class="two">
        <Field
          form={form}
          name="gpus"
          label="GPUs"
          input={{type: 'number', min: '0', max: '64', placeholder: '0'}}
        />
        <Field
          form={form}
          name="minutes"
          label="Hours, at most"
          input={{type: 'number', min: '0.25', max: '168', step: 'any', placeholder: 'the queue’s'}}
        />
      </div>
      <div class="two">
        <Field form={form} name="folder" label="Folder" input={{placeholder: 'your home'}} />
        <Field form={form} name="plan" label="Plan" input={{placeholder: 'the default'}} />
      </div>
      <Field
        form={form}
        name="memory"
        label="Memory"
        input={{placeholder: 'the queue’s'}}
        note="Such as 16G."
      />
      <p class="cmd mono bsub-line">{clean(lineOf(form.value.value, model.profile()), 400)}</p>
      <div class="foot2 gap2">
        <button type="submit" class="btn pri" disabled={form.busy.value || profiles.length === 0}>
          Start
        </button>
      </div>
    </FormBox>
  );
}

/** Another's notebook, by a link. */
function Guest({model, owner}: {model: NotebooksModel; owner: string}) {
  return (
    <section class="panel" aria-label="Shared notebook">
      <div class="ph">
        <h2>
          Notebook {clean(model.asked, 20)} of <Outside text={owner} most={40} />
        </h2>
        <span class="sp" />
        <button
          type="button"
          class="btn pri"
          data-do="open"
          disabled={model.doing.busy.value}
          onClick={() => void model.open(model.asked, owner)}
        >
          Open
        </button>
      </div>
      <div class="pb">
        <p class="say">
          If it is shared with you it opens in a tab of its own. What you do there is done by its
          owner’s account.
        </p>
      </div>
    </section>
  );
}

/** Alive ones, the one that is asked for first; then those that ended last. */
function sorted(list: readonly Notebook[], asked: string): Notebook[] {
  const alive = list.filter((n) => !isOver(n.job.wm_state));
  const ended = list.filter((n) => isOver(n.job.wm_state)).slice(0, ENDED);
  const first = alive.filter((n) => n.id === asked);
  return [...first, ...alive.filter((n) => n.id !== asked), ...ended];
}

const None = () => (
  <section class="panel" aria-label="Notebooks">
    <div class="empty">
      <p>Start one here, or in a shell:</p>
      <p class="cmd mono">bsub -app notebook</p>
    </div>
  </section>
);

export default function NotebooksPage({args: [asked = '']}: {args: readonly string[]}) {
  const model = useOnce(() => new NotebooksModel(asked));
  const asking = useOnce(() => new Asking());
  useEffect(() => {
    const end = keepAsking(model.known, {onJobs: 500});
    const timer = setInterval(
      () => model.goesOn() && !document.hidden && void model.refresh(),
      2000,
    );
    return () => {
      end();
      clearInterval(timer);
    };
  }, []);
  const stop = (n: Notebook) =>
    asking.ask({
      title: (
        <>
          Stop <Outside text={n.job.job_name || n.id} most={60} />?
        </>
      ),
      said: <p>Its kernels end, with what they hold in memory. Files that are saved stay.</p>,
      verb: 'Stop it',
      act: () => void model.post(n.id, 'stop'),
    });
  return (
    <Loaded of={model.known} title="Notebooks">
      {({notebooks, profiles}) => {
        const alive = notebooks.filter((n) => !isOver(n.job.wm_state)).length;
        const none =
          'None of yours runs. Jupyter, or what else your site offers, ' +
          'as a job with the GPUs you ask for.';
        return (
          <Page title="Notebooks" sub={alive ? `${number(alive)} of yours` : none}>
            <Stale of={model.known} />
            {ownerAsked() && <Guest model={model} owner={ownerAsked()} />}
            <Alert text={model.doing.problem.value} />
            <div class="form">
              <div>
                {sorted(notebooks, asked).map((n) => (
                  <Card key={n.id} n={n} model={model} onStop={stop} />
                ))}
                {notebooks.length === 0 && <None />}
              </div>
              <div class="side">
                <Start model={model} profiles={profiles} />
              </div>
            </div>
            <Questions asking={asking} />
          </Page>
        );
      }}
    </Loaded>
  );
}
