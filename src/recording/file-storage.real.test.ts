/** Recordings on a disk whose room is reserved by a command. */

import { describe, expect, it } from 'vitest';
import { FileStorage } from './file-storage.ts';
import { testFolder } from './recording-fixture.ts';
import { describeStorageContract } from './storage-contract.ts';

describeStorageContract('file system', () => new FileStorage(testFolder()));

const NAME = 'camera/main/000000000000.mp4';

describe('FileStorage', () => {
  it('finishes a file at its length, however late its room is reserved', async () => {
    const storage = new FileStorage(testFolder());
    const appender = await storage.create(NAME, 1_048_576);
    await appender.append([Buffer.alloc(50, 1)]);
    await appender.seal();
    const reader = await storage.open(NAME);
    expect(await reader.read(0, 1_048_576)).toEqual(Buffer.alloc(50, 1));
    await reader.close();
  });
});
