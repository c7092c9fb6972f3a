// Role: what can be done to a job, by its owner and by an administrator to anybody's: which acts
// its state allows, what each is called, and the same in a shell. Pure.

import {isAlive, isOver, isWaiting} from '../../base/states.ts';
import {commandLine} from '../../base/text.ts';

export interface JobAct {
  readonly verb: string;
  readonly text: string;
  /** What it does, for who is asked first. */
  readonly said: string;
  readonly fits: (state: string) => boolean;
  /** What it wants to know. */
  readonly wants?: 'queue' | 'tasks';
  readonly line: (ids: readonly string[], more: ActWords) => string;
}
export interface ActWords {
  readonly why: string;
  readonly queue: string;
  readonly tasks: string;
}
/** As the server is sent them. */
export const bodyOf = ({why, queue, tasks}: ActWords) => ({
  ...(why.trim() ? {why: why.trim()} : {}),
  ...(queue ? {queue} : {}),
  ...(tasks.trim() ? {tasks: Number(tasks)} : {}),
});

const pending = (state: string) => state === 'pending';
const shell =
  (...words: readonly string[]) =>
  (ids: readonly string[]) =>
    commandLine([...words, ...ids]);

export const JOB_ACTS: readonly JobAct[] = [
  {
    verb: 'stop',
    text: 'Stop',
    said: 'Its workers end. What they wrote, checkpoints included, stays.',
    fits: (state) => !isOver(state),
    line: (ids, {why}) => commandLine(['bkill', ...(why ? ['-C', why] : []), ...ids]),
  },
  {
    verb: 'hold',
    text: 'Hold',
    said: 'It does not start until it is released.',
    fits: pending,
    line: shell('bstop'),
  },
  {
    verb: 'release',
    text: 'Release',
    said: 'It may start again.',
    fits: (state) => state === 'held',
    line: shell('bresume'),
  },
  {
    verb: 'top',
    text: 'To the top',
    said: 'It goes before all others of its queue and priority.',
    fits: isWaiting,
    line: shell('btop'),
  },
  {
    verb: 'bottom',
    text: 'To the bottom',
    said: 'It goes after all others of its queue and priority.',
    fits: isWaiting,
    line: shell('bbot'),
  },
  {
    verb: 'switch',
    text: 'To another queue',
    said: 'The queue’s priority, limits and hosts are its own from then on.',
    fits: isWaiting,
    wants: 'queue',
    line: (ids, {queue}) => commandLine(['bswitch', queue || 'QUEUE', ...ids]),
  },
  {
    verb: 'requeue',
    text: 'Queue again',
    said: 'What runs of it ends, and it waits again.',
    fits: isAlive,
    line: shell('brequeue'),
  },
  {
    verb: 'resize',
    text: 'Change its most',
    said: 'It may have so many workers at most from now on; one that is elastic follows at once.',
    fits: isAlive,
    wants: 'tasks',
    line: (ids, {tasks}) => commandLine(['bresize', 'set', tasks || 'N', ...ids]),
  },
];

export const actOf = (verb: string) => JOB_ACTS.find((act) => act.verb === verb);

/** Those of which one at least of these states allows. */
export const actsFor = (states: readonly string[]): readonly JobAct[] =>
  JOB_ACTS.filter((act) => states.some((state) => act.fits(state)));

/** What came of an act for one object. */
export interface Outcome {
  readonly id: string;
  readonly problem: string;
}

/** "3 done." and who was left out, each with why. */
export function outcomeWords(outcomes: readonly Outcome[]): string[] {
  const done = outcomes.filter((one) => !one.problem).length;
  const refused = outcomes.filter((one) => one.problem);
  return [...(done ? [`${done} done.`] : []), ...refused.map((one) => `${one.id}: ${one.problem}`)];
}

/** Does it to each on its own. @param act of one; throws where it is refused */
export async function toEach(
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
  words: (problem: unknown) => string,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const id of ids) {
    try {
      await act(id);
      outcomes.push({id, problem: ''});
    } catch (problem) {
      outcomes.push({id, problem: words(problem)});
    }
  }
  return outcomes;
}
