import { createDecipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { newRuuid } from '../core/ruuid.ts';
import { DecryptingStorage } from './decrypting-storage.ts';
import { FakeDisk } from './fake-disk.ts';
import { CountedNumbers } from './file-numbers.ts';
import { FileStorage } from './file-storage.ts';
import { ImportedFiles } from './imported-files.ts';
import { RECORDING_BOX_BYTES, readFileHeader } from './recording-boxes.ts';
import { RecordingKeys } from './recording-cipher.ts';
import { BOOT_ID, FakeStream, newStream, segmentBytes, testFolder } from './recording-fixture.ts';
import { RecordingWriter } from './recording-writer.ts';
import { type RecordedFile, recordingName } from './segment-index.ts';
import { describeStorageContract } from './storage-contract.ts';

const KEYS = new RecordingKeys(Buffer.alloc(32, 3));
const LIMITS = { fileBytes: 1_048_576, syncIntervalMs: 5_000, minFreeBytes: 0 };

describeStorageContract(
  'with decryption',
  () => new DecryptingStorage(new FileStorage(testFolder(), new FakeDisk()), KEYS),
);

async function recorded() {
  const folder = testFolder();
  const files = new FileStorage(folder, new FakeDisk());
  const stream = newStream();
  const written: RecordedFile[] = [];
  const camera = new FakeStream();
  const writer = new RecordingWriter({
    stream,
    storage: files,
    bootId: BOOT_ID,
    numbers: new CountedNumbers(0),
    keys: KEYS,
    clock: camera.clock,
    limits: LIMITS,
    events: {
      onSegment: () => undefined,
      onFile: (file) => void written.push(file),
      onUnfinished: () => undefined,
      onState: () => undefined,
      onDropped: () => undefined,
    },
  });
  const parts = camera.segments(3);
  for (const { part, bytes } of parts) await writer.write(part, bytes);
  await writer.close();
  const name = recordingName(stream, 0);
  return { folder, files, stream, name, file: written[0]!, segments: segmentBytes(parts), parts };
}

describe('encrypted recordings', () => {
  it('show nothing of the media without the key', async () => {
    const { folder, name, file, segments, parts } = await recorded();
    const stored = readFileSync(join(folder, name));
    expect(stored.includes(Buffer.from('mdat'))).toBe(false);
    expect(stored.includes(parts[0]!.part.init!.subarray(0, 32))).toBe(false);
    for (const segment of segments) expect(stored.includes(segment.subarray(0, 64))).toBe(false);
    expect(file.segments).toHaveLength(3);
  });

  it('are AES-256 in counter mode from the place in the file', async () => {
    const { folder, name, file, segments, stream } = await recorded();
    const stored = readFileSync(join(folder, name));
    const { key } = readFileHeader(stored.subarray(0, RECORDING_BOX_BYTES.file), name);
    const cipher = KEYS.cipherOf(stream.cameraUuid, key!.id);
    expect(cipher.keyCheck).toEqual(key!.check);
    // The key stream is that of zeros; any implementation has it.
    const keyStream = cipher.apply(0, Buffer.alloc(stored.length));
    const { offset, byteLength } = file.segments[1]!;
    const clear = stored
      .subarray(offset, offset + byteLength)
      .map((byte, i) => byte ^ keyStream[offset + i]!);
    expect(Buffer.from(clear)).toEqual(segments[1]);
    expect(createDecipheriv('aes-256-ctr', Buffer.alloc(32), Buffer.alloc(16)).update(stored)).not.toEqual(
      clear,
    );
  });

  it('can be read in any range', async () => {
    const { files, name, file, segments } = await recorded();
    const reader = await new DecryptingStorage(files, KEYS).open(name);
    const { offset, byteLength } = file.segments[2]!;
    await fc.assert(
      fc.asyncProperty(fc.nat(byteLength - 1), fc.nat(200), async (at, length) => {
        const found = await reader.read(offset + at, Math.min(length, byteLength - at));
        expect(found).toEqual(segments[2]!.subarray(at, at + length));
      }),
      randomRuns(100),
    );
    await reader.close();
  });

  it('are read with their own key when the name was that of an older file', async () => {
    const { files, name, parts, stream, segments } = await recorded();
    const reading = new DecryptingStorage(files, KEYS);
    await (await reading.open(name)).close();
    // The thread that deletes is another one.
    await files.delete(name);
    const writing = new ImportedFiles({ storage: files, limits: LIMITS, keys: KEYS, bootId: BOOT_ID });
    for (const { part, bytes } of parts) {
      await writing.append(stream, 0, { part, bytes, expectedBytes: 1_048_576 });
    }
    const { offset, byteLength } = (await writing.finish(stream, 0)).segments[1]!;
    const reader = await reading.open(name);
    expect(await reader.read(offset, byteLength)).toEqual(segments[1]);
    const target = new Uint8Array(new SharedArrayBuffer(byteLength));
    expect(await reader.readInto(target, offset)).toBe(byteLength);
    expect(Buffer.from(target)).toEqual(segments[1]);
    await reader.close();
  });

  it('have a key of their own, which depends on the camera', () => {
    const [camera, other] = [newRuuid(), newRuuid()];
    const [first, second] = [KEYS.newCipher(camera), KEYS.newCipher(camera)];
    const zeros = Buffer.alloc(32);
    const streams = [
      first.apply(0, zeros),
      second.apply(0, zeros),
      KEYS.cipherOf(other, first.keyId).apply(0, zeros),
      new RecordingKeys(Buffer.alloc(32, 4)).cipherOf(camera, first.keyId).apply(0, zeros),
    ];
    expect(new Set(streams.map((bytes) => bytes.toString('hex'))).size).toBe(4);
    expect(KEYS.cipherOf(camera, first.keyId).apply(16, zeros.subarray(16))).toEqual(
      streams[0]!.subarray(16),
    );
  });

  it('are refused with another key', async () => {
    const { files, name } = await recorded();
    const storage = new DecryptingStorage(files, new RecordingKeys(Buffer.alloc(32, 4)));
    for (let i = 0; i < 2; i++) {
      await expect(storage.open(name)).rejects.toMatchObject({
        code: 'RECORDING_KEY_UNKNOWN',
        context: { name },
      });
    }
  });
});

describe('files that are encrypted as a whole', () => {
  const content = Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7) % 251));

  async function wrapped(camera = newRuuid()) {
    const folder = testFolder();
    const files = new FileStorage(folder, new FakeDisk());
    const storage = new DecryptingStorage(files, KEYS, { isWrapping: true });
    const name = `clips/${newRuuid()}/${camera}.mp4`;
    const appender = await storage.create(name, content.length);
    expect([appender.isEncrypted, appender.byteLength, appender.syncedBytes]).toEqual([true, 0, 0]);
    await appender.append([content.subarray(0, 8), content.subarray(8, 1_001)]);
    expect(appender.byteLength).toBe(1_001);
    await appender.append([content.subarray(1_001)]);
    await appender.seal();
    expect([appender.byteLength, appender.syncedBytes]).toEqual([content.length, content.length]);
    return { folder, files, name, camera };
  }

  it('are read in any range as they were written, whether new files are encrypted or not', async () => {
    const { files, name } = await wrapped();
    for (const isWrapping of [true, false]) {
      const reader = await new DecryptingStorage(files, KEYS, { isWrapping }).open(name);
      expect(reader.byteLength).toBe(content.length);
      await fc.assert(
        fc.asyncProperty(fc.nat(content.length + 9), fc.nat(2_000), async (offset, length) => {
          const expected = content.subarray(offset, offset + length);
          expect(await reader.read(offset, length)).toEqual(expected);
          const target = Buffer.alloc(length);
          expect(await reader.readInto(target, offset)).toBe(expected.length);
          expect(target.subarray(0, expected.length)).toEqual(expected);
        }),
        randomRuns(50),
      );
      await reader.close();
    }
  });

  it('have nothing of it on the disk but who has the key, and no two files have one', async () => {
    const camera = newRuuid();
    const [first, second] = [await wrapped(camera), await wrapped(camera)];
    const [a, b] = [first, second].map(({ folder, name }) => readFileSync(join(folder, name)));
    const headerBytes = RECORDING_BOX_BYTES.file;
    expect(a!.length).toBe(headerBytes + content.length);
    expect(readFileHeader(a!.subarray(0, headerBytes), 'a')).toMatchObject({
      cameraUuid: camera,
      isWrapped: true,
    });
    expect(a!.includes(content.subarray(0, 16))).toBe(false);
    expect(a!.subarray(headerBytes)).not.toEqual(b!.subarray(headerBytes));
  });

  it('are refused with another key, and without a camera', async () => {
    const { files, name } = await wrapped();
    const other = new RecordingKeys(Buffer.alloc(32, 4));
    await expect(new DecryptingStorage(files, other).open(name)).rejects.toMatchObject({
      code: 'RECORDING_KEY_UNKNOWN',
    });
    const storage = new DecryptingStorage(files, KEYS, { isWrapping: true });
    await expect(storage.create('clips/a/b.mp4', 10)).rejects.toThrow('without the name of a camera');
  });

  it('can stand next to plain ones', async () => {
    const { files } = await wrapped();
    const plain = await files.create('clips/a/b.jpeg', 10);
    await plain.append([content]);
    await plain.seal();
    const reader = await new DecryptingStorage(files, KEYS, { isWrapping: true }).open('clips/a/b.jpeg');
    expect(await reader.read(3, 100)).toEqual(content.subarray(3, 103));
    await reader.close();
  });
});
