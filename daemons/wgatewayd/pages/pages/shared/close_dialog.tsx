// Role: the dialog in which an administrator closes or opens a host or a queue, with why.

import {signal} from '@preact/signals';
import {part, send} from '../../api/client.ts';
import {commandLine} from '../../base/text.ts';
import {clock} from '../../base/time.ts';
import {Dialog} from '../../parts/dialog.tsx';
import {Field, Foot, FormBox} from '../../parts/form.tsx';
import {Form} from '../../parts/form_model.ts';
import {now} from '../../state/clock.ts';

export type Noun = 'hosts' | 'queues';
interface Wanted {
  readonly name: string;
  readonly verb: 'close' | 'open';
}

/** A host that is closed here lets go of what can go on elsewhere. */
const drains = (noun: Noun, verb: Wanted['verb']) => noun === 'hosts' && verb === 'close';

/** The line of badmin that does the same. */
export function badminLine(noun: Noun, {name, verb}: Wanted, why: string): string {
  const drain = drains(noun, verb) ? ['-drain'] : [];
  const act = `${noun === 'hosts' ? 'h' : 'q'}${verb}`;
  return commandLine(['badmin', act, ...drain, ...(why ? ['-C', why] : []), name]);
}

/** The reason with its time: "fan, until 14:00". @param until of a field of date and time */
export function whyWords({why, until}: {why: string; until: string}, at: number): string {
  const moment = until ? Date.parse(until) / 1000 : Number.NaN;
  if (!why.trim() || !Number.isFinite(moment)) return why.trim();
  return `${why.trim()}, until ${clock(moment, at).replace(/^(\d+:\d+):\d+$/, '$1')}`;
}

export class Closing {
  readonly wanted = signal<Wanted | null>(null);
  readonly form = new Form({why: '', until: ''});

  /** @param done called when it is */
  constructor(
    readonly noun: Noun,
    private readonly done: () => void,
  ) {}

  open(name: string, verb: Wanted['verb']) {
    this.form.reset();
    this.wanted.value = {name, verb};
  }
  close() {
    this.wanted.value = null;
  }
  async submit() {
    const wanted = this.wanted.value;
    if (!wanted) return;
    const {why} = this.form.value.value;
    const missing: Record<string, string> =
      wanted.verb === 'close' && !why.trim() ? {why: 'Why, and until when? Users read it.'} : {};
    const path = `/api/v1/${this.noun}/${part(wanted.name)}/${wanted.verb}`;
    const said = whyWords(this.form.value.value, now());
    const body = {why: said, ...(drains(this.noun, wanted.verb) ? {drain: true} : {})};
    if (!(await this.form.submit(() => send(path, body), missing))) return;
    this.close();
    this.done();
  }
}

const SAID = {
  hosts: {
    close:
      'It is drained: nothing starts there any more, services and elastic tasks move elsewhere, ' +
      'and what else runs goes on to its end.',
    open: 'Jobs may start there again.',
  },
  queues: {
    close: 'It takes no more jobs; those that it has start as before.',
    open: 'It takes jobs again.',
  },
};

export function CloseDialog({closing}: {closing: Closing}) {
  const wanted = closing.wanted.value;
  const verb = wanted?.verb === 'open' ? 'Open' : 'Close';
  return (
    <Dialog
      id="close"
      title={`${verb} ${wanted?.name ?? ''}`}
      open={wanted !== null}
      onClose={() => closing.close()}
    >
      {wanted && (
        <FormBox
          form={closing.form}
          class="plain"
          onSubmit={() => void closing.submit()}
          label={verb}
        >
          <p>{SAID[closing.noun][wanted.verb]}</p>
          <Field
            form={closing.form}
            name="why"
            label={wanted.verb === 'close' ? 'Why' : 'Why, if users are to read it'}
            input={{autofocus: true, maxLength: 200}}
          />
          {wanted.verb === 'close' && (
            <Field
              form={closing.form}
              name="until"
              label="Until"
              note="Users read it beside the reason; it is opened again by hand."
              input={{type: 'datetime-local'}}
            />
          )}
          <pre class="cmd">
            {badminLine(closing.noun, wanted, whyWords(closing.form.value.value, now()))}
          </pre>
          <Foot
            form={closing.form}
            verb={verb}
            button={{class: wanted.verb === 'close' ? 'btn danger' : 'btn pri', 'data-do': 'close'}}
            onCancel={() => closing.close()}
          />
        </FormBox>
      )}
    </Dialog>
  );
}
