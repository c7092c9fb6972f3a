// Role: what its owner says of a run: a name, tags, a description, a note, a star; kept beside its
// record. Two who edit at once: the second is told, and keeps what was typed.

import {signal} from '@preact/signals';
import {ask, get, JSON_BODY, part} from '../../api/client.ts';
import type {RunRow} from '../../api/shapes_more.ts';
import {wordList} from '../../base/text.ts';
import {Form} from '../../parts/form_model.ts';
import {Doing} from '../../state/doing.ts';

const FRESH = {name: '', tags: '', description: '', note: ''};

export class Kept {
  /** null: it has no record of its own, or it is not known yet. */
  readonly run = signal<RunRow | null>(null);
  readonly shown = signal(false);
  readonly form = new Form(FRESH);
  readonly doing = new Doing();
  private readonly path: string;

  constructor(private readonly id: string) {
    this.path = `/api/v1/runs/${part(id)}`;
  }
  /** An element has no words of its own: its array has. */
  async load() {
    if (!/^\d+$/.test(this.id)) return;
    try {
      this.run.value = (await get<{run: RunRow}>(this.path)).run;
    } catch {
      this.run.value = null; // what is not kept has nothing to be said of
    }
  }
  open() {
    const run = this.run.value;
    if (!run) return;
    const {description, note} = run;
    this.form.reset({name: run.name ?? '', tags: run.tags.join(' '), description, note});
    this.shown.value = true;
  }
  close = () => {
    this.shown.value = false;
  };
  private async patch(words: object) {
    const etag = this.run.peek()?.etag ?? '';
    const headers = etag ? {...JSON_BODY, 'If-Match': `"${etag}"`} : JSON_BODY;
    const answer = await ask('PATCH', this.path, {body: JSON.stringify(words), headers});
    this.run.value = ((await answer.json()) as {run: RunRow}).run;
  }
  async save() {
    const {tags, ...texts} = this.form.value.value;
    const words = {...texts, tags: wordList(tags)};
    if (await this.form.submit(() => this.patch(words))) this.close();
  }
  star = () => this.doing.run(() => this.patch({starred: !this.run.peek()?.starred}));
}
