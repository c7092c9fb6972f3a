// Role: the model of a file of the configuration that is edited: its text here, judged by the
// server as it is typed, looked ahead with when asked. Nothing of it is written there.

import {computed, signal} from '@preact/signals';
import {get, part, send} from '../../api/client.ts';
import {asRefused} from '../../api/problem.ts';
import type {Checked, ConfigFile, Preview} from '../../api/shapes_config.ts';
import {differ} from '../../base/diff.ts';
import {newest} from '../../base/limiter.ts';
import type {Keeper} from '../../parts/form_model.ts';
import {Asked} from '../../state/asked.ts';
import {Doing} from '../../state/doing.ts';
import {wrongOf} from './rules.ts';

const JUDGE_MS = 400;

/** What was typed, and of which text it was made. */
interface Kept {
  readonly hash: string;
  readonly text: string;
}

export class Editing {
  readonly there: Asked<ConfigFile>;
  readonly text = signal('');
  readonly checked = signal<Checked | null>(null);
  /** Why it cannot be judged now. */
  readonly problem = signal('');
  /** It was changed on the disk since what is typed here was begun. */
  readonly overtaken = signal(false);
  readonly preview = signal<{readonly of: string; readonly told: Preview} | null>(null);
  readonly previewing = new Doing();
  readonly lines = computed(() => differ(this.there.value.value?.text ?? '', this.text.value));
  readonly changed = computed(() => {
    const known = this.there.value.value;
    return known !== null && known.text !== this.text.value;
  });
  readonly wrong = computed(() =>
    (this.checked.value?.wrong ?? []).map((said) => wrongOf(said, this.file)),
  );
  private readonly path: string;
  private readonly draft: string;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly ask;

  constructor(
    readonly file: string,
    private readonly keeper: Keeper | undefined = globalThis.sessionStorage,
  ) {
    this.path = `/api/v1/config/${part(file)}`;
    this.draft = `wm-config-${file}`;
    this.there = new Asked(() => this.load());
    this.ask = newest(
      async (text: string): Promise<Checked> => (await send(`${this.path}/check`, {text})).json(),
    );
  }

  private async load(): Promise<ConfigFile> {
    const known = await get<ConfigFile>(this.path);
    const kept = this.kept();
    this.overtaken.value = kept !== null && kept.hash !== known.hash;
    if (!this.changed.peek() || this.there.value.peek() === null) {
      this.text.value = kept?.text ?? known.text;
      void this.judge();
    }
    return known;
  }
  private kept(): Kept | null {
    try {
      const value = JSON.parse(this.keeper?.getItem(this.draft) ?? 'null') as Kept | null;
      return typeof value?.text === 'string' ? value : null;
    } catch {
      return null;
    }
  }

  type(text: string) {
    this.text.value = text;
    const hash = this.kept()?.hash ?? this.there.value.peek()?.hash ?? '';
    if (this.changed.value) this.keeper?.setItem(this.draft, JSON.stringify({hash, text}));
    else this.keeper?.removeItem(this.draft);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.judge(), JUDGE_MS);
  }
  /** Back to what is on the disk. */
  discard() {
    this.keeper?.removeItem(this.draft);
    this.overtaken.value = false;
    this.preview.value = null;
    this.text.value = this.there.value.peek()?.text ?? '';
    void this.judge();
  }
  end() {
    clearTimeout(this.timer);
  }

  async judge() {
    clearTimeout(this.timer);
    try {
      const checked = await this.ask(this.text.peek());
      if (checked === null) return; // a newer one was asked for
      this.checked.value = checked;
      this.problem.value = '';
    } catch (problem) {
      this.problem.value = asRefused(problem).message;
    }
  }
  lookAhead() {
    const text = this.text.peek();
    return this.previewing.run(async () => {
      const told: Preview = await (await send(`${this.path}/preview`, {text})).json();
      this.preview.value = {of: text, told};
    });
  }
}
