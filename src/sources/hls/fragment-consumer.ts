/** fMP4 segments to access units, at the pace of their media time. */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { FloodGuard } from '../../stream/source/flood-guard.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import { HLS_SOURCE_ERRORS } from './errors.ts';
import { FragmentRelay } from './fragment-relay.ts';
import type { InitSection, SoundSection } from './init-section.ts';
import { PacedRelease } from './paced-release.ts';
import type { MediaSegment } from './playlist.ts';
import type { SegmentConsumer } from './segment-consumer.ts';
import { SoundRelay } from './sound-relay.ts';

/** As many segments as a client begins behind the end, and one that has just arrived. */
const COMFORTABLE_SEGMENTS = 4;

/** Where the camera's audio is: in its segments, nowhere that matters, or in a playlist of its own. */
export type SegmentSound = 'muxed' | 'off' | SoundSection;

export class FragmentConsumer implements SegmentConsumer {
  readonly #release: PacedRelease;
  readonly #relay: FragmentRelay;
  readonly #clock: Clock;
  readonly #flood = new FloodGuard();
  #longestSegmentMs = 0;
  /** The relay for the segments of the audio's own playlist; null: there is none. */
  readonly sound: SoundRelay | null;

  /** `init` has video. */
  constructor(init: InitSection, sound: SegmentSound, sink: SourceSink, clock: Clock) {
    this.#clock = clock;
    this.#release = new PacedRelease(sink, clock, () => COMFORTABLE_SEGMENTS * this.#longestSegmentMs);
    const relayed = typeof sound === 'string' ? sound : sound.audio.track;
    this.#relay = new FragmentRelay(init, relayed, sink, this.#release);
    this.sound =
      typeof sound === 'string' ? null : new SoundRelay(sound, this.#relay, sink, this.#release, clock);
  }

  init(bytes: Buffer): void {
    this.#relay.changeInit(bytes);
  }

  segment(bytes: Buffer, segment: MediaSegment): void {
    this.#longestSegmentMs = Math.max(this.#longestSegmentMs, segment.durationMs);
    const samples = this.#relay.push(bytes, segment);
    this.sound?.videoCame();
    const nowMonoMs = this.#clock.monoMs();
    // The bytes are limited where they are loaded.
    if (this.#flood.admits(samples, 0, nowMonoMs)) return;
    throw new GatewayError(HLS_SOURCE_ERRORS.HLS_FLOOD, { ...this.#flood.figures(nowMonoMs) });
  }

  missed(durationMs: number): void {
    this.#relay.missed(durationMs);
  }

  get waitingMs(): number {
    return this.#release.waitingMs;
  }

  get waitingBytes(): number {
    return this.#release.waitingBytes;
  }

  /** When the newest access unit was released. */
  get lastUnitMonoMs(): number {
    return this.#release.lastUnitMonoMs;
  }

  drained(): Promise<void> {
    return this.#release.drained();
  }

  close(): void {
    this.#release.close();
  }
}
