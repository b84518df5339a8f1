/**
 * Makes a part from the first samples of the queues: [styp] moof mdat. ISO/IEC 14496-12 §8.8, ISO/IEC 23000-19 §7.3.3.
 */

import { BoxWriter } from '../isobmff/box-writer.ts';
import { styp, stypBytes } from '../isobmff/file-boxes.ts';
import {
  MDAT_HEADER_BYTES,
  mdatHeader,
  moof,
  moofBytes,
  type SampleTable,
  type TrackRun,
} from '../isobmff/fragment-boxes.ts';
import { ByteQueue } from './byte-queue.ts';
import { PartBytes } from './part-bytes.ts';
import type { SampleQueue } from './sample-queue.ts';

const LARGEST_U32 = 2 ** 32;
const INITIAL_HEAD_BYTES = 1_024;

/** A run whose fields are set again for every fragment. */
class QueueRun implements TrackRun {
  readonly trackId: number;
  startTicks = 0;
  samples: SampleTable;
  sampleCount = 0;
  dataBytes = 0;

  constructor(trackId: number, samples: SampleTable) {
    this.trackId = trackId;
    this.samples = samples;
  }
}

/** The samples of one track that go into the next fragments. */
export class FragmentTrack {
  readonly queue: SampleQueue;
  readonly run: QueueRun;

  constructor(trackId: number, queue: SampleQueue) {
    this.queue = queue;
    this.run = new QueueRun(trackId, queue);
  }

  /** The next fragment takes the first `sampleCount` samples. */
  take(sampleCount: number): void {
    this.run.startTicks = this.queue.startTicks;
    this.run.sampleCount = sampleCount;
    this.run.dataBytes = this.queue.bytesOf(sampleCount);
  }

  /** The taken samples have been written: removes them from the queue. */
  release(): void {
    this.queue.drop(this.run.sampleCount, this.run.dataBytes);
  }
}

export class FragmentWriter {
  /** Number of the newest fragment. */
  sequenceNumber = 0;
  /** Boxes before the samples, written here before they go to their block. */
  #scratch = Buffer.allocUnsafeSlow(INITIAL_HEAD_BYTES);
  readonly #heads = new ByteQueue();
  readonly #runs: TrackRun[] = [];

  /**
   * Writes the samples that the tracks have taken. Audio without samples is left out. null: the file has no such track; it
   * has at least one.
   */
  write(video: FragmentTrack | null, audio: FragmentTrack | null, withStyp: boolean): PartBytes {
    this.sequenceNumber = (this.sequenceNumber + 1) % LARGEST_U32;
    const hasAudio = audio !== null && audio.run.sampleCount > 0;
    this.#runs.length = 0;
    if (video !== null) this.#runs.push(video.run);
    if (hasAudio) this.#runs.push(audio.run);
    const dataBytes = (video?.run.dataBytes ?? 0) + (hasAudio ? audio.run.dataBytes : 0);
    const trackCount = audio === null || video === null ? 1 : 2;
    const headBytes = (withStyp ? stypBytes(trackCount) : 0) + moofBytes(this.#runs) + MDAT_HEADER_BYTES;
    if (this.#scratch.length < headBytes) this.#scratch = Buffer.allocUnsafeSlow(2 * headBytes);
    const writer = new BoxWriter(this.#scratch);
    if (withStyp) styp(writer, trackCount);
    moof(writer, this.sequenceNumber, this.#runs);
    mdatHeader(writer, dataBytes);
    this.#heads.append(this.#scratch.subarray(0, headBytes));
    const runs = [this.#heads.share(headBytes)];
    if (video !== null) runs.push(video.queue.share(video.run.dataBytes));
    if (hasAudio) runs.push(audio.queue.share(audio.run.dataBytes));
    this.#heads.drop(headBytes);
    return new PartBytes(runs);
  }

  /** Gives back the memory for boxes to come. */
  close(): void {
    this.#heads.clear();
  }
}

/** One frame as a separate fragment, placed before its bytes, which are not copied. */
export function singlePictureFragment(trackId: number, picture: Buffer): Buffer[] {
  const samples: SampleTable = {
    sizesBytes: Uint32Array.of(picture.length),
    durationsTicks: Uint32Array.of(1),
    compositionOffsetsTicks: Uint32Array.of(0),
    keys: Uint8Array.of(1),
  };
  const run: TrackRun = { trackId, startTicks: 0, samples, sampleCount: 1, dataBytes: picture.length };
  const writer = new BoxWriter(Buffer.alloc(moofBytes([run]) + MDAT_HEADER_BYTES));
  moof(writer, 1, [run]);
  mdatHeader(writer, picture.length);
  return [writer.bytes, picture];
}
