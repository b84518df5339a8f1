/**
 * Recorded segments with video as H.264, made when someone looks (docs/design/playback.md#h264). Each is made of its recording and the
 * masks of its camera alone, so all viewers of all ranges share it. What was made stays in memory for a while, and longer on the disk.
 */

import type { H264Track, VideoTrack } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import { FairMap } from '../core/limits/fair-map.ts';
import { LIMITS } from '../core/limits/registry.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { moveFragments } from '../isobmff/fragment-times.ts';
import { writeInitSegment } from '../isobmff/init-segment.ts';
import type { MovieTrack } from '../isobmff/movie-reader.ts';
import { singleTrackInit } from '../isobmff/single-track.ts';
import type { RecordedSegment } from '../recording/segment-index.ts';
import type { PrivacyMask } from '../store/privacy-mask.ts';
import { PLAYBACK_ERRORS } from './errors.ts';
import type { PastCamera } from './past-timeline.ts';
import type { PastTracks } from './past-tracks.ts';
import type { RecodedFiles } from './recoded-files.ts';
import { firstFragment, pictureTimes, type RecodedPictures, recodedFragment } from './recoded-segment.ts';
import type { PastMedia } from './recorded-media.ts';
import { remembered } from './remembered-runs.ts';

/** Makes H.264 of a segment with one track, whose time begins at 0. */
export interface PictureEncoder {
  /** Fails like an ffmpeg worker, or with the reason of `ending`. */
  encode(fmp4: readonly Uint8Array[], order: EncodingOrder): Promise<RecodedPictures>;
  /** What its pictures will be. */
  propertiesOf(video: VideoTrack): RecodedProperties;
}

export interface EncodingOrder {
  /** The recorded one. */
  readonly cameraUuid: Ruuid;
  /** Black in every picture; empty: none. */
  readonly masks: readonly PrivacyMask[];
  /** A viewer waits for it now, and not only later. */
  readonly isAwaited: () => boolean;
  /** Its masks are no longer those of the camera. */
  readonly ending: AbortSignal;
}

export interface RecodedProperties {
  /** RFC 6381 */
  readonly codecString: string;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly peakBitsPerSec: number;
}

export interface RecodedPastOptions {
  readonly media: Pick<PastMedia, 'read' | 'readTrack'>;
  /** null: this gateway has none. */
  readonly encoder: PictureEncoder | null;
  readonly organizationOf: (cameraUuid: Ruuid) => string | null;
  /** Default: what was made stays in memory alone. */
  readonly files?: RecodedFiles | null;
}

/** A recorded segment, and the tracks of its run. */
export interface SegmentToRecode {
  readonly camera: PastCamera;
  readonly file: string;
  readonly media: RecordedSegment;
  readonly tracks: PastTracks;
}

interface Making {
  readonly bytes: Promise<Buffer>;
  awaited: number;
  /** Its recording was deleted in the meantime: it is not kept. */
  isGone: boolean;
}

interface Encodings {
  readonly ending: AbortController;
  /** Those that are not finished. */
  count: number;
}

const PROBE_BYTES = 8;

export class RecodedPast {
  readonly #options: RecodedPastOptions;
  readonly #made = new FairMap<Buffer, typeof LIMITS.recodedSegments>(LIMITS.recodedSegments);
  readonly #making = new Map<string, Making>();
  /** By camera, file, and init segment. */
  readonly #tracks = new Map<string, Promise<H264Track>>();
  /** By the camera that viewers see. */
  readonly #encodings = new Map<Ruuid, Encodings>();

  constructor(options: RecodedPastOptions) {
    this.#options = options;
  }

  get byteLength(): number {
    return this.#made.byteLength;
  }

  /** Whether a run has video that not every player decodes, or that needs masks. */
  isFor({ masks }: Pick<PastCamera, 'masks'>, { video }: PastTracks): boolean {
    if (video?.track.kind !== 'video') return false;
    return masks !== null || video.track.codec !== 'h264';
  }

  /** What a run's video becomes; null: it stays as it is, or nothing can be made of it. Fails PLAYBACK_NO_ENCODER if it needs masks. */
  propertiesOf(camera: Pick<PastCamera, 'masks'>, tracks: PastTracks): RecodedProperties | null {
    if (!this.isFor(camera, tracks)) return null;
    const encoder = camera.masks === null ? this.#options.encoder : this.#encoder;
    return encoder?.propertiesOf(videoOf(tracks).track) ?? null;
  }

  /** The masks of this camera are no longer in force: what was made with them goes, and what is being made ends. */
  forget(maskedUuid: Ruuid): void {
    this.#encodings.get(maskedUuid)?.ending.abort(new GatewayError(PLAYBACK_ERRORS.PLAYBACK_MASKS_CHANGED));
    this.#encodings.delete(maskedUuid);
    this.#forget((key) => key.startsWith(`${maskedUuid} `));
    for (const key of this.#tracks.keys()) if (key.startsWith(`${maskedUuid} `)) this.#tracks.delete(key);
  }

  /** The recording file was deleted. */
  deleted(file: string): void {
    this.#forget((key) => key.includes(` ${file}@`));
  }

  #forget(isGone: (key: string) => boolean): void {
    for (const key of this.#made.keys()) if (isGone(key)) this.#made.delete(key);
    for (const [key, making] of this.#making) making.isGone ||= isGone(key);
    this.#options.files?.deleteAll(isGone);
  }

  /** The Media Initialization Section, with the audio as recorded or without it. Fails like `segment`. */
  async init(of: SegmentToRecode, hasAudio: boolean): Promise<Buffer> {
    const track = await remembered(this.#tracks, runKey(of), () => this.#learn(of));
    const { video, audio } = of.tracks;
    const recorded = audio !== null && hasAudio ? [{ ...video!, track }, audio] : [{ ...video!, track }];
    return writeInitSegment(recorded.toSorted((a, b) => a.trackId - b.trackId).map((each) => each.track));
  }

  /**
   * `styp moof mdat` of the video alone. Fails PLAYBACK_NO_ENCODER, like RecordedMedia.read and an ffmpeg worker, and ISOBMFF_…
   */
  async segment(of: SegmentToRecode): Promise<Buffer> {
    const key = segmentKey(of);
    const made = this.#made.touch(key);
    if (made !== undefined) {
      // What retention has deleted is gone in every form.
      await this.#options.media.read(of.file, of.media.offset, PROBE_BYTES);
      return made;
    }
    const making = this.#making.get(key) ?? this.#make(of, key);
    making.awaited++;
    return making.bytes.finally(() => making.awaited--);
  }

  /** The same, for a viewer who probably requests it next: it waits behind what is requested. */
  prepare(of: SegmentToRecode): void {
    const key = segmentKey(of);
    if (!this.#made.has(key) && !this.#making.has(key)) this.#make(of, key).bytes.catch(() => undefined);
  }

  #make(of: SegmentToRecode, key: string): Making {
    const making: Making = {
      awaited: 0,
      isGone: false,
      bytes: Promise.resolve()
        .then(async () => (await this.#stored(of, key)) ?? this.#recode(of, key, () => making.awaited > 0))
        .finally(() => this.#making.delete(key)),
    };
    this.#making.set(key, making);
    return making;
  }

  /** From the disk; null: it is not there. */
  async #stored(of: SegmentToRecode, key: string): Promise<Buffer | null> {
    const { files } = this.#options;
    if (files == null || !files.has(key)) return null;
    await this.#options.media.read(of.file, of.media.offset, PROBE_BYTES);
    const bytes = await files.read(key);
    // Its masks may have changed since it was read.
    if (bytes === null || !files.has(key)) return null;
    this.#made.set(key, this.#holdersOf(of), bytes, bytes.length);
    return bytes;
  }

  async #recode(of: SegmentToRecode, key: string, isAwaited: () => boolean): Promise<Buffer> {
    const { camera, media } = of;
    const video = videoOf(of.tracks);
    const init = singleTrackInit(of.tracks.init, video.trackId);
    const segment = await this.#read(of, video.trackId);
    const times = pictureTimes(init, segment);
    const encoded = await this.#encode([init, segment], camera, isAwaited);
    const track = { ...encoded.track, timescaleHz: video.track.timescaleHz };
    void remembered(this.#tracks, runKey(of), () => Promise.resolve(track));
    const bytes = recodedFragment(video.trackId, media, times, encoded);
    if (this.#making.get(key)?.isGone === true) return bytes;
    const holders = this.#holdersOf(of);
    this.#made.set(key, holders, bytes, bytes.length);
    void this.#options.files?.write(key, holders, bytes, () => this.#made.get(key) !== bytes);
    return bytes;
  }

  #holdersOf({ camera: { recordedUuid } }: SegmentToRecode): { organization: string; camera: string } {
    return {
      organization: this.#options.organizationOf(recordedUuid) ?? recordedUuid,
      camera: recordedUuid,
    };
  }

  /** The encoder's parameter sets depend on the size of the pictures alone: a few of them show these. */
  async #learn(of: SegmentToRecode): Promise<H264Track> {
    const video = videoOf(of.tracks);
    const init = singleTrackInit(of.tracks.init, video.trackId);
    const some = firstFragment(await this.#read(of, video.trackId));
    const { track } = await this.#encode([init, some], of.camera, () => true);
    return { ...track, timescaleHz: video.track.timescaleHz };
  }

  async #encode(
    fmp4: readonly Uint8Array[],
    { uuid, recordedUuid: cameraUuid, masks }: PastCamera,
    isAwaited: () => boolean,
  ): Promise<RecodedPictures> {
    const encodings = this.#encodings.get(uuid) ?? { ending: new AbortController(), count: 0 };
    this.#encodings.set(uuid, encodings);
    encodings.count++;
    const { signal: ending } = encodings.ending;
    try {
      const order = { cameraUuid, masks: masks ?? [], isAwaited, ending };
      const encoded = await this.#encoder.encode(fmp4, order);
      ending.throwIfAborted();
      return encoded;
    } finally {
      encodings.count--;
      if (encodings.count === 0 && this.#encodings.get(uuid) === encodings) this.#encodings.delete(uuid);
    }
  }

  async #read({ file, media }: SegmentToRecode, trackId: number): Promise<Buffer> {
    const bytes = await this.#options.media.readTrack(file, media.offset, media.byteLength, trackId);
    moveFragments(bytes, () => -media.startTicks);
    return bytes;
  }

  get #encoder(): PictureEncoder {
    const { encoder } = this.#options;
    if (encoder === null) throw new GatewayError(PLAYBACK_ERRORS.PLAYBACK_NO_ENCODER);
    return encoder;
  }
}

function videoOf({ video }: PastTracks): MovieTrack & { track: VideoTrack } {
  if (video?.track.kind !== 'video') throw new GatewayError(PLAYBACK_ERRORS.PLAYBACK_SOUND_ONLY);
  return { ...video, track: video.track };
}

/** The UUID of a masked camera stands for its masks. */
function runKey({ camera, file, media }: SegmentToRecode): string {
  return `${camera.uuid} ${file}@${media.init.offset}`;
}

function segmentKey({ camera, file, media }: SegmentToRecode): string {
  return `${camera.uuid} ${file}@${media.offset}`;
}
