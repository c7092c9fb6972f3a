// Role: the model of the form of a new search: its words, its parameters, the code, sending it.

import {signal} from '@preact/signals';
import {get, part, upload} from '../../api/client.ts';
import type {Framework, JobFacts} from '../../api/shapes.ts';
import type {Capacity, Plan} from '../../api/shapes_admin.ts';
import {Form} from '../../parts/form_model.ts';
import {go, param} from '../../state/address.ts';
import {Asked} from '../../state/asked.ts';
import {
  FRESH_SEARCH,
  freshParam,
  missingIn,
  paramFault,
  type ParamTexts,
  searchOf,
  suggested,
} from './rules.ts';

export interface Choices {
  readonly frameworks: readonly string[];
  readonly plans: readonly string[];
}
const DRAFT = 'wm-new-search';

export class NewSearch {
  readonly form = new Form(FRESH_SEARCH, DRAFT);
  readonly params = signal<readonly ParamTexts[]>([]);
  readonly faults = signal<Readonly<Record<string, string>>>({});
  readonly file = signal<File | null>(null);
  /** How much of the code is sent, 0 to 1; null: nothing is being sent. */
  readonly sent = signal<number | null>(null);
  readonly choices = new Asked<Choices>(() => this.load());

  private async load(): Promise<Choices> {
    const [{frameworks}, {plans}, {gpus_all: gpus}] = await Promise.all([
      get<{frameworks: Framework[]}>('/api/v1/frameworks'),
      get<{plans: Plan[]}>('/api/v1/plans'),
      get<Capacity>('/api/v1/capacity'),
    ]);
    if (this.params.peek().length === 0) {
      if (gpus > 0) this.form.set('device', 'gpu');
      await this.begin(param('from'));
    }
    return {
      frameworks: frameworks.filter((f) => f.available).map((f) => f.name),
      plans: plans.map((plan) => plan.plan),
    };
  }
  /** From a run: its words, and a parameter for each of its settings. */
  private async begin(from: string) {
    const made: ParamTexts[] = [];
    const facts = from ? await get<JobFacts>(`/api/v1/jobs/${part(from)}`) : null;
    const [ours = '', theirs = ''] = (facts?.exec?.args ?? '').split(/\s--\s(.*)/s);
    const main = ours.match(/--model-main\s+(\S+)/)?.[1];
    if (facts?.exec && main) {
      this.form.set('framework', facts.exec.framework);
      this.form.set('command', main);
      for (const [, name = '', text = ''] of theirs.matchAll(/--([^=\s]+)[=\s]+(\S+)/g))
        made.push(suggested(name, text, crypto.randomUUID()));
    }
    this.params.value = made.length ? made : [freshParam(crypto.randomUUID())];
  }

  add = () => {
    this.params.value = [...this.params.value, freshParam(crypto.randomUUID())];
  };
  remove(key: string) {
    this.params.value = this.params.value.filter((one) => one.key !== key);
  }
  change(key: string, words: Partial<ParamTexts>) {
    this.params.value = this.params.value.map((one) =>
      one.key === key ? {...one, ...words} : one,
    );
    const {[key]: _, ...rest} = this.faults.value;
    this.faults.value = rest;
  }

  async submit() {
    const params = this.params.value;
    const faults = params.map((one) => [one.key, paramFault(one)] as const);
    this.faults.value = Object.fromEntries(faults.filter(([, fault]) => fault));
    const missing = missingIn(this.form.value.value, params, this.file.value !== null);
    const [wrong] = Object.values(this.faults.value);
    if (wrong && !missing.params) missing.params = wrong;
    let name = '';
    const done = await this.form.submit(async () => {
      name = await this.send();
    }, missing);
    if (!done) return;
    this.form.reset();
    go(`/searches/${part(name)}`);
  }
  private async send(): Promise<string> {
    const body = new FormData();
    body.append('data', JSON.stringify(searchOf(this.form.value.peek(), this.params.peek())));
    if (this.file.value) body.append('file', this.file.value);
    try {
      const progress = (share: number) => {
        this.sent.value = share;
      };
      const to = {method: 'POST', path: '/api/v1/searches'};
      return JSON.parse(await upload(to, body, progress, this.form.key));
    } finally {
      this.sent.value = null;
    }
  }
}
