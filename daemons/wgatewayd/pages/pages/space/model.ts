// Role: the model of a space's page: its models, deploying one, its members.

import {signal} from '@preact/signals';
import {ask, get, part, send} from '../../api/client.ts';
import type {Space} from '../../api/shapes.ts';
import {Form} from '../../parts/form_model.ts';
import {Members} from '../../parts/members_model.ts';
import {go} from '../../state/address.ts';
import {Asked} from '../../state/asked.ts';
import {Doing} from '../../state/doing.ts';
import {spacePath} from '../shared/space.ts';

const FRESH = {name: '', gpu: 'no', min: '1', max: '4', batch: '16'};

export class SpaceModel {
  readonly base: string;
  readonly known: Asked<Space>;
  readonly doing = new Doing();
  readonly members = new Members();
  /** The model that is to be deployed; empty: none. */
  readonly chosen = signal('');
  readonly form = new Form(FRESH);

  constructor(readonly name: string) {
    this.base = `/api/v1${spacePath(name)}`;
    this.known = new Asked(() => get<Space>(this.base));
  }
  choose(model: string) {
    this.chosen.value = model;
    this.form.reset({...FRESH, name: model});
  }
  async deploy() {
    const {name, gpu, min, max, batch} = this.form.value.value;
    const policy = {
      kernel_min: Number(min),
      kernel_max: Number(max),
      task_batch_size: Number(batch),
    };
    const path = `${this.base}/models/${part(this.chosen.value)}/deploy`;
    const missing: Record<string, string> = name.trim() ? {} : {name: 'Which name?'};
    const body = {name: name.trim(), profile: {policy, kernel: {gpu}}};
    const done = await this.form.submit(() => send(path, body, 'POST', this.form.key), missing);
    if (done) go(`/services/${part(name.trim())}?tab=test`);
  }
  async remove(model: string) {
    await this.doing.run(() => ask('DELETE', `${this.base}/models/${part(model)}`));
    await this.known.refresh();
  }
  async saveMembers() {
    if (await this.members.save(this.base)) await this.known.refresh();
  }
}
