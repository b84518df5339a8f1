/** Counts what a source delivers, and what its timestamps say is missing in between. */

import type { AccessUnit, Track } from '../../src/codec/track.ts';
import type { GatewayError } from '../../src/core/errors.ts';
import type { Source, SourceInstance } from '../../src/stream/source.ts';
import type { SourceEvents } from '../../src/stream/source-events.ts';
import { SourceSink } from '../../src/stream/source-sink.ts';

export interface FrameCounts {
  readonly received: number;
  /** Frames missing between two that arrived, according to their timestamps. */
  readonly holes: number;
  /** What the source said it gave up. */
  readonly reported: number;
  /** How many times the connection ended. */
  readonly ended: number;
}

/** A video source with a constant frame rate, counted. One ledger per camera. */
export class CountedSource implements Source {
  readonly engine: string;
  readonly #source: Source;
  readonly #ticksPerFrame: number;
  #received = 0;
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
      holes: this.#holes,
      reported: this.#reported,
      ended: this.#ended,
    };
  }

  open(events: SourceEvents): SourceInstance {
    this.#lastDtsTicks = -1;
    return this.#source.open(
      new SourceSink({
        onTracks: (tracks: readonly Track[]) => events.onTracks(tracks),
        onAccessUnit: (unit: AccessUnit) => {
          this.#count(unit.dtsTicks);
          events.onAccessUnit(unit);
        },
        onDropped: (frames: number, code: string) => {
          this.#reported += frames;
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
  const sum = { received: 0, holes: 0, reported: 0, ended: 0 };
  for (const { received, holes, reported, ended } of counts) {
    sum.received += received;
    sum.holes += holes;
    sum.reported += reported;
    sum.ended += ended;
  }
  return sum;
}
