/** Component events: what readers, relays and sensors of doors reported. */

import { type Static, Type } from 'typebox';
import { EXAMPLE_LOCATION_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../../api/types/examples.ts';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { type CallContext, defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  flag,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import { NEXT_PAGE_KEY, PAGE_KEY, pageKeyOf, readPageKey } from '../../http/page-key.ts';
import { invalidField } from '../../http/request-body.ts';
import type { EventMark, StoredEvent } from '../../store/event.ts';
import type {
  ComponentEventBody,
  ComponentEventPage,
  ComponentEventQuery,
} from '../access-control/component-events.ts';
import { EXAMPLE_DOOR_UUID } from './doors.ts';

export const COMPONENT_EVENT_TYPES = [
  'DoorbellEvent',
  'DoorReaderStateChangeEvent',
  'DoorRelayStateChangeEvent',
  'DoorPositionIndicatorStateChangeEvent',
  'RequestToExitStateChangeEvent',
  'CredentialReceivedEvent',
  'ButtonEvent',
  'GenericInputStateChangeEvent',
  'GenericRelayStateChangeEvent',
  'AccessControlUnitTamperEvent',
  'AccessControlUnitLocationLockdownStateEvent',
  'DoorLocationLockdownStateEvent',
  'PanicButtonEvent',
  'AccessControlUnitBatteryStateChangeEvent',
  'WaveToUnlockIntentExpiredEvent',
  'DoorStateChangeEvent',
  'DoorAuthFirstInStateEvent',
  'DoorScheduleFirstInStateEvent',
  'AccessControlUnitDoorFirstInStateEvent',
  'LockVendorDoorExtensionStateEvent',
  'LockVendorActivatorStateEvent',
  'LockVendorKeyCylinderStateEvent',
  'LockVendorDoorModeEvent',
  'LockVendorDoorHandleStateEvent',
  'LockVendorGatewayStateEvent',
  'LockVendorGatewayConnectionStateChangeEvent',
  'LockVendorDtcEvent',
  'LockVendorTamperStateEvent',
] as const;

type ComponentEventType = (typeof COMPONENT_EVENT_TYPES)[number];

const COMPONENT_EVENT_SCHEMA = namedType('ComponentEvent', {
  uuid: ruuid('The event.'),
  orgUuid: ruuid('The organization.'),
  type: oneOf(COMPONENT_EVENT_TYPES, 'What happened.'),
  componentUuid: ruuid('The component it happened to.'),
  ownerDeviceUuid: nullable(ruuid('The device that owns the component.')),
  locationUuid: nullable(ruuid('The location.')),
  correlationId: nullable(plainText('An ID that events with the same cause share.')),
  timestampMs: int64('When it happened, in epoch milliseconds.'),
  createdAtMs: int64('When it was recorded, in epoch milliseconds.'),
});

/** Which events are requested, whatever they are of. */
const EVENT_FILTER_PROPERTIES = {
  createdAfterMs: Type.Optional(
    int64('Start of the range of `createdAtMs`, inclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
  ),
  createdBeforeMs: Type.Optional(
    int64('End of the range of `createdAtMs`, exclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
  ),
  typeFilter: Type.Optional(
    listOf(
      oneOf(COMPONENT_EVENT_TYPES, 'Type.'),
      'Only events of these types.',
      COMPONENT_EVENT_TYPES.length,
    ),
  ),
};

/** Which events of a door are requested. */
const DOOR_EVENTS_PROPERTIES = {
  accessControlledDoorUuid: ruuid('The door.'),
  ...EVENT_FILTER_PROPERTIES,
};

const EVENT_FILTER_REQUEST = Type.Object(EVENT_FILTER_PROPERTIES);
const DOOR_EVENTS_REQUEST = Type.Object(DOOR_EVENTS_PROPERTIES);

/** How two requests describe the requested events of a door. */
function doorEventsQuery(
  body: Static<typeof DOOR_EVENTS_REQUEST>,
): Pick<ComponentEventQuery, 'doorUuid' | 'fromMs' | 'toMs' | 'types'> {
  return { doorUuid: body.accessControlledDoorUuid, ...eventFilter(body) };
}

function eventFilter(
  body: Static<typeof EVENT_FILTER_REQUEST>,
): Pick<ComponentEventQuery, 'fromMs' | 'toMs' | 'types'> {
  return {
    fromMs: body.createdAfterMs ?? 0,
    toMs: body.createdBeforeMs ?? MAX_TIME_MS + 1,
    types: body.typeFilter === undefined ? null : new Set(body.typeFilter),
  };
}

const EXAMPLE_COMPONENT_EVENT: Static<typeof COMPONENT_EVENT_SCHEMA> = {
  uuid: deriveRuuid('example', 'component event'),
  orgUuid: EXAMPLE_ORG_UUID,
  type: 'DoorStateChangeEvent',
  componentUuid: EXAMPLE_DOOR_UUID,
  ownerDeviceUuid: null,
  locationUuid: null,
  correlationId: null,
  timestampMs: EXAMPLE_TIME_MS,
  createdAtMs: EXAMPLE_TIME_MS,
};

function componentEventResponse(event: StoredEvent): Static<typeof COMPONENT_EVENT_SCHEMA> {
  const body = event.body as ComponentEventBody<ComponentEventType>;
  return {
    uuid: event.id as Ruuid,
    orgUuid: event.orgUuid,
    type: body.type,
    componentUuid: body.componentUuid,
    ownerDeviceUuid: body.ownerDeviceUuid,
    locationUuid: body.locationUuid,
    correlationId: body.correlationId,
    timestampMs: body.timestampMs,
    createdAtMs: event.atMs,
  };
}

const MAX_EVENTS = 1_000;
const DEFAULT_EVENTS = 100;

const EVENT_LIMIT = Type.Optional(
  int32(`Maximum number of events. Default ${DEFAULT_EVENTS}.`, 1, MAX_EVENTS),
);
const COMPONENT_EVENTS = { componentEvents: listOf(COMPONENT_EVENT_SCHEMA, 'The events.') };

function newestEventsResponse(context: CallContext, { events, next }: ComponentEventPage) {
  if (next !== null) context.warn('There may be older events: get them with an earlier createdBeforeMs.');
  return { componentEvents: LongList.of(events).map(componentEventResponse) };
}

const findComponentEventsByAccessControlledDoor = defineEndpoint({
  path: '/api/component/findComponentEventsByAccessControlledDoor',
  summary: 'Lists the newest events of a door.',
  description:
    'Newest first, by `createdAtMs`. If there may be older events, `warningMsg` says so: get them with an earlier ' +
    '`createdBeforeMs`, or page through all of them with `findPaginatedComponentEventsByAccessControlledDoor`.',
  request: Type.Object({
    ...DOOR_EVENTS_PROPERTIES,
    limit: Type.Optional(int32(`Maximum number of events. Default ${DEFAULT_EVENTS}.`, 1, MAX_EVENTS)),
  }),
  response: { componentEvents: listOf(COMPONENT_EVENT_SCHEMA, 'The events.') },
  example: {
    request: {
      accessControlledDoorUuid: EXAMPLE_DOOR_UUID,
      typeFilter: ['DoorStateChangeEvent'],
      limit: 100,
    },
    response: { componentEvents: [EXAMPLE_COMPONENT_EVENT] },
  },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const { events, next } = await services.componentEvents.page(orgUuid, {
      ...doorEventsQuery(body),
      order: 'newest-first',
      after: null,
      limit: body.limit ?? DEFAULT_EVENTS,
      userUuids: null,
    });
    if (next !== null) {
      context.warn('There may be older events: get them with an earlier createdBeforeMs.');
    }
    return { componentEvents: LongList.of(events).map(componentEventResponse) };
  },
});

const MAX_PAGE_SIZE = 500;
const DEFAULT_PAGE_SIZE = 100;
const MAX_FILTER_ENTRIES = 500;
const PAGE_LIST = 'componentEvents';

const REQUEST = Type.Object({
  ...DOOR_EVENTS_PROPERTIES,
  userFilter: Type.Optional(
    listOf(
      ruuid('User.'),
      `Only events about these users, at most ${MAX_FILTER_ENTRIES}.`,
      MAX_FILTER_ENTRIES,
    ),
  ),
  reverseSearch: Type.Optional(flag('Newest first. Oldest first if absent.')),
  maxPageSize: Type.Optional(
    int32(`Maximum number of events. Default ${DEFAULT_PAGE_SIZE}.`, 1, MAX_PAGE_SIZE),
  ),
  lastEvaluatedKey: PAGE_KEY,
});

const findPaginatedComponentEventsByAccessControlledDoor = defineEndpoint({
  path: '/api/component/findPaginatedComponentEventsByAccessControlledDoor',
  summary: 'Lists the events of a door.',
  description:
    'In the order of `createdAtMs`. To get the next page, send back the `lastEvaluatedKey` of the response, with the ' +
    'other fields unchanged; it is absent on the last page. With filters, a page can be shorter than `maxPageSize`, ' +
    'or empty, without being the last. Events that arrive in the meantime are neither repeated nor hide others.',
  request: REQUEST,
  response: {
    componentEvents: listOf(COMPONENT_EVENT_SCHEMA, 'The events.'),
    lastEvaluatedKey: NEXT_PAGE_KEY,
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
      componentEvents: [EXAMPLE_COMPONENT_EVENT],
      lastEvaluatedKey: null,
    },
  },
  async handler({ orgUuid, services }, body) {
    const { events, next } = await services.componentEvents.page(orgUuid, {
      ...doorEventsQuery(body),
      order: body.reverseSearch === true ? 'newest-first' : 'oldest-first',
      after: body.lastEvaluatedKey === undefined ? null : markIn(body.lastEvaluatedKey),
      limit: body.maxPageSize ?? DEFAULT_PAGE_SIZE,
      userUuids: body.userFilter === undefined ? null : new Set(body.userFilter),
    });
    return {
      componentEvents: LongList.of(events).map(componentEventResponse),
      lastEvaluatedKey: next === null ? null : pageKeyOf(PAGE_LIST, [next.atMs, next.id]),
    };
  },
});

function markIn(key: string): EventMark {
  const [atMs, id] = readPageKey(key, PAGE_LIST, ['number', 'string']);
  return { atMs, id };
}

const findComponentEventsByLocation = defineEndpoint({
  path: '/api/component/findComponentEventsByLocation',
  summary: 'Lists the newest events of the doors at a location.',
  description:
    'Newest first, by `createdAtMs`: events that were reported for the location, and those of the doors that are there now.',
  request: Type.Object({
    locationUuid: ruuid('The location.'),
    ...EVENT_FILTER_PROPERTIES,
    limit: EVENT_LIMIT,
  }),
  response: COMPONENT_EVENTS,
  example: {
    request: { locationUuid: EXAMPLE_LOCATION_UUID, limit: 100 },
    response: { componentEvents: [EXAMPLE_COMPONENT_EVENT] },
  },
  async handler(context, body) {
    const { orgUuid, services } = context;
    const locations = await services.locations.list(orgUuid);
    if (!locations.some(({ uuid }) => uuid === body.locationUuid)) {
      throw invalidField('There is no location with this locationUuid.');
    }
    const filter = { ...eventFilter(body), limit: body.limit ?? DEFAULT_EVENTS, userUuids: null };
    const page = await services.componentEvents.newestAt(orgUuid, body.locationUuid, filter);
    return newestEventsResponse(context, page);
  },
});

const findComponentEventsByUser = defineEndpoint({
  path: '/api/component/findComponentEventsByUser',
  summary: 'Lists the newest events about a user.',
  description:
    'Newest first, by `createdAtMs`: events at any door that were reported with this `userUuid`. Users are those of the system ' +
    'that reports, so an unknown one has no events. At most 5,000 events are searched; if there may be older ones, ' +
    '`warningMsg` says so.',
  request: Type.Object({ userUuid: ruuid('The user.'), ...EVENT_FILTER_PROPERTIES, limit: EVENT_LIMIT }),
  response: COMPONENT_EVENTS,
  example: {
    request: { userUuid: deriveRuuid('example', 'user'), limit: 100 },
    response: { componentEvents: [EXAMPLE_COMPONENT_EVENT] },
  },
  async handler(context, body) {
    const userUuids = new Set([body.userUuid]);
    const filter = { ...eventFilter(body), limit: body.limit ?? DEFAULT_EVENTS, userUuids };
    const page = await context.services.componentEvents.newest(context.orgUuid, filter);
    return newestEventsResponse(context, page);
  },
});

export const COMPONENT_EVENT_ENDPOINTS: readonly Endpoint[] = [
  findComponentEventsByAccessControlledDoor,
  findPaginatedComponentEventsByAccessControlledDoor,
  findComponentEventsByLocation,
  findComponentEventsByUser,
];
