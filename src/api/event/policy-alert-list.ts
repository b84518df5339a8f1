/** Lists of policy alerts, newest first, for two endpoints. */

import { type Static, Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { deviceUuid, flag, int32, int64, listOf, ruuid } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import type { StoredEvent } from '../../store/event.ts';

const MAX_RESULTS = 500;
const DEFAULT_RESULTS = 100;
export const MAX_FILTER_ENTRIES = 500;
export const ALERT_LIST_PROPERTIES = {
  afterTimestampMs: Type.Optional(
    int64('Start of the range, inclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
  ),
  beforeTimestampMs: Type.Optional(
    int64('End of the range, exclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
  ),
  deviceFilter: Type.Optional(
    listOf(
      deviceUuid('Device.'),
      `Only alerts of these devices, at most ${MAX_FILTER_ENTRIES}.`,
      MAX_FILTER_ENTRIES,
    ),
  ),
  locationFilter: Type.Optional(
    listOf(
      ruuid('Location.'),
      `Only alerts at these locations, at most ${MAX_FILTER_ENTRIES}.`,
      MAX_FILTER_ENTRIES,
    ),
  ),
  onlyUnacknowledged: Type.Optional(flag('Only alerts that no one has acknowledged.')),
  lastTimestampMs: Type.Optional(
    int64('`timestampMs` of the oldest alert of the previous page.', 0, MAX_TIME_MS),
  ),
  lastUuid: Type.Optional(ruuid('`uuid` of the oldest alert of the previous page.')),
  maxResults: Type.Optional(int32(`Maximum number of alerts. Default ${DEFAULT_RESULTS}.`, 1, MAX_RESULTS)),
};

const ALERT_LIST_REQUEST = Type.Object(ALERT_LIST_PROPERTIES);

/** `doorUuids`: only alerts of these doors. Fails INVALID_FIELD for half a page key, POLICY_ALERT_SEARCH_TOO_LONG. */
export function listAlerts(
  { orgUuid, services }: CallContext,
  body: Static<typeof ALERT_LIST_REQUEST>,
  doorUuids?: readonly Ruuid[],
): Promise<StoredEvent[]> {
  const { lastTimestampMs, lastUuid, deviceFilter, locationFilter } = body;
  if ((lastTimestampMs === undefined) !== (lastUuid === undefined)) {
    throw invalidField('lastTimestampMs and lastUuid must be sent together.');
  }
  return services.policyAlerts.page(orgUuid, {
    fromMs: body.afterTimestampMs ?? 0,
    toMs: body.beforeTimestampMs ?? MAX_TIME_MS + 1,
    ...(body.onlyUnacknowledged === true ? { isOpen: true } : {}),
    ...(deviceFilter === undefined ? {} : { deviceUuids: deviceFilter }),
    ...(locationFilter === undefined ? {} : { locationUuids: locationFilter }),
    ...(doorUuids === undefined ? {} : { componentUuids: doorUuids }),
    after:
      lastTimestampMs === undefined || lastUuid === undefined
        ? null
        : { atMs: lastTimestampMs, id: lastUuid },
    limit: body.maxResults ?? DEFAULT_RESULTS,
  });
}
