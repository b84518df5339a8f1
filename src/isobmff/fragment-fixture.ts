/** Small Media Segments for tests, with one sample of 100 ticks in each run. */

import { BoxWriter } from './box-writer.ts';
import { styp } from './file-boxes.ts';
import { mdatHeader, moof } from './fragment-boxes.ts';

const CONTENT = 'data';

export interface FixtureRun {
  readonly trackId: number;
  readonly startTicks: number;
}

/** Per fragment, the runs in it. */
export function fixtureSegment(fragments: readonly (readonly FixtureRun[])[]): Buffer {
  const writer = new BoxWriter(Buffer.alloc(10_000));
  styp(writer, 2);
  for (const [index, runs] of fragments.entries()) {
    const samples = {
      sizesBytes: Uint32Array.of(CONTENT.length),
      durationsTicks: Uint32Array.of(100),
      compositionOffsetsTicks: Uint32Array.of(3),
      keys: Uint8Array.of(1),
    };
    const dataBytes = CONTENT.length;
    moof(
      writer,
      index + 1,
      runs.map((run) => ({ ...run, samples, sampleCount: 1, dataBytes })),
    );
    mdatHeader(writer, runs.length * dataBytes);
    for (const _ of runs) writer.put(Buffer.from(CONTENT));
  }
  return Buffer.from(writer.bytes.subarray(0, writer.position));
}
