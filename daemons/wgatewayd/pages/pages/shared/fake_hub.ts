// Role: for tests of what follows jobs: the hub's end of a tab's line, which says what a test says.

import type {JobRow} from '../../api/shapes.ts';
import type {Counts, FromHub, Row, ToHub, ViewAsked} from '../../live/messages.ts';
import {listen} from '../../live/port.ts';

const NONE: Counts = {
  all: 0,
  alive: 0,
  waiting: 0,
  failed: 0,
  slots: 0,
  gpuSlots: 0,
  mineAlive: 0,
};

export class FakeHub {
  readonly said: ToHub[] = [];
  private hear: (message: FromHub) => void = () => {};

  /** A tab listens from now on; once in a file of tests. */
  constructor(user = 'ann') {
    const hub = this;
    class Line {
      onmessage: ((event: {data: FromHub}) => void) | null = null;
      constructor() {
        hub.hear = (data) => this.onmessage?.({data});
      }
      postMessage(message: ToHub) {
        hub.said.push(message);
      }
    }
    Object.assign(globalThis, {Worker: Line});
    listen(user, () => {});
    this.said.length = 0;
  }
  tell(message: FromHub) {
    this.hear(message);
  }
  /** A window of a view. */
  window(key: string, rows: readonly Row[], total = rows.length, from = 0) {
    this.tell({say: 'window', key, window: {total, from, rows, problems: []}});
  }
  jobs(key: string, rows: readonly JobRow[]) {
    this.tell({say: 'jobs', key, rows});
  }
  counts(counts: Partial<Counts> = {}) {
    this.tell({say: 'counts', counts: {...NONE, ...counts}});
  }
  live(live: boolean, trouble = '') {
    this.tell({say: 'live', live, heard: 0, trouble});
  }
  /** Views that were asked for since the last time, with their keys. */
  views(): [key: string, view: ViewAsked][] {
    return this.said
      .splice(0)
      .flatMap((one) => (one.say === 'view' ? [[one.key, one.view] as const] : []))
      .map(([key, view]) => [key, view]);
  }
}
