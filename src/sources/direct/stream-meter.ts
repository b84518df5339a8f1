/** Measures a live stream from its access units and sender reports: those of the video, or of the audio if it has only that. */

import type { AccessUnit, Track } from '../../codec/track.ts';
import { senderEpochMs } from '../../rtp/camera-clock.ts';

/** Frames needed to compute a frame rate. */
const MIN_PICTURES = 10;
/** Part of the time in which frames arrived: with less media time than this, the video is frozen. */
const FROZEN_SHARE = 0.05;
const FROZEN_AFTER_MS = 3_000;
const RTCP_SENDER_REPORT = 200;
const SENDER_REPORT_BYTES = 28;

export class StreamMeter {
  readonly #epochMs: () => number;
  #tracks: readonly Track[] = [];
  #hasVideo = true;
  #measuredIndex = 0;
  #pictureCount = 0;
  #firstPictureTicks = 0;
  #lastPictureTicks = 0;
  #measuredBytes = 0;
  #lastPictureBytes = 0;
  #firstKeyMonoMs: number | null = null;
  #firstArrivalMonoMs = 0;
  #lastArrivalMonoMs = 0;
  #firstKeyTicks: number | null = null;
  #gopTicks: number | null = null;
  #clockOffsetMs: number | null = null;

  /** `epochMs`: our wall clock, to compare the camera's with. */
  constructor(epochMs: () => number) {
    this.#epochMs = epochMs;
  }

  get lastTracks(): readonly Track[] {
    return this.#tracks;
  }

  get hasFrames(): boolean {
    return this.#pictureCount > 0;
  }

  /** Group of pictures and frame rate are known, as far as there are any. */
  get isComplete(): boolean {
    const knowsGop = this.#gopTicks !== null || !this.#hasVideo;
    return knowsGop && this.#pictureCount >= MIN_PICTURES && !this.#lagsBehindArrival;
  }

  /** Frames keep arriving, but their timestamps hardly advance. */
  get isFrozen(): boolean {
    return this.#lagsBehindArrival && this.#lastArrivalMonoMs - this.#firstArrivalMonoMs >= FROZEN_AFTER_MS;
  }

  /** Between the first two key frames of the video; null before the second. */
  get gopMs(): number | null {
    return this.#gopTicks === null || !this.#hasVideo
      ? null
      : Math.round((this.#gopTicks * 1_000) / this.#timescaleHz);
  }

  /** Frame rate of the video, over all frames so far, rounded to a tenth; null while there are too few. */
  get frameRateHz(): number | null {
    const spanTicks = this.#lastPictureTicks - this.#firstPictureTicks;
    if (!this.#hasVideo || this.#pictureCount < MIN_PICTURES || spanTicks <= 0) return null;
    return Math.round(((this.#pictureCount - 1) * this.#timescaleHz * 10) / spanTicks) / 10;
  }

  /** Bit rate of the measured track without its transport, over all frames so far; null while there are too few. */
  get bitsPerSec(): number | null {
    const spanTicks = this.#lastPictureTicks - this.#firstPictureTicks;
    if (this.#pictureCount < MIN_PICTURES || spanTicks <= 0) return null;
    // The last frame lasts beyond the span.
    const bits = (this.#measuredBytes - this.#lastPictureBytes) * 8;
    return Math.round((bits * this.#timescaleHz) / spanTicks);
  }

  /** Monotonic time at which the first key frame of the video was complete; null before. */
  get firstKeyMonoMs(): number | null {
    return this.#hasVideo ? this.#firstKeyMonoMs : null;
  }

  /** The camera's clock minus ours when its first sender report arrived; null before. */
  get clockOffsetMs(): number | null {
    return this.#clockOffsetMs;
  }

  /** New tracks have a new timeline: measurements of the old one must not leak into it. */
  tracks(tracks: readonly Track[]): void {
    this.#tracks = tracks;
    const videoIndex = tracks.findIndex(({ kind }) => kind === 'video');
    this.#hasVideo = videoIndex >= 0;
    this.#measuredIndex = Math.max(0, videoIndex);
    this.#pictureCount = 0;
    this.#measuredBytes = 0;
    this.#firstKeyTicks = null;
  }

  accessUnit(unit: AccessUnit): void {
    if (unit.trackIndex !== this.#measuredIndex) return;
    if (this.#pictureCount === 0) {
      this.#firstPictureTicks = unit.dtsTicks;
      this.#firstArrivalMonoMs = unit.arrivalMonoMs;
    }
    this.#lastArrivalMonoMs = unit.arrivalMonoMs;
    this.#pictureCount += 1;
    this.#lastPictureBytes = unit.data.length;
    this.#measuredBytes += unit.data.length;
    this.#lastPictureTicks = unit.dtsTicks;
    if (!unit.isKey) return;
    if (this.#firstKeyTicks !== null) this.#gopTicks ??= unit.dtsTicks - this.#firstKeyTicks;
    this.#firstKeyTicks ??= unit.dtsTicks;
    this.#firstKeyMonoMs ??= unit.arrivalMonoMs;
  }

  /** Looks for a sender report at the start of an RTCP packet (RFC 3550 §6.4.1); borrowed. */
  rtcp(chunk: Uint8Array, start: number, end: number): void {
    const isReport = end - start >= SENDER_REPORT_BYTES && chunk[start + 1] === RTCP_SENDER_REPORT;
    if (!isReport || this.#clockOffsetMs !== null) return;
    const view = new DataView(chunk.buffer, chunk.byteOffset + start, end - start);
    const nowMs = this.#epochMs();
    const time = { ntpSec: view.getUint32(8), ntpFraction: view.getUint32(12) };
    const cameraEpochMs = senderEpochMs(time, nowMs);
    if (cameraEpochMs !== null) this.#clockOffsetMs = Math.round(cameraEpochMs - nowMs);
  }

  get #lagsBehindArrival(): boolean {
    const mediaMs = ((this.#lastPictureTicks - this.#firstPictureTicks) * 1_000) / this.#timescaleHz;
    return mediaMs < (this.#lastArrivalMonoMs - this.#firstArrivalMonoMs) * FROZEN_SHARE;
  }

  get #timescaleHz(): number {
    return this.#tracks[this.#measuredIndex]?.timescaleHz ?? 1;
  }
}
