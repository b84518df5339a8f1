/**
 * Joins NAL units into access units. RFC 6184 §5.1 says that all packets of an access unit share one timestamp and that
 * the last one is marked. What cameras really do, and how this class handles it:
 *
 * - Most follow the RFC. Waiting for the next timestamp would add a frame of delay, so a marker ends the picture, but
 *   only after one whole picture has shown that markers are where they belong (`MarkerTrust`).
 * - Some never set the marker; some set it on every slice or on parameter sets. For these the timestamp decides; within
 *   one timestamp, a slice with first_mb_in_slice = 0, or a NAL unit that is allowed only before a picture (ISO/IEC
 *   14496-10 §7.4.1.2.3), begins the next picture.
 * - Interlaced streams send the two fields of a frame as two pictures with one timestamp: they stay one access unit, as
 *   ISO/IEC 14496-15 requires.
 *
 * Delimiters and filler are left out, SEI stays, parameter sets go to the sink separately.
 *
 * In place of one NAL unit there may be a byte stream of several (ISO/IEC 14496-10 Annex B): with start codes between
 * them (gortsplib issue 199), or before the first one, whose first byte then looks like a NAL header of type 0, in a
 * fragmentation unit too (Amatek, gortsplib 989; V380, retina issue 68). It is split once it is complete.
 */

import { naluEnd, START_CODE, withoutTrailingZeros } from '../../codec/h264/annex-b.ts';
import {
  isReference,
  isVcl,
  NAL_ACCESS_UNIT_DELIMITER,
  NAL_IDR_SLICE,
  NAL_PARTITION_A,
  NAL_PPS,
  NAL_PREFIX,
  NAL_RESERVED_18,
  NAL_SEI,
  NAL_SLICE,
  NAL_SPS,
  nalType,
} from '../../codec/h264/nal-unit.ts';
import { isFirstSlice, slicePpsId } from '../../codec/h264/slice-header.ts';
import type { RtpErrorCode } from '../errors.ts';
import { FrameScratch } from '../frame-scratch.ts';

/** A complete picture. The object and `data` are borrowed until the call returns. */
export interface AssembledPicture {
  /** NAL units, each after a 4-byte length. */
  data: Uint8Array;
  rtpTimestamp: number;
  /** Arrival time of its last packet. */
  arrivalMonoMs: number;
  /** An IDR picture. */
  isKey: boolean;
  /** PPS id of its first slice if it is a key frame; -1 if it could not be read. */
  ppsId: number;
}

export interface PictureSink {
  onPicture(picture: AssembledPicture): void;
  /** One picture was dropped. `isReference`: others may depend on it. `isKey`: it is known to be an IDR picture. */
  onDamagedPicture(isReference: boolean, isKey: boolean, code: RtpErrorCode): void;
  /** Pictures may be missing entirely; how many is unknown. `isKey`: an IDR picture among them. */
  onReferenceLost(isKey: boolean): void;
  /** An SPS or PPS, borrowed. Comes before the picture that it precedes. */
  onParameterSet(nalu: Uint8Array): void;
  /** See ParameterSets. */
  readonly mayHaveFields: boolean;
}

/** `unproven` until a picture ends with its timestamp: marked at its end and only there, or not. */
type MarkerTrust = 'unproven' | 'trusted' | 'untrusted';

/** Bytes before each NAL unit. */
const LENGTH_BYTES = 4;
const NO_NALU = -1;
/** The NAL unit belongs to a lost picture: its bytes are not kept. */
const SKIPPED_NALU = -2;
const NO_TIMESTAMP = -1;
/**
 * Limit on NAL units in place of one: more than a picture has slices, few enough that a few bytes cannot cause much
 * work.
 */
const MAX_JOINED_NALUS = 256;

export class AccessUnitAssembler {
  readonly #sink: PictureSink;
  readonly #scratch = new FrameScratch();
  readonly #picture: AssembledPicture = {
    data: new Uint8Array(0),
    rtpTimestamp: 0,
    arrivalMonoMs: 0,
    isKey: false,
    ppsId: -1,
  };
  // The current packet.
  #packetTimestamp = 0;
  #hasGap = false;
  // The current picture.
  #isOpen = false;
  #rtpTimestamp = 0;
  #arrivalMonoMs = 0;
  #hasVcl = false;
  #hasFirstSlice = false;
  #isKey = false;
  #isReference = false;
  #ppsId = -1;
  #damage: RtpErrorCode | null = null;
  #markers = 0;
  #isMarkerLast = false;
  // The current NAL unit.
  #naluStart = NO_NALU;
  #naluType = 0;
  /** Its newest packet is marked: nothing of the picture follows it, even if its end was not signaled. */
  #isNaluMarked = false;
  // State that persists between pictures.
  #markerTrust: MarkerTrust = 'unproven';
  /** Timestamp of a picture that ended at its marker: more of that picture proves the marker wrong. */
  #markedTimestamp = NO_TIMESTAMP;
  /** Packets are missing before the picture, or it is the first one: its first slice may be lost. */
  #needsFirstSlice = true;
  /** A gap that no damaged picture has accounted for yet. */
  #isGapUncounted = false;

  constructor(sink: PictureSink) {
    this.#sink = sink;
  }

  get isInsideNalu(): boolean {
    return this.#naluStart !== NO_NALU;
  }

  beginPacket(rtpTimestamp: number, arrivalMonoMs: number): void {
    if (this.#hasGap) this.#resolveGap(rtpTimestamp);
    if (this.#isOpen && rtpTimestamp !== this.#rtpTimestamp) this.#finish();
    this.#packetTimestamp = rtpTimestamp;
    this.#arrivalMonoMs = arrivalMonoMs;
  }

  /** `firstPayloadByte`: the byte after `header`. */
  beginNalu(header: number, firstPayloadByte: number): void {
    const type = nalType(header);
    this.#endUntoldNalu();
    if (this.#isOpen && this.#beginsNextPicture(type, firstPayloadByte)) this.#finish();
    if (!this.#isOpen) this.#open();
    this.#naluType = type;
    if (isVcl(type)) this.#beginSlice(type, header, firstPayloadByte);
    this.#naluStart = this.#damage === null ? this.#scratch.length : SKIPPED_NALU;
    if (this.#damage === null && !this.#scratch.beginNalu(header)) this.damage('RTP_FRAME_TOO_LARGE');
  }

  /** Hot. `chunk[start, end)` is copied. */
  append(chunk: Uint8Array, start: number, end: number): void {
    if (this.#naluStart < 0) return;
    this.#isNaluMarked = false;
    if (!this.#scratch.append(chunk, start, end)) {
      this.damage('RTP_FRAME_TOO_LARGE');
      this.#naluStart = SKIPPED_NALU;
    }
  }

  endNalu(): void {
    const start = this.#naluStart;
    this.#naluStart = NO_NALU;
    if (start < 0) return;
    const bytes = this.#scratch.view(start + LENGTH_BYTES);
    const end = naluEnd(bytes, 0);
    if (end < bytes.length) this.#splitStream(start, Buffer.from(bytes), end);
    else this.#keepNalu(start);
  }

  /** Hands on the NAL unit at `start`, the last one in the scratch, according to its type. */
  #keepNalu(start: number): void {
    const type = this.#naluType;
    if (isVcl(type)) {
      this.#scratch.endNalu(start);
      if (type === NAL_IDR_SLICE && this.#ppsId < 0)
        this.#ppsId = slicePpsId(this.#scratch.view(start + LENGTH_BYTES)) ?? -1;
    } else if (type === NAL_SEI) {
      this.#scratch.endNalu(start);
    } else {
      if (type === NAL_SPS || type === NAL_PPS)
        this.#sink.onParameterSet(this.#scratch.view(start + LENGTH_BYTES));
      this.#scratch.truncate(start);
    }
  }

  /** `stream`: the scratch's content from `start` on, taken for one NAL unit; its first one ends at `firstEnd`. */
  #splitStream(start: number, stream: Buffer, firstEnd: number): void {
    const firstBytes = withoutTrailingZeros(stream, 0, firstEnd);
    this.#scratch.truncate(firstBytes === 0 ? start : start + LENGTH_BYTES + firstBytes);
    if (firstBytes > 0) this.#keepNalu(start);
    let at = firstEnd + START_CODE.length;
    for (let count = 1; at < stream.length; count++) {
      if (count === MAX_JOINED_NALUS) {
        this.damage('RTP_BAD_PAYLOAD');
        return;
      }
      const codeAt = naluEnd(stream, at);
      const end = withoutTrailingZeros(stream, at, codeAt);
      if (end > at) this.#addWhole(stream, at, end);
      at = codeAt + START_CODE.length;
    }
  }

  #addWhole(bytes: Uint8Array, start: number, end: number): void {
    this.beginNalu(bytes[start]!, start + 1 < end ? bytes[start + 1]! : 0);
    this.append(bytes, start + 1, end);
    const naluStart = this.#naluStart;
    this.#naluStart = NO_NALU;
    if (naluStart >= 0) this.#keepNalu(naluStart);
  }

  /** A fragmented NAL unit without a last fragment: only the marker shows that it ended. */
  #endUntoldNalu(): void {
    if (this.#naluStart === NO_NALU) return;
    if (this.#isNaluMarked) this.endNalu();
    else this.damage('RTP_BAD_PAYLOAD');
  }

  /** The current packet is marked, and all of it has been reported. */
  marker(): void {
    // In the middle of a NAL unit, the marker ends nothing yet, whatever the encoder means by it.
    this.#isNaluMarked = this.#naluStart !== NO_NALU;
    if (!this.#isOpen || this.#isNaluMarked || !this.#hasContent) return;
    this.#markers += 1;
    this.#isMarkerLast = true;
    if (this.#markerTrust !== 'trusted') return;
    this.#finish();
    this.#markedTimestamp = this.#rtpTimestamp;
  }

  /** Packets are missing before the next one. */
  gap(): void {
    this.#hasGap = true;
  }

  /** The current packet cannot be used: its picture is lost. */
  damage(code: RtpErrorCode): void {
    if (!this.#isOpen) this.#open();
    this.#damage ??= code;
    this.#naluStart = NO_NALU;
  }

  /** The current packet continues a NAL unit whose beginning is lost, but still shows its type. */
  orphan(header: number): void {
    this.damage('RTP_PACKET_LOSS');
    if (nalType(header) === NAL_IDR_SLICE) this.#isKey = true;
  }

  /** Slices, or the knowledge that some are missing. */
  get #hasContent(): boolean {
    return this.#hasVcl || this.#damage !== null;
  }

  /**
   * A gap within one timestamp damages that picture alone. Any other gap may have swallowed the end of the current
   * picture, whole pictures, and the beginning of the next.
   */
  #resolveGap(rtpTimestamp: number): void {
    this.#hasGap = false;
    if (this.#isOpen && rtpTimestamp === this.#rtpTimestamp) {
      this.damage('RTP_PACKET_LOSS');
      return;
    }
    if (this.#isOpen) {
      this.damage('RTP_PACKET_LOSS');
      this.#finish();
    } else {
      this.#isGapUncounted = true;
    }
    this.#sink.onReferenceLost(false);
    this.#needsFirstSlice = true;
  }

  #beginsNextPicture(type: number, firstPayloadByte: number): boolean {
    if (!this.#hasContent || this.#sink.mayHaveFields) return false;
    if (type >= NAL_SEI && type <= NAL_ACCESS_UNIT_DELIMITER) return true;
    if (type >= NAL_PREFIX && type <= NAL_RESERVED_18) return true;
    return this.#hasFirstSlice && hasSliceHeader(type) && isFirstSlice(firstPayloadByte);
  }

  #beginSlice(type: number, header: number, firstPayloadByte: number): void {
    const isFirst = hasSliceHeader(type) && isFirstSlice(firstPayloadByte);
    if (!this.#hasVcl) {
      const isAfterItsMarker = this.#markedTimestamp === this.#rtpTimestamp;
      if (isAfterItsMarker && (!isFirst || this.#sink.mayHaveFields)) {
        this.#markerTrust = 'untrusted';
        this.#damage ??= 'RTP_EARLY_MARKER';
      } else if (this.#needsFirstSlice && !isFirst) {
        this.#damage ??= 'RTP_PACKET_LOSS';
      } else if (this.#isGapUncounted) {
        this.#sink.onDamagedPicture(true, false, 'RTP_PACKET_LOSS');
      }
      this.#needsFirstSlice = false;
      this.#isGapUncounted = false;
    }
    this.#hasVcl = true;
    this.#isMarkerLast = false;
    if (isFirst) this.#hasFirstSlice = true;
    if (type === NAL_IDR_SLICE) this.#isKey = true;
    if (isReference(header)) this.#isReference = true;
  }

  #open(): void {
    this.#isOpen = true;
    this.#rtpTimestamp = this.#packetTimestamp;
    this.#scratch.truncate(0);
    this.#hasVcl = false;
    this.#hasFirstSlice = false;
    this.#isKey = false;
    this.#isReference = false;
    this.#ppsId = -1;
    this.#damage = null;
    this.#markers = 0;
    this.#isMarkerLast = false;
  }

  #finish(): void {
    this.#endUntoldNalu();
    this.#isOpen = false;
    this.#markedTimestamp = NO_TIMESTAMP;
    if (this.#damage !== null) {
      // Without the head of a slice, the type of the picture is unknown.
      this.#needsFirstSlice = false;
      this.#isGapUncounted = false;
      this.#sink.onDamagedPicture(this.#isReference || !this.#hasVcl, this.#isKey, this.#damage);
    } else if (this.#hasVcl) {
      this.#judgeMarker();
      this.#emit();
    }
  }

  #judgeMarker(): void {
    if (this.#markerTrust !== 'unproven' || this.#markers === 0) return;
    this.#markerTrust = this.#markers === 1 && this.#isMarkerLast ? 'trusted' : 'untrusted';
  }

  #emit(): void {
    const picture = this.#picture;
    picture.data = this.#scratch.view();
    picture.rtpTimestamp = this.#rtpTimestamp;
    picture.arrivalMonoMs = this.#arrivalMonoMs;
    picture.isKey = this.#isKey;
    picture.ppsId = this.#ppsId;
    this.#sink.onPicture(picture);
  }
}

/** Partitions B and C begin with a slice id instead. */
function hasSliceHeader(type: number): boolean {
  return type === NAL_SLICE || type === NAL_PARTITION_A || type === NAL_IDR_SLICE;
}
