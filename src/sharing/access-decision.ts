/**
 * The access decision: who may watch a share or a device, and until when that decision holds. One pure function, called for every request.
 * Every refusal has one of a closed list of reasons (docs/design/access.md#invariants).
 */

import type { Ruuid } from '../core/ruuid.ts';
import { type AccessScope, scopeIncludes } from '../store/access-scope.ts';
import type { Share } from '../store/entities.ts';
import type { ScheduleState } from './schedule-state.ts';

/**
 * - `unknown`: this gateway did not sign the link or grant, or the principal has no such device.
 * - `revoked`: it did, but the share no longer exists.
 * - `expired`: the share has expired.
 * - `viewer-ended`: the organization ended this viewer's view, or blocks the address for a while.
 * - `hidden-by-schedule`: the schedule hides the share now.
 * - `sign-in-needed`: viewers of the share must sign in with the provider first. This viewer has not signed in since that rule was set, or
 *   has signed out.
 * - `password-needed`: the share has a password. The viewer did not enter it, or it has changed since.
 * - `grant-expired`: the share is open, but this grant is too old, or the share now shows something else. Opening the share returns a new
 *   grant.
 * - `viewer-limit`: the maximum number of viewers is watching.
 * - `credential-ended`: the API key or federated session of the grant has ended, or lost the device.
 * - `device-removed`: the device of the grant no longer exists.
 */
export const REFUSAL_REASONS = [
  'unknown',
  'revoked',
  'expired',
  'viewer-ended',
  'hidden-by-schedule',
  'sign-in-needed',
  'password-needed',
  'grant-expired',
  'viewer-limit',
  'credential-ended',
  'device-removed',
] as const;

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/**
 * The credential: a grant, or a share's link with or without its password and the viewer's sign-in. Signatures are already checked.
 */
export type Credential =
  | { readonly kind: 'grant'; readonly accessEpoch: number; readonly expiresAtSec: number }
  | { readonly kind: 'link'; readonly isPasswordProven: boolean; readonly isSignInProven: boolean };

/** The media that a share shows. */
export type SharedMedia = Pick<Share, 'cameraUuid' | 'includeAudio'>;

/** The fields that decide whether a share may be watched, in addition to its media. A shared video wall has only these. */
export type ShareTerms = Pick<
  Share,
  'expiresAtSec' | 'scheduleUuid' | 'invertSchedule' | 'passwordHash' | 'ssoProtected' | 'accessEpoch'
>;

/** A view that the organization ended (ended-views.ts). */
export interface EndedView {
  /** When the viewer's address may open the share again; null: it may now, with a new grant. */
  readonly untilEpochMs: number | null;
  /** The viewer signed out at the provider. */
  readonly isSignedOut?: boolean;
}

/** Whether a share may be watched. */
export interface ShareQuestion {
  /** null: nothing that this gateway signed. */
  readonly credential: Credential | null;
  /** The share that the credential names; null: it no longer exists. */
  readonly share: (ShareTerms & Partial<SharedMedia>) | null;
  /** The current state of the share's schedule, in its location's time zone; null: it has none, or it is missing. */
  readonly schedule: ScheduleState | null;
  /** null: this viewer's view has not been ended. */
  readonly ended: EndedView | null;
  /** The media that the viewer was admitted to watch; null: not yet admitted. */
  readonly admittedTo: SharedMedia | null;
  readonly nowEpochMs: number;
  /** Others who watch, and the maximum; null: no limit. */
  readonly otherViewers: number;
  readonly maxViewers: number | null;
}

/** The credential for a device: a grant, or the principal itself, whose credential was just checked. */
export type DeviceCredential =
  | { readonly kind: 'device-grant'; readonly expiresAtSec: number }
  | { readonly kind: 'principal' };

export interface WatchedDevice {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  /** The partner that manages the device's organization; null: none. */
  readonly partnerUuid: Ruuid | null;
  /** Its location and those that contain it. */
  readonly siteUuids: readonly Ruuid[];
}

/** The devices that an API key or a federated session may watch. */
export interface PrincipalRights {
  readonly orgUuid: Ruuid;
  /** It is a partner's key, which may also watch the devices of the partner's clients. */
  readonly isPartner: boolean;
  /** The one device that it may watch; null: all. */
  readonly onlyDevice: Ruuid | null;
  /** The sites and cameras to which the rights are limited; null: the whole organization. */
  readonly scope: AccessScope | null;
  /** First millisecond at which it has ended; Infinity: never by time alone. */
  readonly expiresAtMs: number;
}

/** Whether a device may be watched without a share. */
export interface DeviceQuestion {
  /** null: nothing that this gateway signed. */
  readonly deviceCredential: DeviceCredential | null;
  /** The requested device; null: it does not exist. */
  readonly device: WatchedDevice | null;
  /** The caller; null: it has ended. */
  readonly principal: PrincipalRights | null;
  readonly nowEpochMs: number;
}

export type AccessQuestion = ShareQuestion | DeviceQuestion;

export interface AccessAllowed {
  readonly allowed: true;
  /** First instant at which time alone can change the decision; Infinity: never. */
  readonly validUntilEpochMs: number;
}

export interface AccessRefused {
  readonly allowed: false;
  readonly reason: RefusalReason;
  /**
   * `hidden-by-schedule`: when the share is shown again; null if that is unknown or not before the share ends.
   * `viewer-ended`: when the address may open the share again; null if it may now.
   */
  readonly untilEpochMs: number | null;
}

export type AccessDecision = AccessAllowed | AccessRefused;

export function decideAccess(question: AccessQuestion): AccessDecision {
  return 'deviceCredential' in question ? decideDevice(question) : decideShare(question);
}

/**
 * A principal learns nothing about devices that it may not watch: they do not exist for it. A grant names a device that it could watch
 * once, so it learns what has changed.
 */
function decideDevice(question: DeviceQuestion): AccessDecision {
  const { deviceCredential, device, principal, nowEpochMs } = question;
  if (deviceCredential === null) return refuse('unknown');
  if (principal === null || nowEpochMs >= principal.expiresAtMs) return refuse('credential-ended');
  const isGrant = deviceCredential.kind === 'device-grant';
  if (device === null) return refuse(isGrant ? 'device-removed' : 'unknown');
  if (!mayWatch(principal, device)) return refuse(isGrant ? 'credential-ended' : 'unknown');
  if (!isGrant) return { allowed: true, validUntilEpochMs: principal.expiresAtMs };
  const grantEndsAtEpochMs = epochMsOf(deviceCredential.expiresAtSec);
  if (nowEpochMs >= grantEndsAtEpochMs) return refuse('grant-expired');
  return { allowed: true, validUntilEpochMs: Math.min(principal.expiresAtMs, grantEndsAtEpochMs) };
}

function mayWatch(
  { orgUuid, isPartner, onlyDevice, scope }: PrincipalRights,
  device: WatchedDevice,
): boolean {
  if (onlyDevice !== null && onlyDevice !== device.uuid) return false;
  if (!scopeIncludes(scope, device)) return false;
  return device.orgUuid === orgUuid || (isPartner && device.partnerUuid === orgUuid);
}

function decideShare(question: ShareQuestion): AccessDecision {
  const { credential, share, schedule, ended, admittedTo, nowEpochMs, otherViewers, maxViewers } = question;
  if (credential === null) return refuse('unknown');
  if (share === null) return refuse('revoked');
  const expiresAtEpochMs = epochMsOf(share.expiresAtSec);
  if (nowEpochMs >= expiresAtEpochMs) return refuse('expired');
  // A viewer who may not see the share does not learn what it shows or when.
  if (ended?.isSignedOut) return refuse('sign-in-needed');
  if (ended !== null) return refuse('viewer-ended', ended.untilEpochMs);
  const schedulePart = decideSchedule(share, schedule, expiresAtEpochMs);
  if (!schedulePart.allowed) return schedulePart;
  const credentialPart = decideCredential(share, credential, nowEpochMs);
  if (!credentialPart.allowed) return credentialPart;
  // If the share no longer shows the media that the viewer was admitted to, a new grant gets the new media.
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
  share: ShareTerms,
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

function decideCredential(share: ShareTerms, credential: Credential, nowEpochMs: number): AccessDecision {
  const isProtected = share.passwordHash !== null;
  if (credential.kind === 'link') {
    if (share.ssoProtected && !credential.isSignInProven) return refuse('sign-in-needed');
    return isProtected && !credential.isPasswordProven ? refuse('password-needed') : ALLOWED_FOR_EVER;
  }
  if (credential.accessEpoch !== share.accessEpoch) {
    if (share.ssoProtected) return refuse('sign-in-needed');
    return refuse(isProtected ? 'password-needed' : 'grant-expired');
  }
  const expiresAtEpochMs = epochMsOf(credential.expiresAtSec);
  if (nowEpochMs >= expiresAtEpochMs) return refuse('grant-expired');
  return { allowed: true, validUntilEpochMs: expiresAtEpochMs };
}

function isSameMedia(one: SharedMedia, other: Partial<SharedMedia>): boolean {
  return one.cameraUuid === other.cameraUuid && one.includeAudio === other.includeAudio;
}

const ALLOWED_FOR_EVER: AccessAllowed = { allowed: true, validUntilEpochMs: Number.POSITIVE_INFINITY };

function epochMsOf(epochSec: number | null): number {
  return epochSec === null ? Number.POSITIVE_INFINITY : epochSec * 1_000;
}

function refuse(reason: RefusalReason, untilEpochMs: number | null = null): AccessRefused {
  return { allowed: false, reason, untilEpochMs };
}
