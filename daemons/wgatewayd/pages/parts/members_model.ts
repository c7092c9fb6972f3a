// Role: the model of the members of a space, or of a project.

import {signal} from '@preact/signals';
import {send} from '../api/client.ts';
import {asRefused} from '../api/problem.ts';
import type {Member} from '../api/shapes.ts';

/** Whom it is shared with, as it is changed. */
export class Members {
  readonly shown = signal(false);
  readonly list = signal<readonly Member[]>([]);
  readonly added = signal<Member>({name: '', role: 'viewer'});
  readonly problem = signal('');

  open(members: readonly Member[]) {
    this.list.value = members;
    this.added.value = {name: '', role: 'viewer'};
    this.problem.value = '';
    this.shown.value = true;
  }
  add() {
    const {name, role} = this.added.value;
    const wanted = name.trim();
    if (!wanted) return;
    this.list.value = [...this.list.value.filter((m) => m.name !== wanted), {name: wanted, role}];
    this.added.value = {name: '', role};
  }
  setRole(name: string, role: string) {
    this.list.value = this.list.value.map((m) => (m.name === name ? {name, role} : m));
  }
  remove(name: string) {
    this.list.value = this.list.value.filter((m) => m.name !== name);
  }
  async save(base: string): Promise<boolean> {
    this.add();
    try {
      await send(`${base}/members`, {members: this.list.value}, 'PUT');
      this.shown.value = false;
      return true;
    } catch (problem) {
      this.problem.value = asRefused(problem).message;
      return false;
    }
  }
}
