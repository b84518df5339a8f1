/** A rendition that is packaged where its camera is read, for a window in the gateway's thread. */

import { DROP_REASONS } from '../../cmaf/drop-counts.ts';
import type { PackagedTracks } from '../../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import { Segmenter } from '../../cmaf/segmenter.ts';
import type { FrameCounts, SegmenterProgress } from '../../cmaf/segmenter-progress.ts';
import { SentTracks } from '../../cmaf/sent-tracks.ts';
import { WallClock } from '../../cmaf/wall-clock.ts';
import type { AccessUnit, Track } from '../../codec/track.ts';
import type { CameraTime } from '../../rtp/camera-clock.ts';
import type { RenditionOrder } from '../../stream/packaging/packaging-host.ts';

/** Where its parts go. */
export interface RenditionOutput {
  /**
   * Takes over the bytes. `tracks`: null if unchanged since the previous part. Returns false if there is no room, and the
   * part is lost.
   */
  part(
    part: CmafPart,
    tracks: PackagedTracks | null,
    partTargetMs: number,
    progress: SegmenterProgress,
  ): boolean;
  /** Frames in a part for which there was no room: those of its video, or 1 for a part of audio alone. */
  lost(frames: number): void;
}

const NO_DROPS = DROP_REASONS.map(() => 0);

export class HostedRendition {
  readonly #order: RenditionOrder;
  readonly #output: RenditionOutput;
  #segmenter: Segmenter;
  #tracks: readonly Track[] | null = null;
  #cameraTime: CameraTime | null = null;
  /** Progress after the newest part that had room. */
  #progress: SegmenterProgress | null;
  readonly #sentTracks = new SentTracks<PackagedTracks>();
  /** A part had no room: later parts are of no use until the next key frame. */
  #hasLost = false;
  /** Counts of the previous segmenters. */
  #before: FrameCounts = { frames: 0, pictures: 0, drops: NO_DROPS };
  #told: FrameCounts = this.#before;

  constructor(order: RenditionOrder, output: RenditionOutput) {
    this.#order = order;
    this.#output = output;
    this.#progress = order.progress;
    this.#segmenter = this.#begin();
  }

  setTracks(tracks: readonly Track[]): void {
    this.#tracks = tracks;
    this.#segmenter.setTracks(tracks);
  }

  setCameraTime(time: CameraTime | null): void {
    this.#cameraTime = time;
    this.#segmenter.setCameraTime(time);
  }

  /** Borrowed. Hot: once per frame. */
  push(unit: AccessUnit): void {
    if (this.#hasLost) this.#restart();
    this.#segmenter.push(unit);
  }

  /** Counts since the last acknowledged ones. */
  counts(): FrameCounts {
    return less(this.#counts(), this.#told);
  }

  /** The last counts have arrived. */
  counted(): void {
    this.#told = this.#counts();
  }

  /** The camera has ended: the segmenter writes its remaining media. */
  end(): void {
    this.#segmenter.discontinuity();
  }

  close(): void {
    this.#segmenter.close();
  }

  #begin(): Segmenter {
    const { limits, content, originMonoMs, epochMinusMonoMs } = this.#order;
    const segmenter = new Segmenter({
      limits,
      content,
      wallClock: new WallClock(epochMinusMonoMs),
      ...(originMonoMs === undefined ? {} : { originMonoMs }),
      onPart: (part, partTargetMs) => this.#take(part, partTargetMs),
    });
    segmenter.setsInBand.expect(this.#order.initFingerprint);
    if (this.#progress !== null) segmenter.goOn(this.#progress);
    return segmenter;
  }

  #restart(): void {
    // Unwritten media is of no use either, and comes out to be counted.
    this.#segmenter.discontinuity();
    this.#before = this.#counts();
    this.#segmenter.close();
    this.#hasLost = false;
    this.#segmenter = this.#begin();
    if (this.#tracks !== null) this.#segmenter.setTracks(this.#tracks);
    this.#segmenter.setCameraTime(this.#cameraTime);
  }

  #take(part: CmafPart, partTargetMs: number): void {
    const progress = this.#segmenter.progress()!;
    if (this.#hasLost) part.bytes.release();
    else if (this.#output.part(part, this.#sentTracks.newsOf(part.tracks), partTargetMs, progress)) {
      this.#progress = progress;
      return;
    }
    this.#hasLost = true;
    this.#sentTracks.forget();
    this.#output.lost(Math.max(1, part.pictures));
  }

  #counts(): FrameCounts {
    const { frames, pictures, drops } = this.#segmenter;
    const byReason = drops.byReason();
    return {
      frames: this.#before.frames + frames,
      pictures: this.#before.pictures + pictures,
      drops: DROP_REASONS.map((reason, index) => this.#before.drops[index]! + byReason[reason]),
    };
  }
}

function less(counts: FrameCounts, earlier: FrameCounts): FrameCounts {
  return {
    frames: counts.frames - earlier.frames,
    pictures: counts.pictures - earlier.pictures,
    drops: counts.drops.map((count, index) => count - earlier.drops[index]!),
  };
}
