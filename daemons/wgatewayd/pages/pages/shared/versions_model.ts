// Role: the versions of an asset: a list, going back, taking one away.

import {signal} from '@preact/signals';
import {ask, get, part} from '../../api/client.ts';
import type {Version} from '../../api/shapes_more.ts';
import {Doing} from '../../state/doing.ts';

export type Kind = 'definitions' | 'experiments' | 'models';
export interface Named {
  readonly kind: Kind;
  readonly project: string;
  readonly name: string;
}

const WORDS = {present: 'in use', earlier: 'earlier', undone: 'gone back from'} as const;
export const standing = (version: Version) => WORDS[version.state ?? 'earlier'];

/** What a version is told from others by, in a few words. */
export function aboutVersion(kind: Kind, version: Version): string {
  if (kind === 'definitions')
    return [version.code_name, version.hash?.slice(0, 8), version.command]
      .filter(Boolean)
      .join(', ');
  if (kind === 'models') return version.run ?? '';
  return (version.definitions ?? [])
    .map((name, i) => {
      const its = version.definition_versions?.[i];
      return its ? `${name} ${its}` : name;
    })
    .join(', ');
}

export class Versions {
  readonly of = signal<Named | null>(null);
  readonly list = signal<readonly Version[] | null>(null);
  /** The one that is to be deleted, when that has been said once more; empty: none. */
  readonly removing = signal('');
  readonly doing = new Doing();

  /** @param changed called when the version in use is another */
  constructor(private readonly changed: () => void) {}

  private path(named: Named) {
    return `/api/v1/projects/${part(named.project)}/${named.kind}/${part(named.name)}`;
  }
  async open(named: Named) {
    this.of.value = named;
    this.list.value = null;
    this.removing.value = '';
    await this.load();
  }
  close = () => {
    this.of.value = null;
  };
  private load() {
    const named = this.of.peek();
    if (!named) return Promise.resolve(false);
    return this.doing.run(async () => {
      const path = `${this.path(named)}/versions`;
      this.list.value = (await get<{versions: readonly Version[]}>(path)).versions;
    });
  }
  /** The version before the one in use becomes the one in use, if that is still as it is shown. */
  async goBack() {
    const named = this.of.peek();
    if (!named) return;
    const done = await this.doing.run(() => ask('POST', `${this.path(named)}/rollback`));
    if (!done) return;
    await this.load();
    this.changed();
  }
  async remove(version: string) {
    const named = this.of.peek();
    if (!named) return;
    this.removing.value = '';
    const path = `${this.path(named)}/versions/${part(version)}`;
    if (await this.doing.run(() => ask('DELETE', path))) await this.load();
  }
  /** Where its code is; empty: it has none of its own. */
  codeOf(version: Version): string {
    const named = this.of.value;
    if (named?.kind !== 'definitions') return '';
    return `${this.path(named)}/versions/${part(version.version)}/code`;
  }
}
