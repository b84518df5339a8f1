/** POST /api/event/getPolicyAlertGroupsV2: open alerts in groups of those that were raised shortly after each other. */

import { Type } from 'typebox';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { deviceUuid, int32, int64, listOf, namedType, ruuid } from '../../http/fields/field-types.ts';
import type { StoredEvent } from '../../store/event.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import { EXAMPLE_POLICY_ALERT } from './policy-alert-example.ts';
import { listAlerts, MAX_FILTER_ENTRIES } from './policy-alert-list.ts';
import { POLICY_ALERT_SCHEMA, policyAlertAnswer } from './policy-alert-type.ts';

/** Alerts further apart are not of one group. */
const MAX_GAP_MS = 300_000;
const MAX_RESULTS = 500;
const DEFAULT_RESULTS = 100;

const GROUP_SCHEMA = namedType('PolicyAlertGroupV2', {
  startTime: int64('When the first alert was raised, in epoch milliseconds.'),
  endTime: int64('When the last alert was raised, in epoch milliseconds.'),
  policyAlerts: listOf(POLICY_ALERT_SCHEMA, 'The alerts, newest first.'),
});

export const getPolicyAlertGroupsV2 = defineEndpoint({
  path: '/api/event/getPolicyAlertGroupsV2',
  summary: 'Lists the policy alerts that no one has dismissed, in groups.',
  description:
    'Newest first. A group has alerts of which each was raised at most 5 minutes after the one before. `maxResults` counts alerts. To ' +
    'get the next page, send `timestampMs` and `uuid` of the last alert as `lastTimestampMs` and `lastUuid`: its first group can ' +
    'continue the last one of this page. Acknowledged alerts are left out.',
  request: Type.Object({
    afterTimestampMs: Type.Optional(
      int64('Start of the range, inclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
    ),
    beforeTimestampMs: Type.Optional(
      int64('End of the range, exclusive, in epoch milliseconds.', 0, MAX_TIME_MS),
    ),
    deviceUuids: Type.Optional(
      listOf(deviceUuid('Device.'), 'Only alerts of these devices.', MAX_FILTER_ENTRIES),
    ),
    locationUuids: Type.Optional(
      listOf(ruuid('Location.'), 'Only alerts at these locations.', MAX_FILTER_ENTRIES),
    ),
    lastTimestampMs: Type.Optional(
      int64('`timestampMs` of the last alert of the previous page.', 0, MAX_TIME_MS),
    ),
    lastUuid: Type.Optional(ruuid('`uuid` of the last alert of the previous page.')),
    maxResults: Type.Optional(int32(`Maximum number of alerts. Default ${DEFAULT_RESULTS}.`, 1, MAX_RESULTS)),
  }),
  response: { policyAlertGroups: listOf(GROUP_SCHEMA, 'The groups.') },
  example: {
    request: { maxResults: 100 },
    response: {
      policyAlertGroups: [
        { startTime: EXAMPLE_TIME_MS, endTime: EXAMPLE_TIME_MS, policyAlerts: [EXAMPLE_POLICY_ALERT] },
      ],
    },
  },
  async handler(context, { deviceUuids, locationUuids, ...range }) {
    const alerts = await listAlerts(context, {
      ...range,
      ...(deviceUuids === undefined ? {} : { deviceFilter: deviceUuids }),
      ...(locationUuids === undefined ? {} : { locationFilter: locationUuids }),
      onlyUnacknowledged: true,
    });
    return { policyAlertGroups: groupsOf(alerts).map(groupAnswer) };
  },
});

/** `alerts`: newest first. */
function groupsOf(alerts: readonly StoredEvent[]): StoredEvent[][] {
  const groups: StoredEvent[][] = [];
  for (const alert of alerts) {
    const group = groups.at(-1);
    const later = group?.at(-1);
    if (group !== undefined && later !== undefined && later.atMs - alert.atMs <= MAX_GAP_MS)
      group.push(alert);
    else groups.push([alert]);
  }
  return groups;
}

function groupAnswer(alerts: readonly StoredEvent[]) {
  return {
    startTime: alerts.at(-1)!.atMs,
    endTime: alerts[0]!.atMs,
    policyAlerts: alerts.map(policyAlertAnswer),
  };
}
