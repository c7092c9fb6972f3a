// Role: lines looked for in all of what a run's workers wrote: a word, or the errors.

import {signal} from '@preact/signals';
import {get, part} from '../../api/client.ts';
import type {FoundLines} from '../../api/shapes_logs.ts';
import {counted} from '../../base/number.ts';
import {Doing} from '../../state/doing.ts';

export class LogSearch {
  /** null: nothing is looked for. `word` empty: errors. */
  readonly found = signal<(FoundLines & {readonly word: string}) | null>(null);
  readonly doing = new Doing();

  /** @param path of the job at the interface */
  constructor(private readonly path: string) {}

  look(word: string) {
    return this.doing.run(async () => {
      const query = word ? `q=${part(word)}` : 'errors=yes';
      const lines = await get<FoundLines>(`${this.path}/logs/search?${query}`);
      this.found.value = {...lines, word};
    });
  }
  close = () => {
    this.found.value = null;
  };
}

/** What was found, in a sentence. */
export function foundWords({word, count, matches, complete}: FoundLines & {word: string}): string {
  const what = word ? `“${word}”` : 'the beginning of an error';
  const looked = complete ? '' : ' in the part that could be looked through in ten seconds';
  if (count === 0) return `No line holds ${what}${looked}.`;
  const shown = matches.length < count ? `, the first ${matches.length} are shown` : '';
  return `${counted(count, 'line')} with ${what}${looked}${shown}.`;
}
