/**
 * The bytes that the link of a recorded segment covers (docs/design/evidence.md#the-chain). Without Node.js, because the page
 * that checks an archive runs in browsers.
 */

/** The facts of a segment that its link covers. */
export interface LinkedFacts {
  /** UUID of 22 characters. */
  readonly cameraUuid: string;
  readonly rendition: string;
  readonly startTicks: number;
  readonly durationTicks: number;
  readonly timescaleHz: number;
  /** Wall time of the first frame, epoch milliseconds, covered in microseconds. */
  readonly epochMs: number;
  readonly isDiscontinuity: boolean;
  /** Bytes of its media. */
  readonly byteLength: number;
}

/** A place in a chain, with the digests that it joins. */
export interface LinkPosition {
  readonly run: Uint8Array;
  readonly sequence: number;
  readonly isRepaired: boolean;
  readonly previous: Uint8Array;
  readonly mediaDigest: Uint8Array;
}

export const RUN_BYTES = 16;
export const DIGEST_BYTES = 32;
const DOMAIN = new TextEncoder().encode('sluice segment link 1\n');
const UUID_BYTES = 22;
const RENDITION_BYTES = 16;
const FLAGS = { discontinuity: 1, repaired: 2 } as const;
const LINKED_BYTES =
  DOMAIN.length + RUN_BYTES + 8 + 4 + UUID_BYTES + RENDITION_BYTES + 8 + 8 + 4 + 4 + 4 + 3 * DIGEST_BYTES;

/** `initDigest`: SHA-256 of its Media Initialization Section. */
export function linkBytes(facts: LinkedFacts, initDigest: Uint8Array, position: LinkPosition): Uint8Array {
  const { run, sequence, isRepaired, previous, mediaDigest } = position;
  const bytes = new Uint8Array(LINKED_BYTES);
  const view = new DataView(bytes.buffer);
  let at = 0;
  const put = (value: Uint8Array, room = value.length): void => {
    bytes.set(value.subarray(0, room), at);
    at += room;
  };
  const u32 = (value: number): void => {
    view.setUint32(at, value);
    at += 4;
  };
  const u64 = (value: number): void => {
    view.setBigUint64(at, BigInt(value));
    at += 8;
  };
  put(DOMAIN);
  put(run, RUN_BYTES);
  u64(sequence);
  u32((facts.isDiscontinuity ? FLAGS.discontinuity : 0) | (isRepaired ? FLAGS.repaired : 0));
  put(new TextEncoder().encode(facts.cameraUuid), UUID_BYTES);
  put(new TextEncoder().encode(facts.rendition), RENDITION_BYTES);
  u64(Math.max(0, Math.round(facts.epochMs * 1_000)));
  u64(facts.startTicks);
  u32(facts.durationTicks);
  u32(facts.timescaleHz);
  u32(facts.byteLength);
  for (const digest of [initDigest, mediaDigest, previous]) put(digest, DIGEST_BYTES);
  return bytes;
}
