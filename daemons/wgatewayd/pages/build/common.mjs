// Role: where things lie, and what esbuild is told everywhere.

import {createHash} from 'node:crypto';
import {dirname, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

export const PAGES = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** What a source file becomes, in the browser or under node. */
export const COMMON = {
  absWorkingDir: PAGES,
  bundle: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  target: 'es2022',
  logLevel: 'warning',
};

/** As Content-Security-Policy names a text. */
export const sha256 = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;
