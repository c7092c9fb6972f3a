// Role: a run begun once more with the code that it ran: from the start or from its newest
// checkpoint, with its words or others.

import {signal} from '@preact/signals';
import {get, jobPath, send} from '../../api/client.ts';
import type {Checkpoints} from '../../api/shapes_logs.ts';
import {Form} from '../../parts/form_model.ts';
import {go} from '../../state/address.ts';

export type From = 'start' | 'checkpoint';
const FRESH = {from: 'start' as string, args: ''};
const NONE: Checkpoints = {checkpoints: [], resumable: false};

export class Again {
  readonly shown = signal(false);
  readonly known = signal<Checkpoints | null>(null);
  readonly form = new Form(FRESH);

  /** @param path of the job at the interface */
  constructor(private readonly path: string) {}

  async open(args: string) {
    this.form.reset({from: 'start', args});
    this.shown.value = true;
    this.known.value = null;
    try {
      this.known.value = await get<Checkpoints>(`${this.path}/checkpoints`);
    } catch {
      this.known.value = NONE; // from the start it may begin all the same
    }
    if (this.known.value.checkpoints.length > 0) this.form.set('from', 'checkpoint');
  }
  close = () => {
    this.shown.value = false;
  };
  async submit() {
    const {from, args} = this.form.value.value;
    const missing: Record<string, string> = args.includes('--exec-start')
      ? {}
      : {args: '--exec-start and a framework are wanted.'};
    let id = '';
    const done = await this.form.submit(async () => {
      const body = {args: args.trim(), resume: from === 'checkpoint'};
      const answer = await send(`${this.path}/again`, body, 'POST', this.form.key);
      ({id} = await answer.json());
    }, missing);
    if (!done) return;
    this.close();
    go(jobPath(id));
  }
}
