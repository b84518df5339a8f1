/**
 * Converts H.264 samples of an MP4 track (ISO/IEC 14496-15 §5.2) to access units: removes parameter sets, delimiters
 * and filler, and keeps the content of the parameter sets. Cameras repeat them in band before every key frame, and a
 * worker that copies passes them on.
 */

import { KeptNalus, LENGTH_BYTES, naluEnd } from '../kept-nalus.ts';
import type { SampleReader } from '../sample-reader.ts';
import type { H264Track } from '../track.ts';
import {
  NAL_ACCESS_UNIT_DELIMITER,
  NAL_FILLER,
  NAL_IDR_SLICE,
  NAL_PPS,
  NAL_SPS,
  nalType,
} from './nal-unit.ts';
import { h264CodecString, parseSequenceParameterSet } from './sequence-parameter-set.ts';

/** Limit on the parameter sets of one kind that a track may have at a time. */
const MAX_PARAMETER_SETS = 32;

export class H264SampleReader implements SampleReader {
  track: H264Track;
  data: Uint8Array = new Uint8Array(0);
  isKey = false;
  /** An IDR picture ends all references. */
  readonly isContinuing = false;
  readonly isRasl = false;
  readonly #kept = new KeptNalus();

  constructor(track: H264Track) {
    this.track = track;
  }

  /** Information about the track in a damaged sample is ignored. */
  read(sample: Uint8Array): 'same' | 'changed' | 'damaged' {
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
    this.#kept.begin(sample);
    let hasPicture = false;
    for (let at = 0; at < sample.length; ) {
      const end = naluEnd(sample, at);
      if (end < 0) return false;
      const type = nalType(sample[at + LENGTH_BYTES]!);
      if (isLeftOut(type)) {
        this.#kept.leaveOut(at);
        if (!this.#learn(type, sample.subarray(at + LENGTH_BYTES, end))) return false;
      } else {
        this.#kept.keep(at, end);
        if (type === NAL_IDR_SLICE) this.isKey = true;
        if (type <= NAL_IDR_SLICE) hasPicture = true;
      }
      at = end;
    }
    this.data = this.#kept.data;
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
}

function isLeftOut(type: number): boolean {
  return type === NAL_SPS || type === NAL_PPS || type === NAL_ACCESS_UNIT_DELIMITER || type === NAL_FILLER;
}

/**
 * Also true for a set with bytes after its end: if the packet with the beginning of the picture is lost, ffmpeg appends the
 * rest of the picture to the NAL unit before it. And for a known set with zeros after its end: in the header that ffmpeg
 * makes for a transport stream, those before the next start code belong to the set before them.
 */
function isKnown(sets: readonly Uint8Array[], nalu: Uint8Array): boolean {
  for (const set of sets) {
    let length = set.length;
    while (length > 0 && set[length - 1] === 0) length -= 1;
    if (Buffer.compare(set.subarray(0, length), nalu.subarray(0, length)) === 0) return true;
  }
  return false;
}
