// Role: the state of a form: what was typed, what is wrong with which field, a key by which what is
// sent twice is done once, and a draft that outlives the session, a reload and the way back. No
// element of a page in it.

import {signal} from '@preact/signals';
import {asRefused} from '../api/problem.ts';

export type Texts = Readonly<Record<string, string>>;

/** Where drafts are kept. */
export interface Keeper {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

/**
 * What a draft holds of the same fields; others are left out, so that an older draft does no harm.
 */
export function restored<T extends Texts>(fresh: T, text: string | null): T {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    if (typeof value !== 'object' || value === null) return fresh;
    const kept = Object.entries(value).filter(
      ([key, held]) => key in fresh && typeof held === 'string',
    );
    return {...fresh, ...Object.fromEntries(kept)};
  } catch {
    return fresh;
  }
}

const newKey = () => globalThis.crypto?.randomUUID?.() ?? String(Math.random());

export class Form<T extends Texts> {
  readonly value;
  readonly errors = signal<Texts>({});
  /** About no field. */
  readonly problem = signal('');
  readonly busy = signal(false);
  /** Of what is sent: the same until it was accepted. */
  key = newKey();

  /** @param name of the draft; empty: none is kept */
  constructor(
    private readonly fresh: T,
    private readonly name = '',
    private readonly keeper: Keeper | undefined = globalThis.sessionStorage,
  ) {
    this.value = signal<T>(name ? restored(fresh, keeper?.getItem(name) ?? null) : fresh);
  }

  set<K extends keyof T & string>(field: K, text: T[K]) {
    this.value.value = {...this.value.value, [field]: text};
    if (this.errors.value[field]) this.clear(field);
    if (this.name) this.keeper?.setItem(this.name, JSON.stringify(this.value.value));
  }
  private clear(field: string) {
    const {[field]: _, ...rest} = this.errors.value;
    this.errors.value = rest;
  }

  /** Begins anew: what was sent is accepted, or somebody wants to. */
  reset(value: T = this.fresh) {
    this.value.value = value;
    this.errors.value = {};
    this.problem.value = '';
    this.key = newKey();
    if (this.name) this.keeper?.removeItem(this.name);
  }

  /**
   * Sends, once at a time. What is refused goes to the fields that it names, else above the form.
   * @param missing what is wrong before anybody is asked, by field
   */
  async submit(send: () => Promise<unknown>, missing: Texts = {}): Promise<boolean> {
    if (this.busy.value) return false;
    this.problem.value = '';
    this.errors.value = missing;
    if (Object.keys(missing).length) return false;
    this.busy.value = true;
    try {
      await send();
      this.key = newKey();
      return true;
    } catch (problem) {
      this.take(problem);
      return false;
    } finally {
      this.busy.value = false;
    }
  }

  private take(problem: unknown) {
    const refused = asRefused(problem);
    const ours = Object.entries(refused.fields).filter(([field]) => field in this.fresh);
    this.errors.value = Object.fromEntries(ours);
    if (ours.length === 0) this.problem.value = refused.message;
  }
}
