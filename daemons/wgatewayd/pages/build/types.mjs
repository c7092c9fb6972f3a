// Role: TypeScript's types of the interface, out of its OpenAPI document, which is made of the routes
// that answer. usage: types.mjs DOCUMENT OUT

import {readFileSync, writeFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';
import openapiTS, {astToString} from 'openapi-typescript';

/** Writes the types of a document. */
export async function writeTypes(document, out) {
  const parsed = JSON.parse(readFileSync(document, 'utf8'));
  writeFileSync(out, astToString(await openapiTS(parsed, {arrayLength: true})));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await writeTypes(process.argv[2], process.argv[3]);
}
