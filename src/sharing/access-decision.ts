/**
 * The access decision: who may watch a share, and until when that decision holds. One pure function, called for every
 * request. Whatever it does not allow is refused with one of a closed list of reasons
 * (docs/design/access.md#invariants).
 */

import type { Share } from '../store/entities.ts';
import type { ScheduleState } from './schedule-state.ts';

/**
 * - `unknown`: this gateway did not sign the link or grant.
 * - `revoked`: it did, but the share no longer exists.
 * - `expired`: the share's time is over.
 * - `hidden-by-schedule`: not now.
 * - `password-needed`: the share has a password that was not given, or was changed since.
 * - `grant-expired`: the share is open but this grant is too old, or the share now shows something else; opening the
 *   share gives a new one.
 * - `viewer-limit`: the maximum number of viewers is watching.
 */
export const REFUSAL_REASONS = [
  'unknown',
  'revoked',
  'expired',
  'hidden-by-schedule',
  'password-needed',
  'grant-expired',
  'viewer-limit',
] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** The credential: a grant, or a share's link with or without its password. Signatures are already checked. */
export type Credential =
  | { readonly kind: 'grant'; readonly accessEpoch: number; readonly expiresAtSec: number }
  | { readonly kind: 'link'; readonly isPasswordProven: boolean };

/** What a share shows. */
export type SharedMedia = Pick<Share, 'cameraUuid' | 'includeAudio'>;

export interface AccessQuestion {
  /** null: nothing that this gateway signed. */
  readonly credential: Credential | null;
  /** The share that the credential names; null: it no longer exists. */
  readonly share: Share | null;
  /** The current state of the share's schedule, in its location's time zone; null: it has none, or it is missing. */
  readonly schedule: ScheduleState | null;
  /** What the viewer was admitted to watch; null: not yet admitted. */
  readonly admittedTo: SharedMedia | null;
  readonly nowEpochMs: number;
  /** Others who watch, and the maximum; null: no limit. */
  readonly otherViewers: number;
  readonly maxViewers: number | null;
}

export interface AccessAllowed {
  readonly allowed: true;
  /** First instant at which time alone can change the decision; Infinity: never. */
  readonly validUntilEpochMs: number;
}

export interface AccessRefused {
  readonly allowed: false;
  readonly reason: RefusalReason;
  /** `hidden-by-schedule`: when the share is shown again; null if that is unknown or not before the share ends. */
  readonly untilEpochMs: number | null;
}

export type AccessDecision = AccessAllowed | AccessRefused;

export function decideAccess(question: AccessQuestion): AccessDecision {
  const { credential, share, schedule, admittedTo, nowEpochMs, otherViewers, maxViewers } = question;
  if (credential === null) return refuse('unknown');
  if (share === null) return refuse('revoked');
  const expiresAtEpochMs = epochMsOf(share.expiresAtSec);
  if (nowEpochMs >= expiresAtEpochMs) return refuse('expired');
  const schedulePart = decideSchedule(share, schedule, expiresAtEpochMs);
  if (!schedulePart.allowed) return schedulePart;
  const credentialPart = decideCredential(share, credential, nowEpochMs);
  if (!credentialPart.allowed) return credentialPart;
  // What the viewer was admitted to see is not what the share shows now: a new grant gets the new content.
  if (admittedTo !== null && !isSameMedia(admittedTo, share)) return refuse('grant-expired');
  if (maxViewers !== null && otherViewers >= maxViewers) return refuse('viewer-limit');
  return {
    allowed: true,
    validUntilEpochMs: Math.min(
      expiresAtEpochMs,
      schedulePart.validUntilEpochMs,
      credentialPart.validUntilEpochMs,
    ),
  };
}

/** A share whose schedule does not exist is hidden: a missing rule must not open a door. */
function decideSchedule(
  share: Share,
  schedule: ScheduleState | null,
  expiresAtEpochMs: number,
): AccessDecision {
  if (share.scheduleUuid === null) return ALLOWED_FOR_EVER;
  if (schedule === null) return refuse('hidden-by-schedule');
  const changesAtEpochMs = schedule.changesAtEpochMs ?? Number.POSITIVE_INFINITY;
  const isShown = schedule.isInside !== share.invertSchedule;
  if (isShown) return { allowed: true, validUntilEpochMs: changesAtEpochMs };
  return refuse('hidden-by-schedule', changesAtEpochMs < expiresAtEpochMs ? changesAtEpochMs : null);
}

function decideCredential(share: Share, credential: Credential, nowEpochMs: number): AccessDecision {
  const isProtected = share.passwordHash !== null;
  if (credential.kind === 'link') {
    return isProtected && !credential.isPasswordProven ? refuse('password-needed') : ALLOWED_FOR_EVER;
  }
  if (credential.accessEpoch !== share.accessEpoch) {
    return refuse(isProtected ? 'password-needed' : 'grant-expired');
  }
  const expiresAtEpochMs = epochMsOf(credential.expiresAtSec);
  if (nowEpochMs >= expiresAtEpochMs) return refuse('grant-expired');
  return { allowed: true, validUntilEpochMs: expiresAtEpochMs };
}

function isSameMedia(one: SharedMedia, other: SharedMedia): boolean {
  return one.cameraUuid === other.cameraUuid && one.includeAudio === other.includeAudio;
}

const ALLOWED_FOR_EVER: AccessAllowed = { allowed: true, validUntilEpochMs: Number.POSITIVE_INFINITY };

function epochMsOf(epochSec: number | null): number {
  return epochSec === null ? Number.POSITIVE_INFINITY : epochSec * 1_000;
}

function refuse(reason: RefusalReason, untilEpochMs: number | null = null): AccessRefused {
  return { allowed: false, reason, untilEpochMs };
}
