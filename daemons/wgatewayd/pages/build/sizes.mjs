// Role: the budgets of what a browser loads, in bytes of gzip; past one the build fails.

import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';

const KB = 1000;
const BUDGET = {all: 150 * KB, first: 45 * KB, css: 12 * KB};

const sizeOf = (path) => gzipSync(readFileSync(path)).length;
const sum = (list) => list.reduce((a, b) => a + b, 0);

/**
 * Prints what there is. Throws what is too large. @param first addresses of what the first page
 * needs
 */
export function tellSizes(folder, first) {
  const names = readdirSync(join(folder, 's'));
  const of = (ending) =>
    names.filter((n) => n.endsWith(ending)).map((n) => sizeOf(join(folder, 's', n)));
  const sizes = {
    all: sum(of('.js')),
    first: sum(first.map((address) => sizeOf(join(folder, address)))),
    css: sum(of('.css')) + sizeOf(join(folder, 'index.html')),
  };
  const told = Object.entries(sizes).map(([name, size]) => `${name} ${(size / KB).toFixed(1)}`);
  console.log(`pages: kB of gzip: ${told.join(', ')}`);
  for (const [name, size] of Object.entries(sizes)) {
    if (size > BUDGET[name])
      throw new Error(`pages: ${name}: ${size} bytes of gzip, ${BUDGET[name]} are allowed`);
  }
  const curves = names.find((n) => n.startsWith('uplot-') && n.endsWith('.js'));
  if (curves && first.some((address) => address.endsWith(curves))) {
    throw new Error('pages: the first page loads uPlot');
  }
}
