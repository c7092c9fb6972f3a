// Role: the model of the map: hosts, whose the jobs on them are, how cells are drawn and which are
// meant.

import {computed, effect, signal} from '@preact/signals';
import {get, part} from '../../api/client.ts';
import type {Host} from '../../api/shapes_admin.ts';
import {parse} from '../../base/query.ts';
import type {Place} from '../../figures/cells.ts';
import {colours, propertyOf} from '../../figures/colours.ts';
import {follow} from '../../live/port.ts';
import {param} from '../../state/address.ts';
import {Asked} from '../../state/asked.ts';
import {boxesOf, type By, CELL_FIELDS, legendOf} from './rules.ts';

export const WAYS = [
  ['state', 'State'],
  ['owner', 'Owner'],
  ['use', 'Use'],
  ['health', 'Health'],
] as const;

const isBy = (word: string): word is By => WAYS.some(([way]) => way === word);

const PART = 500;

/** All hosts, a part after the other: thousands of them are no single answer. */
async function allHosts(): Promise<readonly Host[]> {
  const all: Host[] = [];
  let after = '';
  do {
    const path = `/api/v1/hosts?limit=${PART}${after ? `&after=${part(after)}` : ''}`;
    const {hosts, next = ''} = await get<{hosts: Host[]; next?: string}>(path);
    all.push(...hosts);
    after = next;
  } while (after);
  return all;
}

/** Of the time that is spent on asking, and on what is drawn then, at most so much. */
const SHARE = 0.2;

export class ClusterMap {
  readonly hosts = new Asked(allHosts);
  private next = 0;
  private readonly users = signal<ReadonlyMap<string, string>>(new Map());
  readonly chosen = signal<Place | null>(null);
  readonly by = computed((): By => {
    const word = param('by');
    return isBy(word) ? word : 'state';
  });
  readonly filter = computed(() => param('q'));
  readonly table = computed(() => param('as') === 'table');
  readonly boxes = computed(() => boxesOf(this.hosts.value.value ?? [], this.users.value));
  readonly query = computed(() => parse(this.filter.value, CELL_FIELDS));
  readonly legend = computed(() =>
    legendOf(this.boxes.value, this.by.value, (users) => {
      const own = colours(users.map((user) => `user ${user}`));
      return new Map(users.map((user) => [user, propertyOf(own.get(`user ${user}`) ?? 'kt')]));
    }),
  );
  readonly counts = computed(() => this.boxes.value.map((box) => box.cells.length));
  readonly names = computed(() => this.boxes.value.map((box) => box.host.host_name));

  /** Asks again, but no sooner than the last answer's length allows. */
  async refresh() {
    const began = performance.now();
    if (began < this.next) return;
    this.next = Infinity;
    await this.hosts.refresh();
    const ended = performance.now();
    this.next = ended + (ended - began) / SHARE;
  }

  cell = (place: Place | null) =>
    place ? (this.boxes.value[place.box]?.cells[place.cell] ?? null) : null;

  /** Follows the jobs on the GPUs, for their owners' names. Returns how to end it. */
  begin(): () => void {
    let stop = () => {};
    let before = '';
    const end = effect(() => {
      const hosts = this.hosts.value.value ?? [];
      const ids = [...new Set(hosts.flatMap((host) => host.gpus.flatMap((gpu) => gpu.jobids)))];
      const key = ids.join(' ');
      if (key === before) return;
      before = key;
      stop();
      stop = follow('map', ids, (rows) => {
        this.users.value = new Map(rows.map((job) => [job.jobid, job.user]));
      });
    });
    return () => {
      end();
      stop();
    };
  }
}
