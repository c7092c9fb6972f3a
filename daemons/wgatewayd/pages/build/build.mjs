// Role: the pages as a browser gets them.
//
//   live/worker.ts ─► s/worker-HASH.js ─┐ its address
//   app/main.tsx, import() a page ──────┴► s/NAME-HASH.js, shared chunks
//   css/frame.css ─► index.html, inline; its hash ─► style_hash, for the CSP
//   css/parts.css ─► s/parts-HASH.css
//   commands/guides ─► s/guides-HASH.json
//
// What is under s/ is named by what is in it, and never changes. OUT is replaced as a whole, so
// that nobody sees half of it. usage: build.mjs OUT

import {mkdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {basename, join, resolve} from 'node:path';
import {build} from 'esbuild';
import {COMMON, PAGES, sha256} from './common.mjs';
import {writeGuides} from './guides.mjs';
import {tellSizes} from './sizes.mjs';

const out = resolve(process.argv[2] ?? '');
const fresh = `${out}.fresh-${process.pid}`;
const FOR_BROWSER = {...COMMON, minify: true, outdir: fresh, metafile: true, legalComments: 'none'};
const NAMES = {
  entryNames: 's/[name]-[hash]',
  chunkNames: 's/[name]-[hash]',
  assetNames: 's/[name]-[hash]',
};

/** The address of the one output that an entry became. */
function addressOf(result, entry) {
  const found = Object.entries(result.metafile.outputs).find(([, o]) => o.entryPoint === entry);
  if (!found) throw new Error(`build: ${entry} became nothing`);
  return `/s/${basename(found[0])}`;
}

/** Chunks that an output needs before it runs, itself included. */
function needed(outputs, address, into = new Set()) {
  if (into.has(address)) return into;
  into.add(address);
  const found = Object.entries(outputs).find(([path]) => `/s/${basename(path)}` === address);
  for (const one of found?.[1].imports ?? []) {
    if (one.kind === 'import-statement') needed(outputs, `/s/${basename(one.path)}`, into);
  }
  return into;
}

function page(frame, app, parts) {
  const outputs = app.metafile.outputs;
  const main = addressOf(app, 'app/main.tsx');
  const preloads = [...needed(outputs, main)].map(
    (path) => `<link rel="modulepreload" href="${path}">`,
  );
  const html = readFileSync(join(PAGES, 'app/index.html'), 'utf8');
  const filled = {frame: `<style>${frame}</style>`, preloads: preloads.join('\n'), main, parts};
  return html.replace(/@(\w+)@/g, (_, name) => filled[name]);
}

async function made() {
  mkdirSync(join(fresh, 's'), {recursive: true});
  const worker = await build({
    ...FOR_BROWSER,
    ...NAMES,
    entryPoints: ['live/worker.ts'],
    format: 'iife',
  });
  const app = await build({
    ...FOR_BROWSER,
    ...NAMES,
    entryPoints: ['app/main.tsx'],
    format: 'esm',
    splitting: true,
    define: {
      WORKER_ADDRESS: JSON.stringify(addressOf(worker, 'live/worker.ts')),
      GUIDES_ADDRESS: JSON.stringify(writeGuides(fresh)),
    },
  });
  const css = await build({...FOR_BROWSER, ...NAMES, entryPoints: ['css/parts.css']});
  const inline = await build({...FOR_BROWSER, entryPoints: ['css/frame.css'], write: false});
  const frame = inline.outputFiles[0].text.trim();
  writeFileSync(join(fresh, 'index.html'), page(frame, app, addressOf(css, 'css/parts.css')));
  writeFileSync(join(fresh, 'icon.svg'), readFileSync(join(PAGES, 'app/icon.svg')));
  writeFileSync(join(fresh, 'style_hash'), sha256(frame));
  const first = needed(app.metafile.outputs, addressOf(app, 'app/main.tsx'));
  needed(app.metafile.outputs, addressOf(app, 'app/first_pages.ts'), first);
  tellSizes(fresh, [...first]);
}

try {
  await made();
  rmSync(out, {recursive: true, force: true});
  renameSync(fresh, out);
} catch (problem) {
  rmSync(fresh, {recursive: true, force: true});
  console.error(problem.message ?? problem);
  process.exitCode = 1;
}
