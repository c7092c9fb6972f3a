// Role: the model of Notebooks: which there are, starting one, opening one on its own origin by a
// ticket.

import {signal} from '@preact/signals';
import {get, part, send} from '../../api/client.ts';
import type {Notebooks} from '../../api/shapes_more.ts';
import {isAlive, isWaiting} from '../../base/states.ts';
import {commandLine} from '../../base/text.ts';
import {Form} from '../../parts/form_model.ts';
import {param} from '../../state/address.ts';
import {Asked} from '../../state/asked.ts';
import {Doing} from '../../state/doing.ts';

const FRESH = {
  profile: '',
  name: '',
  gpus: '',
  minutes: '',
  queue: '',
  plan: '',
  folder: '',
  memory: '',
};
export type Draft = typeof FRESH;

const minutesOf = (hours: string) => Math.round(Number(hours) * 60);

/** The line of bsub that asks for the same. */
export function lineOf(d: Draft, profile: string): string {
  const words = ['bsub', '-app', profile];
  if (d.name.trim()) words.push('-J', d.name.trim());
  if (d.queue.trim()) words.push('-q', d.queue.trim());
  if (d.plan.trim()) words.push('-plan', d.plan.trim());
  if (d.folder.trim()) words.push('-cwd', d.folder.trim());
  if (d.memory.trim()) words.push('-M', d.memory.trim());
  if (d.gpus) words.push('-gpu', `num=${d.gpus}`);
  if (d.minutes) words.push('-W', String(minutesOf(d.minutes)));
  return commandLine(words);
}

export class NotebooksModel {
  readonly known: Asked<Notebooks>;
  readonly doing = new Doing();
  readonly form = new Form(FRESH, 'wm-new-notebook');
  /** Users typed to share with, by notebook; without: those it is shared with. */
  readonly names = signal<Readonly<Record<string, string>>>({});

  /** @param asked the one whose page this is; empty: of all */
  constructor(readonly asked: string) {
    let first = asked !== '' && param('owner') === '';
    this.known = new Asked(async () => {
      // That it is not there is told for it, not for all of them.
      if (first) await get(`/api/v1/notebooks/${part(asked)}`);
      first = false;
      return get<Notebooks>('/api/v1/notebooks');
    });
  }
  goesOn = () =>
    this.known.value
      .peek()
      ?.notebooks.some(({job}) => isAlive(job.wm_state) || isWaiting(job.wm_state)) ?? false;

  profile = () =>
    this.form.value.value.profile || (this.known.value.value?.profiles[0]?.name ?? 'notebook');

  async start() {
    const {gpus, minutes, profile: _, ...texts} = this.form.value.value;
    const said = Object.entries(texts).map(([field, text]) => [field, text.trim()]);
    const body = {
      profile: this.profile(),
      ...Object.fromEntries(said.filter(([, text]) => text)),
      ...(gpus ? {gpus: Math.round(Number(gpus))} : {}),
      ...(minutes ? {minutes: minutesOf(minutes)} : {}),
    };
    const begun = await this.form.submit(() =>
      send('/api/v1/notebooks', body, 'POST', this.form.key),
    );
    if (begun) this.form.reset();
    await this.known.refresh();
  }
  async post(id: string, verb: string, body: object = {}) {
    await this.doing.run(() => send(`/api/v1/notebooks/${part(id)}/${verb}`, body));
    await this.known.refresh();
  }
  async share(id: string, names: string) {
    await this.post(id, 'share', {users: names.split(/[\s,]+/).filter(Boolean)});
    const {[id]: _, ...rest} = this.names.value;
    this.names.value = rest;
  }
  /** A ticket in a form: no address holds one, and the pages' own cookie does not come along. */
  open(id: string, owner = '') {
    return this.doing.run(async () => {
      const answer = await send('/auth/v1/app', owner ? {job: id, owner} : {job: id});
      const {action, ticket}: {action: string; ticket: string} = await answer.json();
      const form = document.createElement('form');
      const field = document.createElement('input');
      Object.assign(form, {method: 'post', action, target: '_blank', rel: 'noopener'});
      Object.assign(field, {type: 'hidden', name: 'ticket', value: ticket});
      form.append(field);
      document.body.append(form);
      form.submit();
      form.remove();
    });
  }
  /** Follows its log-off elsewhere and such. */
  refresh = () => this.known.refresh();
}

/** Whose notebook is asked for, where it is another's. */
export const ownerAsked = () => param('owner');
