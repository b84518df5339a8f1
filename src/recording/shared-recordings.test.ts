import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { checkSharedRecordings, STORAGE_ID_FILE } from './shared-recordings.ts';

function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-shared-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('nodes find out that they have one folder of recordings, or not', async () => {
  const store = await openTestStore(new FakeClock(0));
  onTestFinished(() => store.close());
  const { recordingBlocks } = store;
  const [shared, own] = [testFolder(), testFolder()];
  await Promise.all(Array.from({ length: 4 }, () => checkSharedRecordings(shared, recordingBlocks)));
  await checkSharedRecordings(shared, recordingBlocks);
  expect(readdirSync(shared)).toEqual([STORAGE_ID_FILE]);
  for (let i = 0; i < 2; i++) {
    await expect(checkSharedRecordings(own, recordingBlocks)).rejects.toMatchObject({
      code: 'RECORDING_FOLDER_NOT_SHARED',
      context: { folder: own },
    });
    expect(readdirSync(own)).toEqual([]);
  }
});
