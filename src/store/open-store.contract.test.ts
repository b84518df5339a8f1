/** SQLite files: the contract of all stores, and what several processes do to one file. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { describeChangesBetweenStores } from './change-contract.ts';
import { openStore } from './open-store.ts';
import { describeChangesBetweenProcesses } from './process-changes-contract.ts';
import { sampleOrganization } from './sample-entities-fixture.ts';
import { describeStoreContract } from './store-contract.ts';
import { openTestFile } from './test-store-fixture.ts';

const FIELD_KEY = Buffer.alloc(32, 7);
const CRASH_WRITER = fileURLToPath(new URL('./crash-writer-fixture.ts', import.meta.url));
const KILL_ROUNDS = 6;

const folder = mkdtempSync(join(tmpdir(), 'sluice-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

let fileNumber = 0;
function freshPath(): string {
  return join(folder, `store-${fileNumber++}.db`);
}

function open(path: string) {
  return openStore({ kind: 'sqlite', path, fieldKey: FIELD_KEY, clock: new FakeClock() });
}

/** An empty store in a file, closed: each migration of a file is on the disk before the next one. */
const template = freshPath();
beforeAll(async () => (await open(template)).close());

describeStoreContract('SQLite file', () => {
  const path = freshPath();
  copyFileSync(template, path);
  return openTestFile(path, new FakeClock());
});
describeChangesBetweenStores('SQLite file', async () => {
  const path = freshPath();
  return [await open(path), await open(path)];
});
describeChangesBetweenProcesses('SQLite file', async () => freshPath());

describe('kill -9', () => {
  it('loses no share whose creation was acknowledged', { timeout: 60_000 }, async () => {
    const path = freshPath();
    const org = sampleOrganization();
    const store = await open(path);
    await store.organizations.save(org);
    await store.close();
    const acknowledged: string[] = [];
    for (let round = 0; round < KILL_ROUNDS; round++) {
      const upTo = 1 + ((round * 67) % 150);
      acknowledged.push(...(await writeUntilKilled(path, org.uuid, upTo)));
      const survivor = await open(path);
      const kept = new Set((await survivor.shares.list(org.uuid)).map(({ uuid }) => String(uuid)));
      await survivor.close();
      expect(acknowledged.filter((uuid) => !kept.has(uuid))).toEqual([]);
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(KILL_ROUNDS);
  });
});

/** The uuids that a writing process reported before it was killed, at least `upTo` of them. */
async function writeUntilKilled(path: string, orgUuid: string, upTo: number): Promise<string[]> {
  const child = spawn(process.execPath, [CRASH_WRITER, path, orgUuid, FIELD_KEY.toString('hex')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === upTo) child.kill('SIGKILL');
  }
  const [, signal] = await exited;
  expect(signal).toBe('SIGKILL');
  return lines;
}
