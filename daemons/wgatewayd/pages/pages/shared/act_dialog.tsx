// Role: the dialog in which something is done to jobs: which act, why, and where to; beneath it the
// same in a shell.

import {signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import {get} from '../../api/client.ts';
import type {Queue} from '../../api/shapes_admin.ts';
import {counted} from '../../base/number.ts';
import {Dialog} from '../../parts/dialog.tsx';
import {Field, Foot, FormBox, Select} from '../../parts/form.tsx';
import {Form} from '../../parts/form_model.ts';
import {actOf, actsFor, type ActWords} from './acts.ts';

const FRESH = {verb: '', why: '', queue: '', tasks: ''};

/** Jobs that are acted on, and what is typed of the act. */
export class Acting {
  readonly ids = signal<readonly string[]>([]);
  readonly states = signal<readonly string[]>([]);
  readonly queues = signal<readonly string[]>([]);
  readonly form = new Form(FRESH);

  /** @param act does it to all of them; throws Refused where it cannot be done to one */
  constructor(
    readonly act: (verb: string, ids: readonly string[], words: ActWords) => Promise<unknown>,
  ) {}

  open(jobs: readonly {readonly jobid: string; readonly wm_state: string}[]) {
    this.ids.value = jobs.map((job) => job.jobid);
    this.states.value = jobs.map((job) => job.wm_state);
    this.form.reset({...FRESH, verb: actsFor(this.states.value)[0]?.verb ?? ''});
  }
  close() {
    this.ids.value = [];
  }
  async loadQueues() {
    const {queues} = await get<{queues: readonly Queue[]}>('/api/v1/queues');
    this.queues.value = queues.map((queue) => queue.queue_name);
  }
  async submit() {
    const {verb, ...words} = this.form.value.value;
    const missing: Record<string, string> = {};
    if (!verb) missing.verb = 'What is to be done?';
    const wants = actOf(verb)?.wants;
    if (wants === 'queue' && !words.queue) missing.queue = 'To which queue?';
    if (wants === 'tasks' && !/^[1-9]\d*$/.test(words.tasks.trim()))
      missing.tasks = 'How many? A number from 1 is wanted.';
    const ids = this.ids.value;
    if (await this.form.submit(() => this.act(verb, ids, words), missing)) this.close();
  }
}

function Fields({acting}: {acting: Acting}) {
  const {form} = acting;
  const {verb, ...words} = form.value.value;
  const act = actOf(verb);
  useEffect(() => {
    if (acting.queues.peek().length === 0) void acting.loadQueues().catch(() => {});
  }, []);
  const acts = actsFor(acting.states.value);
  return (
    <FormBox form={form} class="plain" onSubmit={() => void acting.submit()} label="Act on jobs">
      <Select
        form={form}
        name="verb"
        label="What"
        options={acts.map((one) => [one.verb, one.text])}
        note={act?.said}
      />
      {act?.wants === 'queue' && (
        <Select
          form={form}
          name="queue"
          label="Queue"
          options={[['', 'Choose …'], ...acting.queues.value.map((q) => [q, q] as const)]}
        />
      )}
      {act?.wants === 'tasks' && (
        <Field form={form} name="tasks" label="Workers at most" input={{inputMode: 'numeric'}} />
      )}
      {act?.verb === 'stop' && (
        <Field form={form} name="why" label="Why" note="Its owner reads it." />
      )}
      {act && <pre class="cmd">{act.line(acting.ids.value, words)}</pre>}
      <Foot
        form={form}
        verb={act?.text ?? 'Do it'}
        button={{class: 'btn danger', 'data-do': 'act'}}
        onCancel={() => acting.close()}
      />
    </FormBox>
  );
}

export function ActDialog({acting}: {acting: Acting}) {
  const {ids} = acting;
  const none = actsFor(acting.states.value).length === 0;
  return (
    <Dialog
      id="act"
      title={ids.value.length === 1 ? `Job ${ids.value[0]}` : counted(ids.value.length, 'job')}
      open={ids.value.length > 0}
      onClose={() => acting.close()}
    >
      {none ? <p>They are over: nothing is left to be done.</p> : <Fields acting={acting} />}
    </Dialog>
  );
}
