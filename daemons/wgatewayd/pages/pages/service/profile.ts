// Role: a profile as it is typed: the values that matter as fields, the whole as JSON; the server
// judges.

import {signal} from '@preact/signals';
import {ask, get, part} from '../../api/client.ts';
import {at, type Tree, typed} from '../../base/values.ts';
import {Doing} from '../../state/doing.ts';

export interface ProfileField {
  readonly where: string;
  readonly label: string;
  readonly note: string;
  readonly numeric: boolean;
  /** Of which one is chosen; empty: anything. */
  readonly words: readonly string[];
  /** May it change while the service is started? */
  readonly live: boolean;
}

const numeric = (where: string, label: string, note = '', live = true): ProfileField => ({
  where,
  label,
  note,
  numeric: true,
  words: [],
  live,
});
const text = (where: string, label: string, note: string, words: string[] = []): ProfileField => ({
  where,
  label,
  note,
  numeric: false,
  words,
  live: false,
});

export const FIELDS: readonly ProfileField[] = [
  numeric('policy.kernel_min', 'Kernels at least', '0: none while nobody asks'),
  numeric('policy.kernel_max', 'Kernels at most', '-1: as many as there can be'),
  numeric('policy.schedule_interval', 'Look at the load every, s'),
  numeric('policy.kernel_delay_release_time', 'Keep a kernel after its use, s'),
  numeric('policy.task_execution_timeout', 'Answer within, s', 'from arrival; -1: no limit'),
  numeric('policy.task_batch_size', 'Requests of one call', 'a batch'),
  numeric('policy.task_parallel_size', 'Threads of a kernel', 'that call', false),
  numeric('policy.task_pipe_size', 'Batches each may have'),
  numeric('kernel.connection_timeout', 'Wait for a kernel, s'),
  text('kernel.gpu', 'GPU', '', ['no', 'shared', 'exclusive']),
  text('resource_allocation.kernel.resource_plan', 'Resource plan', 'empty: its owner’s'),
  text('resource_allocation.kernel.resources', 'Each kernel', 'ncpus=N,mem=MB'),
];

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

export class ProfileModel {
  readonly asJson = signal(false);
  readonly edits = signal<ReadonlyMap<string, string>>(new Map());
  readonly text = signal('');
  /** What the server said of the change. */
  readonly said = signal('');
  readonly doing = new Doing();
  private profile: Tree = {};

  constructor(
    private readonly name: string,
    profile: Tree,
  ) {
    this.take(profile);
  }
  private take(profile: Tree) {
    this.profile = profile;
    this.edits.value = new Map();
    this.text.value = pretty(profile);
  }
  value(where: string): string {
    return this.edits.value.get(where) ?? String(at(this.profile, where) ?? '');
  }
  set(where: string, value: string) {
    this.edits.value = new Map([...this.edits.value, [where, value]]);
    this.said.value = '';
  }
  private typed = () => typed(this.profile, this.edits.value, FIELDS);

  choose(asJson: boolean) {
    if (asJson) this.text.value = pretty(this.typed());
    this.asJson.value = asJson;
  }
  async save() {
    const path = `/dlim/v1/model/${part(this.name)}/appprofile`;
    this.said.value = '';
    await this.doing.run(async () => {
      const body = this.asJson.value ? this.text.value : JSON.stringify(this.typed());
      const answer: {status: string} = await (await ask('PUT', path, {body})).json();
      this.take(await get<Tree>(path));
      this.said.value = answer.status;
    });
  }
}
