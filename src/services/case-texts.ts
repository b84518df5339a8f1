/** The files of a sealed case that say what happened in its times, who viewed and exported them, and what became of the case. */

import { AuditFeed, type AuditReading } from '../audit/audit-feed.ts';
import type { Case, CaseItem } from '../cases/case-records.ts';
import type { CaseSealerOptions } from '../cases/case-sealer.ts';
import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { CustomSeekPoints } from '../devices/custom-seek-points.ts';
import { PolicyAlerts } from '../events/policy-alerts.ts';
import { SAVED_CLIPS, type SavedClip, SavedClips } from '../events/saved-clips.ts';
import { TIMELINE_KINDS, TimelineEvents } from '../platform/reports/timeline-events.ts';
import { SHARED_GROUPS, type SharedGroup } from '../sharing/shared-group.ts';
import {
  type AuditEvent,
  type AuditFootage,
  type AuditMark,
  type AuditQuery,
  VIEWING_ACTIONS,
} from '../store/audit.ts';
import type { EventMark } from '../store/event.ts';
import type { Store } from '../store/store.ts';

export interface CaseTextParts {
  readonly store: Pick<Store, 'audit' | 'cameras' | 'events' | 'resources' | 'videoWalls' | 'wallShares'>;
  readonly audit: AuditReading;
  readonly clock: Clock;
}

/** Of each item. Beyond them, the file says that there are more. */
const MAX_EVENTS = 2_000;
const MAX_ROWS = 2_000;
const PAGE_EVENTS = 500;
const PAGE_ROWS = 1_000;
/** As many clips as an organization can have. */
const MAX_CLIPS = 20_000;
/** Of a clip: one that began before the time can still show it. */
const MAX_CLIP_MS = 3_600_000;
/** What takes video out of the gateway: clips, and links and downloads of them. */
const EXPORT_ACTIONS = [
  'SAVED_CLIP_CREATE',
  'SAVED_CLIP_DELETE',
  'SHARED_CLIP_CREATE',
  'SHARED_CLIP_UPDATE',
  'SHARED_CLIP_DELETE',
];

/** What an item is about: the time of its camera, or of those of its clip. */
interface ItemTime {
  readonly cameraUuids: readonly Ruuid[];
  readonly startMs: number;
  readonly endMs: number;
}

/** As CaseSealerOptions.textsOf. */
export function caseTexts(parts: CaseTextParts): CaseSealerOptions['textsOf'] {
  const reading = new CaseReading(parts);
  return (record) => reading.textsOf(record);
}

class CaseReading {
  readonly #store: CaseTextParts['store'];
  readonly #auditFeed: AuditFeed;
  readonly #savedClips: SavedClips;
  readonly #timelineEvents: TimelineEvents;

  constructor({ store, audit, clock }: CaseTextParts) {
    this.#store = store;
    this.#auditFeed = new AuditFeed({ store, audit });
    this.#savedClips = new SavedClips({ store, alerts: new PolicyAlerts(store), clock });
    this.#timelineEvents = new TimelineEvents({
      store,
      savedClips: this.#savedClips,
      bookmarks: new CustomSeekPoints({ store, clock }),
    });
  }

  /** Private clips of people are not in it. */
  async textsOf(record: Case): Promise<Readonly<Record<string, string>>> {
    const { orgUuid, uuid, body } = record;
    const groups = await this.#store.resources.of(SHARED_GROUPS.clip).list(orgUuid);
    const events: object[] = [];
    const views: object[] = [];
    const exports: object[] = [];
    for (const item of body.items) {
      const time = await this.#timeOf(orgUuid, item);
      if (time === null) continue;
      const { cameraUuids, startMs, endMs } = time;
      const shown = { cameraUuids, from: new Date(startMs).toISOString(), to: new Date(endMs).toISOString() };
      events.push({ ...shown, ...(await this.#eventsOf(record, time)) });
      const clips = await this.#clipsOf(record, time);
      const links = groups.filter((group) => showsAny(group, clips)).map((group) => group.uuid);
      // Recordings are viewed later than they are made: everything that was viewed since.
      const viewed = { deviceUuids: cameraUuids, uuids: links };
      views.push({ ...shown, ...(await this.#rows(orgUuid, startMs, [...VIEWING_ACTIONS], viewed, time)) });
      const exported = { deviceUuids: [], uuids: [...clips, ...links] };
      exports.push({ ...shown, ...(await this.#rows(orgUuid, 0, EXPORT_ACTIONS, exported, time)) });
    }
    const ownLinks = groups.filter((group) => group.body.caseUuid === uuid).map((group) => group.uuid);
    const history = await this.#rows(orgUuid, 0, null, { deviceUuids: [], uuids: [uuid, ...ownLinks] });
    const files = { events, views, exports, history };
    return Object.fromEntries(
      Object.entries(files).map(([name, value]) => [`${name}.json`, `${JSON.stringify(value, null, 1)}\n`]),
    );
  }

  /** null: a clip that was deleted. */
  async #timeOf(orgUuid: Ruuid, item: CaseItem): Promise<ItemTime | null> {
    const { cameraUuids, startMs, endMs, clipUuid } = item;
    if (startMs !== null && endMs !== null) return { cameraUuids, startMs, endMs };
    const clip = await this.#store.resources.of(SAVED_CLIPS).find(orgUuid, clipUuid!);
    return clip === null ? null : { cameraUuids, ...spanOf(clip) };
  }

  async #eventsOf({ orgUuid, uuid: reader }: Case, { cameraUuids, startMs, endMs }: ItemTime) {
    const events: object[] = [];
    let after: EventMark | null = null;
    do {
      const page = await this.#timelineEvents.page(orgUuid, {
        cameraUuids,
        fromMs: startMs,
        toMs: endMs,
        kinds: new Set(TIMELINE_KINDS),
        after,
        limit: PAGE_EVENTS,
        reader,
      });
      for (const { mark: _, atMs, ...event } of page.events) {
        events.push({ at: new Date(atMs).toISOString(), ...event });
      }
      after = page.next;
    } while (after !== null && events.length < MAX_EVENTS);
    return { isMore: after !== null, events };
  }

  /** Those that show some of the time. */
  async #clipsOf(
    { orgUuid, uuid: reader }: Case,
    { cameraUuids, startMs, endMs }: ItemTime,
  ): Promise<Ruuid[]> {
    const search = {
      deviceUuids: cameraUuids,
      locationUuids: [],
      fromMs: startMs - MAX_CLIP_MS,
      toMs: endMs,
      isBySaving: false,
      titlePart: '',
      isOnlyPrivate: false,
      isWithoutMonitoring: false,
      order: 'newest-first',
      kept: null,
    } as const;
    const { clips } = await this.#savedClips.search(orgUuid, search, null, MAX_CLIPS, reader);
    return clips.filter((clip) => spanOf(clip).endMs > startMs).map(({ uuid }) => uuid);
  }

  /** The newest first. `time`: also rows about walls, clips, and links that showed some of it, whether or not they are still there. */
  async #rows(
    orgUuid: Ruuid,
    fromMs: number,
    includeActions: readonly string[] | null,
    targets: NonNullable<AuditQuery['targets']>,
    time: ItemTime | null = null,
  ): Promise<{ readonly isMore: boolean; readonly rows: readonly object[] }> {
    const wanted = { fromMs, toMs: Number.MAX_SAFE_INTEGER, includeActions, excludeActions: [] };
    const named = await this.#auditFeed.search(orgUuid, { ...wanted, targets, limit: MAX_ROWS });
    const shown = time === null ? null : await this.#showing(orgUuid, wanted, time);
    const all = new Map([...named.events, ...(shown?.events ?? [])].map((event) => [event.uuid, event]));
    const sorted = [...all.values()].sort((a, b) => b.atMs - a.atMs || (a.uuid < b.uuid ? 1 : -1));
    const isMore = named.isMore || shown?.isMore === true || sorted.length > MAX_ROWS;
    const rows = sorted.slice(0, MAX_ROWS).map(({ atMs, action, principal, targetUuid, targetName }) => ({
      at: new Date(atMs).toISOString(),
      action,
      by: principal.name,
      target: targetName,
      targetUuid,
    }));
    return { isMore, rows };
  }

  /** Rows whose target showed some of the time, in pages: a camera can be on walls that are viewed all day. */
  async #showing(
    orgUuid: Ruuid,
    wanted: Omit<AuditQuery, 'limit'>,
    time: ItemTime,
  ): Promise<{ readonly isMore: boolean; readonly events: readonly AuditEvent[] }> {
    const events: AuditEvent[] = [];
    let after: AuditMark | undefined;
    do {
      const page = await this.#auditFeed.search(orgUuid, {
        ...wanted,
        showing: time.cameraUuids,
        ...(after === undefined ? {} : { after }),
        limit: PAGE_ROWS,
      });
      events.push(...page.events.filter(({ footage = [] }) => showsSome(footage, time)));
      after = page.isMore ? page.events.at(-1) : undefined;
    } while (after !== undefined && events.length <= MAX_ROWS);
    return { isMore: events.length > MAX_ROWS, events };
  }
}

/** Whether one of them is video of these cameras at that time. */
function showsSome(footage: readonly AuditFootage[], { cameraUuids, startMs, endMs }: ItemTime): boolean {
  return footage.some(
    ({ deviceUuid, time }) =>
      cameraUuids.includes(deviceUuid) && (time === null || (time.fromMs < endMs && time.toMs > startMs)),
  );
}

function spanOf({ body: { timestampMs, durationSec } }: SavedClip): Omit<ItemTime, 'cameraUuids'> {
  return { startMs: timestampMs, endMs: timestampMs + (durationSec ?? 0) * 1_000 };
}

function showsAny({ body: { itemUuids } }: SharedGroup, clips: readonly Ruuid[]): boolean {
  return itemUuids.some((uuid) => clips.includes(uuid));
}
