/** Emergencies: cameras that are open to a partner for some minutes, and their reports. Specific to Sluice. */

import { type Static, Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { DELIVERY_STATES } from '../../deliveries/delivery.ts';
import {
  MAX_EMERGENCY_CAMERAS,
  MAX_EMERGENCY_MINUTES,
  MAX_REASON_CHARS,
} from '../../emergency/emergencies.ts';
import type { EmergencyReport } from '../../emergency/emergency-report.ts';
import type { EmergencyServices } from '../../emergency/emergency-services.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { NEXT_PAGE_KEY, PAGE_KEY } from '../../http/page-key.ts';
import type { Emergency } from '../../sharing/emergency-link.ts';
import { creationPage, DEFAULT_PAGE_SIZE } from '../types/creation-page.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';
import { EMERGENCY_SCHEMA, EXAMPLE_EMERGENCY, emergencyResponse } from './emergency-types.ts';

const MAX_PAGE_SIZE = 100;
const EMERGENCY = { emergencyUuid: ruuid('The emergency.') };
const NAMED = { emergencyUuid: EXAMPLE_EMERGENCY.emergencyUuid };
const MINUTES = int32('For how many minutes from now.', 1, MAX_EMERGENCY_MINUTES);
const SENDING = oneOf(
  ['mail', 'webhook', 'copy', 'feed'],
  '`copy`: not sent, for the caller to pass on. `feed`: found by `/api/rapidsos/getNearbyFeeds`.',
);

const LINK_SCHEMA = namedType('EmergencyLink', {
  recipientUuid: ruuid('The recipient, as in the report.'),
  sentBy: SENDING,
  address: plainText('The mail address, or the webhook’s host; empty for others.'),
  pageUrl: plainText('The page with all cameras.'),
  cameraUrls: listOf(
    namedType('EmergencyCameraUrl', {
      cameraUuid: ruuid('The camera.'),
      liveM3U8Url: plainText('Its playlist, for programs.'),
    }),
    'One for each camera.',
  ),
});

type LinkResponse = Static<typeof LINK_SCHEMA>;

function linkResponses({ sender }: EmergencyServices, { body }: Emergency): LinkResponse[] {
  return body.recipients.map((recipient) => ({
    recipientUuid: recipient.uuid,
    sentBy: recipient.by,
    address: recipient.address,
    pageUrl: sender.pageUrl(recipient),
    cameraUrls: body.cameras.map(({ cameraUuid }) => ({
      cameraUuid,
      liveM3U8Url: sender.playlistUrl(recipient, cameraUuid),
    })),
  }));
}

const EXAMPLE_LINK: LinkResponse = {
  recipientUuid: EXAMPLE_EMERGENCY.emergencyPartnerUuid,
  sentBy: 'copy',
  address: '',
  pageUrl: 'https://media.example.com/wall/a-share-token',
  cameraUrls: [
    {
      cameraUuid: EXAMPLE_CAMERA_UUID,
      liveM3U8Url: 'https://media.example.com/live/a-share-token/file.m3u8',
    },
  ],
};

const openEmergency = defineEndpoint({
  path: '/api/emergency/openEmergency',
  summary: 'Opens cameras to a partner for some minutes, and sends the links.',
  description:
    'Each recipient of the partner gets a link of its own by mail or webhook; one more is for the caller to pass on. The links end with the ' +
    'emergency: after the minutes, or when someone closes it. Viewers see live video without audio.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    emergencyPartnerUuid: ruuid('To whom.'),
    cameraUuids: listOf(deviceUuid('A camera.'), 'Which cameras.', MAX_EMERGENCY_CAMERAS),
    reason: text('Why. The partner reads it, and the report has it.', MAX_REASON_CHARS),
    minutes: MINUTES,
    alertUuid: Type.Optional(ruuid('The alert that is the reason.')),
  }),
  response: { emergency: EMERGENCY_SCHEMA, links: listOf(LINK_SCHEMA, 'The links.') },
  example: {
    request: {
      emergencyPartnerUuid: EXAMPLE_EMERGENCY.emergencyPartnerUuid,
      cameraUuids: [EXAMPLE_CAMERA_UUID],
      reason: EXAMPLE_EMERGENCY.reason,
      minutes: 30,
    },
    response: { emergency: { ...EXAMPLE_EMERGENCY, alertUuid: null }, links: [EXAMPLE_LINK] },
  },
  async handler(context, { emergencyPartnerUuid, cameraUuids, reason, minutes, alertUuid }) {
    const { orgUuid, caller, services } = context;
    const partner = await services.emergency.partners.find(orgUuid, emergencyPartnerUuid);
    for (const uuid of cameraUuids) await services.devices.findCamera(orgUuid, uuid);
    if (alertUuid !== undefined) await services.policyAlerts.find(orgUuid, alertUuid);
    const emergency = await services.emergency.emergencies.open(orgUuid, {
      partner,
      cameraUuids,
      minutes,
      cause: { by: caller.actor.name, isRule: false, reason, alertId: alertUuid ?? null },
      rule: null,
    });
    if (partner.body.mailAddresses.length > 0 && !services.mail.sender.isSetUp) {
      context.warn(
        'The gateway has no mail server, so the links were not mailed. Pass on the link yourself.',
      );
    }
    return { emergency: emergencyResponse(emergency), links: linkResponses(services.emergency, emergency) };
  },
});

const extendEmergency = defineEndpoint({
  path: '/api/emergency/extendEmergency',
  summary: 'Keeps an emergency open for some minutes from now.',
  description: 'It never ends earlier than before. In total, it can be open for 24 hours.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ ...EMERGENCY, minutes: MINUTES }),
  response: { emergency: EMERGENCY_SCHEMA },
  example: {
    request: { ...NAMED, minutes: 60 },
    response: { emergency: { ...EXAMPLE_EMERGENCY, untilMs: EXAMPLE_TIME_MS + 3_600_000 } },
  },
  async handler({ orgUuid, caller, services }, { emergencyUuid, minutes }) {
    const given = { minutes, by: caller.actor.name };
    return {
      emergency: emergencyResponse(
        await services.emergency.emergencies.extend(orgUuid, emergencyUuid, given),
      ),
    };
  },
});

const endEmergency = defineEndpoint({
  path: '/api/emergency/endEmergency',
  summary: 'Ends an emergency: its viewers are cut off, and its links open nothing any more.',
  description: 'They are cut off before the call returns. One that has ended stays as it is.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object(EMERGENCY),
  response: {},
  example: { request: NAMED, response: {} },
  async handler({ orgUuid, caller, services }, { emergencyUuid }) {
    await services.emergency.emergencies.close(orgUuid, emergencyUuid, caller.actor.name);
    return {};
  },
});

const getOpenEmergencies = defineEndpoint({
  path: '/api/emergency/getOpenEmergencies',
  summary: 'Lists the emergencies that are open, the newest first.',
  description: 'A caller with limited rights sees those all of whose cameras they see.',
  isExtension: true,
  request: Type.Object({}),
  response: { emergencies: listOf(EMERGENCY_SCHEMA, 'The emergencies.') },
  example: { request: {}, response: { emergencies: [EXAMPLE_EMERGENCY] } },
  async handler({ orgUuid, services }) {
    return { emergencies: (await services.emergency.emergencies.listOpen(orgUuid)).map(emergencyResponse) };
  },
});

const EXAMPLE_PAST = {
  ...EXAMPLE_EMERGENCY,
  isOpen: false,
  closedAtMs: EXAMPLE_TIME_MS + 600_000,
  closedBy: 'Ada',
};

const findEmergencies = defineEndpoint({
  path: '/api/emergency/findEmergencies',
  summary: 'Lists emergencies that have ended, the newest first.',
  description: 'They are kept as long as the audit trail (`retention.audit`), at most 1,000.',
  isExtension: true,
  request: Type.Object({
    lastEvaluatedKey: PAGE_KEY,
    maxPageSize: Type.Optional(int32(`Entries per page. Default ${DEFAULT_PAGE_SIZE}.`, 1, MAX_PAGE_SIZE)),
  }),
  response: {
    emergencies: listOf(EMERGENCY_SCHEMA, 'The emergencies.'),
    lastEvaluatedKey: NEXT_PAGE_KEY,
  },
  example: { request: {}, response: { emergencies: [EXAMPLE_PAST], lastEvaluatedKey: null } },
  async handler({ orgUuid, services }, page) {
    const { items, lastEvaluatedKey } = await creationPage('newestEmergencies', page, (query) =>
      services.emergency.emergencies.pagePast(orgUuid, { order: 'newest-first', ...query }),
    );
    return { emergencies: LongList.of(items).map(emergencyResponse), lastEvaluatedKey };
  },
});

const getEmergencyLinks = defineEndpoint({
  path: '/api/emergency/getEmergencyLinks',
  summary: 'Returns the links of an emergency that is open.',
  description: 'One that has ended has none.',
  isExtension: true,
  request: Type.Object(EMERGENCY),
  response: { links: listOf(LINK_SCHEMA, 'The links.') },
  example: { request: NAMED, response: { links: [EXAMPLE_LINK] } },
  async handler({ orgUuid, services: { emergency } }, { emergencyUuid }) {
    const found = await emergency.emergencies.find(orgUuid, emergencyUuid);
    return { links: 'closedAtMs' in found.body ? [] : linkResponses(emergency, found) };
  },
});

const DELIVERY_SCHEMA = namedType('EmergencyDelivery', {
  recipientUuid: nullable(ruuid('The recipient; absent: not known.')),
  sentBy: oneOf(['mail', 'webhook'], 'How.'),
  address: plainText('The mail address, or the webhook’s host.'),
  state: oneOf(DELIVERY_STATES, 'Its state. DELIVERED: the mail server or the host took it.'),
  queuedAtMs: int64('When it was queued, epoch milliseconds.'),
  attempts: int32('How often it was tried.'),
  lastAttemptAtMs: nullable(int64('When it was last tried, epoch milliseconds.')),
  errorCode: nullable(plainText('The error of the last attempt; absent: none.')),
});

const VIEW_SCHEMA = namedType('EmergencyView', {
  recipientUuid: ruuid('Whose link was used.'),
  cameraUuid: ruuid('The camera.'),
  address: plainText('The viewer’s IP address; empty: unknown.'),
  userAgent: plainText('What the viewer’s program calls itself.'),
  fromMs: int64('When it began, epoch milliseconds.'),
  untilMs: nullable(
    int64('When it ended, epoch milliseconds; absent: it runs, or its gateway was killed, which ended it.'),
  ),
});

const RECIPIENT_SCHEMA = namedType('EmergencyRecipient', {
  recipientUuid: ruuid('The recipient.'),
  sentBy: SENDING,
  address: plainText('The mail address, or the webhook’s host; empty for others.'),
});

function reportResponse({ emergency, deliveries, views }: EmergencyReport) {
  return {
    emergency: emergencyResponse(emergency),
    recipients: emergency.body.recipients.map(({ uuid, by, address }) => ({
      recipientUuid: uuid,
      sentBy: by,
      address,
    })),
    deliveries: deliveries.map(({ by: sentBy, ...delivery }) => ({ sentBy, ...delivery })),
    views: LongList.of(views).map(({ body }) => ({ ...body })),
    timeZone: emergency.body.timeZone,
  };
}

const getEmergencyReport = defineEndpoint({
  path: '/api/emergency/getEmergencyReport',
  summary:
    'Returns the report of an emergency: what was opened and why, what was sent, and who watched what when.',
  description:
    'It is complete when the emergency has ended. Players of one viewer that pause for less than a minute are one view. A report has at most ' +
    '2,000 views.',
  isExtension: true,
  request: Type.Object(EMERGENCY),
  response: {
    emergency: EMERGENCY_SCHEMA,
    recipients: listOf(RECIPIENT_SCHEMA, 'Who got a link.'),
    deliveries: listOf(DELIVERY_SCHEMA, 'Mails and calls.'),
    views: listOf(VIEW_SCHEMA, 'Who watched, in the order in which views began.'),
    timeZone: plainText('Of the first camera’s location.'),
  },
  example: {
    request: NAMED,
    response: {
      emergency: EXAMPLE_PAST,
      recipients: [
        { recipientUuid: EXAMPLE_LINK.recipientUuid, sentBy: 'mail', address: 'dispatch@county.example' },
      ],
      deliveries: [
        {
          recipientUuid: EXAMPLE_LINK.recipientUuid,
          sentBy: 'mail',
          address: 'dispatch@county.example',
          state: 'DELIVERED',
          queuedAtMs: EXAMPLE_TIME_MS,
          attempts: 1,
          lastAttemptAtMs: EXAMPLE_TIME_MS,
          errorCode: null,
        },
      ],
      views: [
        {
          recipientUuid: EXAMPLE_LINK.recipientUuid,
          cameraUuid: EXAMPLE_CAMERA_UUID,
          address: '203.0.113.7',
          userAgent: 'Mozilla/5.0',
          fromMs: EXAMPLE_TIME_MS + 20_000,
          untilMs: EXAMPLE_TIME_MS + 600_000,
        },
      ],
      timeZone: 'America/New_York',
    },
  },
  async handler({ orgUuid, services: { emergency } }, { emergencyUuid }) {
    return reportResponse(await emergency.reports.find(orgUuid, emergencyUuid));
  },
});

export const EMERGENCY_ENDPOINTS: readonly Endpoint[] = [
  openEmergency,
  extendEmergency,
  endEmergency,
  getOpenEmergencies,
  getEmergencyLinks,
  findEmergencies,
  getEmergencyReport,
];
