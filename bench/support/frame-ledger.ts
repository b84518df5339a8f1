/** Counts a source's frames, and those that are missing in between by their timestamps. */

import type { AccessUnit, Track } from '../../src/codec/track.ts';
import type { GatewayError } from '../../src/core/errors.ts';
import type { ClockReading } from '../../src/rtp/camera-clock.ts';
import type { Source, SourceInstance } from '../../src/stream/source/source.ts';
import { JOINING_CODE, type SoundOffer, type SourceEvents } from '../../src/stream/source/source-events.ts';
import { SourceSink } from '../../src/stream/source/source-sink.ts';

export interface FrameCounts {
  /** Video. */
  readonly received: number;
  readonly soundFrames: number;
  /** Frames missing between two that arrived, according to their timestamps. */
  readonly holes: number;
  /** Frames that the source reported as lost, without those before the first key frame. */
  readonly reported: number;
  /** How many times the connection ended. */
  readonly ended: number;
}

/** A source whose video has a constant frame rate, counted. One ledger per camera. */
export class CountedSource implements Source {
  readonly engine: string;
  readonly #source: Source;
  readonly #ticksPerFrame: number;
  #received = 0;
  #soundFrames = 0;
  #videoIndex = 0;
  #holes = 0;
  #reported = 0;
  #ended = 0;
  #lastDtsTicks = -1;

  constructor(source: Source, ticksPerFrame: number) {
    this.engine = source.engine;
    this.#source = source;
    this.#ticksPerFrame = ticksPerFrame;
  }

  counts(): FrameCounts {
    return {
      received: this.#received,
      soundFrames: this.#soundFrames,
      holes: this.#holes,
      reported: this.#reported,
      ended: this.#ended,
    };
  }

  open(events: SourceEvents): SourceInstance {
    this.#lastDtsTicks = -1;
    return this.#source.open(
      new SourceSink({
        onTracks: (tracks: readonly Track[]) => {
          this.#videoIndex = tracks.findIndex(({ kind }) => kind === 'video');
          events.onTracks(tracks);
        },
        onAccessUnit: (unit: AccessUnit) => {
          if (unit.trackIndex === this.#videoIndex) this.#count(unit.dtsTicks);
          else this.#soundFrames++;
          events.onAccessUnit(unit);
        },
        onSound: (offer: SoundOffer) => events.onSound?.(offer),
        onClock: (reading: ClockReading) => events.onClock?.(reading),
        onDropped: (frames: number, code: string) => {
          if (code !== JOINING_CODE) this.#reported += frames;
          events.onDropped(frames, code);
        },
        onEnded: (error: GatewayError) => {
          this.#ended++;
          events.onEnded(error);
        },
      }),
    );
  }

  #count(dtsTicks: number): void {
    this.#received++;
    if (this.#lastDtsTicks >= 0) {
      this.#holes += Math.max(0, Math.round((dtsTicks - this.#lastDtsTicks) / this.#ticksPerFrame) - 1);
    }
    this.#lastDtsTicks = dtsTicks;
  }
}

export function addCounts(counts: Iterable<FrameCounts>): FrameCounts {
  const sum = { received: 0, soundFrames: 0, holes: 0, reported: 0, ended: 0 };
  for (const { received, soundFrames, holes, reported, ended } of counts) {
    sum.received += received;
    sum.soundFrames += soundFrames;
    sum.holes += holes;
    sum.reported += reported;
    sum.ended += ended;
  }
  return sum;
}
