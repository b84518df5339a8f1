/** Alerts for pages that show something else. */

import { Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import { flag, int32, listOf, namedType, nullable, plainText, ruuid } from '../../http/fields/field-types.ts';
import {
  EXAMPLE_ALERT_UUID,
  EXAMPLE_POLICY_ALERT,
  POLICY_ALERT_SCHEMA,
  policyAlertResponse,
} from './policy-alert-types.ts';

const MAX_NEW_ALERTS = 500;

const NOTICE_SCHEMA = namedType('AlertNotice', {
  alert: POLICY_ALERT_SCHEMA,
  deviceName: nullable(plainText('The camera or NVR. Absent: it was removed.')),
  isCamera: flag('Whether the device is a camera, which can have an image.'),
  locationName: nullable(plainText('Its location. Absent: none.')),
});

const getAlertInbox = defineEndpoint({
  path: '/api/event/getAlertInbox',
  summary:
    'Counts the policy alerts that no one has acknowledged, and selects new ones to notify the caller of.',
  description:
    'Pass the UUIDs of new alerts from the real-time stream. The response has those that are open and of which the caller’s ' +
    'notification settings notify by `BROWSER` now, and describes the newest three.',
  isExtension: true,
  request: Type.Object({
    newAlertUuids: Type.Optional(
      listOf(ruuid('An alert.'), `New alerts, at most ${MAX_NEW_ALERTS}. Default: none.`, MAX_NEW_ALERTS),
    ),
  }),
  response: {
    openCount: int32('How many alerts no one has acknowledged, at most 1,000.'),
    isMore: flag('Whether there are more than `openCount`.'),
    noticeUuids: listOf(ruuid('An alert.'), 'New alerts to notify the caller of, the newest first.'),
    notices: listOf(NOTICE_SCHEMA, 'The newest three of these.'),
  },
  example: {
    request: { newAlertUuids: [EXAMPLE_ALERT_UUID] },
    response: {
      openCount: 3,
      isMore: false,
      noticeUuids: [EXAMPLE_ALERT_UUID],
      notices: [
        {
          alert: EXAMPLE_POLICY_ALERT,
          deviceName: 'Loading dock',
          isCamera: true,
          locationName: 'Harbor',
        },
      ],
    },
  },
  async handler({ orgUuid, caller, services }, { newAlertUuids = [] }) {
    const { notices, noticeUuids, ...counted } = await services.alertInbox.read(
      orgUuid,
      caller.actor.uuid,
      newAlertUuids,
    );
    return {
      ...counted,
      noticeUuids: [...noticeUuids],
      notices: notices.map(({ alert, ...named }) => ({ alert: policyAlertResponse(alert), ...named })),
    };
  },
});

export const ALERT_INBOX_ENDPOINTS: readonly Endpoint[] = [getAlertInbox];
