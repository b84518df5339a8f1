/** POST /api/report/getDiagnosticFeed: when cameras connected and disconnected. */

import { type Static, Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import {
  DIAGNOSTIC_ACTIVITIES,
  DIAGNOSTIC_FEED_EVENTS,
  type DiagnosticEvent,
} from '../../events/diagnostic-feed.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import {
  dateTime,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const DIAGNOSTIC_EVENT_SCHEMA = namedType('DiagnosticEvent', {
  uuid: ruuid('The event.'),
  orgUuid: ruuid('The organization.'),
  activity: oneOf(DIAGNOSTIC_ACTIVITIES, 'What happened.'),
  timestamp: dateTime('The time, as ISO 8601 in UTC.'),
  deviceUuid: ruuid('The camera.'),
  deviceName: nullable(plainText('Its current name; absent if the camera was removed permanently.')),
  deviceType: oneOf(['CAMERA'], 'CAMERA.'),
});

export const getDiagnosticFeed = defineEndpoint({
  path: '/api/report/getDiagnosticFeed',
  summary: 'Lists when cameras connected and disconnected.',
  description:
    'Newest first: what the gateway saw of its cameras, and reports about cameras (`/api/ingest/deviceHealth`) with ' +
    `the symptom DOWN or with none. A response has at most about ${DIAGNOSTIC_FEED_EVENTS.toLocaleString('en')} ` +
    'events, or more if all of them have the same millisecond. If there are older events, a warning says so; get ' +
    'them with `timestampMsBefore` set to the time of the last event.',
  request: Type.Object({
    timestampMsAfter: Type.Optional(
      int64('Start of the range, inclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
    ),
    timestampMsBefore: Type.Optional(
      int64('End of the range, exclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
    ),
  }),
  response: { diagnosticEvents: listOf(DIAGNOSTIC_EVENT_SCHEMA, 'The events.') },
  example: {
    request: { timestampMsAfter: EXAMPLE_TIME_MS },
    response: {
      diagnosticEvents: [
        diagnosticEventAnswer({
          uuid: deriveRuuid('example', 'diagnostic event'),
          orgUuid: EXAMPLE_ORG_UUID,
          activity: 'CAMERA_DISCONNECTED',
          cameraUuid: EXAMPLE_CAMERA_UUID,
          cameraName: 'Lobby',
          atMs: EXAMPLE_TIME_MS,
        }),
      ],
    },
  },
  async handler(context, { timestampMsAfter: fromMs = 0, timestampMsBefore: toMs = MAX_TIME_MS + 1 }) {
    const { orgUuid, services } = context;
    const { events, isMore } = await services.health.diagnostics(orgUuid, { fromMs, toMs });
    if (isMore) {
      context.warn(
        'There are older events: get them with timestampMsBefore set to the time of the last one.',
      );
    }
    return { diagnosticEvents: LongList.of(events).map(diagnosticEventAnswer) };
  },
});

function diagnosticEventAnswer(event: DiagnosticEvent): Static<typeof DIAGNOSTIC_EVENT_SCHEMA> {
  return {
    uuid: event.uuid,
    orgUuid: event.orgUuid,
    activity: event.activity,
    timestamp: new Date(event.atMs).toISOString(),
    deviceUuid: event.cameraUuid,
    deviceName: event.cameraName,
    deviceType: 'CAMERA',
  };
}
