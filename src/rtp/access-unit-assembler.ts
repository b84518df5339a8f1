/**
 * Joins NAL units into access units, of H.264 and of H.265 (`NaluSyntax`). RFC 6184 §5.1 and RFC 7798 §4.1 say that all
 * packets of an access unit share one timestamp and that the last one is marked. What cameras really do, and how this
 * class handles it:
 *
 * - Most follow the RFC. Waiting for the next timestamp would add a frame of delay, so a marker ends the picture, but
 *   only after one whole picture has shown that markers are where they belong (`MarkerTrust`).
 * - Some never set the marker; some set it on every slice or on parameter sets (go2rtc issue 244). For these the
 *   timestamp decides; within one timestamp, the first slice of a picture, or a NAL unit that is allowed only before a
 *   picture, begins the next picture.
 * - Interlaced H.264 sends the two fields of a frame as two pictures with one timestamp: they stay one access unit, as
 *   ISO/IEC 14496-15 requires.
 * - GStreamer's payloaders with config-interval=-1 send the parameter sets again before each slice of a key frame. Those
 *   that came before the picture do not end it.
 *
 * Delimiters and filler are left out, SEI stays, parameter sets go to the sink separately. So are the layers of scalable
 * and multiview streams (types 14, 15, 20 and 21, Annexes G to I): the base layer is a stream of its own. Data partitions
 * (types 2 to 4) damage their picture, because no browser decodes them.
 *
 * In place of one NAL unit there may be a byte stream of several (Annex B): with start codes between them (gortsplib
 * issue 199), or before the first one, whose first byte then looks like a NAL header of type 0, in a fragmentation unit
 * too (Amatek, gortsplib 989; V380, retina issue 68). It is split once it is complete.
 */

import { START_CODE, withoutTrailingZeros } from '../codec/byte-stream.ts';
import { isSameBytes } from '../codec/same-bytes.ts';
import type { RtpErrorCode } from './errors.ts';
import { FrameScratch } from './frame-scratch.ts';

// The traits of a NAL unit for the assembler: a sum of these. 0: it is left out.
/** A slice of the picture. */
export const NALU_SLICE = 1;
/** The first slice of a picture. */
export const NALU_FIRST_SLICE = 2;
/** A slice of a picture at which decoding can begin. */
export const NALU_KEY = 4;
/** A slice that other pictures may depend on. */
export const NALU_REFERENCE = 8;
/** Not allowed after the slices of a picture: it belongs to the next one. */
export const NALU_BEGINS_UNIT = 16;
/** It stays in the access unit. */
export const NALU_KEPT = 32;
export const NALU_PARAMETER_SET = 64;
/** The coded video sequence ends after this picture. */
export const NALU_ENDS_SEQUENCE = 128;
/** A slice data partition: no browser decodes it. */
export const NALU_PARTITION = 256;

/** NAL units of one codec. `header` is a NAL unit's header of `headerBytes` bytes as a number. */
export interface NaluSyntax {
  readonly headerBytes: 1 | 2;
  /** Hot. What a NAL unit is. `firstPayloadByte`: the byte after the header. */
  traitsOf(header: number, firstPayloadByte: number): number;
  /** End of the NAL unit at `start` of a byte stream: the next start code, or the end of `bytes`. */
  endOf(bytes: Buffer, start: number): number;
  /** recovery_frame_cnt of a NAL unit that is kept and is not a slice; null: it has no recovery point. */
  recoveryFramesOf(nalu: Uint8Array): number | null;
  /** Id of the PPS that a slice uses; null when the NAL unit is too short. */
  ppsIdOf(slice: Uint8Array): number | null;
}

/** A complete picture. The object and `data` are borrowed until the call returns. */
export interface AssembledPicture {
  /** NAL units, each after a 4-byte length. */
  data: Uint8Array;
  rtpTimestamp: number;
  /** Arrival time of its last packet. */
  arrivalMonoMs: number;
  /** Decoding can begin at it; the receiver also marks recovery points that are as good as a key frame. */
  isKey: boolean;
  /** Recovery point SEI: frames until the output is correct, 0 from this picture on; -1 if it has none. */
  recoveryFrames: number;
  /** PPS id of its first slice if it is an IDR picture or a recovery point; -1 if it could not be read. */
  ppsId: number;
  /** NAL header of its first slice. */
  sliceHeader: number;
}

export function emptyPicture(): AssembledPicture {
  return {
    data: new Uint8Array(0),
    rtpTimestamp: 0,
    arrivalMonoMs: 0,
    isKey: false,
    recoveryFrames: -1,
    ppsId: -1,
    sliceHeader: 0,
  };
}

export interface PictureSink {
  onPicture(picture: AssembledPicture): void;
  /** One picture was dropped. `isReference`: others may depend on it. `isKey`: it is known to be a key frame. */
  onDamagedPicture(isReference: boolean, isKey: boolean, code: RtpErrorCode): void;
  /** Pictures may be missing entirely; how many is unknown. `isKey`: a key frame among them. */
  onReferenceLost(isKey: boolean): void;
  /** Borrowed. Comes before the picture that it precedes. */
  onParameterSet(nalu: Uint8Array): void;
  /** After the last picture of a coded video sequence. */
  onSequenceEnd(): void;
  /** One access unit may be two pictures: the fields of a frame. */
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
/** Limits on the parameter sets before a picture that are known again after its first slice. */
const MAX_OWN_SETS = 8;
const MAX_OWN_SET_BYTES = 1_024;

export class AccessUnitAssembler {
  readonly #syntax: NaluSyntax;
  readonly #headerBytes: 1 | 2;
  readonly #sink: PictureSink;
  readonly #scratch = new FrameScratch();
  readonly #picture = emptyPicture();
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
  #recoveryFrames = -1;
  #ppsId = -1;
  #sliceHeader = 0;
  #endsSequence = false;
  #damage: RtpErrorCode | null = null;
  /** Copies of the parameter sets that came before its slices. */
  #ownSets: Uint8Array[] = [];
  /** Some of them came again after a slice. */
  #hasRepeatedSets = false;
  #markers = 0;
  #isMarkerLast = false;
  // The current NAL unit.
  #naluStart = NO_NALU;
  #naluTraits = 0;
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
  /** Why something is missing. */
  #gapCode: RtpErrorCode = 'RTP_PACKET_LOSS';

  constructor(syntax: NaluSyntax, sink: PictureSink) {
    this.#syntax = syntax;
    this.#headerBytes = syntax.headerBytes;
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

  /** `header` as a number of the codec's size, and the byte after it. */
  beginNalu(header: number, firstPayloadByte: number): void {
    const traits = this.#syntax.traitsOf(header, firstPayloadByte);
    this.#endUntoldNalu();
    if (this.#isOpen && this.#beginsNextPicture(traits)) this.#finish();
    if (!this.#isOpen) this.#open();
    this.#naluTraits = traits;
    if ((traits & NALU_SLICE) !== 0) this.#beginSlice(traits, header);
    else if ((traits & NALU_ENDS_SEQUENCE) !== 0) this.#noteSequenceEnd();
    // After a damaged picture, a parameter set shows by its bytes whether it belongs to the next one.
    const isRead = this.#damage === null || (traits & NALU_PARAMETER_SET) !== 0;
    this.#naluStart = isRead ? this.#scratch.length : SKIPPED_NALU;
    if (isRead && !this.#scratch.beginNalu(header, this.#headerBytes)) this.damage('RTP_FRAME_TOO_LARGE');
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
    const end = this.#syntax.endOf(bytes, 0);
    if (end < bytes.length) this.#splitStream(start, Buffer.from(bytes), end);
    else this.#keepNalu(start);
  }

  /** Handles the NAL unit at `start`, the last one in the scratch, according to its traits. */
  #keepNalu(start: number): void {
    const traits = this.#naluTraits;
    if ((traits & NALU_SLICE) !== 0) {
      this.#scratch.endNalu(start);
      const mayBegin = (traits & NALU_KEY) !== 0 || this.#recoveryFrames >= 0;
      if (mayBegin && this.#ppsId < 0)
        this.#ppsId = this.#syntax.ppsIdOf(this.#scratch.view(start + LENGTH_BYTES)) ?? -1;
    } else if ((traits & NALU_KEPT) !== 0) {
      this.#scratch.endNalu(start);
      const frames = this.#syntax.recoveryFramesOf(this.#scratch.view(start + LENGTH_BYTES));
      this.#recoveryFrames = frames ?? this.#recoveryFrames;
    } else if ((traits & NALU_PARAMETER_SET) !== 0) this.#takeParameterSet(start);
    else this.#scratch.truncate(start);
  }

  #takeParameterSet(start: number): void {
    const set = this.#scratch.view(start + LENGTH_BYTES);
    const isAfterSlices = this.#hasContent && !this.#sink.mayHaveFields;
    if (isAfterSlices && this.#ownSets.some((own) => isSameBytes(own, set))) {
      this.#hasRepeatedSets = true;
      this.#scratch.truncate(start);
      return;
    }
    const copy = new Uint8Array(set);
    this.#scratch.truncate(start);
    if (isAfterSlices) {
      this.#finish();
      this.#open();
    }
    if (this.#ownSets.length < MAX_OWN_SETS && copy.length <= MAX_OWN_SET_BYTES) this.#ownSets.push(copy);
    this.#sink.onParameterSet(copy);
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
      const codeAt = this.#syntax.endOf(stream, at);
      const end = withoutTrailingZeros(stream, at, codeAt);
      if (end > at) this.#addWhole(stream, at, end);
      at = codeAt + START_CODE.length;
    }
  }

  #addWhole(bytes: Uint8Array, start: number, end: number): void {
    const payloadStart = start + this.#headerBytes;
    // Shorter than a header: left over, and nothing.
    if (payloadStart > end) return;
    const header = this.#headerBytes === 1 ? bytes[start]! : (bytes[start]! << 8) | bytes[start + 1]!;
    this.beginNalu(header, payloadStart < end ? bytes[payloadStart]! : 0);
    this.append(bytes, payloadStart, end);
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

  /** Packets are missing before the next one; `code`: or why something else is. */
  gap(code: RtpErrorCode = 'RTP_PACKET_LOSS'): void {
    this.#hasGap = true;
    this.#gapCode = code;
  }

  /** A NAL unit came after the picture that it belongs to was over: nothing says which one. */
  late(code: RtpErrorCode): void {
    this.gap(code);
    this.#sink.onReferenceLost(false);
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
    if ((this.#syntax.traitsOf(header, 0) & NALU_KEY) !== 0) this.#isKey = true;
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
      this.damage(this.#gapCode);
      return;
    }
    if (this.#isOpen) {
      this.damage(this.#gapCode);
      this.#finish();
    } else {
      this.#isGapUncounted = true;
    }
    this.#sink.onReferenceLost(false);
    this.#needsFirstSlice = true;
  }

  #beginsNextPicture(traits: number): boolean {
    if (!this.#hasContent || this.#sink.mayHaveFields) return false;
    const mayRepeat = (traits & NALU_PARAMETER_SET) !== 0 && this.#ownSets.length > 0;
    if ((traits & NALU_BEGINS_UNIT) !== 0) return !mayRepeat;
    return (this.#hasFirstSlice || this.#hasRepeatedSets) && (traits & NALU_FIRST_SLICE) !== 0;
  }

  /** Without a picture, the one before it was the last. */
  #noteSequenceEnd(): void {
    if (this.#hasVcl) this.#endsSequence = true;
    else {
      this.#sink.onSequenceEnd();
      this.#naluTraits = 0;
    }
  }

  #beginSlice(traits: number, header: number): void {
    const isFirst = (traits & NALU_FIRST_SLICE) !== 0;
    if (!this.#hasVcl) {
      const isAfterItsMarker = this.#markedTimestamp === this.#rtpTimestamp;
      if (isAfterItsMarker && (!isFirst || this.#sink.mayHaveFields)) {
        this.#markerTrust = 'untrusted';
        this.#damage ??= 'RTP_EARLY_MARKER';
      } else if (this.#needsFirstSlice && !isFirst) {
        this.#damage ??= this.#gapCode;
      } else if (this.#isGapUncounted) {
        this.#sink.onDamagedPicture(true, false, this.#gapCode);
      }
      this.#needsFirstSlice = false;
      this.#isGapUncounted = false;
      this.#sliceHeader = header;
    }
    if ((traits & NALU_PARTITION) !== 0) this.#damage ??= 'RTP_DATA_PARTITIONING';
    this.#hasVcl = true;
    this.#isMarkerLast = false;
    if (isFirst) this.#hasFirstSlice = true;
    if ((traits & NALU_KEY) !== 0) this.#isKey = true;
    if ((traits & NALU_REFERENCE) !== 0) this.#isReference = true;
  }

  #open(): void {
    this.#isOpen = true;
    this.#rtpTimestamp = this.#packetTimestamp;
    this.#scratch.truncate(0);
    this.#hasVcl = false;
    this.#hasFirstSlice = false;
    this.#isKey = false;
    this.#isReference = false;
    this.#recoveryFrames = -1;
    this.#ppsId = -1;
    this.#endsSequence = false;
    this.#damage = null;
    if (this.#ownSets.length > 0) this.#ownSets = [];
    this.#hasRepeatedSets = false;
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
    if (this.#endsSequence) this.#sink.onSequenceEnd();
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
    picture.recoveryFrames = this.#recoveryFrames;
    picture.ppsId = this.#ppsId;
    picture.sliceHeader = this.#sliceHeader;
    this.#sink.onPicture(picture);
  }
}
