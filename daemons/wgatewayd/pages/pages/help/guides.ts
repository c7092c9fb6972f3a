// Role: guides as sections, found by words, and as blocks that a page draws. Pure.

export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}
export interface Section {
  readonly guide: string;
  readonly title: string;
  readonly text: string;
}
export type Block = {readonly is: 'text' | 'code' | 'head'; readonly text: string};

/** Each heading with what is below it; what stands before the first has the guide's title. */
export const sectionsOf = (guide: Guide): Section[] =>
  guide.text
    .split(/^## /m)
    .map((part, i): Section => {
      const [first = '', ...rest] = part.split('\n');
      return i === 0
        ? {guide: guide.name, title: guide.title, text: part.trim()}
        : {guide: guide.name, title: first.trim(), text: rest.join('\n').trim()};
    })
    .filter((section) => section.text);

/** Sections that have all words, those with most of them in the title first. */
export function found(sections: readonly Section[], text: string, most: number): Section[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const inTitle = (section: Section) =>
    words.filter((word) => section.title.toLowerCase().includes(word)).length;
  return sections
    .filter((section) => {
      const all = `${section.title}\n${section.text}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .sort((a, b) => inTitle(b) - inTitle(a))
    .slice(0, most);
}

const kindOf = (line: string, before: Block['is'] | undefined): Block['is'] | '' => {
  if (/^(?: {4}|\||```)/.test(line)) return 'code';
  if (/^#+ /.test(line)) return 'head';
  return line.trim() ? 'text' : before === 'code' ? 'code' : '';
};

/** Without the marks of headings, code and emphasis. */
const plain = (line: string) =>
  line
    .replace(/^#+ |`/g, '')
    .replace(/(^|[\s(])\*(\w[^*]*)\*(?=\W|$)/g, '$1$2')
    .trim();

/** "wm-user(7) - the user's guide" → "the user's guide". */
export const shortTitle = (title: string) => title.split(' - ')[1] ?? title;

/** Lines that belong together: of a shell, of a table, of a paragraph. */
export function blocksOf(text: string): Block[] {
  const blocks: {is: Block['is']; text: string}[] = [];
  let before: Block['is'] | '' = '';
  for (const line of text.split('\n')) {
    const is = kindOf(line, before || undefined);
    const last = blocks[blocks.length - 1];
    const shown = is === 'text' || is === 'head' ? plain(line) : line;
    const own = shown.replace(/^ {4}|^```.*/, '');
    if (is && is === before && last && is !== 'head') last.text += `\n${own}`;
    else if (is) blocks.push({is, text: own});
    before = is;
  }
  return blocks.map((block) => ({...block, text: block.text.trimEnd()})).filter((b) => b.text);
}
