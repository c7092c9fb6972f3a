// Role: the model of Home: three windows of one's own jobs, plans and hosts, and when one looked
// last.

import {batch, computed, signal} from '@preact/signals';
import {get} from '../../api/client.ts';
import type {JobRow} from '../../api/shapes.ts';
import type {Host, Plan} from '../../api/shapes_admin.ts';
import type {Window} from '../../live/messages.ts';
import {look} from '../../live/port.ts';
import {Asked} from '../../state/asked.ts';
import {now} from '../../state/clock.ts';
import {me} from '../../state/session.ts';
import {failedSince, plansOf, silent} from './rules.ts';

const SHOWN = {running: 10, pending: 10, failed: 50, recent: 8} as const;
type Group = keyof typeof SHOWN;
const GROUPS: readonly Group[] = ['running', 'pending', 'failed', 'recent'];
const LOOKED = 'wm-looked';

const lookedAt = (user: string) =>
  Number(globalThis.localStorage?.getItem(`${LOOKED}-${user}`) ?? 0);

export class Home {
  private readonly windows = signal<Readonly<Partial<Record<Group, Window>>>>({});
  /** Failures before it are seen. */
  readonly looked = signal(lookedAt(me.peek()));
  readonly cluster = new Asked(async () => {
    const [{plans}, {hosts}] = await Promise.all([
      get<{plans: readonly Plan[]}>('/api/v1/plans'),
      get<{hosts: readonly Host[]}>('/api/v1/hosts?out=yes&limit=7'),
    ]);
    return {plans, hosts};
  });
  readonly known = computed(() => GROUPS.every((group) => this.windows.value[group]));
  readonly running = computed(() => this.rows('running'));
  readonly waiting = computed(() => this.rows('pending'));
  readonly recent = computed(() => this.rows('recent'));
  readonly failed = computed(() => failedSince(this.rows('failed'), this.looked.value, now()));
  readonly silent = computed(() => silent(this.running.value));
  readonly plans = computed(() =>
    plansOf(
      this.cluster.value.value?.plans ?? [],
      [...this.running.value, ...this.waiting.value],
      me.value,
    ),
  );

  private rows = (group: Group): readonly JobRow[] => this.windows.value[group]?.rows ?? [];
  /** How many there are of a group; more than are shown, perhaps. */
  total = (group: Group) => this.windows.value[group]?.total ?? 0;

  /** Looks at one's own jobs until ended. */
  begin(): () => void {
    const ends = GROUPS.map((group) => {
      const name = group === 'recent' ? '' : group;
      const filter = group === 'recent' ? 'state:finished' : '';
      const view = {mine: true, group: name, filter, sort: '', from: 0, to: SHOWN[group]};
      return look(`home-${group}`, view, (window) => {
        this.windows.value = {...this.windows.peek(), [group]: window};
      });
    });
    return () => {
      for (const end of ends) end();
    };
  }
  /** What failed until now is seen. */
  seen() {
    batch(() => {
      this.looked.value = now();
      globalThis.localStorage?.setItem(`${LOOKED}-${me.peek()}`, String(this.looked.value));
    });
  }
}
