// Role: the guides as one file that the page Help reads: name, title and text of each.

import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {PAGES, sha256} from './common.mjs';

const FOLDER = resolve(PAGES, '../../../commands/guides');

/** wm-user.7.md → wm-user, your-runs.md → your-runs. */
const nameOf = (file) => file.replace(/(\.\d)?\.md$/, '');

function guideOf(file) {
  const [first, ...rest] = readFileSync(join(FOLDER, file), 'utf8').split('\n');
  return {name: nameOf(file), title: first.replace(/^#\s*/, ''), text: rest.join('\n').trim()};
}

/** Writes it below `folder`. @returns its address, named by what is in it */
export function writeGuides(folder) {
  const text = JSON.stringify(
    readdirSync(FOLDER)
      .filter((f) => f.endsWith('.md'))
      .sort()
      .map(guideOf),
  );
  const hash = sha256(text)
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(6, 14);
  writeFileSync(join(folder, `s/guides-${hash}.json`), text);
  return `/s/guides-${hash}.json`;
}
