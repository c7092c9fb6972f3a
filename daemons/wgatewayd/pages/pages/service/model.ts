// Role: the model of a service's page: its facts, samples of its router, log, profile, and what is
// done to it.

import {computed, signal} from '@preact/signals';
import {ask, get, part} from '../../api/client.ts';
import type {Service, ServiceSample} from '../../api/shapes_more.ts';
import {go, param} from '../../state/address.ts';
import {Asked} from '../../state/asked.ts';
import {Doing} from '../../state/doing.ts';
import {command} from '../shared/service.tsx';
import {ProfileModel} from './profile.ts';
import {Traffic} from './traffic.ts';
import {VerifyModel} from './verify_model.ts';

export const TABS = [
  ['overview', 'Overview'],
  ['test', 'Test'],
  ['profile', 'Profile'],
  ['traffic', 'Versions and callers'],
  ['logs', 'Logs'],
] as const;

export class ServiceModel {
  readonly base: string;
  readonly known: Asked<Service>;
  readonly samples = signal<readonly ServiceSample[]>([]);
  readonly span = signal(300);
  readonly log = signal('');
  readonly doing = new Doing();
  readonly tab = computed(() => param('tab') || 'overview');
  /** Made of the first answer; what was typed and drawn there stays. */
  profile: ProfileModel | null = null;
  verify: VerifyModel | null = null;
  traffic: Traffic | null = null;

  constructor(readonly name: string) {
    this.base = `/api/v1/services/${part(name)}`;
    this.known = new Asked(() => this.load());
  }
  private async load(): Promise<Service> {
    const facts = await get<Service>(this.base);
    this.verify ??= new VerifyModel(this.name, facts.signature);
    this.profile ??= new ProfileModel(this.name, facts.profile);
    this.traffic ??= new Traffic(facts, () => this.known.refresh());
    const tab = this.tab.peek();
    if (tab === 'overview') {
      const path = `${this.base}/series?seconds=${this.span.peek()}`;
      this.samples.value = (await get<{samples: ServiceSample[]}>(path)).samples;
    }
    if (tab === 'logs') this.log.value = await (await ask('GET', `${this.base}/log`)).text();
    return facts;
  }
  async act(verb: string) {
    const done = await this.doing.run(() => command(this.name, verb), verb);
    if (done && verb === 'undeploy') go('/services');
    else await this.known.refresh();
  }
}
