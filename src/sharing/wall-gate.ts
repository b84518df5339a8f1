/**
 * Opening a shared video wall: exchanges its link, and its password if it has one, for a grant of the wall and one for
 * each of its cameras that may be watched now. The wall's grant opens no media; it answers which cameras the wall has,
 * for pages that stay open for weeks (docs/design/access.md#video-walls).
 */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { type AccessDecision, type AccessRefused, type Credential, decideAccess } from './access-decision.ts';
import type { AttemptLimiter } from './attempt-limiter.ts';
import type { EndedViews } from './ended-views.ts';
import type { Grant, Grants } from './grant.ts';
import type { OpenLimiter } from './open-limiter.ts';
import type { Passwords } from './password.ts';
import { PasswordCheck } from './password-check.ts';
import type { ShareDirectory } from './share-directory.ts';
import type { OpeningRefusalReason, OpeningRefused } from './share-gate.ts';
import type { ShareTokens } from './share-token.ts';
import type { WallMember, WallView } from './wall-members.ts';

export interface WallOpeningRequest {
  readonly wallToken: string;
  /** null: none was given. */
  readonly password: string | null;
  /** The caller's address, for the limits on openings and guesses. */
  readonly address: string;
  /** Called as soon as at most the password is missing, so that the cameras wake in the meantime. */
  readonly onNear: (members: readonly WallMember[]) => void;
}

/** A camera of a wall that may be watched now. */
export interface OpenTile {
  readonly allowed: true;
  readonly member: WallMember;
  readonly grantText: string;
}

/** A camera of a wall that may not be watched now. */
export interface RefusedTile {
  readonly allowed: false;
  readonly member: WallMember;
  readonly refusal: AccessRefused;
}

export interface OpenedWall {
  readonly allowed: true;
  readonly wall: WallView;
  /** The wall's own grant. */
  readonly grantText: string;
  /** First second at which all grants are over: by then the link must be opened again. */
  readonly expiresAtSec: number;
  readonly tiles: readonly (OpenTile | RefusedTile)[];
}

export interface WallGateOptions {
  readonly directory: ShareDirectory;
  /** As in ShareGateOptions. */
  readonly caughtUp?: () => Promise<void>;
  /** ShareTokens.forWalls. */
  readonly tokens: ShareTokens;
  readonly grants: Grants;
  readonly passwords: Passwords;
  readonly limiter: AttemptLimiter;
  readonly openLimiter: OpenLimiter;
  readonly ended: Pick<EndedViews, 'find'>;
  readonly clock: Clock;
  readonly grantLifetimeMs: number;
}

const MS_PER_SEC = 1_000;

export class WallGate {
  readonly #options: WallGateOptions;
  readonly #password: PasswordCheck;

  constructor(options: WallGateOptions) {
    this.#options = options;
    this.#password = new PasswordCheck(options);
  }

  /** Whether this gateway made the link. Says nothing about its wall, which may no longer exist. */
  isLink(wallToken: string): boolean {
    return this.#options.tokens.verify(wallToken) !== null;
  }

  /** Why the link shows nothing; null: the link, perhaps with its password, shows the wall. `from`: the caller. */
  closed(wallToken: string, from: { readonly ip: string }): OpeningRefused | null {
    const wallShareUuid = this.#options.tokens.verify(wallToken);
    const wall = this.#find(wallShareUuid);
    const credential = byLink(wallShareUuid, true);
    const decision = this.#decide(wallShareUuid, credential, { viewerId: null, ip: from.ip });
    if (!decision.allowed) return refuse(wallShareUuid, decision);
    return wall === undefined || credential === null
      ? null
      : hiddenWhole(wall, this.#refusals(wall, credential));
  }

  /** Whose link it is; null: no one's. */
  organizationOf(wallToken: string): Ruuid | null {
    return this.#find(this.#options.tokens.verify(wallToken))?.wallShare.orgUuid ?? null;
  }

  /** Called with the shared wall of each camera that changed. Returns a function that ends the subscription. */
  onLinkChange(listener: (wallShareUuid: Ruuid) => void): () => void {
    const { directory } = this.#options;
    return directory.onChange((uuid) => listener(directory.find(uuid)?.linkUuid ?? uuid));
  }

  /** Fails with PASSWORD_QUEUE_FULL. */
  async open(request: WallOpeningRequest): Promise<OpenedWall | OpeningRefused> {
    const wallShareUuid = this.#options.tokens.verify(request.wallToken);
    // The link is genuine: another node may have made its share a moment ago.
    if (wallShareUuid !== null && this.#find(wallShareUuid) === undefined) await this.#options.caughtUp?.();
    const by = { viewerId: null, ip: request.address };
    const decision = this.#decide(wallShareUuid, byLink(wallShareUuid, false), by);
    const wall = this.#find(wallShareUuid);
    if (wall === undefined || wallShareUuid === null) return refuse(wallShareUuid, decision as AccessRefused);
    if (!decision.allowed && decision.reason !== 'password-needed') return refuse(wallShareUuid, decision);
    const waitMs = await this.#options.openLimiter.take(wallShareUuid, request.address);
    if (waitMs > 0) return refuseFor('too-many-opens', wallShareUuid, waitMs);
    request.onNear(wall.members.map((member) => this.#shown(member)));
    if (!decision.allowed) {
      const refusal = await this.#password.refusalFor(wall.wallShare, request.password, request.address);
      if (refusal !== null) return refuseFor(refusal.reason, wallShareUuid, refusal.retryAfterMs);
    }
    return this.#letIn(wallShareUuid, wall, request.address);
  }

  /**
   * The wall of a grant as it is now, with new grants for its cameras. They end when that grant ends: then the link
   * must be opened again.
   */
  async look(grantText: string, address: string): Promise<OpenedWall | OpeningRefused> {
    const early = this.#lookNow(grantText, address);
    if (!early.allowed) return early;
    const { uuid } = early.wall.wallShare;
    const waitMs = await this.#options.openLimiter.take(uuid, address);
    if (waitMs > 0) return refuseFor('too-many-opens', uuid, waitMs);
    // Nodes that count together call Redis: time has passed.
    return this.#lookNow(grantText, address);
  }

  #lookNow(grantText: string, address: string): OpenedWall | OpeningRefused {
    const { grants } = this.#options;
    const grant = grants.verify(grantText);
    const credential = grant === null ? null : ({ kind: 'grant', ...grant } as const);
    const wallShareUuid = grant?.shareUuid ?? null;
    const by = { viewerId: grant?.viewerId ?? null, ip: address };
    const decision = this.#decide(wallShareUuid, credential, by);
    const wall = this.#find(wallShareUuid);
    if (!decision.allowed || wall === undefined || credential === null || wallShareUuid === null) {
      return refuse(wallShareUuid, decision as AccessRefused);
    }
    return this.#opened(wall, credential, grantText);
  }

  /** Time has passed during the password check: decides again. */
  #letIn(wallShareUuid: Ruuid, proven: WallView, address: string): OpenedWall | OpeningRefused {
    const { grants, clock, grantLifetimeMs } = this.#options;
    const wall = this.#find(wallShareUuid);
    const isStillProven = wall?.wallShare.passwordHash === proven.wallShare.passwordHash;
    const credential = byLink(wallShareUuid, isStillProven);
    const decision = this.#decide(wallShareUuid, credential, { viewerId: null, ip: address });
    if (!decision.allowed || wall === undefined || credential === null) {
      return refuse(wallShareUuid, decision as AccessRefused);
    }
    const expiresAtSec = Math.ceil((clock.epochMs() + grantLifetimeMs) / MS_PER_SEC);
    const grantText = grants.issue(wallShareUuid, wall.wallShare.accessEpoch, expiresAtSec);
    return this.#opened(wall, credential, grantText);
  }

  /** A wall all of whose cameras are hidden reveals as little as a hidden share: not even their names. */
  #opened(wall: WallView, credential: Credential, grantText: string): OpenedWall | OpeningRefused {
    const { viewerId, expiresAtSec } = this.#options.grants.verify(grantText)!;
    const tiles = wall.members.map((member) => this.#tile(member, credential, { viewerId, expiresAtSec }));
    const hidden = hiddenWhole(
      wall,
      tiles.flatMap((tile) => (tile.allowed ? [] : [tile.refusal])),
    );
    if (hidden !== null) return hidden;
    return { allowed: true, wall, grantText, expiresAtSec, tiles };
  }

  /** One viewer has one ID for all cameras, so that its view can be ended as a whole. */
  #tile(
    member: WallMember,
    credential: Credential,
    { viewerId, expiresAtSec }: Pick<Grant, 'viewerId' | 'expiresAtSec'>,
  ): OpenTile | RefusedTile {
    const { grants } = this.#options;
    const { uuid, accessEpoch } = member.share;
    const decision = this.#decideTile(member, credential);
    if (!decision.allowed) return { allowed: false, member, refusal: decision };
    const grantText = grants.issue(uuid, accessEpoch, expiresAtSec, viewerId);
    return { allowed: true, member: this.#shown(member), grantText };
  }

  /** With the camera that viewers see. Without the view, the decision refuses it. */
  #shown(member: WallMember): WallMember {
    return { ...member, share: this.#options.directory.find(member.share.uuid)?.share ?? member.share };
  }

  #refusals(wall: WallView, credential: Credential): AccessRefused[] {
    return wall.members.flatMap((member) => {
      const decision = this.#decideTile(member, credential);
      return decision.allowed ? [] : [decision];
    });
  }

  #decideTile({ share }: WallMember, credential: Credential): AccessDecision {
    const { directory, clock } = this.#options;
    const nowEpochMs = clock.epochMs();
    const view = directory.find(share.uuid);
    return decideAccess({
      credential,
      share: view?.share ?? null,
      schedule: view?.scheduleStateAt(nowEpochMs) ?? null,
      // The wall's own decision knows.
      ended: null,
      admittedTo: null,
      nowEpochMs,
      otherViewers: 0,
      // The limit is checked when a viewer arrives: with its first request for media.
      maxViewers: null,
    });
  }

  #find(wallShareUuid: Ruuid | null): WallView | undefined {
    return wallShareUuid === null ? undefined : this.#options.directory.findWall(wallShareUuid);
  }

  #decide(
    wallShareUuid: Ruuid | null,
    credential: Credential | null,
    { viewerId, ip }: { readonly viewerId: string | null; readonly ip: string },
  ): AccessDecision {
    const wall = this.#find(wallShareUuid);
    const ended =
      wall === undefined
        ? null
        : this.#options.ended.find(wall.wallShare.orgUuid, wall.wallShare.uuid, viewerId, { ip });
    return decideAccess({
      credential,
      share: wall?.terms ?? null,
      schedule: null,
      ended,
      admittedTo: null,
      nowEpochMs: this.#options.clock.epochMs(),
      otherViewers: 0,
      maxViewers: null,
    });
  }
}

/** A refusal if all cameras are hidden; otherwise null. `refusals`: of its cameras that may not be watched. */
function hiddenWhole(wall: WallView, refusals: readonly AccessRefused[]): OpeningRefused | null {
  const { length } = wall.members;
  const areAllHidden = refusals.every(({ reason }) => reason === 'hidden-by-schedule');
  if (length === 0 || refusals.length !== length || !areAllHidden) return null;
  const until = refusals.map(({ untilEpochMs }) => untilEpochMs ?? Number.POSITIVE_INFINITY);
  const first = Math.min(...until);
  const untilEpochMs = Number.isFinite(first) ? first : null;
  return refuse(wall.wallShare.uuid, { allowed: false, reason: 'hidden-by-schedule', untilEpochMs });
}

function byLink(wallShareUuid: Ruuid | null, isPasswordProven: boolean): Credential | null {
  return wallShareUuid === null ? null : { kind: 'link', isPasswordProven, isSignInProven: false };
}

function refuse(shareUuid: Ruuid | null, { reason, untilEpochMs }: AccessRefused): OpeningRefused {
  return { allowed: false, reason, untilEpochMs, retryAfterMs: null, shareUuid };
}

function refuseFor(
  reason: OpeningRefusalReason,
  shareUuid: Ruuid,
  retryAfterMs: number | null,
): OpeningRefused {
  return { allowed: false, reason, untilEpochMs: null, retryAfterMs, shareUuid };
}
