/**
 * Changes that end access and are in force before the store has them (docs/design/failure.md#ending-access-without-the-store). All
 * of it is plain JSON: an end goes to other threads, to other nodes and into a file.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { AuditPrincipal } from './audit.ts';
import type { AbsoluteSecondsInterval, WeeklyMinuteInterval } from './entities.ts';

/** The kinds of records that have a link. */
export type LinkKind = 'share' | 'wallShare' | 'group';

/** When a link shows its camera. */
export interface ShownTimes {
  /** null: always. */
  readonly scheduleUuid: Ruuid | null;
  readonly invertSchedule: boolean;
}

/** Fields of a link that decide who may watch. Absent: stays as it is. */
export interface LinkRules {
  readonly passwordHash?: string | null;
  readonly expiresAtSec?: number | null;
  readonly ssoProtected?: boolean;
  readonly scheduleUuid?: Ruuid | null;
  readonly invertSchedule?: boolean;
  readonly vodEnabled?: boolean;
  readonly vodPastSec?: number | null;
  readonly vodExpiresAtSec?: number | null;
}

export type ScheduleHours =
  | { readonly strategy: 'WEEKLY_REPEATING_MINUTES'; readonly intervals: readonly WeeklyMinuteInterval[] }
  | { readonly strategy: 'ABSOLUTE_SECONDS'; readonly intervals: readonly AbsoluteSecondsInterval[] };

/** A caller's request to end access. */
export type EndRequest = LinkEndRequest | CredentialEndRequest;

/** The end of what has a link, or of what decides about one. */
export type LinkEndRequest =
  /** `ofCamera`: only if it is a share of this camera. */
  | { readonly kind: 'link'; readonly uuid: Ruuid; readonly ofCamera?: Ruuid | null }
  | { readonly kind: 'rules'; readonly of: LinkKind; readonly uuid: Ruuid; readonly rules: LinkRules }
  | { readonly kind: 'hours'; readonly uuid: Ruuid; readonly hours: ScheduleHours }
  /** `cameraUuids`: those that stay on the wall. */
  | { readonly kind: 'wall'; readonly uuid: Ruuid; readonly cameraUuids: readonly Ruuid[] };

/** The end of what callers present, or of the person whose it is. */
export type CredentialEndRequest =
  | { readonly kind: 'key' | 'grant'; readonly uuid: Ruuid }
  /** A session of the console. `ofPerson`: only if it is this person's. */
  | { readonly kind: 'console'; readonly uuid: Ruuid; readonly ofPerson: Ruuid | null }
  /** Otherwise disabled. */
  | { readonly kind: 'person'; readonly uuid: Ruuid; readonly isRemoved: boolean };

interface EndOf {
  readonly endUuid: Ruuid;
  readonly orgUuid: Ruuid;
  /** The record that it changes. */
  readonly uuid: Ruuid;
  /** When it was made, epoch milliseconds: later than what its node knew of the record. */
  readonly atMs: number;
  readonly principal: AuditPrincipal;
}

/** A link, camera share or group that is removed. */
export interface LinkEnd extends EndOf {
  readonly kind: 'link';
}

export interface RulesEnd extends EndOf {
  readonly kind: 'rules';
  readonly of: LinkKind;
  readonly passwordHash?: string;
  readonly expiresAtSec?: number;
  readonly ssoProtected?: true;
  readonly shown?: ShownTimes;
  readonly vodEnabled?: false;
  readonly vodPastSec?: number;
  readonly vodExpiresAtSec?: number;
  /** The values in force before. If the stored record has another value when the end is stored, another caller has changed the field. */
  readonly base: {
    readonly expiresAtSec: number | null;
    readonly shown: ShownTimes;
    readonly accessEpoch: number;
    /** Absent: of a link without a past, or made by an earlier version. */
    readonly vodPastSec?: number | null;
    readonly vodExpiresAtSec?: number | null;
  };
  /** The access epoch with this end: grants of this and earlier epochs may have been given out. */
  readonly accessEpoch: number;
}

export interface HoursEnd extends EndOf {
  readonly kind: 'hours';
  readonly hours: ScheduleHours;
  /** SHA-256 of the hours before. */
  readonly baseHash: string;
}

export interface WallEnd extends EndOf {
  readonly kind: 'wall';
  /** Cameras that are removed from the wall. */
  readonly removed: readonly Ruuid[];
}

export interface TokenEnd extends EndOf {
  readonly kind: 'key' | 'grant' | 'console';
}

export interface PersonEnd extends EndOf {
  readonly kind: 'person';
  /** Otherwise disabled. */
  readonly isRemoved: boolean;
}

export type CredentialEnd = TokenEnd | PersonEnd;
export type AccessEnd = LinkEnd | RulesEnd | HoursEnd | WallEnd | CredentialEnd;

const CREDENTIAL_KINDS: ReadonlySet<EndRequest['kind']> = new Set(['key', 'grant', 'console', 'person']);

export function isCredentialEnd(end: AccessEnd): end is CredentialEnd {
  return CREDENTIAL_KINDS.has(end.kind);
}

export function isCredentialRequest(request: EndRequest): request is CredentialEndRequest {
  return CREDENTIAL_KINDS.has(request.kind);
}

/**
 * - `unknown`: the organization has nothing with this UUID.
 * - `no-end`: it would give someone access, changes something else, or cannot be judged.
 * - `full`: the organization has too many ends that are not stored.
 */
export type NoEnd = 'unknown' | 'no-end' | 'full';

export interface EndInForce {
  /** It survives a restart of this node, or another node has it. */
  readonly isKept: boolean;
  /** IDs of nodes that could not be reached: they hear of it when they can be. */
  readonly silentNodes: readonly string[];
  /** The record that is in force now, with the fields that callers may see; null: it is gone. */
  readonly record: object | null;
}

export type EndOutcome = NoEnd | EndInForce;

/** In the order in which they count: all nodes agree on it. */
export function inOrderOfEnds(a: AccessEnd, b: AccessEnd): number {
  return a.atMs - b.atMs || (a.endUuid < b.endUuid ? -1 : 1);
}

/** When a record is changed: not before it was, if a clock is behind that of the node that changed it last. */
export function laterThan({ updatedAtMs }: { readonly updatedAtMs: number }, nowEpochMs: number): number {
  return updatedAtMs > nowEpochMs ? updatedAtMs + 1 : nowEpochMs;
}
