import { beforeEach, describe, expect, it } from 'vitest';
import { jpegTables } from '../codec/jpeg/quantization-tables.ts';
import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { RECORDING_ERRORS } from '../recording/errors.ts';
import { writeThumbnails } from '../recording/thumbnail-chunk.ts';
import { maskedCameraUuid } from '../store/privacy-mask.ts';
import { FakePastMedia } from './fake-past-media.ts';
import { PastPlayback } from './past-playback.ts';
import type { TimeSpan } from './past-timeline.ts';
import { MAX_SHEET_BYTES, ThumbnailSheets } from './thumbnail-sheets.ts';
import { MAX_THUMBNAIL_BYTES, SHEET, SHEET_TILES } from './thumbnail-size.ts';

const START_MS = Date.UTC(2026, 0, 1, 12);
const CAMERA = newRuuid();
const ALL: readonly TimeSpan[] = [{ fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }];
const corner = (xPermyriad: number, yPermyriad: number) => ({ xPermyriad, yPermyriad });
const MASKS = [{ name: '', points: [corner(0, 0), corner(9, 0), corner(0, 9)] }];
const MASKED = maskedCameraUuid(CAMERA, MASKS);
const TABLES = jpegTables(50);

let media: FakePastMedia;
/** By segment, of the only file: its thumbnail says when it begins. */
let unstored: Map<number, Uint8Array>;
let files: Map<string, Buffer>;
let playback: PastPlayback;
let sheets: ThumbnailSheets;

beforeEach(() => {
  media = new FakePastMedia();
  unstored = new Map();
  files = new Map();
  const clock = new FakeClock(START_MS + 3_600_000);
  const maskedBy = (uuid: string) => (uuid === MASKED ? { cameraUuid: CAMERA, masks: MASKS } : null);
  playback = new PastPlayback({ media, clock, maskedBy, hasThumbnails: true });
  sheets = new ThumbnailSheets({
    unstored: (name) => (name === 'file-0' ? unstored : new Map()),
    read: async (name) => {
      const file = files.get(name);
      if (file === undefined) throw new GatewayError(RECORDING_ERRORS.RECORDING_NOT_FOUND, { name });
      return file;
    },
    tables: TABLES,
  });
});

/** Segments of 2 s, and a thumbnail of each of these seconds. */
function record(count: number, seconds: readonly number[], fromSec = 0): void {
  media.recordRun(START_MS + fromSec * 1_000, count);
  for (const sec of seconds) unstored.set(10_000 + (sec / 2) * 1_000, Buffer.from(`<at ${sec}>`));
}

const timeline = (fromSec: number, toSec: number, camera = CAMERA) =>
  playback.timeline(camera, { fromMs: START_MS + fromSec * 1_000, toMs: START_MS + toSec * 1_000 });

/** What a viewer sees, place by place: the first row of each one's blocks says which thumbnail it is. */
async function seen(fromSec: number, spans = ALL, range: [number, number] = [0, 3_600]): Promise<string[]> {
  const sheet = await sheets.sheet(await timeline(...range), spans, START_MS + fromSec * 1_000);
  if (sheet === null) return ['nothing'];
  const rowMarks = SHEET.columns * (SHEET.tileHeightPx / 16);
  const rows = sheet.jpeg.toString('latin1').split(/\xff[\xd0-\xd7]/);
  return Array.from({ length: SHEET_TILES }, (_, place) => {
    const row = Math.floor(place / SHEET.columns) * rowMarks + (place % SHEET.columns);
    const found = /<at \d+>/.exec(rows[row]!)?.[0] ?? '-';
    expect(sheet.isThere[place]).toBe(found !== '-');
    return found;
  });
}

describe('a sheet of thumbnails', () => {
  it('has a place for each ten seconds, with the first thumbnail of that time', async () => {
    record(20, [0, 2, 10, 14, 22, 34]);
    expect((await seen(0)).slice(0, 6)).toEqual(['<at 0>', '<at 10>', '<at 22>', '<at 34>', '-', '-']);
    expect((await seen(4)).slice(0, 5)).toEqual(['<at 10>', '<at 14>', '<at 22>', '<at 34>', '-']);
  });

  it('shows the thumbnail before, for a minute at most, where the camera has no other', async () => {
    record(60, [0, 90]);
    expect((await seen(0)).slice(0, 11)).toEqual([
      ...Array.from({ length: 7 }, () => '<at 0>'),
      ...['-', '-', '<at 90>', '<at 90>'],
    ]);
  });

  it('shows nothing in a gap', async () => {
    record(5, [0]);
    media.recordRun(START_MS + 40_000, 5);
    expect((await seen(0)).slice(0, 6)).toEqual(['<at 0>', '-', '-', '-', '<at 0>', '-']);
  });

  it('shows segments that the viewer may see, and no other', async () => {
    record(20, [0, 10, 20, 30]);
    const spans = [{ fromMs: START_MS + 10_000, toMs: START_MS + 29_000 }];
    expect((await seen(0, spans)).slice(0, 4)).toEqual(['-', '<at 10>', '<at 20>', '-']);
    const cut = [{ fromMs: START_MS + 10_500, toMs: START_MS + 29_000 }];
    expect((await seen(0, cut)).slice(0, 4)).toEqual(['-', '-', '<at 20>', '-']);
    expect(await seen(0, [{ fromMs: START_MS + 100_000, toMs: START_MS + 200_000 }])).toEqual(['nothing']);
  });

  it('shows nothing outside of the range', async () => {
    record(20, [0, 10, 20, 30]);
    expect((await seen(0, ALL, [10, 20])).slice(0, 4)).toEqual(['-', '<at 10>', '-', '-']);
  });

  it('never shows a camera with masks', async () => {
    record(20, [0, 10]);
    const masked = await timeline(0, 3_600, MASKED);
    expect(masked.segments.length).toBe(20);
    expect(await sheets.sheet(masked, ALL, START_MS)).toBeNull();
  });

  it('has those that are stored', async () => {
    const stored = { segmentOffset: 10_000, blocks: Buffer.from('<at 0>') };
    const name = `${CAMERA}/main/000000000000.mp4`;
    files.set(`${CAMERA}/main-thumbnails/000000000000.bin`, writeThumbnails([stored]));
    record(5, []);
    const known = await timeline(0, 60);
    const segments = known.segments.map((segment) => ({ ...segment, file: name }));
    const sheet = await sheets.sheet({ camera: known.camera, segments }, ALL, START_MS);
    expect(sheet?.jpeg.includes('<at 0>')).toBe(true);
  });

  it('is none if there are no thumbnails', async () => {
    record(5, []);
    expect(await seen(0)).toEqual(['nothing']);
  });

  it('fits into what is reserved for it', () => {
    expect(SHEET_TILES * MAX_THUMBNAIL_BYTES).toBeLessThan(MAX_SHEET_BYTES);
  });
});
