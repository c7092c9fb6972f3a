// Role: files of the configuration as they are edited: what is wrong where, what would come of it,
// and how it is put in force. Pure.

import type {Foretold, Preview} from '../../api/shapes_config.ts';
import {counted} from '../../base/number.ts';
import {commandLine} from '../../base/text.ts';
import {duration} from '../../base/time.ts';

/** Those that a page edits, and what each says. */
export const FILES: readonly (readonly [file: string, what: string])[] = [
  ['queues.conf', 'Queues: priorities, limits, who may use them'],
  ['plans.conf', 'Plans: who owns and deserves how much'],
  ['limits.conf', 'Limits over users, queues, hosts, plans'],
  ['users.conf', 'Users and groups'],
  ['hosts.conf', 'Hosts'],
  ['apps.conf', 'Profiles of applications'],
  ['budgets.conf', 'Budgets'],
  ['slas.conf', 'Goals of service classes'],
];

/** A line of `badmin ckconfig`. `line` 0: it is about the file, or another. */
export interface Wrong {
  readonly line: number;
  readonly text: string;
}
export function wrongOf(said: string, file: string): Wrong {
  const [, where, line, text] = said.match(/^([^:\s]+):(\d+): (.*)$/s) ?? [];
  return where === file && text !== undefined ? {line: Number(line), text} : {line: 0, text: said};
}

/** Where a line begins and ends in a text; past its end: the end. */
export function placeOf(text: string, line: number): readonly [from: number, to: number] {
  let from = 0;
  for (let i = 1; i < line; ++i) {
    const end = text.indexOf('\n', from);
    if (end < 0) return [text.length, text.length];
    from = end + 1;
  }
  const end = text.indexOf('\n', from);
  return [from, end < 0 ? text.length : end];
}

/** The lines of a shell that put a file in force that was saved under its name. */
export function applyLines(file: string, path: string): string[] {
  return [
    commandLine(['install', '-m', '644', file, path]),
    'badmin ckconfig && badmin reconfig --diff',
    'badmin reconfig',
  ];
}

/** Who gains and who waits, in a sentence. */
export function previewWords({gains, waits, same}: Preview): string {
  if (gains + waits === 0)
    return same ? `Nobody’s start moves: ${counted(same, 'job')} looked at.` : 'No job waits.';
  const parts = [
    gains ? `${counted(gains, 'job')} would start earlier` : '',
    waits ? `${counted(waits, 'job')} later` : '',
    same ? `${same} as now` : '',
  ];
  return `${parts.filter(Boolean).join(', ')}.`;
}

/** "2h 10m earlier"; null dates: within run limits there is none. */
export function moveWords({now, then, runs}: Foretold): string {
  if (runs) return then === null ? 'makes way, and starts no more' : 'makes way, starts again';
  if (now === null) return 'gets a date';
  if (then === null) return 'has a date no more';
  const by = duration(Math.abs(then - now));
  return then < now ? `${by} earlier` : `${by} later`;
}
