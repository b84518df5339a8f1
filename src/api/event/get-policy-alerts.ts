/** POST /api/event/getPolicyAlerts: alerts of devices and of doors, newest first. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, ruuid } from '../../http/fields/field-types.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { EXAMPLE_POLICY_ALERT } from './policy-alert-example.ts';
import { ALERT_LIST_PROPERTIES, listAlerts, MAX_FILTER_ENTRIES } from './policy-alert-list.ts';
import { POLICY_ALERT_SCHEMA, policyAlertAnswer } from './policy-alert-type.ts';

export const getPolicyAlerts = defineEndpoint({
  path: '/api/event/getPolicyAlerts',
  summary: 'Lists the policy alerts of the organization, including those of doors.',
  description:
    'Newest first. To get the next page, send back the `timestampMs` and `uuid` of the last alert as ' +
    '`lastTimestampMs` and `lastUuid`. A page shorter than `maxResults` is the last one. Alerts that arrive in the ' +
    'meantime are neither repeated nor hide others. With both `deviceFilter` and `accessControlledDoorFilter`, an ' +
    'alert matches if it is about one of these devices or one of these doors.',
  request: Type.Object({
    ...ALERT_LIST_PROPERTIES,
    accessControlledDoorFilter: Type.Optional(
      listOf(
        ruuid('Door.'),
        `Only alerts whose \`componentUuid\` is one of these doors, at most ${MAX_FILTER_ENTRIES}.`,
        MAX_FILTER_ENTRIES,
      ),
    ),
  }),
  response: { policyAlerts: listOf(POLICY_ALERT_SCHEMA, 'The alerts.') },
  example: {
    request: { afterTimestampMs: EXAMPLE_TIME_MS, deviceFilter: [EXAMPLE_CAMERA_UUID], maxResults: 100 },
    response: { policyAlerts: [EXAMPLE_POLICY_ALERT] },
  },
  async handler(context, { accessControlledDoorFilter, ...body }) {
    const events = await listAlerts(context, body, accessControlledDoorFilter);
    return { policyAlerts: LongList.of(events).map(policyAlertAnswer) };
  },
});
