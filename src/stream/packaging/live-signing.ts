/** What signs live video (docs/design/live-signatures.md), as packagers see it. */

/** One init segment, and the key that signs its segments. */
export interface SigningSession {
  /** `init` with what introduces the key. */
  introducedIn(init: Uint8Array): Buffer;
  /** `sequenceNumber`: its Media Sequence Number. */
  segment(sequenceNumber: number): SegmentSignature;
}

/** The signature of one segment, in the making. */
export interface SegmentSignature {
  /** The bytes of its next part, in order. Hot: once per part. */
  add(views: readonly Uint8Array[]): void;
  /** The bytes of its last part, and what goes into that part. */
  end(views: readonly Uint8Array[], facts: EndFacts): SignatureBox;
}

export interface EndFacts {
  readonly timescaleHz: number;
  readonly durationTicks: number;
  readonly nowEpochMs: number;
}

export interface SignatureBox {
  readonly bytes: Uint8Array;
  /** How many bytes of the last part come before it. */
  readonly position: number;
}

/** Begins a session. `minSequenceNumber`: of its first segment. */
export type BeginSession = (options: {
  readonly minSequenceNumber: number;
  readonly nowEpochMs: number;
}) => SigningSession;

/** Before it is older, a session ends. */
export const SESSION_MS = 24 * 3_600_000;
