/**
 * Verifies video that a camera signs (ONVIF Media Signing): each SEI states the hashes of a group of NAL units before it. The
 * verifier keeps the hashes of units that no SEI has stated yet, finds those that an SEI is about, and says what it found.
 *
 * Invariants: `signed` needs a signature, a group hash that is equal, and the link to the group before, unless that one is unknown
 * because the verifier joined the stream or an SEI was lost. Groups of an SEI without signature are said only once a later signature covers it.
 * Loss that the caller reports (`gap`) never makes a group `changed`: what the list of hashes does not show is then unknown.
 */

import type { X509Certificate } from 'node:crypto';
import { MediaSigner, type SignerTrust } from './media-signer.ts';
import { type SignedCodec, type SignedUnit, signingSeiOf, UnitHasher, unitKind } from './signed-units.ts';
import type { SignedGroup, SigningSei, SigningVendor } from './signing-sei.ts';
import { type GroupMatch, isBehindGap, matchGroup } from './unit-match.ts';

/**
 * `signed`: as the camera signed it. `incomplete`: what arrived is, and units are missing. `changed`: a unit is not as the camera
 * signed it, or was added, or a group is not where it was. `unverifiable`: no usable statement of the camera arrived.
 */
export type GroupVerdict = 'signed' | 'incomplete' | 'changed' | 'unverifiable';

export interface VerifiedGroup {
  readonly verdict: GroupVerdict;
  /** A few words for logs and reports; null: signed. */
  readonly reason: VerdictReason | null;
  /** Times of the first and the last unit that arrived, as the caller counts; null: none did. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** By the camera's clock, in epoch milliseconds; null: not stated. */
  readonly cameraFromMs: number | null;
  readonly units: number;
  readonly changedUnits: number;
  readonly missingUnits: number;
  readonly signer: MediaSigner | null;
  readonly trust: SignerTrust;
}

export const VERDICT_REASONS = [
  'units-missing',
  'units-changed',
  'order-changed',
  'signature-wrong',
  'no-certificate',
  'statement-lost',
  'statement-damaged',
] as const;
export type VerdictReason = (typeof VERDICT_REASONS)[number];

export interface MediaVerifierOptions {
  readonly codec: SignedCodec;
  /** Certificates that a camera's must lead to; none: trust is unknown. */
  readonly anchors: readonly X509Certificate[];
  /**
   * Units before the first SEI count, and those without a statement are named. Without it, streams that are not signed cost nothing, and
   * nothing is said of what came before a verifier joined. Default false.
   */
  readonly isRecording?: boolean;
  /** The gateway's clock, in epoch milliseconds. */
  readonly nowMs: () => number;
}

/** Units without a statement: a minute of 4 slices at 30 frames. */
const MAX_PENDING = 8_192;
/** The same while it is live, where each statement looks at all of them: a minute of 30 frames. */
const MAX_LIVE_PENDING = 2_048;
/** Groups that wait for a signature. */
const MAX_HELD = 256;
const WRAP = 2 ** 32;

/** A statement without signature, and what it says if a later one covers it. */
interface Held {
  readonly sei: SigningSei;
  readonly groups: VerifiedGroup[];
}

export class MediaVerifier {
  readonly #codec: SignedCodec;
  readonly #anchors: readonly X509Certificate[];
  readonly #hasher = new UnitHasher();
  readonly #nowMs: () => number;
  readonly #isRecording: boolean;
  #statements = 0;
  #signer: MediaSigner | null = null;
  #vendor: SigningVendor | null = null;
  #pending: SignedUnit[] = [];
  #held: Held[] = [];
  /** Units are missing after the last one. */
  #hasGap = false;
  /** Since then, no key frame began. */
  #isDoubtful = false;
  /** The last group that was found; null: the verifier has joined in the middle, or lost its place. */
  #last: { readonly number: number; readonly firstHash: Buffer | null } | null = null;

  constructor({ codec, anchors, isRecording = false, nowMs }: MediaVerifierOptions) {
    this.#nowMs = nowMs;
    this.#codec = codec;
    this.#anchors = anchors;
    this.#isRecording = isRecording;
  }

  /** Whether an SEI of Media Signing has come. */
  get isSigned(): boolean {
    return this.#statements > 0;
  }

  /** SEIs of Media Signing that have come, also those that cannot be read. */
  get statements(): number {
    return this.#statements;
  }

  /** What the camera says that it is; null: nothing yet. */
  get vendor(): SigningVendor | null {
    return this.#vendor;
  }

  /** The next NAL unit in decoding order, without start code; `atMs`: of its frame. Returns what it decides, oldest first. */
  push(nalu: Uint8Array, atMs: number): VerifiedGroup[] {
    const kind = unitKind(nalu, this.#codec);
    if (kind === 'other') return [];
    if (kind !== 'sei') return this.#addSlice(nalu, kind === 'begins', atMs);
    const sei = signingSeiOf(nalu, this.#codec);
    if (sei === 'other') return [];
    this.#statements++;
    if (sei === 'damaged') return this.#lost('statement-damaged');
    return this.#state(sei, atMs);
  }

  /** NAL units are missing before the next one: they were lost on the way here. */
  gap(): void {
    this.#hasGap = true;
    this.#isDoubtful = true;
  }

  /** What is left at the end of a recording: its last group has no statement. */
  end(): VerifiedGroup[] {
    const units = this.#pending.filter(({ sei }) => sei === null);
    const left = units.length === 0 ? [] : [this.#verdict('unverifiable', 'statement-lost', this.#pending)];
    return [...this.#releaseHeld(), ...left];
  }

  #addSlice(nalu: Uint8Array, isFirst: boolean, atMs: number): VerifiedGroup[] {
    if (!this.isSigned && !this.#isRecording) return [];
    if (isFirst) this.#isDoubtful = false;
    const hashes = this.#hasher.slice(nalu, isFirst);
    if (hashes === null) return [];
    this.#add({ ...hashes, isFirst, atMs, sei: null });
    const most = this.#isRecording ? MAX_PENDING : MAX_LIVE_PENDING;
    return this.#pending.length > most ? this.#lost('statement-lost') : [];
  }

  #add(unit: Omit<SignedUnit, 'isAfterGap' | 'isDoubtful'>): void {
    this.#pending.push({ ...unit, isAfterGap: this.#hasGap, isDoubtful: this.#isDoubtful });
    this.#hasGap = false;
  }

  #state(sei: SigningSei, atMs: number): VerifiedGroup[] {
    if (sei.hashAlgorithm !== null && this.#hasher.useAlgorithm(sei.hashAlgorithm)) this.#forget();
    if (sei.signature !== null) this.#vendor = sei.vendor ?? this.#vendor;
    const reason = this.#signatureFault(sei);
    if (sei.isAboutCertificates || sei.group === null) return [];
    const found = this.#groupsOf(sei.group, sei, reason);
    if (sei.signature === null) {
      this.#add({ hash: this.#hasher.of(sei.signedBytes), own: null, isFirst: false, atMs, sei });
      this.#held.push({ sei, groups: found });
      return this.#held.length > MAX_HELD ? this.#releaseHeld() : [];
    }
    return found;
  }

  /** Learns the camera's certificates from an SEI that they sign. null: signed well, or not signed. */
  #signatureFault({ certificates, signature, signedBytes }: SigningSei): VerdictReason | null {
    if (signature === null) return null;
    // Most cameras send the same ones each time.
    const isKnown = certificates === null || certificates === this.#signer?.pem;
    const signer = isKnown ? this.#signer : MediaSigner.read(certificates, this.#anchors);
    if (signer === null) return 'no-certificate';
    if (!signer.hasSigned(signedBytes, signature, this.#hasher.algorithm)) return 'signature-wrong';
    this.#signer = signer;
    return null;
  }

  /** The group of a statement, and units before it that none is about. */
  #groupsOf(group: SignedGroup, sei: SigningSei, fault: VerdictReason | null): VerifiedGroup[] {
    const last = this.#last;
    const match = matchGroup(this.#pending, group, sei.hashes, {
      isInPlace: last !== null,
      endsWithGap: this.#hasGap,
      hashOf: (bytes) => this.#hasher.of(bytes),
      hashAfter: (first, own) => this.#hasher.after(first, own),
    });
    if (match === null) return [];
    const before = this.#pending.slice(0, match.begin);
    const units = this.#pending.slice(match.begin, match.end);
    const isBeforeGap = before.some(isBehindGap) || units[0]?.isAfterGap === true;
    this.#pending = this.#pending.slice(match.end);
    const follows = last !== null && group.number === (last.number + 1) % WRAP;
    const isElsewhere = follows && last.firstHash !== null && !group.previousHash.equals(last.firstHash);
    this.#last = { number: group.number, firstHash: match.firstHash };
    const groups: VerifiedGroup[] = [];
    if ((last !== null || this.#isRecording) && before.some(({ sei: inner }) => inner === null)) {
      groups.push(
        follows && !isBeforeGap
          ? this.#verdict('changed', 'units-changed', before, { changedUnits: before.length })
          : this.#verdict('unverifiable', 'statement-lost', before),
      );
    }
    const isAuthentic = fault === null;
    const covered = isAuthentic && match.changed === 0 && !isElsewhere;
    groups.push(
      ...this.#heldWithin(units, covered),
      this.#judged(units, group, match, { fault, isElsewhere }),
    );
    return groups;
  }

  #judged(
    units: readonly SignedUnit[],
    group: SignedGroup,
    { changed, missing, isUnknown }: GroupMatch,
    { fault, isElsewhere }: { readonly fault: VerdictReason | null; readonly isElsewhere: boolean },
  ): VerifiedGroup {
    const counts = { changedUnits: changed, missingUnits: missing, group };
    if (fault === 'no-certificate') return this.#verdict('unverifiable', fault, units, counts);
    if (fault !== null) return this.#verdict('changed', fault, units, counts);
    if (isUnknown) return this.#verdict('unverifiable', 'units-missing', units, counts);
    if (changed > 0) return this.#verdict('changed', 'units-changed', units, counts);
    if (isElsewhere) return this.#verdict('changed', 'order-changed', units, counts);
    return missing > 0
      ? this.#verdict('incomplete', 'units-missing', units, counts)
      : this.#verdict('signed', null, units, counts);
  }

  /** Groups whose statement is among these units, and those that they cover in turn. */
  #heldWithin(units: readonly SignedUnit[], isCovered: boolean): VerifiedGroup[] {
    const inside = new Set(units.flatMap(({ sei }) => (sei === null ? [] : [sei])));
    const last = this.#held.findLastIndex(({ sei }) => inside.has(sei));
    if (last < 0) return [];
    const groups = this.#held.slice(0, last + 1).flatMap((held) => held.groups);
    this.#held = this.#held.slice(last + 1);
    return isCovered ? groups : groups.map(asUnverifiable);
  }

  #releaseHeld(): VerifiedGroup[] {
    const groups = this.#held.flatMap((held) => held.groups.map(asUnverifiable));
    this.#held = [];
    return groups;
  }

  /** No statement will be about what is pending. */
  #lost(reason: VerdictReason): VerifiedGroup[] {
    const groups = this.#releaseHeld();
    if (this.#last !== null || this.#isRecording)
      groups.push(this.#verdict('unverifiable', reason, this.#pending));
    if (reason === 'statement-lost') this.#forget();
    return groups;
  }

  #forget(): void {
    this.#pending = [];
    this.#held = [];
    this.#last = null;
    this.#hasGap = false;
  }

  #verdict(
    verdict: GroupVerdict,
    reason: VerdictReason | null,
    units: readonly SignedUnit[],
    facts: { changedUnits?: number; missingUnits?: number; group?: SignedGroup } = {},
  ): VerifiedGroup {
    const { changedUnits = 0, missingUnits = 0, group } = facts;
    const signer = verdict === 'unverifiable' ? null : this.#signer;
    return {
      verdict,
      reason,
      fromMs: units.at(0)?.atMs ?? null,
      toMs: units.at(-1)?.atMs ?? null,
      cameraFromMs: group?.beginsAtMs ?? null,
      units: units.length,
      changedUnits,
      missingUnits,
      signer,
      trust:
        signer === null || group === undefined ? 'unknown' : signer.trustAt(group.endsAtMs, this.#nowMs()),
    };
  }
}

function asUnverifiable(group: VerifiedGroup): VerifiedGroup {
  if (group.verdict === 'changed') return group;
  return { ...group, verdict: 'unverifiable', reason: 'statement-lost', signer: null, trust: 'unknown' };
}
