// Role: the one stream of a browser: opened, read, opened again where it was. fetch, not
// EventSource, which hides the status and Retry-After.
//
//   401 ─► lost: told, and not tried again          429, 503 ─► after Retry-After
//   anything else that ends it ─► after 1 to 15 s   SILENT_MS without a word ─► opened again

import {EventReader, type Event} from './sse.ts';

export interface Hearer {
  /** The stream is open; `resumed`: it goes on after the last id. */
  opened(resumed: boolean): void;
  heard(event: Event): void;
  /** It does not hear any more. */
  broke(): void;
  /** Nobody is logged on. */
  lost(): void;
}
export interface World {
  fetch(path: string, options: RequestInit): Promise<Response>;
  later(what: () => void, ms: number): unknown;
  cancel(timer: unknown): void;
  random(): number;
}

export const REAL: World = {
  fetch: (path, options) => fetch(path, options),
  later: (what, ms) => setTimeout(what, ms),
  cancel: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  random: () => Math.random(),
};
const SILENT_MS = 10_000;
const LONGEST_S = 15;

/** Seconds until the next try: doubled, with jitter, up to 15; what the server says counts. */
export function pause(tries: number, said: string | null, random: number): number {
  if (said !== null && /^\d+$/.test(said)) return Number(said);
  return Math.min(LONGEST_S, 2 ** tries) * (0.5 + random / 2);
}

export class Stream {
  private abort: AbortController | null = null;
  private timer: unknown = null;
  private silence: unknown = null;
  private tries = 0;
  private lastId = '';

  constructor(
    private readonly path: string,
    private readonly hearer: Hearer,
    private readonly world: World = REAL,
  ) {}

  open() {
    this.close();
    this.abort = new AbortController();
    void this.read(this.abort);
  }
  close() {
    this.abort?.abort();
    this.abort = null;
    this.world.cancel(this.timer);
    this.world.cancel(this.silence);
  }
  /** What was heard counts no more: the next stream begins anew. */
  forget() {
    this.lastId = '';
  }

  private async read(mine: AbortController) {
    let said: string | null = null;
    try {
      const headers: Record<string, string> = {Accept: 'text/event-stream'};
      if (this.lastId) headers['Last-Event-ID'] = this.lastId;
      const options = {headers, credentials: 'same-origin' as const, signal: mine.signal};
      this.listen(mine);
      const answer = await this.world.fetch(this.path, options);
      if (mine.signal.aborted && this.abort !== mine) return;
      if (answer.status === 401) return this.lose();
      said = answer.headers.get('Retry-After');
      if (answer.ok && answer.body) await this.follow(mine, answer.body);
    } catch {
      // Broken off, or given up as silent: tried again below.
    }
    if (this.abort === mine) this.again(said);
  }

  private async follow(mine: AbortController, body: ReadableStream<Uint8Array>) {
    const reader = body.getReader();
    const events = new EventReader();
    const decoder = new TextDecoder();
    this.hearer.opened(this.lastId !== '');
    for (;;) {
      const {done, value} = await reader.read();
      if (done || this.abort !== mine) return;
      this.tries = 0;
      this.listen(mine);
      for (const event of events.take(decoder.decode(value, {stream: true}))) {
        if (event.id) this.lastId = event.id;
        this.hearer.heard(event);
      }
    }
  }

  private listen(mine: AbortController) {
    this.world.cancel(this.silence);
    this.silence = this.world.later(() => mine.abort(), SILENT_MS);
  }
  private lose() {
    this.close();
    this.hearer.lost();
  }
  private again(said: string | null) {
    this.world.cancel(this.silence);
    this.hearer.broke();
    const seconds = pause(this.tries++, said, this.world.random());
    this.timer = this.world.later(() => this.open(), seconds * 1000);
  }
}
