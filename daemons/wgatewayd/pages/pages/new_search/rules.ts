// Role: a search as it is typed, and as the server and `dlicmd --hpo-start` read it; what is
// missing, by field; a space that a run's settings suggest. Pure.

export const ALGORITHMS = [
  ['auto', 'auto: decides by the space'],
  ['TPE', 'TPE: thousands of trials, many words'],
  ['Bayesian', 'Bayesian: few, long trials'],
  ['Hyperband', 'Hyperband: many short ones, the best longer'],
  ['ASHA', 'ASHA: as Hyperband, without waiting'],
  ['Random', 'Random: to compare with'],
] as const;

export const FRESH_SEARCH = {
  name: '',
  framework: 'PyTorch',
  command: 'train.py',
  device: 'cpu',
  per_worker: '1',
  plan: '',
  metric: 'loss',
  goal: 'minimize',
  algorithm: 'auto',
  trials: '30',
  parallel: '4',
  minutes: '',
  resource: 'epochs',
  most: '',
};
export type SearchTexts = typeof FRESH_SEARCH;

export interface ParamTexts {
  readonly key: string;
  readonly name: string;
  readonly kind: 'range' | 'values';
  /** Of a range. */
  readonly whole: boolean;
  readonly low: string;
  readonly high: string;
  readonly log: boolean;
  /** Of values: words with commas between. */
  readonly values: string;
}
export const freshParam = (key: string): ParamTexts => ({
  key,
  name: '',
  kind: 'range',
  whole: false,
  low: '',
  high: '',
  log: false,
  values: '',
});

/** Whether an algorithm gives its trials a growing amount of something. */
export const grows = (algorithm: string) => algorithm === 'Hyperband' || algorithm === 'ASHA';

const words = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));
const isWhole = (text: string) => isNumber(text) && Number.isInteger(Number(text));

/** One parameter as the server reads it. */
export function paramOf(param: ParamTexts): Record<string, unknown> {
  const name = param.name.trim();
  if (param.kind === 'values') {
    const list = words(param.values);
    if (list.every(isWhole))
      return {name, type: 'Discrete', dataType: 'int', discreteIntVal: list.map(Number)};
    if (list.every(isNumber))
      return {name, type: 'Discrete', dataType: 'double', discreteDbVal: list.map(Number)};
    return {name, type: 'Discrete', dataType: 'str', discreteStrVal: list};
  }
  const [low, high] = [Number(param.low), Number(param.high)];
  const range = param.whole ? {minIntVal: low, maxIntVal: high} : {minDbVal: low, maxDbVal: high};
  const log = param.log ? {log: true} : {};
  return {name, type: 'Range', dataType: param.whole ? 'int' : 'double', ...range, ...log};
}

/** The words of --exec-start that each trial is. */
export function argsOf(texts: SearchTexts): string {
  const [main = '', ...own] = texts.command.trim().split(/\s+/);
  const made = ['--exec-start', texts.framework, '--numWorker', '1'];
  made.push('--workerDeviceType', texts.device, '--workerDeviceNum', texts.per_worker || '1');
  if (texts.plan) made.push('--consumer', texts.plan);
  made.push('--model-main', main);
  return [...made, ...(own.length ? ['--', ...own] : [])].join(' ');
}

/** What is sent as the form field `data`, and what the file of dlicmd holds. */
export function searchOf(texts: SearchTexts, params: readonly ParamTexts[]) {
  const amount = (text: string) => (text.trim() ? Number(text) : -1);
  return {
    ...(texts.name.trim() ? {hpoName: texts.name.trim()} : {}),
    modelSpec: {args: argsOf(texts)},
    algoDef: {
      algorithm: texts.algorithm,
      objectiveMetric: texts.metric.trim(),
      objective: texts.goal,
      maxJobNum: amount(texts.trials),
      maxParalleJobNum: amount(texts.parallel),
      maxRunTime: amount(texts.minutes),
      ...(grows(texts.algorithm)
        ? {
            algoParams: [
              {name: 'ResourceName', value: texts.resource.trim()},
              {name: 'ResourceValue', value: texts.most.trim()},
            ],
          }
        : {}),
    },
    hyperParams: params.map(paramOf),
  };
}

/** What is wrong with a parameter; empty: nothing. */
export function paramFault(param: ParamTexts): string {
  if (!/^[A-Za-z_][\w.-]*$/.test(param.name.trim())) return 'Which name? As the script knows it.';
  if (param.kind === 'values') {
    return words(param.values).length ? '' : 'Which values? Words or numbers, commas between.';
  }
  const fits = param.whole ? isWhole : isNumber;
  if (!fits(param.low) || !fits(param.high))
    return `From where to where? ${param.whole ? 'Whole numbers' : 'Numbers'} are wanted.`;
  if (Number(param.low) >= Number(param.high)) return 'The first has to be the smaller one.';
  return param.log && Number(param.low) <= 0 ? 'On a log scale it begins above 0.' : '';
}

/** What is wanting before the server is asked, by field. */
export function missingIn(
  texts: SearchTexts,
  params: readonly ParamTexts[],
  code: boolean,
): Record<string, string> {
  const wrong: Record<string, string> = {};
  const count = (field: 'trials' | 'parallel' | 'minutes', needed: boolean) => {
    const text = texts[field].trim();
    if ((text || needed) && !/^[1-9]\d*$/.test(text)) wrong[field] = 'A number from 1 is wanted.';
  };
  if (!texts.command.trim()) wrong.command = 'Which script?';
  if (!texts.metric.trim()) wrong.metric = 'Which metric is to be the best?';
  if (!code) wrong.code = 'Which code? A zip, a tar, or one script.';
  count('trials', false);
  count('parallel', true);
  count('minutes', false);
  if (grows(texts.algorithm) && !/^[1-9]\d*$/.test(texts.most.trim()))
    wrong.most = 'Up to how much? A number from 1.';
  if (params.length === 0) wrong.params = 'At least one parameter is wanted.';
  const names = params.map((param) => param.name.trim());
  const twice = names.find((name, i) => name && names.indexOf(name) !== i);
  if (twice) wrong.params = `${twice} is there twice.`;
  return wrong;
}

const spread = (value: number) => Number((value * 10).toPrecision(3));

/** Around a run's setting: ten times as much and as little, on a log scale where it is above 0. */
export function suggested(name: string, text: string, key: string): ParamTexts {
  const fresh = {...freshParam(key), name};
  if (!isNumber(text)) return {...fresh, kind: 'values', values: text};
  const value = Number(text);
  const whole = isWhole(text) && !/[.e]/i.test(text);
  if (value <= 0) return {...fresh, whole, low: String(value), high: String(value + 1)};
  const least = whole ? Math.max(1, Math.round(value / 10)) : Number((value / 10).toPrecision(3));
  return {...fresh, whole, low: String(least), high: String(spread(value)), log: true};
}
