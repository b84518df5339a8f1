/** POST /api/component/findPaginatedComponentEventsByAccessControlledDoor: what happened at a door, page by page. */

import { Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import type { EventMark, StoredEvent } from '../../store/event.ts';
import { resourceKind } from '../../store/resource.ts';
import type { Store } from '../../store/store.ts';
import { defineEndpoint } from '../base/endpoint.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../base/examples.ts';
import { flag, int32, int64, listOf, nullable, oneOf, plainText, ruuid, text } from '../base/field-types.ts';
import {
  MAX_PAGE_KEY_LENGTH,
  NEXT_PAGE_KEY_DESCRIPTION,
  PAGE_KEY_DESCRIPTION,
  pageKeyOf,
  readPageKey,
} from '../base/page-key.ts';
import { EVENT_ERRORS } from '../event/errors.ts';
import {
  COMPONENT_EVENT_SCHEMA,
  COMPONENT_EVENT_TYPES,
  type ComponentEventBody,
  componentEventAnswer,
} from './component-event-type.ts';

const MAX_PAGE_SIZE = 500;
const DEFAULT_PAGE_SIZE = 100;
const MAX_FILTER_ENTRIES = 500;
const PAGE_LIST = 'componentEvents';

/** Events read at once, and in all for one page: a filter that lets few pass must not read everything. */
const CHUNK_EVENTS = 500;
const MAX_EVENTS_READ = 5_000;

const EXAMPLE_DOOR_UUID = deriveRuuid('example', 'door');

/** Only whether the door exists matters here. */
const DOORS = resourceKind<object>('door');

const REQUEST = Type.Object({
  accessControlledDoorUuid: ruuid('The door.'),
  createdAfterMs: Type.Optional(
    int64('First instant that counts, in epoch milliseconds; of `createdAtMs`.', 0, MAX_TIME_MS),
  ),
  createdBeforeMs: Type.Optional(
    int64('First instant that no longer counts, in epoch milliseconds; of `createdAtMs`.', 0, MAX_TIME_MS),
  ),
  typeFilter: Type.Optional(
    listOf(
      oneOf(COMPONENT_EVENT_TYPES, 'Type.'),
      'Only events of these types.',
      COMPONENT_EVENT_TYPES.length,
    ),
  ),
  userFilter: Type.Optional(
    listOf(
      ruuid('User.'),
      `Only events that concern these users, at most ${MAX_FILTER_ENTRIES}.`,
      MAX_FILTER_ENTRIES,
    ),
  ),
  reverseSearch: Type.Optional(flag('Newest first. Oldest first when absent.')),
  maxPageSize: Type.Optional(
    int32(`Most events in the answer. ${DEFAULT_PAGE_SIZE} when absent.`, 1, MAX_PAGE_SIZE),
  ),
  lastEvaluatedKey: Type.Optional(text(PAGE_KEY_DESCRIPTION, MAX_PAGE_KEY_LENGTH)),
});

export const findPaginatedComponentEventsByAccessControlledDoor = defineEndpoint({
  path: '/api/component/findPaginatedComponentEventsByAccessControlledDoor',
  summary: 'Lists what happened at a door.',
  description:
    'In the order of `createdAtMs`. Give `lastEvaluatedKey` of an answer back, with the same other fields, to get the ' +
    'next page; it is null on the last one. With filters a page may be shorter than `maxPageSize`, or empty, and not ' +
    'be the last. Events that arrive meanwhile neither repeat nor hide any.',
  request: REQUEST,
  response: {
    componentEvents: listOf(COMPONENT_EVENT_SCHEMA, 'The events.'),
    lastEvaluatedKey: nullable(plainText(NEXT_PAGE_KEY_DESCRIPTION)),
  },
  example: {
    request: {
      accessControlledDoorUuid: EXAMPLE_DOOR_UUID,
      createdAfterMs: EXAMPLE_TIME_MS,
      typeFilter: ['DoorStateChangeEvent'],
      reverseSearch: true,
      maxPageSize: 100,
    },
    response: {
      componentEvents: [
        {
          uuid: deriveRuuid('example', 'component event'),
          orgUuid: EXAMPLE_ORG_UUID,
          type: 'DoorStateChangeEvent',
          componentUuid: EXAMPLE_DOOR_UUID,
          ownerDeviceUuid: null,
          locationUuid: null,
          correlationId: null,
          timestampMs: EXAMPLE_TIME_MS,
          createdAtMs: EXAMPLE_TIME_MS,
        },
      ],
      lastEvaluatedKey: null,
    },
  },
  async handler({ orgUuid, services }, body) {
    const doorUuid = body.accessControlledDoorUuid;
    if ((await services.store.resources.of(DOORS).find(orgUuid, doorUuid)) === null) {
      throw new GatewayError(EVENT_ERRORS.EVENT_DOOR_NOT_FOUND, { door: doorUuid });
    }
    const [atMs, id] =
      body.lastEvaluatedKey === undefined
        ? []
        : readPageKey(body.lastEvaluatedKey, PAGE_LIST, ['number', 'string']);
    const types = body.typeFilter === undefined ? null : new Set(body.typeFilter);
    const users = body.userFilter === undefined ? null : new Set(body.userFilter);
    const { events, next } = await readMatching(services.store, orgUuid, {
      doorUuid,
      fromMs: body.createdAfterMs ?? 0,
      toMs: body.createdBeforeMs ?? MAX_TIME_MS + 1,
      order: body.reverseSearch === true ? 'newest-first' : 'oldest-first',
      after: atMs === undefined ? null : { atMs, id: id! },
      pageSize: body.maxPageSize ?? DEFAULT_PAGE_SIZE,
      isWanted: ({ type, userUuid }) =>
        (types === null || types.has(type)) && (users === null || (userUuid !== null && users.has(userUuid))),
    });
    return {
      componentEvents: LongList.of(events).map(componentEventAnswer),
      lastEvaluatedKey: next === null ? null : pageKeyOf(PAGE_LIST, [next.atMs, next.id]),
    };
  },
});

interface MatchQuery {
  readonly doorUuid: Ruuid;
  readonly fromMs: number;
  readonly toMs: number;
  readonly order: 'oldest-first' | 'newest-first';
  readonly after: EventMark | null;
  readonly pageSize: number;
  isWanted(body: ComponentEventBody): boolean;
}

/** A page of events that pass the filter, and where the next begins: null when nothing is left. */
async function readMatching(
  store: Store,
  orgUuid: Ruuid,
  query: MatchQuery,
): Promise<{ events: StoredEvent[]; next: EventMark | null }> {
  const { doorUuid, fromMs, toMs, order, pageSize } = query;
  const events: StoredEvent[] = [];
  let after = query.after;
  for (let read = 0; read < MAX_EVENTS_READ; read += CHUNK_EVENTS) {
    const limit = CHUNK_EVENTS;
    const chunk = await store.events.page(orgUuid, {
      kind: 'componentEvent',
      deviceUuid: doorUuid,
      ...{ fromMs, toMs, order, after, limit },
    });
    for (const event of chunk) {
      if (!query.isWanted(event.body as ComponentEventBody)) continue;
      if (events.length === pageSize) return { events, next: events.at(-1)! };
      events.push(event);
    }
    if (chunk.length < limit) return { events, next: null };
    after = chunk.at(-1)!;
  }
  return { events, next: after };
}
