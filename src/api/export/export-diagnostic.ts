/** POST /api/export/diagnostic: when cameras connected and disconnected, as a CSV file. */

import { Type } from 'typebox';
import { csvLine } from '../../core/csv.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { mapInSlices } from '../../core/sliced-work.ts';
import { DIAGNOSTIC_EXPORT_EVENTS, type DiagnosticEvent } from '../../events/diagnostic-feed.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int64, plainText } from '../../http/fields/field-types.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';

const HEADER = csvLine(['date', 'time', 'device', 'activity']);

export const exportDiagnostic = defineEndpoint({
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
