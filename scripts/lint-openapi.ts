/**
 * Writes the OpenAPI document to a file and holds it against the rules of Redocly CLI and Spectral
 * (test/openapi-lint). `npm test` installs them; neither reports home, looks for updates or fetches anything.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ENDPOINTS } from '../src/api/endpoints.ts';
import { OAUTH_OPERATIONS } from '../src/api/oauth/oauth-operations.ts';
import { openApiDocument } from '../src/http/openapi/openapi.ts';

const LINTERS = resolve(import.meta.dirname, '../test/openapi-lint');
const CACHE = resolve(import.meta.dirname, '../.cache');
const DOCUMENT = join(CACHE, 'openapi.json');

mkdirSync(CACHE, { recursive: true });
const document = openApiDocument(ENDPOINTS, OAUTH_OPERATIONS, 'http://localhost:8080');
writeFileSync(DOCUMENT, JSON.stringify(document, null, 2));

const runs = [
  ['redocly', ['lint', DOCUMENT, '--config', 'redocly.yaml']],
  ['spectral', ['lint', DOCUMENT, '--ruleset', 'spectral.yaml', '--fail-severity', 'hint']],
] as const;
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
for (const [name, args] of runs) {
  const program = join(LINTERS, 'node_modules/.bin', name);
  const { status, error } = spawnSync(program, args, { cwd: LINTERS, env, stdio: 'inherit' });
  if (error !== undefined) process.stderr.write(`${name} did not run: ${error.message}\n`);
  if (status !== 0) process.exitCode = 1;
}
