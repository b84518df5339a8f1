/** When cameras connected and disconnected, as a list and as a file. */

import { type Static, Type } from 'typebox';
import { csvLine } from '../../core/csv.ts';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { mapInSlices } from '../../core/sliced-work.ts';
import {
  DIAGNOSTIC_ACTIVITIES,
  DIAGNOSTIC_EXPORT_EVENTS,
  DIAGNOSTIC_FEED_EVENTS,
  type DiagnosticEvent,
} from '../../events/diagnostic-feed.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
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

const getDiagnosticFeed = defineEndpoint({
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
        diagnosticEventResponse({
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
    return { diagnosticEvents: LongList.of(events).map(diagnosticEventResponse) };
  },
});

function diagnosticEventResponse(event: DiagnosticEvent): Static<typeof DIAGNOSTIC_EVENT_SCHEMA> {
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

const HEADER = csvLine(['date', 'time', 'device', 'activity']);

const exportDiagnostic = defineEndpoint({
  path: '/api/export/diagnostic',
  summary: 'Exports when cameras connected and disconnected, as a CSV file.',
  description:
    'The events of `/api/report/getDiagnosticFeed`, newest first: date and time in UTC, the camera’s current name (its ' +
    'UUID if the camera was removed permanently), and CAMERA_CONNECTED or CAMERA_DISCONNECTED. A name that a spreadsheet ' +
    `would read as a formula has an apostrophe in front. At most ${DIAGNOSTIC_EXPORT_EVENTS.toLocaleString('en')} ` +
    'events; a range with more is refused.',
  request: Type.Object({
    startInterval: Type.Optional(
      int64('Start of the range, inclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
    ),
    endInterval: Type.Optional(int64('End of the range, exclusive, in epoch milliseconds.', 0, MAX_TIME_MS)),
  }),
  response: { text: plainText('The file.') },
  file: { mediaType: 'text/csv', name: 'diagnostic.csv' },
  example: {
    request: { startInterval: EXAMPLE_TIME_MS },
    response: {
      text: `${HEADER}${csvLine(['2026-01-01', '08:30:15+00:00', 'Lobby', 'CAMERA_DISCONNECTED'])}`,
    },
  },
  async handler({ orgUuid, services }, { startInterval = 0, endInterval = MAX_TIME_MS + 1 }) {
    const range = { fromMs: startInterval, toMs: endInterval };
    const events = await services.health.allDiagnostics(orgUuid, range);
    const lines = await mapInSlices(events, lineOf);
    return { text: HEADER + lines.join('') };
  },
});

function lineOf({ atMs, cameraName, cameraUuid, activity }: DiagnosticEvent): string {
  const [date = '', time = ''] = new Date(atMs).toISOString().split('T');
  return csvLine([date, `${time.slice(0, 8)}+00:00`, cameraName ?? cameraUuid, activity]);
}

export const DIAGNOSTIC_ENDPOINTS: readonly Endpoint[] = [getDiagnosticFeed, exportDiagnostic];
