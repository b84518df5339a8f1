/** POST /api/event/getPolicyAlertsV2: the organisation's alerts, newest first. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { MAX_TIME_MS } from '../../core/max-time.ts';
import { deviceUuid, int32, int64, listOf, nullable, ruuid } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { invalidField } from '../http/request-body.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { EXAMPLE_POLICY_ALERT } from './policy-alert-example.ts';
import { POLICY_ALERT_SCHEMA, policyAlertAnswer } from './policy-alert-type.ts';

const MAX_RESULTS = 500;
const DEFAULT_RESULTS = 100;
const MAX_FILTER_ENTRIES = 500;
export const getPolicyAlertsV2 = defineEndpoint({
  path: '/api/event/getPolicyAlertsV2',
  summary: 'Lists the policy alerts of the organisation.',
  description:
    'Newest first. To get the next page, give the `timestampMs` and `uuid` of `oldestPolicyAlert` back as ' +
    '`lastTimestampMs` and `lastUuid`; a page shorter than `maxResults` is the last one. Alerts that arrive meanwhile ' +
    'neither repeat nor hide any.',
  isDeprecated: true,
  request: Type.Object({
    afterTimestampMs: Type.Optional(
      int64('First instant that counts, in epoch milliseconds.', 0, MAX_TIME_MS),
    ),
    beforeTimestampMs: Type.Optional(
      int64('First instant that no longer counts, in epoch milliseconds.', 0, MAX_TIME_MS),
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
    lastTimestampMs: Type.Optional(
      int64('`timestampMs` of the oldest alert of the page before.', 0, MAX_TIME_MS),
    ),
    lastUuid: Type.Optional(ruuid('`uuid` of the oldest alert of the page before.')),
    maxResults: Type.Optional(
      int32(`Most alerts in the answer. ${DEFAULT_RESULTS} when absent.`, 1, MAX_RESULTS),
    ),
  }),
  response: {
    policyAlerts: listOf(POLICY_ALERT_SCHEMA, 'The alerts.'),
    oldestPolicyAlert: nullable(POLICY_ALERT_SCHEMA),
  },
  example: {
    request: { afterTimestampMs: EXAMPLE_TIME_MS, deviceFilter: [EXAMPLE_CAMERA_UUID], maxResults: 100 },
    response: { policyAlerts: [EXAMPLE_POLICY_ALERT], oldestPolicyAlert: EXAMPLE_POLICY_ALERT },
  },
  async handler({ orgUuid, services }, body) {
    const { lastTimestampMs, lastUuid, deviceFilter, locationFilter } = body;
    if ((lastTimestampMs === undefined) !== (lastUuid === undefined)) {
      throw invalidField('lastTimestampMs and lastUuid must be given together.');
    }
    const events = await services.policyAlerts.page(orgUuid, {
      fromMs: body.afterTimestampMs ?? 0,
      toMs: body.beforeTimestampMs ?? MAX_TIME_MS + 1,
      ...(deviceFilter === undefined ? {} : { deviceUuids: deviceFilter }),
      ...(locationFilter === undefined ? {} : { locationUuids: locationFilter }),
      after:
        lastTimestampMs === undefined || lastUuid === undefined
          ? null
          : { atMs: lastTimestampMs, id: lastUuid },
      limit: body.maxResults ?? DEFAULT_RESULTS,
    });
    const oldest = events.at(-1);
    return {
      policyAlerts: LongList.of(events).map(policyAlertAnswer),
      oldestPolicyAlert: oldest === undefined ? null : policyAlertAnswer(oldest),
    };
  },
});
