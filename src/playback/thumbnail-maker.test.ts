import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../core/eventually-fixture.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { type Log, silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { type RecordedSegment, type RecordedStream, recordingName } from '../recording/segment-index.ts';
import { readThumbnails } from '../recording/thumbnail-chunk.ts';
import { keptRecording, readerOf, type TestRecording } from './range-mp4-fixture.ts';
import { ThumbnailMaker, type ThumbnailMakerOptions } from './thumbnail-maker.ts';
import { MAX_THUMBNAIL_BYTES, THUMBNAIL_MS } from './thumbnail-size.ts';

const START_MS = Date.UTC(2026, 0, 1, 12);
/** A camera at 4 Mbit/s. */
const BYTES_PER_SEC = 500_000;

let recording: TestRecording;
let decoded: { camera: string; fmp4: readonly Buffer[]; widthPx: number }[];
/** Decoding waits for it. */
let gate: Promise<void>;
let blocks: Buffer;
let stored: { number: number; chunk: Uint8Array }[];
let ended: number[];
let organizations: Map<string, string>;
let subFile: ReturnType<ThumbnailMakerOptions['openFile']>;
let storeFailure: Error | null;
let warnings: string[];
let maker: ThumbnailMaker;

beforeEach(async () => {
  recording = await keptRecording('any', START_MS);
  decoded = [];
  gate = Promise.resolve();
  blocks = Buffer.from('blocks');
  stored = [];
  ended = [];
  organizations = new Map();
  subFile = null;
  storeFailure = null;
  warnings = [];
  const log: Log = { ...silentLog, warn: (_fields, message) => void warnings.push(message) };
  // Every file is the same recording.
  const read = readerOf(new Map([['any', recording.bytes]]));
  maker = new ThumbnailMaker({
    read: (_name, offset, length) => read('any', offset, length),
    decode: async ({ fmp4, widthPx }, { camera }) => {
      decoded.push({ camera, fmp4, widthPx });
      await gate;
      return blocks;
    },
    store: async (_of, number, chunk) => {
      if (storeFailure !== null) throw storeFailure;
      stored.push({ number, chunk });
    },
    end: async (_of, number) => void ended.push(number),
    openFile: ({ rendition }) => (rendition === 'sub' ? subFile : null),
    organizationOf: (cameraUuid) => organizations.get(cameraUuid) ?? null,
    log,
  });
});

function streamOf(
  cameraUuid: Ruuid = newRuuid(),
  rendition: RecordedStream['rendition'] = 'main',
): RecordedStream {
  return { cameraUuid, rendition };
}

/** A segment of a second, that many after the start. Its bytes are one of the recording's segments. */
function segmentAt(sec: number, byteLength = BYTES_PER_SEC): RecordedSegment {
  const [first] = recording.found.segments;
  return { ...first!, epochMs: START_MS + sec * 1_000, byteLength };
}

/** Records so many seconds of it, each thumbnail made before the next segment. */
async function record(of: RecordedStream, fromSec: number, count: number): Promise<void> {
  for (let sec = fromSec; sec < fromSec + count; sec++) {
    maker.recorded(of, 0, { ...segmentAt(sec), offset: offsetAt(sec) });
    await settled();
  }
}

/** Only these are read. */
function offsetAt(sec: number): number {
  return recording.found.segments[sec % recording.found.segments.length]!.offset;
}

const settled = () => new Promise<void>((done) => setImmediate(() => setImmediate(done)));

describe('thumbnails of a recording', () => {
  it('are the first frame of one segment in ten seconds, alone, of the video alone', async () => {
    const of = streamOf();
    await record(of, 0, 25);
    expect(decoded.length).toBe(3);
    const { found, bytes } = recording;
    const { init } = found.segments[0]!;
    const [first] = decoded;
    expect(first).toMatchObject({ camera: of.cameraUuid, widthPx: 160 });
    // Without the audio's track, and without the other frames.
    expect(first!.fmp4[0]!.length).toBeLessThan(init.byteLength);
    expect(first!.fmp4[1]!.length).toBeLessThan(found.segments[0]!.byteLength / 2);
    expect(bytes.includes(first!.fmp4[1]!.subarray(-100))).toBe(true);
  });

  it('are known before they are stored, five minutes of them together', async () => {
    const of = streamOf();
    for (let slot = 0; slot < 31; slot++) {
      maker.recorded(of, 3, {
        ...segmentAt(slot * 10),
        offset: offsetAt(0),
        epochMs: START_MS + slot * THUMBNAIL_MS,
      });
      await settled();
      // What the camera records in between.
      for (let sec = 1; sec < 10; sec++) maker.recorded(of, 3, segmentAt(slot * 10 + sec));
    }
    expect(stored.map(({ number }) => number)).toEqual([3]);
    expect(maker.unstored(recordingName(of, 3)).size).toBe(1);
    maker.finished(of, 3);
    await eventually('the file ends', () => ended.length > 0);
    expect([stored.length, ended]).toEqual([2, [3]]);
    expect(maker.unstored(recordingName(of, 3)).size).toBe(0);
    expect([...readThumbnails(Buffer.from(stored[1]!.chunk)).values()]).toEqual([blocks]);
  });

  it('take a hundredth of the bytes of the recording, however little that is', async () => {
    blocks = Buffer.alloc(17_000);
    const of = streamOf();
    let recordedBytes = 0;
    for (let sec = 0; sec < 400; sec++) {
      const { segments } = recording.found;
      const { offset, byteLength } = segments[sec % segments.length]!;
      recordedBytes += byteLength;
      maker.recorded(of, 0, { ...segmentAt(sec, byteLength), offset });
      await settled();
    }
    // The first one is made in advance.
    expect(decoded.length).toBeGreaterThan(3);
    expect((decoded.length - 1) * blocks.length).toBeLessThanOrEqual(recordedBytes / 100);
  });

  it('are not larger than a picture that shows something', async () => {
    blocks = Buffer.alloc(MAX_THUMBNAIL_BYTES + 1);
    const of = streamOf();
    await record(of, 0, 2);
    expect([decoded.length, maker.unstored(recordingName(of, 0)).size]).toEqual([1, 0]);
  });

  it('are made of the substream where it is recorded at the same time', async () => {
    const of = streamOf();
    const segment = segmentAt(0);
    subFile = {
      number: 9,
      segments: [
        { ...segmentAt(-1), offset: 1 },
        { ...segmentAt(0.5), offset: offsetAt(2) },
      ],
    };
    maker.recorded(of, 0, segment);
    await settled();
    const sub = recording.found.segments[2]!;
    const whole = recording.bytes.subarray(sub.offset, sub.offset + sub.byteLength);
    expect(whole.includes(decoded[0]!.fmp4[1]!.subarray(-100))).toBe(true);
    // It belongs to the segment of the main stream all the same.
    expect([...maker.unstored(recordingName(of, 0)).keys()]).toEqual([segment.offset]);
  });

  it('are left out, and the next ones made, if the disk does not take them', async () => {
    const of = streamOf();
    storeFailure = new Error('disk full');
    await record(of, 0, 2);
    maker.finished(of, 0);
    await settled();
    expect([warnings, stored]).toEqual([['thumbnails not stored'], []]);
    storeFailure = null;
    maker.recorded(of, 1, segmentAt(20));
    await settled();
    maker.finished(of, 1);
    await eventually('the file ends', () => ended.includes(1));
    expect(stored.map(({ number }) => number)).toEqual([1]);
  });

  it('of a file that was never finished are stored when the next one begins', async () => {
    const of = streamOf();
    await record(of, 0, 2);
    maker.recorded(of, 4, segmentAt(10));
    await eventually('the file ends', () => ended.includes(0));
    expect(stored.map(({ number }) => number)).toEqual([0]);
    expect(maker.unstored(recordingName(of, 0)).size).toBe(0);
  });

  it('are stored when the gateway stops', async () => {
    const of = streamOf();
    await record(of, 0, 12);
    await maker.close();
    expect(readThumbnails(Buffer.from(stored[0]!.chunk)).size).toBe(2);
    maker.recorded(of, 0, segmentAt(40));
    await settled();
    expect(decoded.length).toBe(2);
  });

  it('are made for one organization after the other, however many cameras one has', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const { organization } = LIMITS.thumbnails.waiting.levels;
    const modest = streamOf();
    organizations.set(modest.cameraUuid, 'modest');
    for (let count = 0; count < organization + 100; count++) {
      const greedy = streamOf();
      organizations.set(greedy.cameraUuid, 'greedy');
      maker.recorded(greedy, 0, segmentAt(0));
    }
    maker.recorded(modest, 0, segmentAt(0));
    resolve();
    await eventually('the modest one', () => decoded.some(({ camera }) => camera === modest.cameraUuid));
    expect(decoded.findIndex(({ camera }) => camera === modest.cameraUuid)).toBeLessThan(3);
  });
});
