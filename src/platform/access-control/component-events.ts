/** Component events: what readers, relays and sensors of doors reported. Stored as events of kind `componentEvent`. */

import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { EVENT_ERRORS } from '../../events/errors.ts';
import type { EventMark, EventQuery, StoredEvent } from '../../store/event.ts';
import { resourceKind } from '../../store/resource.ts';
import type { Store } from '../../store/store.ts';

/**
 * The stored part of an event. Its id is the event's UUID, its device is the door, and its time is when the event was
 * recorded, which is the order of a door's list.
 */
export interface ComponentEventBody<Type extends string = string> {
  readonly type: Type;
  readonly timestampMs: number;
  readonly componentUuid: Ruuid;
  readonly ownerDeviceUuid: Ruuid | null;
  readonly locationUuid: Ruuid | null;
  readonly userUuid: Ruuid | null;
  readonly correlationId: string | null;
}

export interface ReportedComponentEvent {
  readonly uuid: Ruuid;
  readonly accessControlledDoorUuid: Ruuid;
  readonly type: string;
  readonly timestampMs: number;
  /** When it was recorded; default: `timestampMs`. */
  readonly createdAtMs?: number;
  /** Default: the door. */
  readonly componentUuid?: Ruuid;
  readonly ownerDeviceUuid?: Ruuid;
  readonly locationUuid?: Ruuid;
  readonly userUuid?: Ruuid;
  readonly correlationId?: string;
}

export interface ComponentEventQuery extends ComponentEventFilter {
  readonly doorUuid: Ruuid;
}

export interface ComponentEventFilter {
  /** Half-open. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly order: 'oldest-first' | 'newest-first';
  readonly after: EventMark | null;
  readonly limit: number;
  /** null: all. */
  readonly types: ReadonlySet<string> | null;
  /** Only events about one of these; null: all. */
  readonly userUuids: ReadonlySet<Ruuid> | null;
}

/** Filters the newest events: they have a fixed order, and only the first page. */
export type NewestFilter = Omit<ComponentEventFilter, 'order' | 'after'>;

export interface ComponentEventPage {
  readonly events: readonly StoredEvent[];
  /** The next page begins after this; null: nothing is left. */
  readonly next: EventMark | null;
}

const NEWEST = { order: 'newest-first', after: null } as const;

/** Limits on events per read, and in all for one page: a filter with few matches must not read everything. */
const CHUNK_EVENTS = 500;
const MAX_EVENTS_READ = 5_000;

/** Only the existence and the place of a door matter here. */
const DOORS = resourceKind<{ readonly locationUuid?: Ruuid | null }>('door');

export class ComponentEvents {
  readonly #store: Pick<Store, 'events' | 'resources'>;

  constructor(store: Pick<Store, 'events' | 'resources'>) {
    this.#store = store;
  }

  /** Which of the doors exist. A batch is about few of them. */
  async knownDoors(orgUuid: Ruuid, doorUuids: Iterable<Ruuid>): Promise<ReadonlySet<Ruuid>> {
    const known = new Set<Ruuid>();
    for (const uuid of new Set(doorUuids)) {
      if ((await this.#store.resources.of(DOORS).find(orgUuid, uuid)) !== null) known.add(uuid);
    }
    return known;
  }

  /** At most 1,000. Resolves with how many were new. */
  report(orgUuid: Ruuid, reported: readonly ReportedComponentEvent[], reporterUuid?: Ruuid): Promise<number> {
    const reporter = reporterUuid === undefined ? {} : { reporterUuid };
    return this.#store.events.add(reported.map((row) => ({ ...eventOf(orgUuid, row), ...reporter })));
  }

  /** A page of a door's events that match the filter. Fails EVENT_DOOR_NOT_FOUND. */
  async page(orgUuid: Ruuid, query: ComponentEventQuery): Promise<ComponentEventPage> {
    const { doorUuid } = query;
    if (!(await this.knownDoors(orgUuid, [doorUuid])).has(doorUuid)) {
      throw new GatewayError(EVENT_ERRORS.EVENT_DOOR_NOT_FOUND, { door: doorUuid });
    }
    return this.#page(orgUuid, query, { deviceUuids: [doorUuid] });
  }

  /** The newest of all doors, about `userUuids` for example. */
  newest(orgUuid: Ruuid, filter: NewestFilter): Promise<ComponentEventPage> {
    return this.#page(orgUuid, { ...filter, ...NEWEST }, {});
  }

  /** The newest that say that they happened at the location, and of the doors that are there now. */
  async newestAt(orgUuid: Ruuid, locationUuid: Ruuid, filter: NewestFilter): Promise<ComponentEventPage> {
    const query = { ...filter, ...NEWEST };
    const doors = await this.#store.resources.of(DOORS).list(orgUuid);
    const there = doors.filter(({ body }) => body.locationUuid === locationUuid).map(({ uuid }) => uuid);
    const pages = [await this.#page(orgUuid, query, { locationUuids: [locationUuid] })];
    if (there.length > 0) pages.push(await this.#page(orgUuid, query, { deviceUuids: there }));
    const found = new Map(pages.flatMap(({ events }) => events).map((event) => [event.id, event]));
    const events = [...found.values()].sort(newestFirst).slice(0, filter.limit);
    const isMore = found.size > events.length || pages.some(({ next }) => next !== null);
    return { events, next: isMore ? (events.at(-1) ?? null) : null };
  }

  async #page(
    orgUuid: Ruuid,
    query: ComponentEventFilter,
    place: Pick<EventQuery, 'deviceUuids' | 'locationUuids'>,
  ): Promise<ComponentEventPage> {
    const { fromMs, toMs, order, limit } = query;
    const events: StoredEvent[] = [];
    let after = query.after;
    for (let read = 0; read < MAX_EVENTS_READ; read += CHUNK_EVENTS) {
      const chunk = await this.#store.events.page(orgUuid, {
        kind: 'componentEvent',
        fromMs,
        toMs,
        order,
        after,
        limit: CHUNK_EVENTS,
        ...place,
      });
      for (const event of chunk) {
        if (!isWanted(event.body as ComponentEventBody, query)) continue;
        if (events.length === limit) return { events, next: events.at(-1)! };
        events.push(event);
      }
      if (chunk.length < CHUNK_EVENTS) return { events, next: null };
      after = chunk.at(-1)!;
    }
    return { events, next: after };
  }
}

function eventOf(orgUuid: Ruuid, row: ReportedComponentEvent): StoredEvent {
  const { locationUuid, accessControlledDoorUuid: deviceUuid } = row;
  const body: ComponentEventBody = {
    type: row.type,
    timestampMs: row.timestampMs,
    componentUuid: row.componentUuid ?? deviceUuid,
    ownerDeviceUuid: row.ownerDeviceUuid ?? null,
    locationUuid: locationUuid ?? null,
    userUuid: row.userUuid ?? null,
    correlationId: row.correlationId ?? null,
  };
  return {
    orgUuid,
    kind: 'componentEvent',
    id: row.uuid,
    deviceUuid,
    body,
    ...(locationUuid === undefined ? {} : { locationUuid }),
    atMs: row.createdAtMs ?? row.timestampMs,
  };
}

function newestFirst(a: StoredEvent, b: StoredEvent): number {
  if (a.atMs !== b.atMs) return b.atMs - a.atMs;
  return a.id < b.id ? 1 : -1;
}

function isWanted(
  { type, userUuid }: ComponentEventBody,
  { types, userUuids }: ComponentEventFilter,
): boolean {
  return (
    (types === null || types.has(type)) &&
    (userUuids === null || (userUuid !== null && userUuids.has(userUuid)))
  );
}
