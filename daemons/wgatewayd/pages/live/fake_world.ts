// Role: for tests of the stream and the hub: answers in turn, timers that pass when a test says so.

import type {World} from './stream.ts';

type Answer = () => Response | Promise<Response>;
interface Timer {
  readonly what: () => void;
  readonly ms: number;
}

/** Never answers, unless it is given up. */
const never = (signal: AbortSignal | null | undefined) =>
  new Promise<Response>((_, fail) => {
    signal?.addEventListener('abort', () => fail(new Error('given up')));
  });

/** What the stream waits for the next word of, ms; how often the hub lists anew. */
export const SILENCE = 10_000;
export const HOUR = 3_600_000;

export class FakeWorld implements World {
  readonly asked: {readonly path: string; readonly id: string | null}[] = [];
  /** How many streams were given up by who had asked for them. */
  given = 0;
  private readonly timers = new Map<number, Timer>();
  private count = 0;

  /** @param answers of streams, in turn; when they are used up none comes */
  constructor(
    private readonly answers: Answer[],
    private readonly lists: Answer[] = [],
    private readonly chance = 1,
  ) {}
  fetch = async (path: string, options: RequestInit): Promise<Response> => {
    this.asked.push({path, id: new Headers(options.headers).get('Last-Event-ID')});
    options.signal?.addEventListener('abort', () => ++this.given);
    const next = path.endsWith('/jobs') ? this.lists.shift() : this.answers.shift();
    return next ? next() : never(options.signal);
  };
  later = (what: () => void, ms: number) => {
    this.timers.set(++this.count, {what, ms});
    return this.count;
  };
  cancel = (timer: unknown) => {
    this.timers.delete(timer as number);
  };
  random = () => this.chance;

  /** What is waited for, ms, but for silence and the hour. */
  waits = () =>
    [...this.timers.values()].map(({ms}) => ms).filter((ms) => ms !== SILENCE && ms !== HOUR);
  listens = () => [...this.timers.values()].some(({ms}) => ms === SILENCE);
  /** Lets a pause of so many ms pass, the only one of that length. */
  async pass(ms: number) {
    const found = [...this.timers].find(([, timer]) => timer.ms === ms);
    if (!found) throw new Error(`nothing waits ${ms} ms, but ${this.waits().join(', ')}`);
    this.timers.delete(found[0]);
    found[1].what();
    await quiet();
  }
}

/** Until what has been asked for is answered. */
export async function quiet() {
  for (let turn = 0; turn < 8; ++turn) await new Promise((done) => setImmediate(done));
}

/** A stream that stays open, and what puts words into it. */
export function openStream() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (own) => {
      controller = own;
    },
  });
  return {
    answer: () => new Response(body),
    say: (text: string) => controller?.enqueue(new TextEncoder().encode(text)),
    cut: () => controller?.error(new Error('the line is cut')),
    end: () => controller?.close(),
  };
}
