/**
 * A fragmented MP4 that grows by one fragment per frame, for a decoder that reads a pipe. Key frames carry their
 * parameter sets in band, so a decoder follows when they change. ISO/IEC 14496-12 §8.8.
 */

import type { AccessUnit, JpegTrack, VideoTrack } from '../../codec/track.ts';
import { VIDEO_TIMESCALE_HZ } from '../../ffmpeg/command.ts';
import { BoxWriter } from '../../isobmff/box-writer.ts';
import {
  MDAT_HEADER_BYTES,
  mdatHeader,
  moof,
  moofBytes,
  type TrackRun,
} from '../../isobmff/fragment-boxes.ts';
import { writeInitSegment } from '../../isobmff/init-segment.ts';

const LENGTH_BYTES = 4;
const TRACK_ID = 1;

export class FrameFile {
  /** Comes before the first frame. */
  readonly head: Buffer;
  /** Where its time begins on the timeline of the frames, in ticks of 1/90,000 s. */
  readonly zeroTicks: number;
  readonly #startTicks: number;
  #sequenceNumber = 0;

  /** `startTicks`: decoding time of the first frame. */
  constructor(track: VideoTrack | JpegTrack, startTicks: number) {
    this.head = writeInitSegment([track]);
    this.#startTicks = startTicks;
    this.zeroTicks = Math.round((startTicks * VIDEO_TIMESCALE_HZ) / track.timescaleHz);
  }

  /** A new buffer with one fragment. */
  frame(track: VideoTrack | JpegTrack, unit: AccessUnit): Buffer {
    const sets = unit.isKey ? parameterSetsOf(track) : [];
    const setBytes = sets.reduce((sum, set) => sum + LENGTH_BYTES + set.length, 0);
    const dataBytes = setBytes + unit.data.length;
    const run: TrackRun = {
      trackId: TRACK_ID,
      startTicks: unit.dtsTicks - this.#startTicks,
      samples: {
        sizesBytes: Uint32Array.of(dataBytes),
        durationsTicks: Uint32Array.of(1),
        compositionOffsetsTicks: Uint32Array.of(unit.ptsTicks - unit.dtsTicks),
        keys: Uint8Array.of(unit.isKey ? 1 : 0),
      },
      sampleCount: 1,
      dataBytes,
    };
    const writer = new BoxWriter(Buffer.allocUnsafe(moofBytes([run]) + MDAT_HEADER_BYTES + dataBytes));
    moof(writer, ++this.#sequenceNumber, [run]);
    mdatHeader(writer, dataBytes);
    for (const set of sets) {
      writer.u32(set.length);
      writer.put(set);
    }
    writer.put(unit.data);
    return writer.bytes;
  }
}

function parameterSetsOf(track: VideoTrack | JpegTrack): readonly Uint8Array[] {
  if (track.codec === 'jpeg') return [];
  return [...(track.codec === 'h265' ? track.vps : []), ...track.sps, ...track.pps];
}
