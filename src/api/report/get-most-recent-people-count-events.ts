/** POST /api/report/getMostRecentPeopleCountEvents: the newest people counts of cameras. */

import { type Static, Type } from 'typebox';
import { deriveRuuid, type Ruuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import {
  deviceFacetUuid,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  ruuid,
} from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import type { PeopleCount } from '../../reports/occupancy-reports.ts';
import { reportingDevice } from '../../reports/reported-devices.ts';
import {
  EXAMPLE_CAMERA_UUID,
  EXAMPLE_LOCATION_UUID,
  EXAMPLE_ORG_UUID,
  EXAMPLE_TIME_MS,
} from '../types/examples.ts';

const DEFAULT_EVENTS = 10;
const MAX_EVENTS = 1_000;
const MAX_DEVICES = 100;

const EVENT_SCHEMA = namedType('PeopleCountEvent', {
  uuid: ruuid('The event.'),
  orgUuid: ruuid('The organization.'),
  deviceUuid: deviceFacetUuid('The camera, with the facet that counted.'),
  locationUuid: nullable(ruuid('The camera’s current location.')),
  eventTimestamp: int64('When it counted, in epoch milliseconds.'),
  timestampMs: int64('The same; the name that some clients read.'),
  peopleCount: int32('How many people were there.'),
  count: int32('The same; the name that some clients read.'),
});

export const getMostRecentPeopleCountEvents = defineEndpoint({
  path: '/api/report/getMostRecentPeopleCountEvents',
  summary: 'Lists the newest people counts of cameras.',
  description:
    'What was reported to `/api/ingest/occupancyCounts`, newest first. Of several cameras, the newest counts of all of ' +
    'them together. The gateway has neither images nor bounding boxes of counts.',
  request: Type.Object({
    deviceUuid: Type.Optional(deviceFacetUuid('The camera; without a facet, all of its facets.')),
    deviceUuids: Type.Optional(listOf(deviceFacetUuid('A camera.'), 'Several cameras.', MAX_DEVICES)),
    numMostRecent: Type.Optional(int32(`How many. Default ${DEFAULT_EVENTS}.`, 1, MAX_EVENTS)),
  }),
  response: { events: listOf(EVENT_SCHEMA, 'The counts.') },
  example: {
    request: { deviceUuid: EXAMPLE_CAMERA_UUID, numMostRecent: 1 },
    response: {
      events: [
        eventAnswer(EXAMPLE_ORG_UUID, {
          ...{ uuid: deriveRuuid('example', 'people count'), id: 'count-1', deviceUuid: EXAMPLE_CAMERA_UUID },
          ...{ facet: 'v0', atMs: EXAMPLE_TIME_MS, count: 4, locationUuid: EXAMPLE_LOCATION_UUID },
        }),
      ],
    },
  },
  async handler({ orgUuid, services }, { deviceUuid, deviceUuids, numMostRecent: limit = DEFAULT_EVENTS }) {
    const named = deviceUuid === undefined ? deviceUuids : [deviceUuid];
    if (named === undefined) throw invalidField('deviceUuid is required.');
    const how = { limit, isList: deviceUuid === undefined };
    const counts = await services.occupancyReports.latest(orgUuid, named.map(reportingDevice), how);
    return { events: counts.map((count) => eventAnswer(orgUuid, count)) };
  },
});

function eventAnswer(orgUuid: Ruuid, event: PeopleCount): Static<typeof EVENT_SCHEMA> {
  const { uuid, deviceUuid, facet, locationUuid, atMs, count } = event;
  return {
    ...{ uuid, orgUuid, deviceUuid: facet === '' ? deviceUuid : `${deviceUuid}.${facet}`, locationUuid },
    ...{ eventTimestamp: atMs, timestampMs: atMs, peopleCount: count, count },
  };
}
