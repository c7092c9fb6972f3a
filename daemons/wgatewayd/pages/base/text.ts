// Role: text from outside: what would not be seen, or turn the line around, becomes a visible mark;
// cells of tables for spreadsheets; words of a shell. Pure.

const MARKS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Outside text with visible marks, cut. @param most characters */
export function clean(text: unknown, most = 200): string {
  const whole = String(text ?? '').slice(0, most + 1);
  const shown = whole.replace(MARKS, (c) => `‹${(c.codePointAt(0) ?? 0).toString(16)}›`);
  return shown.length > most ? `${shown.slice(0, most)}…` : shown;
}

/** A table cell that a spreadsheet takes for text, not for a formula. */
export function csvCell(value: unknown): string {
  let text = String(value ?? '');
  if (typeof value !== 'number' && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows as the text of a CSV file. */
export const csv = (rows: readonly (readonly unknown[])[]) =>
  `${rows.map((row) => row.map(csvCell).join(',')).join('\n')}\n`;

/** A word as a shell reads it as one. */
export const quoted = (word: string) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A line of words, each quoted where it must be. */
export const commandLine = (words: readonly string[]) => words.map(quoted).join(' ');

/** Words as they are typed, with blanks or commas between, each once. */
export const wordList = (text: string): string[] =>
  [...new Set(text.split(/[\s,]+/))].filter(Boolean);

/** "4 → 2". */
export const step = (from: number, to: number) => `${from} → ${to}`;

/** A name that models and services may have, out of any text. */
export const nameFrom = (text: string) =>
  text
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64) || 'model';
