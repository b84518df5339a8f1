/**
 * The first frame of a recorded segment alone, as a movie fragment: it can be decoded without any other. Only its bytes are read, not those of
 * the whole segment. ISO/IEC 14496-12 §8.8.
 */

import { BoxWriter } from '../isobmff/box-writer.ts';
import { styp, stypBytes } from '../isobmff/file-boxes.ts';
import { MDAT_HEADER_BYTES, mdatHeader, moof, moofBytes, type TrackRun } from '../isobmff/fragment-boxes.ts';
import { type ReadBytes, readFirstRuns } from '../isobmff/fragment-samples.ts';
import type { RecordedSegment } from '../recording/segment-index.ts';

/** A frame of 4K at the best quality has a few megabytes. */
const MAX_KEY_FRAME_BYTES = 16 * 1_048_576;

/**
 * `styp moof mdat`: it lasts as long as its segment. `name`: of the file. null: the segment does not begin with a frame that can be decoded
 * alone. Fails ISOBMFF_…, or like `read`.
 */
export async function readKeyFrame(
  read: ReadBytes,
  name: string,
  segment: Pick<RecordedSegment, 'offset' | 'byteLength' | 'durationTicks'>,
  trackId: number,
): Promise<Buffer | null> {
  const { offset, byteLength, durationTicks } = segment;
  const runs = await readFirstRuns(read, { name, offset, byteLength });
  const run = runs.find((each) => each.trackId === trackId);
  if (run === undefined || run.keys[0] !== 1) return null;
  const [sizeBytes] = run.sizesBytes;
  if (sizeBytes === undefined || sizeBytes > MAX_KEY_FRAME_BYTES) return null;
  const data = await read(name, run.dataOffset, sizeBytes);
  const frame: TrackRun = {
    trackId,
    startTicks: run.startTicks,
    sampleCount: 1,
    dataBytes: sizeBytes,
    samples: {
      sizesBytes: Uint32Array.of(sizeBytes),
      durationsTicks: Uint32Array.of(durationTicks),
      compositionOffsetsTicks: Uint32Array.of(Math.max(0, run.compositionTicks[0]!)),
      keys: Uint8Array.of(1),
    },
  };
  const writer = new BoxWriter(Buffer.allocUnsafe(stypBytes(1) + moofBytes([frame]) + MDAT_HEADER_BYTES));
  styp(writer, 1);
  moof(writer, 1, [frame]);
  mdatHeader(writer, sizeBytes);
  return Buffer.concat([writer.bytes, data]);
}
