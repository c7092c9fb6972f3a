// Role: something that somebody does on a page: busy meanwhile, and what came of it in words.

import {signal} from '@preact/signals';
import {asRefused} from '../api/problem.ts';

export class Doing {
  readonly busy = signal(false);
  readonly problem = signal('');

  /** Does it unless something is being done. @returns whether it succeeded */
  async run(what: () => Promise<unknown>, about = ''): Promise<boolean> {
    if (this.busy.value) return false;
    this.busy.value = true;
    this.problem.value = '';
    try {
      await what();
      return true;
    } catch (problem) {
      const {message} = asRefused(problem);
      this.problem.value = about ? `${about}: ${message}` : message;
      return false;
    } finally {
      this.busy.value = false;
    }
  }
}
