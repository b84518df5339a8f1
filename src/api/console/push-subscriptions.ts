/** Notifications of alerts in a person's browsers, by Web Push. */

import { Type } from 'typebox';
import { MAX_ENDPOINT_LENGTH } from '../../accounts/push-subscriptions.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  flag,
  int64,
  listOf,
  namedType,
  nullable,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import { expectPerson } from './console-types.ts';

const MAX_KEY_CHARS = 100;

const SUBSCRIPTION_SCHEMA = namedType('PushSubscription', {
  pushSubscriptionUuid: ruuid('The subscription.'),
  host: plainText('The host of the push service, which the browser chose.'),
  userAgent: nullable(plainText('What the browser says it is.')),
  isCurrent: flag('Whether the session of this call subscribed last.'),
  createdAtMs: int64('When it began, epoch milliseconds.'),
});

const EXAMPLE_SUBSCRIPTION_UUID = deriveRuuid('example', 'push subscription');

const beginPushSubscription = defineEndpoint({
  path: '/api/console/beginPushSubscription',
  summary: 'Returns the key with which a browser subscribes to notifications.',
  description:
    'The organization’s key is created with the first call, and stays. Only people who are signed in can call it.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({}),
  response: { applicationServerKey: plainText('The public key (RFC 8292), base64url.') },
  example: {
    request: {},
    response: {
      applicationServerKey:
        'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
    },
  },
  async handler({ orgUuid, caller, services }) {
    expectPerson(caller);
    const { publicKey } = await services.pushSubscriptions.keys(orgUuid);
    return { applicationServerKey: publicKey };
  },
});

const addPushSubscription = defineEndpoint({
  path: '/api/console/addPushSubscription',
  summary: 'Notifies a person’s browser of alerts.',
  description:
    'The values are those of `PushSubscription.toJSON()` in the browser. New alerts that the person sees, and of which their notification ' +
    'settings notify by `APP`, are sent to the endpoint, encrypted (RFC 8291). It ends when the person signs out in that browser, 30 ' +
    'days after the last call, or when the push service reports that the browser is gone.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({
    endpoint: text('The https URL of the push service.', MAX_ENDPOINT_LENGTH),
    p256dh: text('The browser’s public key, base64url.', MAX_KEY_CHARS),
    auth: text('The authentication secret, base64url.', MAX_KEY_CHARS),
  }),
  response: { pushSubscriptionUuid: ruuid('The subscription.') },
  example: {
    request: {
      endpoint: 'https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV',
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
    response: { pushSubscriptionUuid: EXAMPLE_SUBSCRIPTION_UUID },
  },
  async handler({ caller, services }, given) {
    const { session } = expectPerson(caller);
    return { pushSubscriptionUuid: (await services.pushSubscriptions.add(session, given)).uuid };
  },
});

const getPushSubscriptions = defineEndpoint({
  path: '/api/console/getPushSubscriptions',
  summary: 'Lists the browsers in which the person is notified of alerts.',
  description: 'In the order in which they began. Endpoints and keys are not returned.',
  isExtension: true,
  request: Type.Object({}),
  response: { pushSubscriptions: listOf(SUBSCRIPTION_SCHEMA, 'The subscriptions.') },
  example: {
    request: {},
    response: {
      pushSubscriptions: [
        {
          pushSubscriptionUuid: EXAMPLE_SUBSCRIPTION_UUID,
          host: 'push.example.net',
          userAgent: 'Mozilla/5.0',
          isCurrent: true,
          createdAtMs: EXAMPLE_TIME_MS,
        },
      ],
    },
  },
  async handler({ orgUuid, caller, services }) {
    const { person, session } = expectPerson(caller);
    const subscriptions = await services.pushSubscriptions.ofPerson(orgUuid, person.uuid);
    return {
      pushSubscriptions: subscriptions.map(({ uuid, name, body, createdAtMs }) => ({
        pushSubscriptionUuid: uuid,
        host: name,
        userAgent: body.userAgent,
        isCurrent: body.sessionUuid === session.uuid,
        createdAtMs,
      })),
    };
  },
});

const deletePushSubscription = defineEndpoint({
  path: '/api/console/deletePushSubscription',
  summary: 'Ends notifications in one of the person’s browsers.',
  description: 'Nothing more is sent to it.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ pushSubscriptionUuid: ruuid('The subscription.') }),
  response: {},
  example: { request: { pushSubscriptionUuid: EXAMPLE_SUBSCRIPTION_UUID }, response: {} },
  async handler({ orgUuid, caller, services }, { pushSubscriptionUuid }) {
    const { person } = expectPerson(caller);
    await services.pushSubscriptions.remove(orgUuid, person.uuid, pushSubscriptionUuid);
    return {};
  },
});

export const PUSH_SUBSCRIPTION_ENDPOINTS: readonly Endpoint[] = [
  beginPushSubscription,
  addPushSubscription,
  getPushSubscriptions,
  deletePushSubscription,
];
