/** A camera that sends frames in real time, forever; their content does not matter to anyone here. */

import { FAKE_VIDEO } from '../../src/cmaf/fake-camera.ts';
import type { AccessUnit } from '../../src/codec/track.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Source, SourceInstance } from '../../src/stream/source/source.ts';
import type { SourceEvents } from '../../src/stream/source/source-events.ts';
import { nalUnit } from './burst-source.ts';

export interface PacedShape {
  readonly framesPerSec: number;
  readonly framesPerGroup: number;
  readonly frameBytes: number;
}

const NAL_IDR = 0x65;
const NAL_NON_IDR = 0x41;

export class PacedSource implements Source {
  readonly engine = 'direct';
  readonly #shape: PacedShape;

  constructor(shape: PacedShape) {
    this.#shape = shape;
  }

  open(events: SourceEvents): SourceInstance {
    const { framesPerSec, framesPerGroup, frameBytes } = this.#shape;
    const [key, other] = [nalUnit(NAL_IDR, frameBytes), nalUnit(NAL_NON_IDR, frameBytes)];
    const startMonoMs = systemClock.monoMs();
    let frame = -1;
    const timer = setInterval(() => {
      const dueFrame = Math.floor(((systemClock.monoMs() - startMonoMs) * framesPerSec) / 1_000);
      if (frame < 0) events.onTracks([FAKE_VIDEO]);
      while (frame < dueFrame) {
        frame++;
        const dtsTicks = Math.round((frame * FAKE_VIDEO.timescaleHz) / framesPerSec);
        const isKey = frame % framesPerGroup === 0;
        const unit: AccessUnit = {
          trackIndex: 0,
          dtsTicks,
          ptsTicks: dtsTicks,
          isKey,
          data: isKey ? key : other,
          arrivalMonoMs: systemClock.monoMs(),
        };
        events.onAccessUnit(unit);
      }
    }, 1_000 / framesPerSec);
    return {
      close: async () => clearInterval(timer),
    };
  }
}
