import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DecryptingStorage } from './decrypting-storage.ts';
import { FakeDisk } from './fake-disk.ts';
import { FileStorage } from './file-storage.ts';
import { RecordedCamera, recorderBench } from './recorder-fixture.ts';
import { RecordingKeys } from './recording-cipher.ts';
import { newStream, testFolder } from './recording-fixture.ts';
import { SWEEP_INTERVAL_MS } from './recording-keeper.ts';
import { recordingName } from './segment-index.ts';
import { MAX_THUMBNAILS_BYTES, thumbnailsName, writeThumbnails } from './thumbnail-chunk.ts';
import { ThumbnailFiles } from './thumbnail-files.ts';

const CHUNK = writeThumbnails([{ segmentOffset: 1, blocks: Buffer.from('what it shows') }]);

function open({ keys = null as RecordingKeys | null, minFreeBytes = 0 } = {}) {
  const folder = testFolder();
  const disk = new FakeDisk();
  const storage = new FileStorage(folder, disk);
  const stream = newStream();
  const record = (number: number): void => {
    const path = join(folder, recordingName(stream, number));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'a recording, as far as these files know');
  };
  record(7);
  const files = new ThumbnailFiles({ storage, keys, minFreeBytes });
  const path = join(folder, thumbnailsName(stream, 7));
  return { files, stream, record, storage, disk, path };
}

describe('files with thumbnails of a recording', () => {
  it('grow chunk by chunk, and are there before they end', async () => {
    const { files, stream, path } = open();
    await files.append(stream, 7, CHUNK);
    expect(readFileSync(path)).toEqual(CHUNK);
    await files.append(stream, 7, CHUNK);
    await files.end(stream, 7);
    expect(readFileSync(path)).toEqual(Buffer.concat([CHUNK, CHUNK]));
  });

  it('are encrypted like the recording, and read without knowing', async () => {
    const keys = new RecordingKeys(Buffer.alloc(32, 7));
    const { files, stream, path, storage } = open({ keys });
    await files.append(stream, 7, CHUNK);
    await files.append(stream, 7, CHUNK);
    await files.end(stream, 7);
    expect(readFileSync(path).includes('shows')).toBe(false);
    const reader = await new DecryptingStorage(storage, keys).open(thumbnailsName(stream, 7));
    expect(await reader.read(0, reader.byteLength)).toEqual(Buffer.concat([CHUNK, CHUNK]));
    await reader.close();
  });

  it('are not begun for a recording that is deleted', async () => {
    const { files, stream } = open();
    await expect(files.append(stream, 8, CHUNK)).rejects.toMatchObject({ code: 'RECORDING_NOT_FOUND' });
    await files.append(stream, 7, CHUNK);
    await files.delete(stream, 7);
    await files.end(stream, 7);
  });

  it('leave the room on the disk that recordings leave, and have a largest size', async () => {
    const full = open({ minFreeBytes: Number.MAX_SAFE_INTEGER });
    const refused = { code: 'RECORDING_DISK_FULL' };
    await expect(full.files.append(full.stream, 7, CHUNK)).rejects.toMatchObject(refused);
    expect(existsSync(full.path)).toBe(false);
    const { files, stream, path } = open();
    const large = Buffer.alloc(MAX_THUMBNAILS_BYTES - CHUNK.length + 1);
    await files.append(stream, 7, CHUNK);
    await expect(files.append(stream, 7, large)).rejects.toMatchObject(refused);
    expect(readFileSync(path)).toEqual(CHUNK);
  });

  it('stay as they are when the gateway stops', async () => {
    const { files, stream, path } = open();
    await files.append(stream, 7, CHUNK);
    await files.close();
    expect(readFileSync(path)).toEqual(CHUNK);
  });
});

describe('retention', () => {
  it('deletes thumbnails with their recording, and not before', async () => {
    const folder = testFolder();
    const bench = await recorderBench({ folder, fileBytes: 80_000, limits: { keepMs: 60_000 } });
    bench.recorder.start();
    const camera = new RecordedCamera(bench);
    bench.recorder.turn(camera.stream, true);
    await camera.seconds(30, bench);
    await bench.settle();
    const [first, second] = (await bench.recordings.numbers(camera.stream)) as [number, number];
    for (const number of [first, second]) {
      await bench.recorder.call({ name: 'addThumbnails', of: camera.stream, number, chunk: CHUNK });
      await bench.recorder.call({ name: 'endThumbnails', of: camera.stream, number });
    }
    const has = (number: number): boolean => existsSync(join(folder, thumbnailsName(camera.stream, number)));
    const isListed = async (number: number) =>
      (await bench.recordings.numbers(camera.stream)).includes(number);
    expect([has(first), has(second)]).toEqual([true, true]);
    while (await isListed(first)) {
      expect(has(first)).toBe(true);
      bench.clock.advance(SWEEP_INTERVAL_MS / 20);
      await bench.settle();
    }
    expect([has(first), has(second)]).toEqual([false, await isListed(second)]);
    // They are no stream, and no recording.
    expect(await bench.recorder.call({ name: 'streams' })).toEqual([camera.stream]);
  });
});
