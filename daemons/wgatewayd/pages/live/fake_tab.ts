// Role: for tests of the hub: jobs, events, and a tab that keeps what it hears.

import type {JobRow} from '../api/shapes.ts';
import {quiet} from './fake_world.ts';
import type {Hub} from './hub.ts';
import {type FromHub, VERSION, type ViewAsked, type Window} from './messages.ts';

export const VIEW: ViewAsked = {mine: false, group: '', filter: '', sort: '', from: 0, to: 64};
export const job = (jobid: string, more: Partial<JobRow> = {}): JobRow =>
  ({jobid, user: 'ann', wm_state: 'running', exec_host: [], nalloc_slot: 1, ...more}) as JobRow;
export const list =
  (...jobs: JobRow[]) =>
  () =>
    Response.json({now: Date.now() / 1000, jobs});
export const event = (name: string, data: object, id = '') =>
  `${id ? `id: ${id}\n` : ''}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
/** Longer than what is folded waits for. */
export const folded = async () => {
  await new Promise((done) => setTimeout(done, 130));
  await quiet();
};

export class Tab {
  readonly heard: FromHub[] = [];
  private readonly line = {send: (message: FromHub) => this.heard.push(message)};
  constructor(
    private readonly hub: Hub,
    user = 'ann',
  ) {
    this.say({say: 'hello', user, version: VERSION});
  }
  say(message: Parameters<Hub['hear']>[1]) {
    this.hub.hear(this.line, message);
  }
  of<S extends FromHub['say']>(say: S): Extract<FromHub, {say: S}>[] {
    return this.heard.filter((one): one is Extract<FromHub, {say: S}> => one.say === say);
  }
  live = () => this.of('live').at(-1)?.live;
  window = (key = 'v'): Window | undefined =>
    this.of('window')
      .filter((one) => one.key === key)
      .at(-1)?.window;
  ids = (key = 'v') => this.window(key)?.rows.map((row) => row.jobid);
}
