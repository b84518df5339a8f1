/** The page that checks archives of cases, one HTML file of 44 KB that is in each of them (docs/design/evidence.md#archives). */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BUNDLER = fileURLToPath(new URL('./bundle-verify-page.ts', import.meta.url));
const MAX_OUTPUT_BYTES = 4 * 1_048_576;
/** For a machine under load. */
const BUNDLER_TIMEOUT_MS = 60_000;

let made: Promise<string> | null = null;

/** Runs bundle-verify-page.ts once, without the gateway's environment, which can have secrets. A failure is not kept. */
export function verifyPage(): Promise<string> {
  made ??= promisify(execFile)(process.execPath, [BUNDLER], {
    env: {},
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: BUNDLER_TIMEOUT_MS,
  }).then(
    ({ stdout }) => stdout,
    (error: unknown) => {
      made = null;
      throw error;
    },
  );
  return made;
}
