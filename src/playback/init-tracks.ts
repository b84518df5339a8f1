/** The tracks of init segments, each of which is read once as long as the next segments have the same one. */

import type { ReadBytes } from '../isobmff/fragment-samples.ts';
import type { RecordedSegment } from '../recording/segment-index.ts';
import { type RecordedTrack, readRecordedTracks } from './recorded-tracks.ts';

export class InitTracks {
  readonly #read: ReadBytes;
  #key = '';
  #tracks: readonly RecordedTrack[] = [];

  constructor(read: ReadBytes) {
    this.#read = read;
  }

  /** `name`: of the segment's file. Fails ISOBMFF_…, or like `read`. */
  async of(name: string, { init }: Pick<RecordedSegment, 'init'>): Promise<readonly RecordedTrack[]> {
    const key = `${name} ${init.offset}`;
    if (key !== this.#key) {
      this.#tracks = readRecordedTracks(await this.#read(name, init.offset, init.byteLength));
      this.#key = key;
    }
    return this.#tracks;
  }
}
