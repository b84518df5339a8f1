/**
 * How far from their decoding order a stream sends its NAL units, as its session description says (RFC 7798 §7.1).
 *
 * A sender with sprop-max-don-diff greater than 0 must also say how much a receiver has to hold. Without a valid number
 * greater than 0 (the RFC infers 0, which would hold nothing), the bound is left out, and the limits of
 * DecodingOrderBuffer hold alone.
 */

export interface DepacketizationBounds {
  /** sprop-max-don-diff: 1 to 32767. A NAL unit comes after others that follow it by at most this in decoding order. */
  readonly maxDonDiff: number;
  /** sprop-depack-buf-nalus: how many NAL units that follow it come before a NAL unit. Infinity: not said. */
  readonly maxNalus: number;
  /** sprop-depack-buf-bytes: how many bytes have to be held. Infinity: not said. */
  readonly maxBytes: number;
}

/** §7.1: the greatest valid sprop-max-don-diff. Larger ones count as this. */
const MAX_DON_DIFF = 32_767;
/** Ten digits: sprop-depack-buf-bytes has 32 bits. */
const NUMBER = /^\d{1,10}$/;

/** `fmtp`: with lower-case names. null: NAL units have no decoding order number and come in decoding order. */
export function depacketizationBounds(fmtp: ReadonlyMap<string, string>): DepacketizationBounds | null {
  const maxDonDiff = numberOf(fmtp, 'sprop-max-don-diff');
  if (maxDonDiff === 0) return null;
  return {
    maxDonDiff: Math.min(maxDonDiff, MAX_DON_DIFF),
    maxNalus: numberOf(fmtp, 'sprop-depack-buf-nalus') || Number.POSITIVE_INFINITY,
    maxBytes: numberOf(fmtp, 'sprop-depack-buf-bytes') || Number.POSITIVE_INFINITY,
  };
}

/** 0: not said, or not a number. */
function numberOf(fmtp: ReadonlyMap<string, string>, name: string): number {
  const text = fmtp.get(name)?.trim() ?? '';
  return NUMBER.test(text) ? Number(text) : 0;
}
