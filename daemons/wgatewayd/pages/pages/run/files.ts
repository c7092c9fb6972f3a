// Role: what a run has left on disk, asked for when somebody opens the list.

import {signal} from '@preact/signals';
import {get, part} from '../../api/client.ts';
import type {RunFiles} from '../../api/shapes_logs.ts';
import {Doing} from '../../state/doing.ts';

export class Files {
  readonly shown = signal(false);
  /** null: not known yet. */
  readonly known = signal<RunFiles | null>(null);
  readonly doing = new Doing();

  constructor(private readonly id: string) {}
  async open() {
    this.known.value = null;
    this.shown.value = true;
    await this.doing.run(async () => {
      this.known.value = await get<RunFiles>(`/api/v1/runs/${part(this.id)}/files`);
    });
  }
  close = () => {
    this.shown.value = false;
  };
}
