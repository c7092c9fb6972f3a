// Role: who may call a service, and which part of its requests another one is tried with. Pure but
// for what is sent.

import {ask, get, part, send} from '../../api/client.ts';
import type {Service} from '../../api/shapes_more.ts';
import {wordList} from '../../base/text.ts';
import {at, placed, type Tree} from '../../base/values.ts';
import {Form} from '../../parts/form_model.ts';

/** Names with blanks or commas between; "@group", "*" for everybody. */
export const callersIn = (text: string): string[] => [
  ...new Set(text.split(/[\s,]+/).filter(Boolean)),
];

export const callersOf = (profile: Tree): string => {
  const list = at(profile, 'callers');
  return Array.isArray(list) ? list.map(String).join(', ') : '';
};

/** What is wrong with a canary before anybody is asked. */
export function canaryFault(service: string, percent: string): Record<string, string> {
  const wrong: Record<string, string> = {};
  if (!service) wrong.service = 'Which service?';
  if (!/^\d+$/.test(percent.trim()) || Number(percent) > 100)
    wrong.percent = 'A number from 0 to 100 is wanted.';
  return wrong;
}

export class Traffic {
  readonly callers: Form<{callers: string}>;
  readonly canary: Form<{service: string; percent: string}>;
  private readonly path: string;

  constructor(
    facts: Service,
    private readonly done: () => unknown,
  ) {
    this.path = `/dlim/v1/model/${part(facts.name)}`;
    this.callers = new Form({callers: callersOf(facts.profile)});
    const {service = '', percent = 10} = facts.canary ?? {};
    this.canary = new Form({service, percent: String(percent)});
  }
  async saveCallers() {
    const list = wordList(this.callers.value.value.callers);
    const path = `${this.path}/appprofile`;
    const saved = await this.callers.submit(async () => {
      const body = JSON.stringify(placed(await get<Tree>(path), 'callers', list));
      await ask('PUT', path, {body});
    });
    if (saved) await this.done();
  }
  /** @param percent of the requests; 0 ends it */
  async tryOut(percent = this.canary.value.peek().percent) {
    const {service} = this.canary.value.peek();
    const body = {service, percent: Number(percent)};
    const path = `${this.path}/operation/canary`;
    const wrong = canaryFault(service, percent);
    if (await this.canary.submit(() => send(path, body, 'PUT'), wrong)) await this.done();
  }
}
