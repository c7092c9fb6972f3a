// Role: the output of all workers as one: lines with their rank, in the order in which they came.
// Of what was there before somebody looked, the order between two workers is estimated from where
// a line stands in its file; within one worker it is as written.

import {signal} from '@preact/signals';
import {get} from '../../api/client.ts';
import {asRefused} from '../../api/problem.ts';
import type {MergedPart, Output} from '../../api/shapes_logs.ts';
import {newest} from '../../base/limiter.ts';

export interface MergedLine {
  readonly task: number;
  readonly stream: Output;
  readonly text: string;
  /** Seconds; estimated where `guessed`. */
  readonly t: number;
}
/** What came at once: drawn once, never again. */
export interface MergedPiece {
  readonly key: number;
  readonly lines: readonly MergedLine[];
}
interface Merged {
  readonly parts: readonly MergedPart[];
  readonly left_out: number;
}

const KEPT_LINES = 5000;

const linesIn = (text: string) => {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

/** Bytes of UTF-8. */
const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** An error is written at once: so much of stderr counts as its end. */
const AT_ONCE = 4096;

/** Lines of one file with when they may have been written: between `begun` and its last change. */
export function dated(part: MergedPart, begun: number): MergedLine[] {
  const span = Math.max(0, part.changed - begun);
  let at = part.from;
  return linesIn(part.text).map((text) => {
    at += bytesOf(text) + 1;
    const burst = part.stream === 'stderr' && part.size - at < AT_ONCE;
    const share = part.size > 0 && !burst ? Math.min(1, at / part.size) : 1;
    return {task: part.task, stream: part.stream, text, t: begun + span * share};
  });
}

/** In order of time; lines of one file stay in theirs. */
export function merged(parts: readonly MergedPart[], begun: number): MergedLine[] {
  const all = parts.flatMap((part) => dated(part, begun));
  return all
    .map((line, i) => ({line, i}))
    .sort((a, b) => a.line.t - b.line.t || a.i - b.i)
    .map(({line}) => line);
}

export class MergedLog {
  readonly pieces = signal<readonly MergedPiece[]>([]);
  readonly problem = signal('');
  readonly loaded = signal(false);
  /** Workers that are not among them. */
  readonly leftOut = signal(0);
  /** Lines before the first that is kept. */
  readonly cut = signal(false);
  private have: readonly number[] = [];
  private until = 0;
  private count = 0;
  private readonly ask;

  /** @param begun when the run started, seconds */
  constructor(
    path: string,
    private readonly begun: number,
  ) {
    this.ask = newest(() => get<Merged>(`${path}/logs/merged?have=${this.have.join(',')}`));
  }
  async follow() {
    try {
      const answer = await this.ask();
      if (answer) this.take(answer);
      this.problem.value = '';
    } catch (problem) {
      const refused = asRefused(problem);
      this.problem.value = refused.status === 404 ? '' : refused.message;
    }
    this.loaded.value = true;
  }
  private take({parts, left_out}: Merged) {
    this.leftOut.value = left_out;
    if (this.have.length === 0) this.cut.value = parts.some((part) => part.from > 0);
    this.have = parts.map((part) => part.to);
    const lines = merged(parts, this.until || this.begun);
    this.until = Math.max(this.until, ...parts.map((part) => part.changed));
    if (lines.length === 0) return;
    this.pieces.value = this.trimmed([...this.pieces.value, {key: ++this.count, lines}]);
  }
  private trimmed(pieces: MergedPiece[]): MergedPiece[] {
    let size = pieces.reduce((sum, piece) => sum + piece.lines.length, 0);
    let first = 0;
    while (size > KEPT_LINES && first < pieces.length - 1)
      size -= pieces[first++]?.lines.length ?? 0;
    if (first > 0) this.cut.value = true;
    return pieces.slice(first);
  }
}
