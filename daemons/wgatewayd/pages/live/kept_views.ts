// Role: views of all jobs, kept while no job changes: scrolling is a part of the same rows, and
// what is typed in the filter goes through rows that are in order already.
//
//   jobs ─filter─► ─order─► ─fold─► rows of a view ─► its window
//             └ all of them, in order: kept, and filtered for the next word

import type {JobRow} from '../api/shapes.ts';
import {chosen, folded, inOrder} from './jobs.ts';
import type {Row, ViewAsked, Window} from './messages.ts';

/** What is told by the clock, an age, may be so old. @units seconds */
const OLD_S = 5;
/** Views that are kept at once; a tab has a few. */
const MOST = 16;

interface Kept<T> {
  readonly at: number;
  readonly value: T;
}
interface Made {
  readonly rows: readonly Row[];
  readonly problems: Window['problems'];
}

export class KeptViews {
  private readonly whole = new Map<string, Kept<readonly JobRow[]>>();
  private readonly views = new Map<string, Kept<Made>>();

  /** A job has changed, or whose jobs they are. */
  forget() {
    this.whole.clear();
    this.views.clear();
  }
  /** @cost O(1) for a view that is kept; O(jobs) where their order is; else O(jobs log jobs) */
  of(jobs: ReadonlyMap<string, JobRow>, view: ViewAsked, user: string, now: number): Made {
    const {mine, group, filter, sort, fold} = view;
    const key = JSON.stringify([mine, group, filter, sort, fold]);
    const kept = this.views.get(key);
    if (kept && Math.abs(now - kept.at) < OLD_S) return kept.value;
    const {rows, problems} = this.sorted(jobs, view, user, now);
    const value = {rows: fold ? folded(rows) : rows, problems};
    if (this.views.size >= MOST) this.views.clear();
    this.views.set(key, {at: now, value});
    return value;
  }
  private sorted(
    jobs: ReadonlyMap<string, JobRow>,
    view: ViewAsked,
    user: string,
    now: number,
  ): {rows: readonly JobRow[]; problems: Window['problems']} {
    const whole = this.whole.get(view.sort);
    if (whole && Math.abs(now - whole.at) < OLD_S) return chosen(whole.value, view, user, now);
    const {rows, problems} = chosen(jobs.values(), view, user, now);
    const made = inOrder(rows, view.sort, now, user);
    if (made.length === jobs.size) {
      if (this.whole.size >= MOST) this.whole.clear();
      this.whole.set(view.sort, {at: now, value: made});
    }
    return {rows: made, problems};
  }
}
