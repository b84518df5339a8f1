import { describe, expect, it } from 'vitest';
import { FakeDisk } from './fake-disk.ts';
import { FileStorage } from './file-storage.ts';
import { ImportedFiles } from './imported-files.ts';
import { BOOT_ID, FakeStream, newStream, segmentBytes, testFolder } from './recording-fixture.ts';
import { recordingName } from './segment-index.ts';

const LIMITS = { fileBytes: 1_048_576, syncIntervalMs: 5_000, minFreeBytes: 0 };
const ROOM_FOR_BOXES = 1_048_576;

describe('an imported file', () => {
  it('is one file, however much larger than expected it gets', async () => {
    const storage = new FileStorage(testFolder(), new FakeDisk());
    const files = new ImportedFiles({ storage, limits: LIMITS, bootId: BOOT_ID });
    const stream = newStream();
    const parts = new FakeStream().segments(120);
    for (const { part, bytes } of parts) await files.append(stream, 3, { part, bytes, expectedBytes: 1 });
    const file = await files.finish(stream, 3);
    expect(file.byteLength).toBeGreaterThan(1.2 * ROOM_FOR_BOXES);
    expect(file.number).toBe(3);
    expect(file.segments).toHaveLength(120);
    expect(await storage.list(`${stream.cameraUuid}/${stream.rendition}`)).toEqual(['000000000003.mp4']);
    const reader = await storage.open(recordingName(stream, 3));
    const { offset, byteLength } = file.segments.at(-1)!;
    expect(await reader.read(offset, byteLength)).toEqual(segmentBytes(parts).at(-1));
    await reader.close();
  });

  it('leaves alone a file that has its number, also when it is canceled', async () => {
    const storage = new FileStorage(testFolder(), new FakeDisk());
    const stream = newStream();
    const [segment] = new FakeStream().segments(1);
    const imported = { ...segment!, expectedBytes: 1 };
    const earlier = new ImportedFiles({ storage, limits: LIMITS, bootId: BOOT_ID });
    await earlier.append(stream, 3, imported);
    await earlier.finish(stream, 3);
    const files = new ImportedFiles({ storage, limits: LIMITS, bootId: BOOT_ID });
    await expect(files.append(stream, 3, imported)).rejects.toMatchObject({ code: 'RECORDING_EXISTS' });
    expect(await files.cancel(stream, 3)).toBe(false);
    expect(await storage.list(`${stream.cameraUuid}/${stream.rendition}`)).toEqual(['000000000003.mp4']);
  });
});
