/** Pages of the audit trail, newest first. */

import type { Ruuid } from '../core/ruuid.ts';
import type { AuditEvent, AuditQuery, AuditRepository, AuditTargets } from '../store/audit.ts';
import type { Store } from '../store/store.ts';

/** Entries of a page, unless one millisecond has more. */
export const AUDIT_PAGE_EVENTS = 1_000;
/** More than the audit trail lets wait at a time. */
const MAX_EVENTS_OF_MILLISECOND = 25_000;

export interface AuditPage {
  /** Never only part of a millisecond's events, because the next page begins before the last one's time. */
  readonly events: readonly AuditEvent[];
  readonly isMore: boolean;
}

/** Audit entries are written after the requests that caused them. */
export interface AuditReading {
  /** Resolves when everything so far is written. */
  settled(): Promise<void>;
}

export interface AuditFeedOptions {
  readonly store: Pick<Store, 'audit' | 'videoWalls' | 'wallShares'>;
  readonly audit: AuditReading;
}

/** The audit trail, as callers read it. */
export class AuditFeed {
  readonly #options: AuditFeedOptions;

  constructor(options: AuditFeedOptions) {
    this.#options = options;
  }

  /** The newest entries that match, about 1,000, including everything that has happened so far. */
  async page(orgUuid: Ruuid, wanted: Omit<AuditQuery, 'limit'>): Promise<AuditPage> {
    const { store, audit } = this.#options;
    await audit.settled();
    return auditPage(store.audit, orgUuid, wanted);
  }

  /** The camera, its links, and what belongs to it, also on walls: walls that show it, and their links. */
  async targetsOf(orgUuid: Ruuid, cameraUuid: Ruuid): Promise<AuditTargets> {
    const { videoWalls, wallShares } = this.#options.store;
    const walls = new Set<Ruuid>();
    for (const { uuid, cameras } of await videoWalls.list(orgUuid)) {
      if (cameras.some((camera) => camera.cameraUuid === cameraUuid)) walls.add(uuid);
    }
    const links = (await wallShares.list(orgUuid)).filter(({ wallUuid }) => walls.has(wallUuid));
    return { deviceUuids: [cameraUuid], uuids: [...walls, ...links.map(({ uuid }) => uuid)] };
  }

  /** At most `limit` entries that match, after a mark, and whether there are more. Newest first. */
  async search(orgUuid: Ruuid, wanted: AuditQuery): Promise<AuditPage> {
    const { store, audit } = this.#options;
    await audit.settled();
    const found = await store.audit.list(orgUuid, { ...wanted, limit: wanted.limit + 1 });
    return { events: found.slice(0, wanted.limit), isMore: found.length > wanted.limit };
  }
}

/** `DEVICE_UPDATE` → `Device update: Front desk`. */
export function displayText({ action, targetName }: Pick<AuditEvent, 'action' | 'targetName'>): string {
  const words = action.toLowerCase().replaceAll('_', ' ');
  const sentence = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  return targetName === '' ? sentence : `${sentence}: ${targetName}`;
}

async function auditPage(
  audit: AuditRepository,
  orgUuid: Ruuid,
  wanted: Omit<AuditQuery, 'limit'>,
): Promise<AuditPage> {
  const query: AuditQuery = { ...wanted, limit: AUDIT_PAGE_EVENTS + 1 };
  const events = await wholeMilliseconds(audit, orgUuid, query);
  const last = events.at(-1);
  if (last === undefined) return { events, isMore: false };
  const older = await audit.list(orgUuid, { ...query, toMs: last.atMs, limit: 1 });
  return { events, isMore: older.length > 0 };
}

async function wholeMilliseconds(
  audit: AuditRepository,
  orgUuid: Ruuid,
  query: AuditQuery,
): Promise<readonly AuditEvent[]> {
  const events = await audit.list(orgUuid, query);
  if (events.length <= AUDIT_PAGE_EVENTS) return events;
  const oldestMs = events.at(-1)!.atMs;
  const whole = events.filter(({ atMs }) => atMs > oldestMs);
  if (whole.length > 0) return whole;
  const millisecond = { fromMs: oldestMs, toMs: oldestMs + 1, limit: MAX_EVENTS_OF_MILLISECOND };
  return audit.list(orgUuid, { ...query, ...millisecond });
}
