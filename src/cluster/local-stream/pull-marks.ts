/**
 * A node's knowledge about its own connection to a camera, so that its pictures can be found among those of another connection:
 * the newest key frames, the camera's wall clock, and how late the most punctual picture arrives. Times are those of the
 * connection's own timeline.
 */

import type { AccessUnit, Track } from '../../codec/track.ts';
import type { CameraTime } from '../../rtp/camera-clock.ts';
import { pictureDigest } from './picture-digest.ts';

/** A key frame. */
export interface KeyMark {
  /** Digest of its slices. */
  readonly digest: string;
  /** When it is shown. */
  readonly mediaMs: number;
  readonly arrivalMonoMs: number;
}

/** The facts that another node needs to find a key frame among its own. Clocks are those of the node that reports. */
export interface KeyReport extends KeyMark {
  /** The camera's wall clock when it took the picture; null: it has not reported it. */
  readonly epochMs: number | null;
  /** Time from taking a picture to its arrival, for the most punctual picture until now. */
  readonly leastDelayMs: number;
}

const MAX_KEYS = 16;
/** Before frames are compared, not each key frame is remembered: some cameras send nothing else. */
const SPARSE_MS = 500;

export class PullMarks {
  keys: KeyMark[] = [];
  /** Index of the track that has the pictures. */
  trackIndex = -1;
  #codec: Track['codec'] = 'h264';
  #timescaleHz = 1;
  /** Infinity before the first picture. */
  leastDelayMs = Number.POSITIVE_INFINITY;
  #time: CameraTime | null = null;
  #lastDtsMs = Number.NaN;
  /** Time from one picture to the next; NaN before there are two. */
  intervalMs = Number.NaN;
  /** When the first picture and the newest one are shown; NaN before. */
  firstMs = Number.NaN;
  newestMs = Number.NaN;

  /** The track that has the pictures: the video, if there is one. */
  declare(tracks: readonly Track[]): void {
    const video = tracks.findIndex(({ kind }) => kind === 'video');
    this.trackIndex = Math.max(0, video);
    const track = tracks[this.trackIndex];
    if (track === undefined) return;
    this.#codec = track.codec;
    this.#timescaleHz = track.timescaleHz;
  }

  /** Delays and times count from now on: after hours, clocks that run at different rates have moved them. */
  renew(): void {
    this.leastDelayMs = Number.POSITIVE_INFINITY;
    this.firstMs = Number.NaN;
    this.newestMs = Number.NaN;
  }

  clock(time: CameraTime | null): void {
    this.#time = time;
  }

  msOf(ticks: number): number {
    return (ticks * 1_000) / this.#timescaleHz;
  }

  /** The camera's wall clock at time 0; null: the camera has not reported it. */
  get epochAtZeroMs(): number | null {
    return this.#time === null ? null : this.#time.epochMs - this.#time.mediaMs;
  }

  /** Hot: once per picture, borrowed. Returns the mark of a key frame. `isSparse`: key frames are not being compared at present. */
  observe(unit: AccessUnit, isKey: boolean, isSparse: boolean): KeyMark | null {
    const mediaMs = this.msOf(unit.ptsTicks);
    const dtsMs = this.msOf(unit.dtsTicks);
    const delayMs = unit.arrivalMonoMs - mediaMs;
    if (delayMs < this.leastDelayMs) this.leastDelayMs = delayMs;
    if (!Number.isNaN(this.#lastDtsMs)) this.intervalMs = dtsMs - this.#lastDtsMs;
    this.#lastDtsMs = dtsMs;
    if (Number.isNaN(this.firstMs)) this.firstMs = mediaMs;
    if (!(mediaMs < this.newestMs)) this.newestMs = mediaMs;
    return isKey ? this.#mark(unit, mediaMs, isSparse) : null;
  }

  report(mark: KeyMark): KeyReport {
    const zeroMs = this.epochAtZeroMs;
    const epochMs = zeroMs === null ? null : zeroMs + mark.mediaMs;
    return { ...mark, epochMs, leastDelayMs: this.leastDelayMs };
  }

  #mark({ data, arrivalMonoMs }: AccessUnit, mediaMs: number, isSparse: boolean): KeyMark | null {
    const newest = this.keys.at(-1);
    if (isSparse && newest !== undefined && Math.abs(mediaMs - newest.mediaMs) < SPARSE_MS) return null;
    const mark = { digest: pictureDigest(data, this.#codec), mediaMs, arrivalMonoMs };
    this.keys.push(mark);
    if (this.keys.length > MAX_KEYS) this.keys.shift();
    return mark;
  }
}

/** Names a key frame among those of a connection, also if several have the same slices. */
export function keyName({ digest, mediaMs }: Pick<KeyMark, 'digest' | 'mediaMs'>): string {
  return `${mediaMs} ${digest}`;
}
