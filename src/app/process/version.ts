/** The version of the program. */

import { readFileSync } from 'node:fs';

let version: string | null = null;

/** As in package.json, which is read once. */
export function readVersion(): string {
  version ??= versionIn(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  return version;
}

function versionIn(text: string): string {
  return (JSON.parse(text) as { version: string }).version;
}
