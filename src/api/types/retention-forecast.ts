/** How long recordings stay at the rate of the last day. */

import { int64, oneOf } from '../../http/fields/field-types.ts';
import { RETENTION_REASONS } from '../../recording/retention-forecast.ts';

/** Fields of a camera's forecast, and of that of all cameras. */
export const RETENTION_FORECAST_FIELDS = {
  bytesPerDay: int64('Recorded bytes per day, as in the last day.'),
  keptMs: int64('How long recordings stay at this rate, in milliseconds; of all cameras, the shortest.'),
  decidedBy: oneOf(
    RETENTION_REASONS,
    'Why no longer. `age`: the configured time. `cameraSize`: the largest size of a camera. `organizationSize`: that of an organization. `disk`: the room on the disk.',
  ),
};
