// Role: what a space is called, and where it is. Pure.

import {part} from '../../api/client.ts';

interface Named {
  readonly name: string;
  readonly owner: string;
  readonly role: string;
}

export const isMine = (s: Named) => s.role === 'owner';
/** Its own name, without its owner's before it. */
export const plainName = (s: Named) => (isMine(s) ? s.name : s.name.slice(s.owner.length + 1));
export const spacePath = (name: string) => `/spaces/${part(name)}`;
