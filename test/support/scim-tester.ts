/** scim2-tester from PyPI, unmodified, against a gateway's `/scim/v2`. */

import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { installScimTester } from '../../scripts/api-tools.mjs';
import type { TestGateway } from './gateway.ts';

const PYTHON = resolve(import.meta.dirname, '../../.cache/scim2-tester/bin/python');
const PROGRAM = resolve(import.meta.dirname, '../scim2-tester/run.py');
const MAX_OUTPUT_BYTES = 100_000_000;

/** A check of scim2-tester, in its words. */
export interface ScimCheck {
  /** `SUCCESS`, `COMPLIANT`, `ACCEPTABLE`, `DEVIATION`, `ERROR`, `CRITICAL`, or `SKIPPED`. */
  readonly status: string;
  readonly title: string;
  readonly type: string | null;
  readonly reason: string | null;
}

/** Installs it if it is missing. Fails if it cannot run. */
export async function runScimTester(
  gateway: Pick<TestGateway, 'apiUrl'>,
  token: string,
): Promise<readonly ScimCheck[]> {
  await installScimTester();
  const args = [PROGRAM, `${gateway.apiUrl}/scim/v2`, token];
  const { stdout } = await promisify(execFile)(PYTHON, args, { maxBuffer: MAX_OUTPUT_BYTES });
  return JSON.parse(stdout) as ScimCheck[];
}
