/**
 * Watches live video for the signatures of its camera (ONVIF Media Signing). Video without them costs a look at the types of its NAL
 * units. It sees units as they arrived, before frames are repaired: what was lost is `gap`, never a change.
 */

import { X509Certificate } from 'node:crypto';
import { LENGTH_BYTES, naluEnd } from '../kept-nalus.ts';
import type { SignerTrust } from './media-signer.ts';
import {
  type GroupVerdict,
  MediaVerifier,
  type VerdictReason,
  type VerifiedGroup,
} from './media-verifier.ts';
import { isStatement, type SignedCodec } from './signed-units.ts';
import type { SigningVendor } from './signing-sei.ts';

/** `none`: no statement of a camera has come. `stopped`: none comes anymore. */
export type LiveVerdict = GroupVerdict | 'none' | 'stopped';

/** Plain values, so that threads can pass them on. */
export interface CameraSigner {
  /** Subject and issuer of the camera's certificate, one attribute a line. */
  readonly subject: string;
  readonly issuer: string;
  /** SHA-256 of the certificate, in hexadecimal. */
  readonly fingerprint: string;
}

/** What was found since the last news: the worst. Plain values. */
export interface SigningNews {
  readonly verdict: LiveVerdict;
  readonly reason: VerdictReason | null;
  readonly atEpochMs: number;
  readonly trust: SignerTrust;
  /** null: no usable certificate. */
  readonly signer: CameraSigner | null;
  /** What the camera says that it is; null: nothing. */
  readonly vendor: SigningVendor | null;
}

export interface SigningWatchOptions {
  readonly codec: SignedCodec;
  /** PEM; empty: trust is unknown. */
  readonly anchors: string;
  readonly epochMinusMonoMs: number;
  readonly onNews: (news: SigningNews) => void;
}

/** Verdicts of this time are one piece of news. */
const NEWS_INTERVAL_MS = 1_000;
/** How often the same is said again. */
const REPEAT_INTERVAL_MS = 10_000;
/** Without a statement for so long, or for thrice the longest time between two, a camera does not sign. */
const MIN_SILENCE_MS = 30_000;
const MAX_SILENCE_MS = 300_000;
const SILENT_INTERVALS = 3;

/** A signature takes up to milliseconds. A camera whose frames are all key frames states something with each. */
const MAX_STATEMENTS_PER_SEC = 30;
const SECOND_MS = 1_000;

const SEVERITY: Readonly<Record<GroupVerdict, number>> = {
  signed: 0,
  incomplete: 1,
  unverifiable: 2,
  changed: 3,
};

export class SigningWatch {
  readonly #options: SigningWatchOptions;
  #verifier: MediaVerifier | null = null;
  /** null: no picture has come. */
  #statedMonoMs: number | null = null;
  #silenceMs = MIN_SILENCE_MS;
  #hasToldSilence = false;
  #worst: VerifiedGroup | null = null;
  #newsMonoMs = Number.NEGATIVE_INFINITY;
  #told = '';
  /** Statements since this time. */
  #counted = 0;
  #countedMonoMs = Number.NEGATIVE_INFINITY;

  constructor(options: SigningWatchOptions) {
    this.#options = options;
  }

  /** Hot. `data`: NAL units of a picture, each after a 4-byte length, borrowed. */
  picture(data: Uint8Array, arrivalMonoMs: number): void {
    this.#statedMonoMs ??= arrivalMonoMs;
    if (this.#verifier === null && !this.#hasStatement(data)) {
      if (!this.#hasToldSilence && arrivalMonoMs - this.#statedMonoMs >= this.#silenceMs) {
        this.#hasToldSilence = true;
        this.#tell('none', null, arrivalMonoMs);
      }
      return;
    }
    this.#verifier ??= this.#begin();
    this.#verify(this.#verifier, data, arrivalMonoMs);
  }

  /** Pictures, or NAL units of one, were lost on the way here. */
  gap(): void {
    this.#verifier?.gap();
  }

  #begin(): MediaVerifier {
    const { codec, anchors, epochMinusMonoMs } = this.#options;
    return new MediaVerifier({
      codec,
      anchors: certificatesOf(anchors),
      nowMs: () => (this.#statedMonoMs ?? 0) + epochMinusMonoMs,
    });
  }

  #hasStatement(data: Uint8Array): boolean {
    const { codec } = this.#options;
    for (let at = 0; at < data.length; ) {
      const end = naluEnd(data, at);
      if (end < 0) return false;
      if (isStatement(data.subarray(at + LENGTH_BYTES, end), codec)) return true;
      at = end;
    }
    return false;
  }

  #verify(verifier: MediaVerifier, data: Uint8Array, arrivalMonoMs: number): void {
    const { statements } = verifier;
    for (let at = 0; at < data.length; ) {
      const end = naluEnd(data, at);
      if (end < 0) break;
      const nalu = data.subarray(at + LENGTH_BYTES, end);
      at = end;
      if (!this.#admits(nalu, arrivalMonoMs)) continue;
      for (const group of verifier.push(nalu, arrivalMonoMs)) {
        if (this.#worst === null || SEVERITY[group.verdict] > SEVERITY[this.#worst.verdict])
          this.#worst = group;
      }
    }
    const sinceMs = arrivalMonoMs - this.#statedMonoMs!;
    if (verifier.statements > statements) {
      this.#silenceMs = Math.min(MAX_SILENCE_MS, Math.max(this.#silenceMs, sinceMs * SILENT_INTERVALS));
      this.#statedMonoMs = arrivalMonoMs;
    } else if (sinceMs >= this.#silenceMs) {
      this.#tell('stopped', null, arrivalMonoMs);
      this.#verifier = null;
      this.#worst = null;
      this.#hasToldSilence = true;
      return;
    }
    if (this.#worst !== null) this.#news(this.#worst, arrivalMonoMs);
  }

  /** False for a statement that is too many. What it was about is then not verified. */
  #admits(nalu: Uint8Array, nowMonoMs: number): boolean {
    if (!isStatement(nalu, this.#options.codec)) return true;
    if (nowMonoMs - this.#countedMonoMs >= SECOND_MS) {
      this.#countedMonoMs = nowMonoMs;
      this.#counted = 0;
    }
    return ++this.#counted <= MAX_STATEMENTS_PER_SEC;
  }

  #news(worst: VerifiedGroup, nowMonoMs: number): void {
    const sinceMs = nowMonoMs - this.#newsMonoMs;
    if (sinceMs < NEWS_INTERVAL_MS) return;
    const { verdict, trust, signer } = worst;
    const isSame = this.#told === `${verdict} ${trust} ${signer?.fingerprint}`;
    if (isSame && verdict !== 'changed' && sinceMs < REPEAT_INTERVAL_MS) {
      this.#worst = null;
      return;
    }
    this.#worst = null;
    this.#tell(verdict, worst, nowMonoMs);
  }

  #tell(verdict: LiveVerdict, group: VerifiedGroup | null, nowMonoMs: number): void {
    this.#newsMonoMs = nowMonoMs;
    const signer = group?.signer ?? null;
    const trust = group?.trust ?? 'unknown';
    this.#told = `${verdict} ${trust} ${signer?.fingerprint}`;
    this.#options.onNews({
      verdict,
      reason: group?.reason ?? null,
      atEpochMs: Math.round(nowMonoMs + this.#options.epochMinusMonoMs),
      trust,
      signer:
        signer === null
          ? null
          : { subject: signer.subject, issuer: signer.issuer, fingerprint: signer.fingerprint },
      vendor: this.#verifier?.vendor ?? null,
    });
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM file. Throws if one cannot be read. */
export function certificatesOf(pem: string): X509Certificate[] {
  return (pem.match(CERTIFICATE) ?? []).map((text) => new X509Certificate(text));
}
