/** Measures a live stream from its access units and sender reports. */

import type { AccessUnit, Track } from '../../codec/track.ts';

/** Frames needed to compute a frame rate. */
const MIN_PICTURES = 10;
/** Part of the time in which frames arrived: with less media time than this, the video is frozen. */
const FROZEN_SHARE = 0.05;
const FROZEN_AFTER_MS = 3_000;
const RTCP_SENDER_REPORT = 200;
const SENDER_REPORT_BYTES = 28;
/** Seconds from 1900, the epoch of NTP, to 1970 (RFC 5905 §6). */
const NTP_TO_EPOCH_SEC = 2_208_988_800;

export class StreamMeter {
  readonly #epochMs: () => number;
  #tracks: readonly Track[] = [];
  #pictureCount = 0;
  #firstPictureTicks = 0;
  #lastPictureTicks = 0;
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

  get hasPictures(): boolean {
    return this.#pictureCount > 0;
  }

  /** Group of pictures and frame rate are known. */
  get isComplete(): boolean {
    return this.#gopTicks !== null && this.#pictureCount >= MIN_PICTURES && !this.#lagsBehindArrival;
  }

  /** Frames keep arriving, but their timestamps hardly advance. */
  get isFrozen(): boolean {
    return this.#lagsBehindArrival && this.#lastArrivalMonoMs - this.#firstArrivalMonoMs >= FROZEN_AFTER_MS;
  }

  /** Between the first two key frames; null before the second. */
  get gopMs(): number | null {
    return this.#gopTicks === null ? null : Math.round((this.#gopTicks * 1_000) / this.#timescaleHz);
  }

  /** Over all frames so far, rounded to a tenth; null while there are too few. */
  get frameRateHz(): number | null {
    const spanTicks = this.#lastPictureTicks - this.#firstPictureTicks;
    if (this.#pictureCount < MIN_PICTURES || spanTicks <= 0) return null;
    return Math.round(((this.#pictureCount - 1) * this.#timescaleHz * 10) / spanTicks) / 10;
  }

  /** The camera's clock minus ours when its first sender report arrived; null before. */
  get clockOffsetMs(): number | null {
    return this.#clockOffsetMs;
  }

  /** New tracks have a new timeline: measurements of the old one must not leak into it. */
  tracks(tracks: readonly Track[]): void {
    this.#tracks = tracks;
    this.#pictureCount = 0;
    this.#firstKeyTicks = null;
  }

  accessUnit(unit: AccessUnit): void {
    if (this.#tracks[unit.trackIndex]?.kind !== 'video') return;
    if (this.#pictureCount === 0) {
      this.#firstPictureTicks = unit.dtsTicks;
      this.#firstArrivalMonoMs = unit.arrivalMonoMs;
    }
    this.#lastArrivalMonoMs = unit.arrivalMonoMs;
    this.#pictureCount += 1;
    this.#lastPictureTicks = unit.dtsTicks;
    if (!unit.isKey) return;
    if (this.#firstKeyTicks !== null) this.#gopTicks ??= unit.dtsTicks - this.#firstKeyTicks;
    this.#firstKeyTicks ??= unit.dtsTicks;
  }

  /** Looks for a sender report at the start of an RTCP packet (RFC 3550 §6.4.1); borrowed. */
  rtcp(chunk: Uint8Array, start: number, end: number): void {
    const isReport = end - start >= SENDER_REPORT_BYTES && chunk[start + 1] === RTCP_SENDER_REPORT;
    if (!isReport || this.#clockOffsetMs !== null) return;
    const view = new DataView(chunk.buffer, chunk.byteOffset + start, end - start);
    const seconds = view.getUint32(8);
    // Zero: the camera does not know the wall clock time.
    if (seconds === 0) return;
    const cameraEpochMs = (seconds - NTP_TO_EPOCH_SEC) * 1_000 + (view.getUint32(12) * 1_000) / 2 ** 32;
    this.#clockOffsetMs = Math.round(cameraEpochMs - this.#epochMs());
  }

  get #lagsBehindArrival(): boolean {
    const mediaMs = ((this.#lastPictureTicks - this.#firstPictureTicks) * 1_000) / this.#timescaleHz;
    return mediaMs < (this.#lastArrivalMonoMs - this.#firstArrivalMonoMs) * FROZEN_SHARE;
  }

  get #timescaleHz(): number {
    return this.#tracks.find((track) => track.kind === 'video')?.timescaleHz ?? 1;
  }
}
