/** A camera that sends some video in one burst and then stays silent: fills a live window that no longer moves. */

import { FAKE_VIDEO } from '../../src/cmaf/fake-camera.ts';
import type { AccessUnit } from '../../src/codec/track.ts';
import type { Source, SourceInstance } from '../../src/stream/source/source.ts';
import type { SourceEvents } from '../../src/stream/source/source-events.ts';

export interface BurstShape {
  readonly groups: number;
  readonly framesPerGroup: number;
  readonly ticksPerFrame: number;
  readonly keyFrameBytes: number;
  readonly frameBytes: number;
}

const LENGTH_PREFIX_BYTES = 4;
const NAL_IDR = 0x65;
const NAL_NON_IDR = 0x41;

export class BurstSource implements Source {
  readonly engine = 'direct';
  readonly #shape: BurstShape;

  constructor(shape: BurstShape) {
    this.#shape = shape;
  }

  open(events: SourceEvents): SourceInstance {
    let isClosed = false;
    // The hub first reads the stream's numbering; earlier events are lost.
    setImmediate(() => {
      if (!isClosed) this.#send(events);
    });
    return {
      close: async () => {
        isClosed = true;
      },
    };
  }

  #send(events: SourceEvents): void {
    const { groups, framesPerGroup, ticksPerFrame, keyFrameBytes, frameBytes } = this.#shape;
    const key = nalUnit(NAL_IDR, keyFrameBytes);
    const other = nalUnit(NAL_NON_IDR, frameBytes);
    const unit: AccessUnit = {
      trackIndex: 0,
      dtsTicks: 0,
      ptsTicks: 0,
      isKey: false,
      data: key,
      arrivalMonoMs: 0,
    };
    events.onTracks([FAKE_VIDEO]);
    for (let frame = 0; frame < groups * framesPerGroup; frame++) {
      unit.isKey = frame % framesPerGroup === 0;
      unit.data = unit.isKey ? key : other;
      unit.dtsTicks = frame * ticksPerFrame;
      unit.ptsTicks = unit.dtsTicks;
      unit.arrivalMonoMs = (unit.dtsTicks * 1_000) / FAKE_VIDEO.timescaleHz;
      events.onAccessUnit(unit);
    }
  }
}

/** A slice of this size, after its length; its content does not matter to anyone here. */
export function nalUnit(header: number, sizeBytes: number): Buffer {
  const data = Buffer.alloc(LENGTH_PREFIX_BYTES + sizeBytes, 0x5a);
  data.writeUInt32BE(sizeBytes, 0);
  data[LENGTH_PREFIX_BYTES] = header;
  return data;
}
