/** The tracks of a camera's newest recording, for clients that want its past while it is offline. There are no live access units. */

import type { AccessUnit, CodedTrack } from '../../codec/track.ts';
import { FragmentReader } from '../../isobmff/fragment-reader.ts';
import type { PastMedia } from '../../playback/recorded-media.ts';
import type { RecordedStream } from '../../recording/segment-index.ts';
import type { LiveUnits, UnitReader } from '../../stream/source/unit-feed.ts';

/** How far back it may be; finding it is cheap. */
const MAX_AGE_MS = 400 * 86_400_000;
/** Longer than any segment. */
const EDGE_MS = 60_000;

export class RecordedUnits implements LiveUnits {
  readonly cameraTime = null;
  readonly #tracks: readonly CodedTrack[];

  private constructor(tracks: readonly CodedTrack[]) {
    this.#tracks = tracks;
  }

  /** null: nothing is recorded. Rejects like the store and the storage, and ISOBMFF_…. */
  static async newest(
    media: Pick<PastMedia, 'hours' | 'segments' | 'read'>,
    stream: RecordedStream,
    nowEpochMs: number,
  ): Promise<RecordedUnits | null> {
    const hours = await media.hours(stream, nowEpochMs - MAX_AGE_MS, nowEpochMs);
    const endMs = hours.reduce((latest, hour) => Math.max(latest, hour.endMs), Number.NEGATIVE_INFINITY);
    if (endMs === Number.NEGATIVE_INFINITY) return null;
    const file = (await media.segments(stream, endMs - EDGE_MS, endMs)).at(-1);
    const init = file?.segments.at(-1)?.init;
    if (file === undefined || init === undefined) return null;
    let tracks: readonly CodedTrack[] = [];
    const reader = new FragmentReader({
      onTracks: (read) => {
        tracks = read;
      },
      onSample: () => undefined,
    });
    reader.push(await media.read(file.name, init.offset, init.byteLength));
    return tracks.length === 0 ? null : new RecordedUnits(tracks);
  }

  attach(reader: UnitReader): void {
    reader.onTracks(this.#tracks);
  }

  detach(): void {
    // Nothing was opened.
  }

  newestUnits(): Iterable<AccessUnit> {
    return [];
  }
}
