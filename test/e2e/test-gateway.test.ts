/** The gateway of the other tests: what it leaves when it does not start. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TestGateway } from '../support/gateway.ts';
import { childrenOf } from '../support/processes.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-gateway-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test('a gateway that is not ready in time leaves no process and no folder', async () => {
  const children = childrenOf(process.pid, null);
  await expect(TestGateway.start({}, { readyWithinMs: 1 })).rejects.toThrow(/^time ran out before/);
  expect(childrenOf(process.pid, null)).toEqual(children);
  expect(readdirSync(folder)).toEqual([]);
});
