/**
 * Thumbnails of what is being recorded: of one segment in ten seconds, the first frame, small. They are made of the recording itself, after it
 * is on the disk, and of the substream's if that is recorded, too. Nothing here delays a recording: what cannot be made in time is left out.
 * docs/design/playback.md#thumbnails.
 */

import { GatewayError, toGatewayError } from '../core/errors.ts';
import { FairQueue, queueOptionsOf } from '../core/fair-queue.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { ISOBMFF_ERRORS } from '../isobmff/errors.ts';
import type { ReadBytes } from '../isobmff/fragment-samples.ts';
import { singleTrackInit } from '../isobmff/single-track.ts';
import {
  endEpochMs,
  type RecordedSegment,
  type RecordedStream,
  recordingName,
} from '../recording/segment-index.ts';
import { type Thumbnail, writeThumbnails } from '../recording/thumbnail-chunk.ts';
import { readKeyFrame } from './key-frames.ts';
import { type RecordedTrack, readRecordedTracks } from './recorded-tracks.ts';
import { MAX_THUMBNAIL_BYTES, THUMBNAIL_MS } from './thumbnail-size.ts';

/** A frame to decode. */
export interface ThumbnailFrame {
  /** One track, one frame. */
  readonly fmp4: readonly Buffer[];
  /** As it is shown. */
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Coded blocks of a JPEG of the size of a thumbnail (src/codec/jpeg/jpeg-sheet.ts). Fails like PictureDecoder.decode. */
export type DecodeThumbnail = (
  frame: ThumbnailFrame,
  turn: { readonly organization: string; readonly camera: string },
) => Promise<Buffer>;

export interface ThumbnailMakerOptions {
  readonly read: ReadBytes;
  readonly decode: DecodeThumbnail;
  /** Stores a chunk with those of the recording file. Fails like Recorder.call. */
  readonly store: (of: RecordedStream, number: number, chunk: Uint8Array) => Promise<unknown>;
  /** The file gets no more. Fails like Recorder.call. */
  readonly end: (of: RecordedStream, number: number) => Promise<unknown>;
  /** The file of a stream that is being written. */
  readonly openFile: (
    of: RecordedStream,
  ) => { readonly number: number; readonly segments: readonly RecordedSegment[] } | null;
  /** null: not known, and the camera counts as one of its own. */
  readonly organizationOf: (cameraUuid: Ruuid) => string | null;
  readonly log: Log;
}

/** They take at most this share of the bytes that are recorded. */
const BYTES_SHARE = 0.01;
/** What a stream may save up. */
const MAX_ALLOWANCE_BYTES = 64 * 1_024;
/** How much one is expected to take, until it is made. */
const EXPECTED_BYTES = 6 * 1_024;
/** So many are stored together: five minutes of them. */
const CHUNK_THUMBNAILS = 30;
/** Limit of those in memory for a file, if the disk does not take them. */
const MAX_IN_MEMORY = 2 * CHUNK_THUMBNAILS;

interface OpenThumbnails {
  readonly of: RecordedStream;
  readonly number: number;
  readonly name: string;
  /** Not stored yet. */
  made: Thumbnail[];
  /** Being made. */
  pending: number;
  isStoring: boolean;
  /** The recording file is finished. */
  isEnded: boolean;
}

interface StreamState {
  /** Of the newest file. */
  number: number;
  /** What it may still take; negative: the next ones are left out. */
  allowanceBytes: number;
  /** The last time that got one, in THUMBNAIL_MS. */
  slot: number;
}

/** The video track of an init segment, and the init segment with it alone. */
interface InitOfVideo {
  readonly init: Buffer;
  readonly track: RecordedTrack;
}

export class ThumbnailMaker {
  readonly #options: ThumbnailMakerOptions;
  readonly #queue = new FairQueue(queueOptionsOf(LIMITS.thumbnails));
  readonly #streams = new Map<string, StreamState>();
  /** By name of the recording file. */
  readonly #files = new Map<string, OpenThumbnails>();
  #isFailing = false;
  #isClosed = false;

  constructor(options: ThumbnailMakerOptions) {
    this.#options = options;
  }

  /** A segment is on the disk. */
  recorded(of: RecordedStream, number: number, segment: RecordedSegment): void {
    if (this.#isClosed) return;
    const state = this.#stateOf(of);
    // A file that could not be finished, or whose thread failed, gets no more either.
    if (state.number !== number) this.finished(of, state.number);
    state.number = number;
    const { allowanceBytes } = state;
    state.allowanceBytes = Math.min(MAX_ALLOWANCE_BYTES, allowanceBytes + segment.byteLength * BYTES_SHARE);
    const slot = Math.floor(segment.epochMs / THUMBNAIL_MS);
    if (slot === state.slot || state.allowanceBytes < 0) return;
    const file = this.#fileOf(of, number);
    if (file.isEnded || file.made.length + file.pending >= MAX_IN_MEMORY) return;
    state.slot = slot;
    state.allowanceBytes -= EXPECTED_BYTES;
    file.pending++;
    void this.#makeInTurn(file, segment).then((blocks) => {
      file.pending--;
      state.allowanceBytes += EXPECTED_BYTES - (blocks?.length ?? 0);
      if (blocks !== null) file.made.push({ segmentOffset: segment.offset, blocks });
      this.#storeIfDue(file);
    });
  }

  /** A recording file is finished. */
  finished(of: RecordedStream, number: number): void {
    const file = this.#files.get(recordingName(of, number));
    if (file === undefined) return;
    file.isEnded = true;
    this.#storeIfDue(file);
  }

  /** Those of a recording file that are not stored yet, by the offset of their segment. */
  unstored(name: string): ReadonlyMap<number, Uint8Array> {
    const made = this.#files.get(name)?.made ?? [];
    return new Map(made.map(({ segmentOffset, blocks }) => [segmentOffset, blocks]));
  }

  /** Makes no more, and stores what is made. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#files.values()].map((file) => this.#storeMade(file)));
  }

  #stateOf({ cameraUuid, rendition }: RecordedStream): StreamState {
    const key = `${cameraUuid}/${rendition}`;
    const state = this.#streams.get(key) ?? { number: -1, allowanceBytes: 0, slot: -1 };
    this.#streams.set(key, state);
    return state;
  }

  #fileOf(of: RecordedStream, number: number): OpenThumbnails {
    const name = recordingName(of, number);
    const file = this.#files.get(name) ?? {
      of,
      number,
      name,
      made: [],
      pending: 0,
      isStoring: false,
      isEnded: false,
    };
    this.#files.set(name, file);
    return file;
  }

  /** null: it is left out. Never rejects. */
  async #makeInTurn(file: OpenThumbnails, segment: RecordedSegment): Promise<Buffer | null> {
    const { cameraUuid } = file.of;
    const turn = { organization: this.#options.organizationOf(cameraUuid) ?? cameraUuid, camera: cameraUuid };
    try {
      const made = await this.#queue.run({ group: turn.organization, member: cameraUuid }, async () => {
        if (this.#isClosed) return null;
        const frame = await this.#frameOf(file, segment);
        return frame === null ? null : this.#options.decode(frame, turn);
      });
      return made === null || made.length > MAX_THUMBNAIL_BYTES ? null : made;
    } catch (thrown) {
      this.#options.log.debug({ name: file.name, err: toGatewayError(thrown) }, 'thumbnail not made');
      return null;
    }
  }

  /** Of the substream, if it begins a segment in the same time, because that is cheaper. */
  async #frameOf({ of, name }: OpenThumbnails, segment: RecordedSegment): Promise<ThumbnailFrame | null> {
    const sub = { cameraUuid: of.cameraUuid, rendition: 'sub' } as const;
    const open = of.rendition === 'main' ? this.#options.openFile(sub) : null;
    const smaller = open?.segments.findLast(
      ({ epochMs }) => epochMs >= segment.epochMs && epochMs < endEpochMs(segment),
    );
    return open === null || smaller === undefined
      ? this.#read(name, segment)
      : this.#read(recordingName(sub, open.number), smaller);
  }

  async #read(name: string, segment: RecordedSegment): Promise<ThumbnailFrame | null> {
    const { read } = this.#options;
    const { init, track } = videoOf(await read(name, segment.init.offset, segment.init.byteLength));
    const fragment = await readKeyFrame(read, name, segment, track.trackId);
    if (fragment === null) return null;
    const { widthPx, heightPx, turns } = track;
    const size = turns % 2 === 0 ? { widthPx, heightPx } : { widthPx: heightPx, heightPx: widthPx };
    return { fmp4: [init, fragment], ...size };
  }

  #storeIfDue(file: OpenThumbnails): void {
    const isLast = file.isEnded && file.pending === 0;
    if (isLast || file.made.length >= CHUNK_THUMBNAILS) void this.#storeMade(file);
  }

  /** Never rejects. What a disk does not take is left out. */
  async #storeMade(file: OpenThumbnails): Promise<void> {
    if (file.isStoring) return;
    file.isStoring = true;
    const { store, end, log } = this.#options;
    const { of, number, made } = file;
    try {
      if (made.length > 0) await store(of, number, writeThumbnails(made));
      if (file.isEnded && file.pending === 0 && file.made.length === made.length) {
        await end(of, number);
      }
      this.#isFailing = false;
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (!this.#isFailing && !this.#isClosed)
        log.warn({ name: file.name, err: error }, 'thumbnails not stored');
      this.#isFailing = true;
    }
    file.made = file.made.slice(made.length);
    file.isStoring = false;
    if (!file.isEnded || file.pending > 0) return;
    if (file.made.length > 0) await this.#storeMade(file);
    else this.#files.delete(file.name);
  }
}

/** `init`: owned. Fails ISOBMFF_… */
function videoOf(init: Buffer): InitOfVideo {
  const track = readRecordedTracks(init).find(({ kind }) => kind === 'video');
  if (track === undefined) throw new GatewayError(ISOBMFF_ERRORS.ISOBMFF_BOX_MISSING, { box: 'vide' });
  return { init: singleTrackInit(init, track.trackId), track };
}
