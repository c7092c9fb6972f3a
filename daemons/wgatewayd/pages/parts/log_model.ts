// Role: a growing file as text: its end first, then what is added, by the places of bytes. What was
// read is never read again, and what is shown is never replaced.

import {signal} from '@preact/signals';
import {asRefused} from '../api/problem.ts';
import {newest} from '../base/limiter.ts';

export interface Piece {
  /** Bytes before it; its name. */
  readonly at: number;
  readonly text: string;
}
/** Part of a file: where it begins, and its bytes. */
export interface Part {
  readonly from: number;
  readonly bytes: Uint8Array;
}
/** `from` null: the last `tail` bytes. `most` bytes from there; 0: all. */
export type Read = (from: number | null, tail: number, most: number) => Promise<Part>;

const TAIL = 64 << 10;
/** Before and from a place that is gone to. */
const BEFORE = 16 << 10;
const WINDOW = 4 * TAIL;
const KEPT = 1 << 20;
/** An error, as scripts write one. */
const ERROR = /^(Traceback|\w*(Error|Exception)\b|RuntimeError|CUDA error|FAILED|fatal)/m;

/** How many of the bytes are whole characters of UTF-8. */
export function whole(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= Math.min(4, end); ++back) {
    const byte = bytes[end - back] ?? 0;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return back >= length ? end : end - back;
    }
  }
  return end;
}

export class LogText {
  readonly pieces = signal<readonly Piece[]>([]);
  /** Bytes before the first piece. */
  readonly cut = signal(0);
  readonly problem = signal('');
  readonly loaded = signal(false);
  /** A place within was gone to: what comes after the last piece is not loaded. */
  readonly parted = signal(false);
  /** What is to be brought into sight. */
  readonly wanted = signal<number | null>(null);
  private end: number | null = null;
  private readonly ask;

  constructor(read: Read) {
    this.ask = newest(read);
  }

  /** Reads its end, or what was added since. */
  async follow() {
    if (this.parted.peek()) return;
    try {
      const part = await this.ask(this.end, TAIL, 0);
      if (part) this.take(part);
      this.problem.value = '';
    } catch (problem) {
      const refused = asRefused(problem);
      // No file yet is no output yet.
      this.problem.value = refused.status === 404 ? '' : refused.message;
    }
    this.loaded.value = true;
  }

  /** Reads what is before. */
  async earlier() {
    const before = this.cut.value;
    if (before === 0) return;
    const from = Math.max(0, before - WINDOW);
    const part = await this.ask(from, 0, before - from);
    if (!part) return;
    const text = new TextDecoder().decode(part.bytes.subarray(0, before - part.from));
    this.pieces.value = [{at: part.from, text}, ...this.pieces.value];
    this.cut.value = part.from;
  }

  /** Shows what is around a place, wherever it is. */
  async goTo(at: number) {
    this.parted.value = true;
    this.wanted.value = null;
    const from = Math.max(0, at - BEFORE);
    try {
      const part = await this.ask(from, 0, WINDOW);
      if (!part) return;
      const length = whole(part.bytes);
      const text = new TextDecoder().decode(part.bytes.subarray(0, length));
      this.pieces.value = text ? [{at: part.from, text}] : [];
      this.cut.value = part.from;
      this.end = part.from + length;
      this.wanted.value = at;
      this.problem.value = '';
    } catch (problem) {
      this.problem.value = asRefused(problem).message;
    }
    this.loaded.value = true;
  }
  /** From a place that was gone to: what comes after it; at the end it is followed again. */
  async later() {
    const part = await this.ask(this.end, 0, WINDOW);
    if (!part) return;
    const ended = part.bytes.length < WINDOW;
    this.take(part);
    if (ended) this.parted.value = false;
  }
  /** Back to the end, which is followed. */
  async toEnd() {
    if (this.parted.peek()) {
      this.pieces.value = [];
      this.end = null;
      this.parted.value = false;
      this.wanted.value = null;
    }
    await this.follow();
  }

  private take(part: Part) {
    const length = whole(part.bytes);
    // A file that is shorter than what was read is another.
    const again = this.end !== null && part.from !== this.end;
    if (this.end === null || again) this.cut.value = part.from;
    if (again) {
      this.pieces.value = [];
      this.end = null; // read from its end, the next time
      return;
    }
    this.end = part.from + length;
    if (length === 0) return;
    const text = new TextDecoder().decode(part.bytes.subarray(0, length));
    this.pieces.value = trimmed([...this.pieces.value, {at: part.from, text}]);
    this.cut.value = this.pieces.value[0]?.at ?? this.cut.value;
  }

  /** The place of the last error's beginning: its piece and where in it. */
  lastError(): {piece: Piece; index: number} | null {
    for (const piece of [...this.pieces.value].reverse()) {
      const found = [...piece.text.matchAll(new RegExp(ERROR, 'gm'))].pop();
      if (found) return {piece, index: found.index};
    }
    return null;
  }
}

function trimmed(pieces: Piece[]): Piece[] {
  let size = pieces.reduce((sum, piece) => sum + piece.text.length, 0);
  let first = 0;
  while (size > KEPT && first < pieces.length - 1) size -= pieces[first++]?.text.length ?? 0;
  return pieces.slice(first);
}

/** How often a word is in the text, and where. @cost O(text) */
export function occurrences(pieces: readonly Piece[], word: string, most = 1000) {
  const found: {piece: Piece; index: number}[] = [];
  const wanted = word.toLowerCase();
  if (!wanted) return found;
  for (const piece of pieces) {
    const text = piece.text.toLowerCase();
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      found.push({piece, index: at});
      if (found.length === most) return found;
    }
  }
  return found;
}
