// Role: the model of Account: one's API keys, what one used and may use, ending all sessions.

import {signal} from '@preact/signals';
import {ask, get, part, send} from '../../api/client.ts';
import type {ApiKey, Budget, KeyMade, Usage, UsageRow} from '../../api/shapes_admin.ts';
import {Form} from '../../parts/form_model.ts';
import {Asked} from '../../state/asked.ts';
import {Doing} from '../../state/doing.ts';
import {logOff, me} from '../../state/session.ts';
import {FRESH_KEY, missingOf} from './rules.ts';

export interface Known {
  readonly now: number;
  readonly keys: readonly ApiKey[];
  readonly budgets: readonly Budget[];
  /** Of the last 30 days; null: no job of mine has ended. */
  readonly used: UsageRow | null;
}

export class Account {
  readonly form = new Form(FRESH_KEY);
  readonly doing = new Doing();
  /** The key that was just made: its secret is told once. */
  readonly made = signal<KeyMade | null>(null);
  readonly known = new Asked<Known>(async () => {
    const [{now, keys}, {budgets}, usage] = await Promise.all([
      get<{now: number; keys: ApiKey[]}>('/api/v1/keys'),
      get<{budgets: Budget[]}>('/api/v1/budgets'),
      get<Usage>('/api/v1/usage?by=user&days=30'),
    ]);
    const used = usage.rows.find((row) => row.name === me.peek()) ?? null;
    return {now, keys, budgets, used};
  });

  async make() {
    const {name, scopes, days} = this.form.value.value;
    const body = {name: name.trim(), scopes, days: Number(days)};
    const done = await this.form.submit(async () => {
      const answer = await send('/api/v1/keys', body);
      this.made.value = await answer.json();
    }, missingOf(this.form.value.value));
    if (!done) return;
    this.form.reset();
    await this.known.refresh();
  }
  async revoke(name: string) {
    await this.doing.run(() => ask('DELETE', `/api/v1/keys/${part(name)}`), name);
    if (this.made.peek()?.name === name) this.made.value = null;
    await this.known.refresh();
  }
  /** Everywhere, and so here. */
  async endAll() {
    if (await this.doing.run(() => ask('DELETE', '/api/v1/sessions'))) await logOff();
  }
}
