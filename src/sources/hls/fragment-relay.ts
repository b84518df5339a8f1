/**
 * fMP4 segments with H.264 or H.265 and AAC, passed on without a worker: from boxes to access units on the instance's
 * timeline, released at their pace. RFC 8216 §3.3; ISO/IEC 14496-12 §8.8.
 */

import type { SampleReader } from '../../codec/sample-reader.ts';
import type { AacTrack } from '../../codec/track.ts';
import { GatewayError } from '../../core/errors.ts';
import { FragmentReader, type FragmentSink } from '../../isobmff/fragment-reader.ts';
import { JOINING_CODE, type SourceEvents } from '../../stream/source/source-events.ts';
import { HLS_SOURCE_ERRORS } from './errors.ts';
import {
  type InitSection,
  isSameAudio,
  isSameVideo,
  readInitSection,
  type SectionTrack,
  sampleReaderOf,
  VIDEO_TIMESCALE_HZ,
} from './init-section.ts';
import type { PacedRelease, TimedUnit } from './paced-release.ts';
import type { MediaSegment } from './playlist.ts';
import { RelayedSoundClock } from './relayed-sound-clock.ts';
import { checkSegmentBoxes } from './segment-boxes.ts';
import { SegmentTimeline, type StretchOffset } from './segment-timeline.ts';

/** Limit over all tracks: 20 s of 60 frames per second with audio have 2,200. */
export const MAX_SEGMENT_SAMPLES = 10_000;

const TICKS_PER_MS = VIDEO_TIMESCALE_HZ / 1_000;
const VIDEO_INDEX = 0;
export const AUDIO_INDEX = 1;

/** Where the camera's audio is: in the segments with the video, or in a playlist of its own (`SoundRelay`). */
export type RelayedSound = 'muxed' | 'off' | AacTrack;

/** One sample of the segment being read; times as in the segment. */
interface RawSample {
  readonly trackIndex: number;
  readonly dtsTicks: number;
  readonly ptsTicks: number;
  readonly data: Uint8Array;
}

export class FragmentRelay implements FragmentSink {
  readonly #events: Pick<SourceEvents, 'onDropped'>;
  readonly #release: PacedRelease;
  readonly #sound: RelayedSound;
  readonly #timeline = new SegmentTimeline();
  readonly #soundClock = new RelayedSoundClock();
  #init: InitSection;
  #reader: FragmentReader;
  #video: SampleReader;
  #isAnnounced = false;
  /** Pictures up to the next key frame refer to something that is not there. */
  #needsKey = true;
  #hasChanged = true;
  /** Pictures are missing before the next one. */
  #isBroken = true;
  /** RASL pictures refer to pictures before their key frame that are not in the output (H.265 §8.1.3). */
  #dropsRasl = true;
  #raw: RawSample[] = [];
  #ready: TimedUnit[] = [];
  readonly #lastDtsTicks = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  /** Added to presentation times: in files with negative composition offsets, frames are shown before they are decoded. */
  #reorder90k = 0;

  /** `init` has video. */
  constructor(
    init: InitSection,
    sound: RelayedSound,
    events: Pick<SourceEvents, 'onDropped'>,
    release: PacedRelease,
  ) {
    this.#init = init;
    this.#sound = sound;
    this.#events = events;
    this.#release = release;
    this.#reader = new FragmentReader(this);
    this.#video = sampleReaderOf(init.video!.track);
    this.#reader.push(init.bytes);
  }

  /** Changes the init section for the segments from here on. Fails HLS_MEDIA_CHANGED if it has other tracks. */
  changeInit(bytes: Buffer): void {
    const before = this.#init;
    if (bytes === before.bytes || bytes.equals(before.bytes)) return;
    const init = readInitSection(bytes);
    const isSameSound =
      this.#sound !== 'muxed' || isSameAudio(init.audio?.track ?? null, before.audio?.track ?? null);
    if (init.video?.track.codec !== before.video!.track.codec || !isSameSound) {
      throw new GatewayError(HLS_SOURCE_ERRORS.HLS_MEDIA_CHANGED);
    }
    this.#init = init;
    this.#reader = new FragmentReader(this);
    this.#reader.push(init.bytes);
    if (isSameVideo(init.video.track, this.#video.track ?? before.video!.track)) return;
    this.#video = sampleReaderOf(init.video.track);
    this.#hasChanged = true;
    this.#needsKey = true;
  }

  /** Segments that are not loaded. */
  missed(durationMs: number): void {
    this.#timeline.missed(durationMs);
    this.#isBroken = true;
  }

  /** The offset of audio in a playlist of its own whose segment begins at `start90k`: see SegmentTimeline. */
  soundOffset(discontinuitySequence: number, start90k: number): StretchOffset {
    const offset = this.#timeline.soundOffset(discontinuitySequence, start90k);
    return typeof offset === 'number' ? offset + this.#reorder90k : offset;
  }

  /** Returns how many samples it has. `bytes` is kept until its units are released. Fails HLS_SEGMENT_INVALID, HLS_SEGMENT_TOO_LONG or ISOBMFF_… */
  push(bytes: Buffer, segment: MediaSegment): number {
    checkSegmentBoxes(bytes);
    this.#raw = [];
    this.#reader.push(bytes);
    const raw = this.#raw;
    this.#raw = [];
    if (raw.length === 0) throw new GatewayError(HLS_SOURCE_ERRORS.HLS_SEGMENT_INVALID, { samples: 0 });
    this.#pass(raw, segment);
    return raw.length;
  }

  /** @internal from FragmentReader: known from `readInitSection`. */
  onTracks(): void {
    // The same bytes were read before.
  }

  /** @internal from FragmentReader */
  onSample(trackIndex: number, dtsTicks: number, ptsTicks: number, _isKey: boolean, data: Uint8Array): void {
    const isVideo = trackIndex === this.#init.video!.index;
    if (!isVideo && trackIndex !== this.#muxedAudio?.index) return;
    if (this.#raw.length >= MAX_SEGMENT_SAMPLES) {
      throw new GatewayError(HLS_SOURCE_ERRORS.HLS_SEGMENT_TOO_LONG, { samples: MAX_SEGMENT_SAMPLES });
    }
    this.#raw.push({ trackIndex: isVideo ? VIDEO_INDEX : AUDIO_INDEX, dtsTicks, ptsTicks, data });
  }

  get #muxedAudio(): SectionTrack<AacTrack> | null {
    return this.#sound === 'muxed' ? this.#init.audio : null;
  }

  #pass(raw: readonly RawSample[], segment: MediaSegment): void {
    const video = raw.filter(({ trackIndex }) => trackIndex === VIDEO_INDEX);
    const first = video[0];
    if (first === undefined) throw new GatewayError(HLS_SOURCE_ERRORS.HLS_SEGMENT_INVALID, { frames: 0 });
    const start90k = this.#to90k(first.dtsTicks);
    const last90k = this.#to90k(video.at(-1)!.dtsTicks);
    const frame90k = video.length > 1 ? (last90k - start90k) / (video.length - 1) : segment.durationMs * 90;
    const end90k = last90k + Math.round(frame90k);
    const zero90k = this.#isAnnounced ? start90k : this.#firstKey90k(video);
    if (zero90k === null) {
      this.#events.onDropped(video.length, JOINING_CODE);
      return;
    }
    const { offset90k, isJump } = this.#timeline.place(
      segment.discontinuitySequence,
      start90k,
      end90k,
      zero90k,
    );
    if (isJump) {
      this.#isBroken = true;
      this.#soundClock.restart();
    }
    for (const { dtsTicks, ptsTicks } of video) {
      this.#soundClock.picture((this.#to90k(dtsTicks) + offset90k) / TICKS_PER_MS);
      this.#reorder90k = Math.max(this.#reorder90k, this.#to90k(dtsTicks) - this.#to90k(ptsTicks));
    }
    const sounds = raw.length - video.length;
    let sound = 0;
    for (const sample of raw) {
      if (sample.trackIndex === VIDEO_INDEX) this.#addPicture(sample, offset90k);
      else {
        sound += 1;
        this.#addSound(sample, offset90k, start90k + ((end90k - start90k) * sound) / sounds);
      }
    }
    this.#flush();
  }

  /** null: no key frame. */
  #firstKey90k(video: readonly RawSample[]): number | null {
    const reader = sampleReaderOf(this.#init.video!.track);
    const key = video.find(({ data }) => {
      const outcome = reader.read(data);
      return outcome !== 'damaged' && outcome !== 'empty' && reader.isKey;
    });
    return key === undefined ? null : this.#to90k(key.dtsTicks);
  }

  #addPicture({ dtsTicks, ptsTicks, data }: RawSample, offset90k: number): void {
    const video = this.#video;
    const outcome = video.read(data);
    if (outcome === 'empty') return;
    if (outcome === 'changed') this.#hasChanged = true;
    const dropCode = this.#dropCode(outcome === 'damaged');
    if (dropCode !== null) {
      this.#events.onDropped(1, dropCode);
      return;
    }
    if (this.#hasChanged) this.#announce();
    // Data with parameter sets taken out is in a buffer that the next sample overwrites.
    const isOwn = video.data.buffer === data.buffer;
    const dts = this.#to90k(dtsTicks) + offset90k;
    const pts = this.#to90k(ptsTicks) + offset90k + this.#reorder90k;
    this.#add(
      VIDEO_INDEX,
      dts,
      pts,
      VIDEO_TIMESCALE_HZ,
      video.isKey,
      isOwn ? video.data : new Uint8Array(video.data),
    );
  }

  /** Why the sample that was just read cannot be passed on; null: it can. */
  #dropCode(isDamaged: boolean): string | null {
    const { isKey, isContinuing, isRasl } = this.#video;
    if (isDamaged) {
      // A sample of H.264 without a picture looks the same, and costs nothing.
      if (this.#init.video!.track.codec === 'h265') this.#needsKey = true;
      return HLS_SOURCE_ERRORS.HLS_SEGMENT_INVALID.code;
    }
    if (!isKey)
      return this.#needsKey || this.#hasChanged || (isRasl && this.#dropsRasl) ? JOINING_CODE : null;
    this.#dropsRasl = this.#needsKey || this.#hasChanged || this.#isBroken || !isContinuing;
    this.#isBroken = false;
    this.#needsKey = false;
    return null;
  }

  /** `place90k`: of the video at the place of the frame in its segment. */
  #addSound({ dtsTicks, data }: RawSample, offset90k: number, place90k: number): void {
    const { track, timescaleHz } = this.#muxedAudio!;
    const stamped = soundTicks(dtsTicks, timescaleHz, track.timescaleHz, offset90k + this.#reorder90k);
    const stampedMs = (stamped * 1_000) / track.timescaleHz;
    const laterMs = this.#soundClock.laterMs(stampedMs, (place90k + offset90k) / TICKS_PER_MS);
    const dts = stamped + Math.round((laterMs * track.timescaleHz) / 1_000);
    // Nothing comes out before the first key frame.
    if (!this.#isAnnounced || dts < 0) this.#events.onDropped(1, JOINING_CODE);
    else this.#add(AUDIO_INDEX, dts, dts, track.timescaleHz, true, data);
  }

  #add(
    trackIndex: number,
    dtsTicks: number,
    ptsTicks: number,
    timescaleHz: number,
    isKey: boolean,
    data: Uint8Array,
  ): void {
    if (dtsTicks <= this.#lastDtsTicks[trackIndex]! || data.length === 0) {
      this.#events.onDropped(1, HLS_SOURCE_ERRORS.HLS_BAD_TIMESTAMP.code);
      return;
    }
    this.#lastDtsTicks[trackIndex] = dtsTicks;
    const mediaMs = (dtsTicks * 1_000) / timescaleHz;
    const times = { dtsTicks, ptsTicks: Math.max(dtsTicks, ptsTicks), mediaMs };
    this.#ready.push({ trackIndex, ...times, isKey, data, arrivalMonoMs: 0 });
  }

  #announce(): void {
    this.#flush();
    this.#hasChanged = false;
    this.#isAnnounced = true;
    const audio = typeof this.#sound === 'string' ? this.#muxedAudio?.track : this.#sound;
    const video = this.#video.track!;
    this.#release.announce(audio === undefined ? [video] : [video, audio]);
  }

  /** A segment may have all its video before its audio. */
  #flush(): void {
    this.#release.queue(this.#ready.toSorted((a, b) => a.mediaMs - b.mediaMs));
    this.#ready = [];
  }

  #to90k(ticks: number): number {
    return Math.round((ticks * VIDEO_TIMESCALE_HZ) / this.#init.video!.timescaleHz);
  }
}

/** Converts ticks of an audio track's segments to those of the instance. */
export function soundTicks(dtsTicks: number, fromHz: number, toHz: number, offset90k: number): number {
  return Math.round((dtsTicks * toHz) / fromHz) + Math.round((offset90k * toHz) / VIDEO_TIMESCALE_HZ);
}
