/**
 * Emergencies: cameras that are open to a partner for some minutes. Each recipient has a link, which is a shared wall that is not stored: the
 * access decision of shares also decides about emergencies (docs/design/emergency.md). An open emergency is a record; the end removes it.
 */

import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { AUTOMATIC_LAYOUT, type StreamType, type VideoWall, type WallShare } from '../store/entities.ts';
import { type Resource, type ResourceKind, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';

/** Whom cameras can be opened to, as the stream type of their shares. */
export const PARTNER_KINDS = ['RAPIDSOS', 'ALARM_MONITORING'] as const satisfies readonly StreamType[];
export type PartnerKind = (typeof PARTNER_KINDS)[number];

/** A camera, with its names of that time: the report still has them if it is removed. */
export interface EmergencyCamera {
  readonly cameraUuid: Ruuid;
  readonly name: string;
  /** null: it is at no location. */
  readonly siteName: string | null;
}

/** Someone who gets a link of their own, so that views show whose link was used. */
export interface EmergencyRecipient {
  /** Also of the link. */
  readonly uuid: Ruuid;
  /** `copy`: the person who opens it passes the link on. `feed`: programs of dispatch find it near an emergency call. */
  readonly by: 'mail' | 'webhook' | 'copy' | 'feed';
  /** The mail address, or the webhook's host; '' for others. */
  readonly address: string;
}

export interface EmergencyExtension {
  readonly atMs: number;
  readonly by: string;
  readonly untilMs: number;
}

/** A mail or a call to a recipient, as the logs had it. */
export interface EmergencyDelivery {
  /** null: not known. */
  readonly recipientUuid: Ruuid | null;
  readonly by: 'mail' | 'webhook';
  readonly address: string;
  readonly state: 'PENDING' | 'DELIVERED' | 'FAILED';
  readonly queuedAtMs: number;
  readonly attempts: number;
  readonly lastAttemptAtMs: number | null;
  /** Of the last attempt; null: none. */
  readonly errorCode: string | null;
}

/** Why it was opened. */
export interface EmergencyCause {
  /** The name of the person, the key, or the rule. */
  readonly by: string;
  readonly isRule: boolean;
  readonly reason: string;
  /** null: it was not opened from an alert. */
  readonly alertId: string | null;
}

/** Its title is the resource's name, its rule the parent, and its creation the opening. */
export interface EmergencyBody {
  readonly partner: { readonly uuid: Ruuid; readonly name: string; readonly kind: PartnerKind };
  readonly cause: EmergencyCause;
  readonly cameras: readonly EmergencyCamera[];
  readonly recipients: readonly EmergencyRecipient[];
  readonly language: 'en' | 'de' | 'es';
  /** Of the first camera's location; UTC without one. */
  readonly timeZone: string;
  /** A whole second: the first instant at which nothing is open. */
  readonly untilMs: number;
  /** When `untilMs` was set. */
  readonly setAtMs: number;
  readonly extensions: readonly EmergencyExtension[];
  /** Alerts of its rule that have opened or extended it, the newest last. */
  readonly alertIds: readonly string[];
}

export type Emergency = Resource<EmergencyBody>;

/** An emergency that has ended, with the same UUID. */
export interface PastEmergencyBody extends EmergencyBody {
  readonly closedAtMs: number;
  /** null: its time was over. */
  readonly closedBy: string | null;
  /** As they were at the end. Absent: it ended without the store. */
  readonly deliveries?: readonly EmergencyDelivery[];
}

export type PastEmergency = Resource<PastEmergencyBody>;

/** Those that are open. */
export const EMERGENCIES: ResourceKind<EmergencyBody> = resourceKind('emergency');
export const PAST_EMERGENCIES: ResourceKind<PastEmergencyBody> = resourceKind('pastEmergency');

/** The wall and its share that a recipient's link opens. */
export interface EmergencyLink {
  readonly emergencyUuid: Ruuid;
  readonly wall: VideoWall;
  readonly wallShare: WallShare;
  readonly streamType: PartnerKind;
}

const NO_SCHEDULE = { scheduleUuid: null, invertSchedule: false, unscheduledMessage: null } as const;
const MS_PER_SEC = 1_000;

/** The UUID of a recipient, and so of the link: the same after a restart. */
export function recipientUuidOf(emergencyUuid: Ruuid, by: EmergencyRecipient['by'], address: string): Ruuid {
  return deriveRuuid(`emergency ${emergencyUuid}`, `${by} ${address}`);
}

export function linksOf(emergency: Emergency): EmergencyLink[] {
  const { uuid: emergencyUuid, orgUuid, name, createdAtMs, updatedAtMs, body } = emergency;
  const cameras = body.cameras.map(({ cameraUuid }) => ({ cameraUuid, facet: '', addedAtMs: createdAtMs }));
  return body.recipients.map(({ uuid }) => ({
    emergencyUuid,
    streamType: body.partner.kind,
    wall: {
      uuid: emergencyUuid,
      orgUuid,
      name,
      cameras,
      layout: AUTOMATIC_LAYOUT,
      ownerUserUuid: null,
      othersCanEdit: false,
      isShared: false,
      settings: {},
      createdAtMs,
      updatedAtMs,
    },
    wallShare: {
      uuid,
      orgUuid,
      wallUuid: emergencyUuid,
      vodEnabled: false,
      showsUnmasked: false,
      vodPastSec: null,
      vodExpiresAtSec: null,
      expiresAtSec: Math.floor(body.untilMs / MS_PER_SEC),
      ...NO_SCHEDULE,
      deviceSchedules: {},
      passwordHash: null,
      accessEpoch: 1,
      createdAtMs,
      updatedAtMs,
    },
  }));
}

/**
 * Ends it in the store: what remains is its record among the past ones. null: it is not open. Another end may come first; the later time
 * counts, because until then it was open.
 */
export async function endEmergency(
  { resources }: Pick<Store, 'resources'>,
  { orgUuid, uuid }: Pick<Emergency, 'orgUuid' | 'uuid'>,
  { atMs, by }: { readonly atMs: number; readonly by: string | null },
): Promise<PastEmergency | null> {
  const open = await resources.of(EMERGENCIES).find(orgUuid, uuid);
  if (open === null) return null;
  // Nothing was open after its time, however late someone writes that.
  const closedAtMs = Math.min(atMs, open.body.untilMs);
  const body = { ...open.body, closedAtMs, closedBy: by };
  const past: PastEmergency = { ...open, updatedAtMs: atMs, body };
  await resources.of(PAST_EMERGENCIES).change(orgUuid, uuid, () => past, undefined, 'vital');
  return (await resources.of(EMERGENCIES).remove(orgUuid, uuid)) ? past : null;
}
