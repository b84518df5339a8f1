/** Events as limited callers have them: of devices that they see, and without any other device or location in the body. */

import type { ActingView } from './acting-view.ts';
import type { EventQuery, EventRepository, StoredEvent } from './event.ts';
import { ifSeen, onlySeen, scopedRepository } from './scoped-repository.ts';

/** More are read at a time than wanted, because some may be left out. */
const MIN_PAGE = 100;

export function scopedEvents(events: EventRepository): EventRepository {
  return scopedRepository<EventRepository>(events, {
    add: 'refused',
    addNew: 'refused',
    onAdded: 'open',
    follow: 'open',
    unfinished: 'open',
    claimUnfinished: 'open',
    keepClaims: 'open',
    releaseClaims: 'open',
    finish: 'open',
    find: async (view, real, orgUuid, kind, id) =>
      ifSeen(await real.find(orgUuid, kind, id), view, seesEvent),
    findAll: async (view, real, orgUuid, kind, ids) =>
      onlySeen(await real.findAll(orgUuid, kind, ids), view, seesEvent),
    page: (view, real, orgUuid, query) => {
      const limited = ofSeenDevices(query, view);
      return limited === null ? Promise.resolve([]) : pageOf(view, real, orgUuid, limited);
    },
    amend: async (view, real, event, body) => seesEvent(event, view) && real.amend(event, body),
    acknowledge: async (view, real, event, before, after) =>
      seesEvent(event, view) && real.acknowledge(event, before, after),
    take: async (view, real, event, before, after) =>
      seesEvent(event, view) && real.take(event, before, after),
    removeBefore: 'open',
    removeExcess: 'open',
    async count(view, real, orgUuid, query) {
      const { limit = Number.POSITIVE_INFINITY, ...counting } = query;
      const limited = ofSeenDevices(
        { ...counting, order: 'oldest-first', after: null, limit: MIN_PAGE },
        view,
      );
      if (limited === null) return 0;
      let counted = 0;
      for (let after = limited.after; ; ) {
        const page: StoredEvent[] = await real.page(orgUuid, { ...limited, after });
        counted += page.filter((event) => seesEvent(event, view)).length;
        if (page.length < MIN_PAGE || counted >= limit) return Math.min(counted, limit);
        after = page.at(-1)!;
      }
    },
  });
}

function seesEvent({ deviceUuid, locationUuid, body }: StoredEvent, view: ActingView): boolean {
  return view.seesDevice(deviceUuid) && !view.namesHidden([locationUuid, body]);
}

/** null: nothing can match. */
function ofSeenDevices(query: EventQuery, view: ActingView): EventQuery | null {
  if (query.deviceUuid !== undefined && !view.seesDevice(query.deviceUuid)) return null;
  const wanted = query.deviceUuids?.filter((uuid) => view.seesDevice(uuid));
  const deviceUuids = wanted ?? (query.deviceUuid === undefined ? view.deviceUuids : undefined);
  if (deviceUuids === undefined) return query;
  return deviceUuids.length === 0 ? null : { ...query, deviceUuids };
}

async function pageOf(
  view: ActingView,
  real: EventRepository,
  orgUuid: StoredEvent['orgUuid'],
  query: EventQuery,
): Promise<StoredEvent[]> {
  const seen: StoredEvent[] = [];
  const limit = Math.max(query.limit, MIN_PAGE);
  for (let after = query.after; ; ) {
    const page: StoredEvent[] = await real.page(orgUuid, { ...query, after, limit });
    seen.push(...page.filter((event) => seesEvent(event, view)));
    if (page.length < limit || seen.length >= query.limit) return seen.slice(0, query.limit);
    after = page.at(-1)!;
  }
}
