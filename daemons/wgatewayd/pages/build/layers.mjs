// Role: folders stand in an order, and import only from what stands to the left of them; a page
// imports no other page and not the frame; lines end before column 101.

import {readFileSync} from 'node:fs';
import {dirname, join, normalize} from 'node:path';
import {PAGES} from './common.mjs';

const ORDER = ['base', 'api', 'live', 'state', 'parts', 'figures', 'pages', 'app'];
const WIDTH = 100;

function faultsOf(file) {
  const text = readFileSync(join(PAGES, file), 'utf8');
  const [folder, name] = file.split('/');
  const faults = text
    .split('\n')
    .flatMap((line, i) =>
      line.length > WIDTH ? [`${file}:${i + 1}: ${line.length} columns`] : [],
    );
  for (const found of text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
    const [theirs, page] = normalize(join(dirname(file), found[1])).split('/');
    const later = ORDER.indexOf(theirs) > ORDER.indexOf(folder);
    const alone = !name.endsWith('.test.ts');
    const another =
      alone && theirs === 'pages' && folder === 'pages' && page !== name && page !== 'shared';
    if (later || another) faults.push(`${file}: imports ${found[1]}`);
  }
  return faults;
}

/** Prints what is out of order; true: nothing is. */
export function layers(files) {
  const faults = files.filter((f) => !f.startsWith('api/types')).flatMap(faultsOf);
  for (const fault of faults) console.error(fault);
  return faults.length === 0;
}
