/** Which NAL units a camera signs, and their hashes: slices of pictures, and SEIs that a later one signs (ONVIF Media Signing §4). */

import { hash } from 'node:crypto';
import { NAL_IDR_SLICE, NAL_SEI, NAL_SLICE, nalType as nalTypeOfH264 } from '../h264/nal-unit.ts';
import { isFirstSlice } from '../h264/slice-header.ts';
import { isFirstSegment } from '../h265/annex-b.ts';
import {
  HEADER_BYTES,
  isIrap,
  NAL_PREFIX_SEI,
  NAL_SUFFIX_SEI,
  NAL_TRAIL_R,
  nalHeader,
  nalType as nalTypeOfH265,
} from '../h265/nal-unit.ts';
import {
  type HashAlgorithm,
  isSigningSei,
  readSigningSei,
  type SigningSei,
  withoutTrailingZeros,
} from './signing-sei.ts';

export type SignedCodec = 'h264' | 'h265';

/** What a NAL unit is for signing. `begins`: it is the first slice of a key frame. */
export type UnitKind = 'begins' | 'slice' | 'sei' | 'other';

/** One signed NAL unit. */
export interface SignedUnit {
  readonly hash: Buffer;
  /** Of a slice: its hash without that of the first unit of its group; null: an SEI. */
  readonly own: Buffer | null;
  /** Units are missing right before it. */
  readonly isAfterGap: boolean;
  /** The key frame of its group can be missing, so that `hash` is that of another group. */
  readonly isDoubtful: boolean;
  readonly isFirst: boolean;
  /** Of the frame, as the caller counts. */
  readonly atMs: number;
  /** It is an SEI without a signature of its own. */
  readonly sei: SigningSei | null;
}

const H264_HEADER_BYTES = 1;

export function headerBytesOf(codec: SignedCodec): number {
  return codec === 'h264' ? H264_HEADER_BYTES : HEADER_BYTES;
}

export function unitKind(nalu: Uint8Array, codec: SignedCodec): UnitKind {
  if (codec === 'h264') {
    const type = nalTypeOfH264(nalu[0] ?? 0);
    if (type === NAL_IDR_SLICE) return isFirstSlice(nalu[1] ?? 0) ? 'begins' : 'slice';
    if (type === NAL_SLICE) return 'slice';
    return type === NAL_SEI ? 'sei' : 'other';
  }
  const type = nalTypeOfH265(nalHeader(nalu));
  if (isIrap(type)) return isFirstSegment(nalu[HEADER_BYTES] ?? 0) ? 'begins' : 'slice';
  if (type <= NAL_TRAIL_R) return 'slice';
  return type === NAL_PREFIX_SEI || type === NAL_SUFFIX_SEI ? 'sei' : 'other';
}

/** Hashes units in their order: those after the first of a group count together with it. */
export class UnitHasher {
  #algorithm: HashAlgorithm = 'sha256';
  #anchor: Buffer | null = null;

  get algorithm(): HashAlgorithm {
    return this.#algorithm;
  }

  /** Whether it differs, so that hashes of units before are worth nothing. */
  useAlgorithm(algorithm: HashAlgorithm): boolean {
    if (algorithm === this.#algorithm) return false;
    this.#algorithm = algorithm;
    this.#anchor = null;
    return true;
  }

  /** null: no key frame came before. */
  slice(nalu: Uint8Array, isFirst: boolean): { readonly own: Buffer; readonly hash: Buffer } | null {
    const own = this.of(withoutTrailingZeros(nalu));
    if (isFirst) {
      this.#anchor = own;
      return { own, hash: own };
    }
    return this.#anchor === null ? null : { own, hash: this.after(this.#anchor, own) };
  }

  /** Of a unit whose group begins with the unit of the hash `first`. */
  after(first: Buffer, own: Buffer): Buffer {
    return this.of(Buffer.concat([first, own]));
  }

  of(bytes: Uint8Array): Buffer {
    return hash(this.#algorithm, bytes, 'buffer');
  }
}

/** Hot. Whether a NAL unit is an SEI of Media Signing, readable or not. */
export function isStatement(nalu: Uint8Array, codec: SignedCodec): boolean {
  return unitKind(nalu, codec) === 'sei' && isSigningSei(nalu, headerBytesOf(codec));
}

/** The SEI of a NAL unit, if it is one of Media Signing. */
export function signingSeiOf(nalu: Uint8Array, codec: SignedCodec): ReturnType<typeof readSigningSei> {
  return readSigningSei(nalu, headerBytesOf(codec));
}
