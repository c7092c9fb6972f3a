// Role: the words of a filter: which there are, which are wrong and where, and what fits them.
// Pure.
//
//   word          name contains it, or the id is it
//   field:value   the field contains it; state:run
//   field<n >n    the number is at most, at least
//   -word         not that

export interface Problem {
  /** Where the wrong word begins. */
  readonly at: number;
  readonly text: string;
}
/** What one row gives to be looked at: texts by field, numbers by field. */
export interface Fields<R> {
  readonly texts: Readonly<Record<string, (row: R) => string>>;
  readonly numbers: Readonly<Record<string, (row: R) => number | null>>;
  /** Does a bare word, in small letters, fit? */
  readonly bare: (row: R, word: string) => boolean;
}
export interface Query<R> {
  readonly fits: (row: R) => boolean;
  readonly problems: readonly Problem[];
}

type Test<R> = (row: R) => boolean;

const SPANS: Readonly<Record<string, number>> = {s: 1, m: 60, h: 3600, d: 86400};

/** 1d, 90m, 3600 as seconds or a plain number; null: it is none. */
export function amount(text: string): number | null {
  const found = text.match(/^(-?\d+(?:\.\d+)?(?:e-?\d+)?)([smhd]?)$/);
  return found ? Number(found[1]) * (SPANS[found[2] ?? ''] ?? 1) : null;
}

function textTest<R>(fields: Fields<R>, name: string, value: string): Test<R> | string {
  const of = fields.texts[name];
  if (of) return (row) => of(row).toLowerCase().includes(value);
  const close = Object.keys(fields.texts).find((key) => key.startsWith(name.slice(0, 2)));
  return `no field "${name}:"${close ? `; ${close}:?` : ''}`;
}

function numberTest<R>(fields: Fields<R>, name: string, how: string, text: string) {
  const of = fields.numbers[name];
  const bound = amount(text);
  if (!of) return `no number "${name}"; ${Object.keys(fields.numbers).join(', ')}?`;
  if (bound === null) return `"${text}" is no number`;
  return (row: R) => {
    const value = of(row);
    if (value === null) return false;
    return how === '<' ? value <= bound : value >= bound;
  };
}

function testOf<R>(fields: Fields<R>, word: string): Test<R> | string {
  const compared = word.match(/^([a-z_]+)([<>])(.*)$/);
  if (compared) return numberTest(fields, compared[1] ?? '', compared[2] ?? '', compared[3] ?? '');
  const named = word.match(/^([a-z_]+):(.*)$/);
  if (named) return textTest(fields, named[1] ?? '', named[2] ?? '');
  return (row) => fields.bare(row, word);
}

/** What the words ask for; wrong ones ask for nothing, and are told. @cost O(words) */
export function parse<R>(text: string, fields: Fields<R>): Query<R> {
  const tests: Test<R>[] = [];
  const problems: Problem[] = [];
  for (const found of text.matchAll(/\S+/g)) {
    const word = found[0].toLowerCase();
    const negated = word.startsWith('-') && word.length > 1;
    const test = testOf(fields, negated ? word.slice(1) : word);
    if (typeof test === 'string') problems.push({at: found.index, text: test});
    else tests.push(negated ? (row) => !test(row) : test);
  }
  return {fits: (row) => tests.every((test) => test(row)), problems};
}

/** Words that would complete the one that ends at `caret`. @param values known values by field */
export function completions(
  text: string,
  caret: number,
  names: readonly string[],
  values: Readonly<Record<string, readonly string[]>>,
): string[] {
  const word = (text.slice(0, caret).match(/\S+$/)?.[0] ?? '').replace(/^-/, '').toLowerCase();
  const [name, value] = word.split(/:(.*)/s);
  if (value === undefined || name === undefined) {
    return word ? names.filter((n) => n.startsWith(word)).map((n) => `${n}:`) : [];
  }
  const fitting = (values[name] ?? []).filter((v) => v.toLowerCase().includes(value));
  return fitting.slice(0, 8).map((v) => `${name}:${v}`);
}
