/**
 * Files of the stream `key-frames`, in the recorder's thread: each has the key frames of another recording file, which is deleted afterwards
 * (docs/design/recording.md#thinning).
 */

import { VIDEO_TRACK_ID } from '../cmaf/packaged-tracks.ts';
import { GatewayError } from '../core/errors.ts';
import { ISOBMFF_ERRORS } from '../isobmff/errors.ts';
import type { ReadBytes } from '../isobmff/fragment-samples.ts';
import { singleTrackInit } from '../isobmff/single-track.ts';
import { RECORDING_ERRORS } from './errors.ts';
import type { ImportedFiles } from './imported-files.ts';
import { readKeyFrameSegment } from './key-frame-segment.ts';
import type { MediaReader, MediaStorage } from './media-storage.ts';
import { type RecordedSegment, type RecordedStream, recordingName } from './segment-index.ts';

/** `damaged`: the source cannot be read, now or later. `nothing`: it has no key frame. */
export type KeyFramesResult = 'written' | 'nothing' | 'damaged';

export interface KeyFramesOf {
  readonly of: RecordedStream;
  readonly number: number;
  /** Each continues the one before. They become one segment. */
  readonly segments: readonly RecordedSegment[];
  /** The number of the file to append to. */
  readonly as: number;
  /** Approximate size of that file in the end. */
  readonly expectedBytes: number;
}

export class KeyFrameFiles {
  readonly #storage: MediaStorage;
  readonly #imports: ImportedFiles;
  /** The file that was appended to last, and its Media Initialization Section. */
  #last: { readonly name: string; readonly init: Buffer } | null = null;

  constructor(storage: MediaStorage, imports: ImportedFiles) {
    this.#storage = storage;
    this.#imports = imports;
  }

  /** Fails like ImportedFiles.append, which deletes the file, and like the storage. */
  async append({ of, number, segments, as, expectedBytes }: KeyFramesOf): Promise<KeyFramesResult> {
    const target: RecordedStream = { cameraUuid: of.cameraUuid, rendition: 'key-frames' };
    const read = await this.#read(recordingName(of, number), segments);
    if (typeof read === 'string') return read;
    const { init, part, bytes } = read;
    const name = recordingName(target, as);
    const isSame = this.#last?.name === name && this.#last.init.equals(init);
    this.#last = null;
    await this.#imports.append(target, as, {
      part: { ...part, init: isSame ? null : init },
      bytes,
      expectedBytes,
    });
    this.#last = { name, init };
    return 'written';
  }

  /** The file is finished, or deleted. */
  forget(): void {
    this.#last = null;
  }

  async #read(name: string, segments: readonly RecordedSegment[]) {
    const [first] = segments;
    if (first === undefined) return 'nothing';
    try {
      const reader = await this.#storage.open(name);
      try {
        const read = await readsOf(reader, segments, this.#storage.isRemote === true);
        const init = videoInit(await read(name, first.init.offset, first.init.byteLength));
        if (init === null) return 'nothing';
        const made = await readKeyFrameSegment(read, name, segments, VIDEO_TRACK_ID);
        return made === null ? 'nothing' : { init, ...made };
      } finally {
        await reader.close();
      }
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.kind !== 'unavailable') return 'damaged';
      throw thrown;
    }
  }
}

/** Far away, one request for all segments takes less time than one for each fragment. */
async function readsOf(
  reader: MediaReader,
  segments: readonly RecordedSegment[],
  isRemote: boolean,
): Promise<ReadBytes> {
  const from = segments[0]!.offset;
  const last = segments.at(-1)!;
  const all = isRemote ? await reader.read(from, last.offset + last.byteLength - from) : null;
  return async (name, offset, length) => {
    const isHere = all !== null && offset >= from && offset + length <= from + all.length;
    const bytes = isHere
      ? all.subarray(offset - from, offset - from + length)
      : await reader.read(offset, length);
    if (bytes.length === length) return bytes;
    throw new GatewayError(RECORDING_ERRORS.RECORDING_DAMAGED, { name });
  };
}

/** Without the sound. null: there is no video. Fails ISOBMFF_… */
function videoInit(init: Buffer): Buffer | null {
  try {
    return singleTrackInit(init, VIDEO_TRACK_ID);
  } catch (error) {
    const isWithout = error instanceof GatewayError && error.code === ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING.code;
    if (isWithout && error.context.trackId === VIDEO_TRACK_ID) return null;
    throw error;
  }
}
