// Role: API keys in words: what each may do, whether it is over, the line that uses it. Pure.

import type {ApiKey} from '../../api/shapes_admin.ts';
import {quoted} from '../../base/text.ts';
import {duration} from '../../base/time.ts';
import type {Shown} from '../../base/states.ts';

const SOON_S = 14 * 86_400;

export const SCOPES = [
  ['read,submit,inference', 'Everything'],
  ['read', 'Look only'],
  ['read,submit', 'Look and submit'],
  ['inference', 'Ask services only'],
] as const;

export const scopeWords = (scopes: string): string =>
  SCOPES.find(([value]) => value === scopes)?.[1] ?? scopes.replaceAll(',', ', ');

/** Whether it opens something still, and for how long. */
export function keyShown(key: ApiKey, now: number): Shown {
  const left = key.expires - now;
  if (left <= 0) return {word: 'Over', icon: 'stop', kind: ''};
  const word = `${duration(left)} left`;
  return left < SOON_S ? {word, icon: 'what', kind: 'warn'} : {word, icon: 'run', kind: 'run'};
}

export interface KeyTexts {
  readonly name: string;
  readonly scopes: string;
  readonly days: string;
}
/** What is wanting, by field, before the server is asked. */
export function missingOf(texts: KeyTexts): Record<string, string> {
  const wrong: Record<string, string> = {};
  if (!/^[A-Za-z0-9][\w.-]*$/.test(texts.name.trim()))
    wrong.name = 'A name of letters, digits, dots and dashes is wanted.';
  const days = texts.days.trim();
  if (!/^[1-9]\d*$/.test(days) || Number(days) > 3650)
    wrong.days = 'A number of days from 1 to 3650 is wanted.';
  return wrong;
}

export const FRESH_KEY = {name: '', scopes: SCOPES[0][0] as string, days: '90'};

/** How a key is used: three lines of a shell. */
export const usingLines = (origin: string, user: string, secret: string): string =>
  [
    `export WM_GATEWAY_URL=${quoted(origin)}`,
    `curl -O ${quoted(`${origin}/ui/tools/dlicmd.py`)}`,
    `python3 dlicmd.py --logon --username ${quoted(user)} --password ${quoted(secret)}`,
  ].join('\n');
