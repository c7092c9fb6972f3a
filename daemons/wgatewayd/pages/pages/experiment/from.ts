// Role: a run as the form of a new experiment has it: what was asked for, to be changed and asked
// for again. Its code is not among it. Pure.

import {type DefinitionTexts, type ExperimentTexts, FRESH_DEFINITION, typeOf} from './words.ts';

export interface Cloned {
  readonly experiment: Partial<ExperimentTexts>;
  readonly definition: DefinitionTexts;
}

/** Words as a shell would divide them: quotes keep blanks together. */
export function wordsIn(text: string): string[] {
  const found = text.matchAll(/((?:[^\s'"]+|'[^']*'|"[^"]*")+)/g);
  return [...found].map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

const nameFrom = (text: string) => text.replace(/[^\w.-]+/g, '-').slice(0, 60);

/** @param args of --exec-start, as the server keeps them */
export function clonedFrom(args: string, name: string): Cloned {
  const all = wordsIn(args);
  const end = all.indexOf('--');
  const ours = end < 0 ? all : all.slice(0, end);
  const theirs = end < 0 ? [] : all.slice(end + 1);
  const value = (option: string) => {
    const at = ours.indexOf(option);
    return at < 0 ? '' : (ours[at + 1] ?? '');
  };
  const values = (option: string) =>
    ours.flatMap((word, i) => (word === option ? (ours[i + 1] ?? []) : []));
  const framework = value('--exec-start') || FRESH_DEFINITION.framework;
  const data = value('--cs-datastore-meta').match(/data_path=([^,]*)/)?.[1] ?? '';
  const shown = nameFrom(value('--appName') || name);
  return {
    experiment: {name: shown && `${shown}-2`.slice(-60), data, plan: value('--consumer')},
    definition: {
      ...FRESH_DEFINITION,
      definition: shown,
      framework,
      type: typeOf(framework),
      command: [value('--model-main'), ...theirs].join(' ').trim(),
      device: value('--workerDeviceType') || 'cpu',
      per_worker: value('--workerDeviceNum') || '1',
      memory: value('--workerMemory'),
      nodes: value('--numWorker') || FRESH_DEFINITION.nodes,
      env: values('--msd-env').join('\n'),
    },
  };
}
