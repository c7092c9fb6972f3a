// Role: everything that is checked of the pages without a browser: types, lint, import order, unit
// tests, and, where WM_OPENAPI names the interface's document, whether the pages read what it says.
// usage: check.mjs OUT [types|drift|lint|layers|unit …]     OUT: where compiled tests go

import {spawnSync} from 'node:child_process';
import {mkdirSync, readdirSync, rmSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {build} from 'esbuild';
import {COMMON, PAGES} from './common.mjs';
import {layers} from './layers.mjs';
import {writeTypes} from './types.mjs';

const out = process.argv[2] ? resolve(process.argv[2]) : PAGES;
if (PAGES.startsWith(out)) {
  // OUT is emptied first.
  console.error('usage: check.mjs OUT [CHECK …]: OUT is a folder apart from the sources');
  process.exit(2);
}
const asked = process.argv.slice(3);

function run(words) {
  const [program, ...rest] = words;
  const done = spawnSync(program, rest, {cwd: PAGES, stdio: 'inherit'});
  return done.status === 0;
}
const module = (path) => join(PAGES, 'node_modules', path);

/** Each file of tests, compiled with what it needs, under node's own runner. */
async function unit() {
  rmSync(out, {recursive: true, force: true});
  mkdirSync(out, {recursive: true});
  const tests = sources(/\.test\.tsx?$/);
  await build({
    ...COMMON,
    entryPoints: tests,
    outdir: out,
    outExtension: {'.js': '.mjs'},
    platform: 'node',
    format: 'esm',
    sourcemap: 'inline',
    define: {WORKER_ADDRESS: '"/s/worker.js"', GUIDES_ADDRESS: '"/s/guides.json"'},
  });
  const made = readdirSync(out, {recursive: true}).filter((n) => n.endsWith('.test.mjs'));
  return run(['node', '--enable-source-maps', '--test', ...made.map((n) => join(out, n))]);
}

/** What the pages read of the interface is what its document says. */
async function drift() {
  const document = process.env.WM_OPENAPI;
  if (!document) {
    console.log('drift: WM_OPENAPI names no document: not looked at');
    return asked.length === 0;
  }
  await writeTypes(resolve(document), join(PAGES, 'api/types.ts'));
  return run([
    process.execPath,
    module('typescript/bin/tsc'),
    '-p',
    'tsconfig.drift.json',
    '--pretty',
    'false',
  ]);
}

function sources(pattern) {
  const folders = ['base', 'api', 'live', 'state', 'parts', 'figures', 'pages', 'app'];
  return folders.flatMap((folder) =>
    readdirSync(join(PAGES, folder), {recursive: true})
      .filter((name) => pattern.test(name))
      .map((name) => `${folder}/${name}`),
  );
}

const CHECKS = {
  types: () => run([process.execPath, module('typescript/bin/tsc'), '--pretty', 'false']),
  drift,
  lint: () =>
    run([process.execPath, module('@biomejs/biome/bin/biome'), 'lint', '--error-on-warnings', '.']),
  layers: () => layers(sources(/\.tsx?$/)),
  unit,
};

let failed = 0;
for (const [name, check] of Object.entries(CHECKS)) {
  if (asked.length && !asked.includes(name)) continue;
  const passed = await check();
  console.log(`${passed ? 'PASS' : 'FAIL'} ${name}`);
  failed += passed ? 0 : 1;
}
process.exitCode = failed ? 1 : 0;
