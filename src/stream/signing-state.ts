/** What a camera's signatures say about its live video (ONVIF Media Signing), for people who look at the camera. */

import type { SignerTrust } from '../codec/media-signing/media-signer.ts';
import type { VerdictReason } from '../codec/media-signing/media-verifier.ts';
import type { SigningVendor } from '../codec/media-signing/signing-sei.ts';
import type { CameraSigner, SigningNews } from '../codec/media-signing/signing-watch.ts';

/**
 * `unknown`: the camera is not open, or has not been open long enough to tell. `none`: it does not sign. `signed`: as it signed it.
 * `incomplete`: what arrived is, but frames were lost. `unverifiable`: no usable statement arrives. `changed`: video was not as it
 * signed it, lately. `stopped`: it signed, and does not anymore.
 */
export const SIGNING_STATES = [
  'unknown',
  'none',
  'signed',
  'incomplete',
  'unverifiable',
  'changed',
  'stopped',
] as const;

export interface SigningState {
  readonly state: (typeof SIGNING_STATES)[number];
  /** `incomplete` counts as `signed` here: packets are lost now and then. null: unknown. */
  readonly sinceEpochMs: number | null;
  /** When video last was not as the camera signed it; null: not since the gateway started. */
  readonly changedAtEpochMs: number | null;
  readonly reason: VerdictReason | null;
  readonly trust: SignerTrust;
  /** Who signs, or signed last; null: no usable certificate. */
  readonly signer: CameraSigner | null;
  /** What the camera says that it is; null: nothing. */
  readonly vendor: SigningVendor | null;
}

/** A change is worth knowing after it is over. */
export const CHANGED_HOLD_MS = 60 * 60_000;
export const UNKNOWN_SIGNING: SigningState = Object.freeze({
  state: 'unknown',
  sinceEpochMs: null,
  changedAtEpochMs: null,
  reason: null,
  trust: 'unknown',
  signer: null,
  vendor: null,
});

/** Someone should look at the camera. */
export function isAlarming({ state }: SigningState): boolean {
  return state === 'changed' || state === 'stopped';
}

export class SigningMonitor {
  readonly #onChange: (state: SigningState) => void;
  #state: SigningState = UNKNOWN_SIGNING;
  #hasSigned = false;

  /** `onChange`: called once per change. */
  constructor(onChange: (state: SigningState) => void) {
    this.#onChange = onChange;
  }

  get state(): SigningState {
    return this.#state;
  }

  /** The connection is over: only what someone should look at still holds. */
  reset(): void {
    const { changedAtEpochMs, signer, vendor, trust } = this.#state;
    if (this.#state.state === 'unknown' || isAlarming(this.#state)) return;
    this.#set({ ...UNKNOWN_SIGNING, changedAtEpochMs, signer, vendor, trust });
  }

  take({ verdict, reason, atEpochMs, trust, signer, vendor }: SigningNews): void {
    const before = this.#state;
    const isSilent = verdict === 'none' || verdict === 'stopped';
    if (!isSilent) this.#hasSigned = true;
    const changedAtEpochMs = verdict === 'changed' ? atEpochMs : before.changedAtEpochMs;
    const isHeld = changedAtEpochMs !== null && atEpochMs - changedAtEpochMs < CHANGED_HOLD_MS;
    const now = isSilent ? (this.#hasSigned ? 'stopped' : 'none') : isHeld ? 'changed' : verdict;
    const isSameKind = kindOf(now) === kindOf(before.state);
    const isHeldOnly = now === 'changed' && verdict !== 'changed';
    this.#set({
      state: now,
      sinceEpochMs: isSameKind ? before.sinceEpochMs : atEpochMs,
      changedAtEpochMs,
      reason: isHeldOnly ? before.reason : reason,
      // Of video whose statement is lost or that is unsigned, the signer is not known, but the last one is of interest.
      trust: signer === null ? before.trust : trust,
      signer: signer ?? before.signer,
      vendor: vendor ?? before.vendor,
    });
  }

  #set(next: SigningState): void {
    const before = this.#state;
    this.#state = next;
    const isSame =
      before.state === next.state &&
      before.changedAtEpochMs === next.changedAtEpochMs &&
      before.trust === next.trust &&
      before.signer?.fingerprint === next.signer?.fingerprint &&
      before.vendor?.serialNumber === next.vendor?.serialNumber;
    if (!isSame) this.#onChange(next);
  }
}

function kindOf(state: SigningState['state']): SigningState['state'] {
  return state === 'incomplete' ? 'signed' : state;
}
