/** The files of a sealed case that say what happened in its times, and who viewed its cameras. */

import type { AuditFeed } from '../audit/audit-feed.ts';
import type { Case } from '../cases/case-records.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { TIMELINE_KINDS, type TimelineEvents } from '../platform/reports/timeline-events.ts';
import { VIEWING_ACTIONS } from '../store/audit.ts';
import type { EventMark } from '../store/event.ts';

export interface CaseTextParts {
  readonly timelineEvents: Pick<TimelineEvents, 'page'>;
  readonly auditFeed: Pick<AuditFeed, 'search'>;
}

/** Of each item. Beyond them, the file says that there are more. */
const MAX_EVENTS = 2_000;
const MAX_VIEWS = 2_000;
const PAGE_EVENTS = 500;

/** Private clips of people are not in it. */
export async function caseTexts(
  { timelineEvents, auditFeed }: CaseTextParts,
  { orgUuid, uuid, body }: Case,
): Promise<Readonly<Record<string, string>>> {
  const events: object[] = [];
  const views: object[] = [];
  for (const { cameraUuid, startMs, endMs } of body.items) {
    if (cameraUuid === null || startMs === null || endMs === null) continue;
    const time = { cameraUuid, from: new Date(startMs).toISOString(), to: new Date(endMs).toISOString() };
    const found = await eventsOf(timelineEvents, { orgUuid, reader: uuid, cameraUuid, startMs, endMs });
    events.push({ ...time, ...found });
    // Recordings are viewed later than they are made: everything that was viewed since.
    const page = await auditFeed.search(orgUuid, {
      fromMs: startMs,
      toMs: Number.MAX_SAFE_INTEGER,
      includeActions: [...VIEWING_ACTIONS],
      excludeActions: [],
      targetUuid: cameraUuid,
      limit: MAX_VIEWS,
    });
    views.push({
      ...time,
      isMore: page.isMore,
      views: page.events.map(({ atMs, action, principal, targetName }) => ({
        at: new Date(atMs).toISOString(),
        action,
        by: principal.name,
        target: targetName,
      })),
    });
  }
  return { 'events.json': jsonOf(events), 'views.json': jsonOf(views) };
}

interface EventsQuery {
  readonly orgUuid: Ruuid;
  readonly reader: Ruuid;
  readonly cameraUuid: Ruuid;
  readonly startMs: number;
  readonly endMs: number;
}

async function eventsOf(
  timelineEvents: CaseTextParts['timelineEvents'],
  { orgUuid, reader, cameraUuid, startMs, endMs }: EventsQuery,
): Promise<{ readonly isMore: boolean; readonly events: readonly object[] }> {
  const events: object[] = [];
  let after: EventMark | null = null;
  do {
    const page = await timelineEvents.page(orgUuid, {
      cameraUuids: [cameraUuid],
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

function jsonOf(value: object): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
