/**
 * Opening a device: exchanges a principal, whose credential the front door has just checked, for a grant. The only place
 * that issues device grants.
 */

import type { Actor } from '../accounts/caller.ts';
import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { AccessRefused, RefusalReason } from './access-decision.ts';
import type { DeviceDirectory } from './device-directory.ts';
import type { DeviceGrant, DeviceGrants, Principal } from './device-grant.ts';
import type { KnownDevice, PrincipalActor } from './device-rows.ts';
import type { OpenLimiter } from './open-limiter.ts';
import type { PreviewRequest, PreviewResponse } from './preview-request.ts';

export interface DeviceOpeningRequest {
  readonly principal: Principal;
  /** SHA-256, as hex, of the principal's access token; absent: the principal is not a token. */
  readonly tokenHash?: string | null;
  /** The key that the principal is, or that created its session or granted its token; or the person. */
  readonly actor: Pick<Actor, 'uuid' | 'orgUuid'>;
  /** The organization that a partner names to act for; null: none was named. */
  readonly namedOrgUuid: Ruuid | null;
  readonly deviceUuid: Ruuid;
  /** The caller's address, for the limit on openings. */
  readonly address: string;
}

export interface OpenedDevice {
  readonly allowed: true;
  readonly device: KnownDevice;
  /** The camera that the caller sees: the device, or the device with its masks. */
  readonly shownUuid: Ruuid;
  readonly grantText: string;
  /** The key whose rights are used (for a session, the key that created it), or the person. */
  readonly actorUuid: Ruuid;
}

export interface DeviceOpeningRefused {
  readonly allowed: false;
  readonly reason: RefusalReason | 'too-many-opens';
  readonly untilEpochMs: null;
  /** `too-many-opens`: when the next one is considered. */
  readonly retryAfterMs: number | null;
}

export interface DeviceGateOptions {
  readonly directory: DeviceDirectory;
  readonly grants: DeviceGrants;
  readonly openLimiter: OpenLimiter;
  readonly clock: Clock;
  readonly grantLifetimeMs: number;
}

/** Short, because a preview can be extended for as long as someone watches. */
export const PREVIEW_MS = 600_000;
const MS_PER_SEC = 1_000;

export class DeviceGate {
  readonly #options: DeviceGateOptions;

  constructor(options: DeviceGateOptions) {
    this.#options = options;
  }

  /** Rejects like the store. */
  open(request: DeviceOpeningRequest): Promise<OpenedDevice | DeviceOpeningRefused> {
    return this.#open(request, this.#options.grantLifetimeMs);
  }

  async #open(
    request: DeviceOpeningRequest,
    lifetimeMs: number,
  ): Promise<(OpenedDevice & { readonly endsAtSec: number }) | DeviceOpeningRefused> {
    const { directory, grants, openLimiter, clock } = this.#options;
    const { principal, deviceUuid, namedOrgUuid } = request;
    await directory.learn(principal, request.actor, request.tokenHash ?? null);
    const early = directory.decideFor(principal, deviceUuid, clock.epochMs());
    if (!early.allowed) return refuse(early.reason);
    if (namedOrgUuid !== null && directory.find(deviceUuid)?.orgUuid !== namedOrgUuid)
      return refuse('unknown');
    const waitMs = await openLimiter.take(`${deviceUuid} ${principal.uuid}`, request.address);
    if (waitMs > 0) return refuse('too-many-opens', waitMs);
    // Nodes that count together call Redis: time has passed.
    const nowEpochMs = clock.epochMs();
    const decision = directory.decideFor(principal, deviceUuid, nowEpochMs);
    if (!decision.allowed) return refuse(decision.reason);
    const device = directory.find(deviceUuid)!;
    const endsAtEpochMs = Math.min(nowEpochMs + lifetimeMs, decision.validUntilEpochMs);
    const endsAtSec = Math.ceil(endsAtEpochMs / MS_PER_SEC);
    const grantText = grants.issue(deviceUuid, principal, endsAtSec);
    const shownUuid = directory.shownCamera({ deviceUuid, principal });
    return { allowed: true, device, shownUuid, grantText, actorUuid: request.actor.uuid, endsAtSec };
  }

  /** A short grant for a caller that the API has just checked, or a later end of the one that it got. Rejects like the store. */
  async preview(request: PreviewRequest): Promise<PreviewResponse> {
    const { directory, grants, clock } = this.#options;
    const { orgUuid, cameraUuid, principal, actor, grantText, address } = request;
    await directory.learnCamera(orgUuid, cameraUuid);
    const earlier = grantText === null ? null : grants.verify(grantText);
    const nowEpochMs = clock.epochMs();
    const isTheirs =
      earlier !== null &&
      earlier.deviceUuid === cameraUuid &&
      earlier.principal.kind === principal.kind &&
      earlier.principal.uuid === principal.uuid &&
      directory.find(cameraUuid)?.orgUuid === orgUuid;
    if (grantText !== null && isTheirs && directory.decide(earlier, nowEpochMs).allowed) {
      const endsAtSec = Math.ceil((nowEpochMs + PREVIEW_MS) / MS_PER_SEC);
      directory.extend(earlier, endsAtSec);
      return { allowed: true, grantText, endsAtEpochMs: endsAtSec * MS_PER_SEC };
    }
    const requested = { principal, actor, namedOrgUuid: orgUuid, deviceUuid: cameraUuid, address };
    const opened = await this.#open(requested, PREVIEW_MS);
    if (!opened.allowed) return opened;
    return { allowed: true, grantText: opened.grantText, endsAtEpochMs: opened.endsAtSec * MS_PER_SEC };
  }

  /** Who talks with this grant; null: no one, or no longer. Viewers may listen only. */
  talkerOf({ principal }: DeviceGrant): PrincipalActor | null {
    const { directory } = this.#options;
    return directory.mayOperate(principal) ? directory.actorOf(principal) : null;
  }

  /** Decides again for a device that was just opened, before the response is sent; null: it may still be watched. */
  reconsider({ grantText, shownUuid }: OpenedDevice): AccessRefused | null {
    const { directory, grants, clock } = this.#options;
    const admittedTo = { cameraUuid: shownUuid };
    const decision = directory.decide(grants.verify(grantText), clock.epochMs(), admittedTo);
    return decision.allowed ? null : decision;
  }
}

function refuse(
  reason: DeviceOpeningRefused['reason'],
  retryAfterMs: number | null = null,
): DeviceOpeningRefused {
  return { allowed: false, reason, untilEpochMs: null, retryAfterMs };
}
