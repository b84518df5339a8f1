/**
 * Converts H.264 samples of an MP4 track (ISO/IEC 14496-15 §5.2) to access units: removes parameter sets, delimiters
 * and filler, and keeps the content of the parameter sets. Cameras repeat them in band before every key frame, and a
 * worker that copies passes them on.
 */

import {
  NAL_ACCESS_UNIT_DELIMITER,
  NAL_FILLER,
  NAL_IDR_SLICE,
  NAL_PPS,
  NAL_SPS,
  nalType,
} from '../../codec/h264/nal-unit.ts';
import { h264CodecString, parseSequenceParameterSet } from '../../codec/h264/sequence-parameter-set.ts';
import type { H264Track } from '../../codec/track.ts';

const LENGTH_BYTES = 4;
/** Limit on the parameter sets of one kind that a track may have at a time. */
const MAX_PARAMETER_SETS = 32;

export type SampleOutcome =
  | 'same' // `data` and `isKey` are set
  | 'changed' // and `track` is new: announce it first
  | 'damaged'; // not an access unit

export class H264SampleReader {
  track: H264Track;
  /** The access unit from the last sample: a view of the sample, or of a buffer that the next one reuses. */
  data: Uint8Array = new Uint8Array(0);
  isKey = false;
  #scratch = new Uint8Array(0);
  #scratchLength = 0;

  constructor(track: H264Track) {
    this.track = track;
  }

  /** `sample` is borrowed until the next call. Information about the track in a damaged sample is ignored. */
  read(sample: Uint8Array): SampleOutcome {
    const known = this.track;
    const isUsable = this.#split(sample);
    if (!isUsable) this.track = known;
    if (this.track === known) return isUsable ? 'same' : 'damaged';
    // An SPS came alone: the picture parameter sets stay in force.
    if (this.track.pps.length === 0) this.track = { ...this.track, pps: known.pps };
    return 'changed';
  }

  /** Returns false if the sample holds no picture, or something that is not a NAL unit. */
  #split(sample: Uint8Array): boolean {
    this.isKey = false;
    this.#scratchLength = 0;
    let hasPicture = false;
    let firstKept = -1;
    let isWhole = true;
    let at = 0;
    while (at < sample.length) {
      const end = naluEnd(sample, at);
      if (end < 0) return false;
      const type = nalType(sample[at + LENGTH_BYTES]!);
      if (isLeftOut(type)) {
        // Moves everything kept so far to the scratch buffer; what follows joins it there.
        if (isWhole && firstKept >= 0) this.#keep(sample, firstKept, at);
        isWhole = false;
        if (!this.#learn(type, sample.subarray(at + LENGTH_BYTES, end))) return false;
      } else {
        if (firstKept < 0) firstKept = at;
        if (!isWhole) this.#keep(sample, at, end);
        if (type === NAL_IDR_SLICE) this.isKey = true;
        if (type <= NAL_IDR_SLICE) hasPicture = true;
      }
      at = end;
    }
    this.data = isWhole ? sample : this.#scratch.subarray(0, this.#scratchLength);
    return hasPicture;
  }

  /** Takes a parameter set that the track does not have. Returns false if it makes no sense. */
  #learn(type: number, nalu: Uint8Array): boolean {
    const track = this.track;
    if (type === NAL_SPS && !isKnown(track.sps, nalu)) {
      const parsed = parseSequenceParameterSet(nalu);
      if (parsed === null) return false;
      // A new sequence: the picture parameter sets it needs follow, usually in the same access unit.
      this.track = {
        ...track,
        sps: [new Uint8Array(nalu)],
        pps: [],
        widthPx: parsed.widthPx,
        heightPx: parsed.heightPx,
        codecString: h264CodecString(parsed),
      };
    } else if (type === NAL_PPS && !isKnown(track.pps, nalu)) {
      if (track.pps.length >= MAX_PARAMETER_SETS) return false;
      this.track = { ...track, pps: [...track.pps, new Uint8Array(nalu)] };
    }
    return true;
  }

  #keep(sample: Uint8Array, from: number, to: number): void {
    const length = this.#scratchLength + to - from;
    if (length > this.#scratch.length) {
      const grown = new Uint8Array(Math.max(sample.length, this.#scratch.length * 2));
      grown.set(this.#scratch.subarray(0, this.#scratchLength));
      this.#scratch = grown;
    }
    this.#scratch.set(sample.subarray(from, to), this.#scratchLength);
    this.#scratchLength = length;
  }
}

/** First byte after the NAL unit at `at`; -1 if its length is 0 or exceeds the sample. */
function naluEnd(sample: Uint8Array, at: number): number {
  const start = at + LENGTH_BYTES;
  if (start > sample.length) return -1;
  const length =
    sample[at]! * 0x1000000 + ((sample[at + 1]! << 16) | (sample[at + 2]! << 8) | sample[at + 3]!);
  return length === 0 || length > sample.length - start ? -1 : start + length;
}

function isLeftOut(type: number): boolean {
  return type === NAL_SPS || type === NAL_PPS || type === NAL_ACCESS_UNIT_DELIMITER || type === NAL_FILLER;
}

/**
 * Also true for a set with bytes after its end: if the packet with the beginning of the picture is lost, ffmpeg appends the
 * rest of the picture to the NAL unit before it.
 */
function isKnown(sets: readonly Uint8Array[], nalu: Uint8Array): boolean {
  for (const set of sets) if (Buffer.compare(set, nalu.subarray(0, set.length)) === 0) return true;
  return false;
}
