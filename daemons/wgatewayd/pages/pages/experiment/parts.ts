// Role: the definitions that an experiment in the form is made of, and how they outlive a reload:
// which there are in one text, what is typed of each in a draft of its own.

import {Form} from '../../parts/form_model.ts';
import {FRESH_DEFINITION} from './words.ts';

export const DRAFT = 'wm-draft';

/** One definition of the experiment. */
export interface Part {
  readonly key: string;
  /** One of the project's by its name, as it is; empty: it is typed here. */
  readonly existing: string;
  /** The project's one that is changed here: its next version; empty: none. */
  readonly changes: string;
  readonly form: Form<typeof FRESH_DEFINITION>;
}

/** The same request in the words of the clients, or why it is none. */
export interface Verdict {
  readonly key: string;
  readonly problem: string;
  readonly bsub: string;
  readonly dlicmd: string;
  readonly data: string;
}

const draftOf = (key: string) => `${DRAFT}-${key}`;

export function partOf(gpus: boolean, words: Partial<Omit<Part, 'form'>> = {}): Part {
  const {key = crypto.randomUUID(), existing = '', changes = ''} = words;
  const fresh = {...FRESH_DEFINITION, device: gpus ? 'gpu' : 'cpu'};
  return {key, existing, changes, form: new Form(fresh, existing ? '' : draftOf(key))};
}

/** What is kept of them: keys, and names where they have any. */
export const partsText = (parts: readonly Part[]): string =>
  parts
    .map(({key, existing, changes}) => [key, existing, changes].map(encodeURIComponent).join(':'))
    .join(' ');

export const partsFrom = (text: string, gpus: boolean): readonly Part[] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((one) => {
      const [key = '', existing = '', changes = ''] = one.split(':').map(decodeURIComponent);
      return partOf(gpus, {key, existing, changes});
    });

/** What was typed of it is gone. */
export const forget = (part: Part) => globalThis.sessionStorage?.removeItem(draftOf(part.key));
