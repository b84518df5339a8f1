/**
 * The access units of one stream's video, handed to readers as they arrive: nothing waits for a part, or for the frame
 * after it. A reader begins with the newest group of pictures (docs/design/real-time.md). The feed knows neither codecs
 * nor sockets; a reader that cannot keep up is the reader's problem.
 */

import type { BlockRun } from '../../cmaf/media-blocks.ts';
import { ticksToMs } from '../../cmaf/ticks.ts';
import { faultOf } from '../../cmaf/unit-fault.ts';
import { isSameBytes } from '../../codec/same-bytes.ts';
import type { AccessUnit, Track, VideoTrack } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { LivePicture, LivePictures, PictureReader } from '../media/live-media.ts';
import { FrameClock } from './frame-clock.ts';
import { PictureGroup } from './picture-group.ts';

/** The feed's requests to the stream. */
export interface PictureFeedHooks {
  /** The bytes of the unit that is pushed, if they are kept anyway. */
  shareNewest(): BlockRun | null;
  /** There is a first reader, or none anymore. */
  onReaders(): void;
}

export class PictureFeed implements LivePictures {
  readonly #times: FrameClock;
  readonly #hooks: PictureFeedHooks;
  readonly #readers = new Set<PictureReader>();
  readonly #group = new PictureGroup();
  /** The same group as readers get it; null until one needs it. */
  #shared: LivePicture[] | null = null;
  #track: VideoTrack | null = null;
  #trackIndex = -1;
  /** Frames before a key frame, or after a lost one, are of no use. */
  #hasKey = false;

  constructor(clock: Clock, hooks: PictureFeedHooks) {
    this.#times = new FrameClock(clock);
    this.#hooks = hooks;
  }

  get readers(): number {
    return this.#readers.size;
  }

  attach(reader: PictureReader): void {
    this.#readers.add(reader);
    for (const picture of this.#sharedGroup()) {
      if (!this.#readers.has(reader)) return;
      reader.onPicture(picture);
    }
    if (this.#readers.size === 1) this.#hooks.onReaders();
  }

  detach(reader: PictureReader): void {
    if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
    this.#shared = null;
    this.#hooks.onReaders();
  }

  /** When sound of that media time is to be heard; null: no frame has said it yet. */
  epochMsAt(mediaMs: number): number | null {
    return this.#times.epochMsAt(mediaMs);
  }

  /** The newest group of pictures as it came, for who reads access units from now on; empty if it is not kept. */
  *newestUnits(): Iterable<AccessUnit> {
    if (!this.#group.isWhole) return;
    let isKey = true;
    for (const { dtsTicks, ptsTicks, arrivalMonoMs, data } of this.#group.pictures()) {
      yield { trackIndex: this.#trackIndex, dtsTicks, ptsTicks, arrivalMonoMs, isKey, data };
      isKey = false;
    }
  }

  /** Frames no longer come: the next one is a key frame. */
  pause(): void {
    this.#awaitKey();
  }

  /** A new instance of the source: its timeline is unrelated to the one before. */
  restart(): void {
    this.#awaitKey();
    this.#times.restart();
  }

  setTracks(tracks: readonly Track[]): void {
    const index = tracks.findIndex(({ kind }) => kind === 'video');
    const track = tracks[index];
    const next = track?.kind === 'video' ? track : null;
    this.#trackIndex = index;
    if (next !== null && this.#track !== null && isSameVideo(next, this.#track)) return;
    this.#track = next;
    this.#awaitKey();
  }

  /** Borrowed. Hot: once per frame of every open camera. */
  push(unit: AccessUnit): void {
    if (unit.trackIndex !== this.#trackIndex || this.#track === null) return;
    if (faultOf(unit) !== null) {
      if (unit.isKey) this.#awaitKey();
      return;
    }
    if (unit.isKey) this.#beginGroup();
    else if (!this.#hasKey) return;
    const epochMs = this.#epochMsOf(unit, this.#track.timescaleHz);
    this.#group.add(unit, epochMs, this.#hooks);
    if (this.#readers.size > 0) this.#publish(this.#track, unit, epochMs);
  }

  /** The stream is down or closed. It can continue later, with new readers. */
  end(error: GatewayError): void {
    this.#awaitKey();
    const readers = [...this.#readers];
    this.#readers.clear();
    for (const reader of readers) reader.onGone(error);
    if (readers.length > 0) this.#hooks.onReaders();
  }

  #publish(track: VideoTrack, { isKey, data }: AccessUnit, epochMs: number): void {
    const picture = { track, isKey, epochMs, data: Buffer.from(data) };
    if (this.#group.isWhole) this.#shared?.push(picture);
    else this.#shared = null;
    for (const reader of this.#readers) reader.onPicture(picture);
  }

  #beginGroup(): void {
    this.#hasKey = true;
    this.#group.begin();
    this.#shared = this.#readers.size > 0 ? [] : null;
  }

  #awaitKey(): void {
    this.#hasKey = false;
    this.#group.spoil();
    this.#shared = null;
  }

  #sharedGroup(): readonly LivePicture[] {
    const track = this.#track;
    if (track === null || !this.#group.isWhole) return [];
    this.#shared ??= [...this.#group.pictures()].map(({ epochMs, data }, index) => ({
      track,
      isKey: index === 0,
      epochMs,
      data,
    }));
    return this.#shared;
  }

  #epochMsOf({ dtsTicks, ptsTicks, arrivalMonoMs }: AccessUnit, timescaleHz: number): number {
    this.#times.observe(ticksToMs(dtsTicks, timescaleHz), arrivalMonoMs);
    return Math.round(this.#times.epochMsAt(ticksToMs(ptsTicks, timescaleHz))!);
  }
}

/** Whether decoders need not learn anything new. */
function isSameVideo(one: VideoTrack, other: VideoTrack): boolean {
  if (one === other) return true;
  if (one.codec !== other.codec || one.timescaleHz !== other.timescaleHz) return false;
  const hasSameVps = !('vps' in one && 'vps' in other) || isSameSets(one.vps, other.vps);
  return hasSameVps && isSameSets(one.sps, other.sps) && isSameSets(one.pps, other.pps);
}

function isSameSets(sets: readonly Uint8Array[], others: readonly Uint8Array[]): boolean {
  return sets.length === others.length && sets.every((set, index) => isSameBytes(set, others[index]!));
}
