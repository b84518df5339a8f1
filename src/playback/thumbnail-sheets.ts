/**
 * Thumbnails of a time as one JPEG, as players of image playlists and of DASH request them: a grid in which each place is a time. It shows
 * only segments that its viewer may see. Where nothing was recorded, it is gray. docs/design/playback.md#thumbnails.
 */

import { sheetJpeg } from '../codec/jpeg/jpeg-sheet.ts';
import type { JpegTables } from '../codec/jpeg/quantization-tables.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { RECORDING_ERRORS } from '../recording/errors.ts';
import { endEpochMs } from '../recording/segment-index.ts';
import { readThumbnails, thumbnailsOf } from '../recording/thumbnail-chunk.ts';
import { isWithin, type PastSegment, type PastTimeline, type TimeSpan } from './past-timeline.ts';
import { SegmentWork } from './segment-work.ts';
import { MAX_THUMBNAIL_BYTES, SHEET, SHEET_MS, SHEET_TILES, THUMBNAIL_MS } from './thumbnail-size.ts';

export interface ThumbnailSheetsOptions {
  /** The whole file with thumbnails, MAX_THUMBNAILS_BYTES at most. Fails like RecordingReads.read. */
  readonly read: (name: string) => Promise<Buffer>;
  /** Those of a recording file that are not stored yet, by the offset of their segment. */
  readonly unstored: (recordingName: string) => ReadonlyMap<number, Uint8Array>;
  readonly tables: JpegTables;
}

export interface ThumbnailSheet {
  readonly jpeg: Buffer;
  /** For each place, whether there is a thumbnail. */
  readonly isThere: readonly boolean[];
}

/** A sheet is never larger: headers take less than a thumbnail. */
export const MAX_SHEET_BYTES = (SHEET_TILES + 1) * MAX_THUMBNAIL_BYTES;
/** A thumbnail is shown this long at most, if a camera has no others: with few key frames, or few bytes. */
const CARRIED_MS = 60_000;

export class ThumbnailSheets {
  readonly #options: ThumbnailSheetsOptions;

  constructor(options: ThumbnailSheetsOptions) {
    this.#options = options;
  }

  /**
   * From this time on, SHEET_MS; null: there is no thumbnail that the viewer may see. A camera with masks has none. Fails like
   * RecordingReads.read.
   */
  async sheet(
    timeline: Pick<PastTimeline, 'camera' | 'segments'>,
    spans: readonly TimeSpan[],
    fromMs: number,
  ): Promise<ThumbnailSheet | null> {
    if (timeline.camera.masks !== null) return null;
    const segments = await segmentsOf(timeline, spans, fromMs);
    const names = new Set(segments.map(({ file }) => file));
    const known = new Map<string, ReadonlyMap<number, Uint8Array>>();
    await Promise.all([...names].map(async (name) => known.set(name, await this.#thumbnailsOf(name))));
    const tileOf = ({ file, media }: PastSegment) => known.get(file)?.get(media.offset);
    const tiles = tilesOf(segments, tileOf, fromMs);
    const isThere = tiles.map((tile) => tile !== null);
    return isThere.includes(true) ? { jpeg: sheetJpeg(tiles, SHEET, this.#options.tables), isThere } : null;
  }

  async #thumbnailsOf(recordingName: string): Promise<ReadonlyMap<number, Uint8Array>> {
    // Before those that are stored, so that those that are stored in between are found twice rather than not at all.
    const unstored = this.#options.unstored(recordingName);
    const name = thumbnailsOf(recordingName);
    const stored = name === null ? null : await this.#stored(name);
    return stored === null ? unstored : new Map([...readThumbnails(stored), ...unstored]);
  }

  /** null: there are none. */
  async #stored(name: string): Promise<Buffer | null> {
    try {
      return await this.#options.read(name);
    } catch (thrown) {
      const { code } = toGatewayError(thrown);
      if (thrown instanceof GatewayError && code === RECORDING_ERRORS.RECORDING_NOT_FOUND.code) return null;
      throw thrown;
    }
  }
}

/** Those that the viewer may see, and that the sheet may show. */
async function segmentsOf(
  timeline: Pick<PastTimeline, 'segments'>,
  spans: readonly TimeSpan[],
  fromMs: number,
): Promise<PastSegment[]> {
  const work = new SegmentWork();
  const found: PastSegment[] = [];
  for (const segment of [...timeline.segments]) {
    const { media } = segment;
    const isNear = media.epochMs < fromMs + SHEET_MS && endEpochMs(media) > fromMs - CARRIED_MS;
    if (isNear && isWithin(segment, spans)) found.push(segment);
    if (work.step()) await work.pause();
  }
  return found.toSorted((a, b) => a.media.epochMs - b.media.epochMs);
}

/** The first thumbnail of each place's time; without one, the one before it, if something was recorded. */
function tilesOf(
  segments: readonly PastSegment[],
  tileOf: (segment: PastSegment) => Uint8Array | undefined,
  fromMs: number,
): (Uint8Array | null)[] {
  return Array.from({ length: SHEET_TILES }, (_, place) => {
    const startMs = fromMs + place * THUMBNAIL_MS;
    const endMs = startMs + THUMBNAIL_MS;
    const isRecorded = segments.some(({ media }) => media.epochMs < endMs && endEpochMs(media) > startMs);
    if (!isRecorded) return null;
    const shown = segments.find((each) => {
      const { epochMs } = each.media;
      return epochMs >= startMs && epochMs < endMs && tileOf(each) !== undefined;
    });
    const before = (each: PastSegment): boolean => {
      const { epochMs } = each.media;
      return epochMs < startMs && epochMs >= startMs - CARRIED_MS && tileOf(each) !== undefined;
    };
    const segment = shown ?? segments.findLast(before);
    return segment === undefined ? null : tileOf(segment)!;
  });
}
