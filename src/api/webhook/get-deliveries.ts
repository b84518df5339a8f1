/** POST /api/webhook/getDeliveries: the log of calls to other services. An addition of Sluice. */

import { type Static, Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { DELIVERY_STATES, type Delivery } from '../../webhooks/webhook-delivery.ts';
import { int32, int64, listOf, namedType, nullable, oneOf, plainText, ruuid } from '../fields/field-types.ts';
import { defineEndpoint } from '../http/endpoint.ts';
import { NEXT_PAGE_KEY, PAGE_KEY } from '../http/page-key.ts';
import { creationPage, DEFAULT_PAGE_SIZE } from '../types/creation-page.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';

const MAX_PAGE_SIZE = 500;

const ATTEMPT_SCHEMA = namedType('WebhookAttempt', {
  timestampMs: int64('When it began, epoch milliseconds.'),
  durationMs: int64('How long it took.'),
  httpStatus: nullable(int32('Status of the answer; absent without one.')),
  errorCode: nullable(plainText('Code of what went wrong; absent when nothing did.')),
});

const DELIVERY_SCHEMA = namedType('WebhookDelivery', {
  uuid: ruuid('The delivery, as in `x-sluice-delivery`.'),
  causeUuid: nullable(ruuid('The lockdown rule or the webhook that caused it.')),
  event: plainText('lockdownRule, activity or diagnostic.'),
  url: plainText('Where it goes, without the query.'),
  state: oneOf(DELIVERY_STATES, 'How it stands.'),
  attempts: listOf(ATTEMPT_SCHEMA, 'What was tried, the first attempt first.'),
  nextAttemptAtMs: nullable(int64('When it is tried next, epoch milliseconds; absent when it is over.')),
  createdAtMillis: int64('When it came up, epoch milliseconds.'),
});

export const getDeliveries = defineEndpoint({
  path: '/api/webhook/getDeliveries',
  summary: 'Lists calls of webhooks and how they went.',
  description:
    'The first made first. The newest 2,000 of the organisation are kept. A call that fails for a reason that may pass ' +
    'is tried up to six times, with growing pauses.',
  isExtension: true,
  request: Type.Object({
    causeUuid: Type.Optional(ruuid('Only those of this lockdown rule or webhook.')),
    lastEvaluatedKey: PAGE_KEY,
    maxPageSize: Type.Optional(int32(`Entries of a page. Default ${DEFAULT_PAGE_SIZE}.`, 1, MAX_PAGE_SIZE)),
  }),
  response: {
    deliveries: listOf(DELIVERY_SCHEMA, 'The calls.'),
    lastEvaluatedKey: NEXT_PAGE_KEY,
  },
  example: {
    request: {},
    response: {
      deliveries: [
        {
          uuid: deriveRuuid('example', 'webhook delivery'),
          causeUuid: deriveRuuid('example', 'lockdown rule'),
          event: 'lockdownRule',
          url: 'https://dispatch.example.com/lockdown',
          state: 'DELIVERED',
          attempts: [{ timestampMs: EXAMPLE_TIME_MS, durationMs: 80, httpStatus: 204, errorCode: null }],
          nextAttemptAtMs: null,
          createdAtMillis: EXAMPLE_TIME_MS,
        },
      ],
      lastEvaluatedKey: null,
    },
  },
  async handler({ orgUuid, services }, { causeUuid, ...page }) {
    const { items, lastEvaluatedKey } = await creationPage('webhookDeliveries', page, (query) =>
      services.accessControl.deliveryLog.page(orgUuid, { causeUuid, ...query }),
    );
    return { deliveries: LongList.of(items).map(deliveryAnswer), lastEvaluatedKey };
  },
});

function deliveryAnswer({ uuid, parentUuid, body, createdAtMs }: Delivery): Static<typeof DELIVERY_SCHEMA> {
  return {
    uuid,
    causeUuid: parentUuid,
    event: body.event,
    url: body.url,
    state: body.state,
    attempts: body.attempts.map(({ atMs, ...attempt }) => ({ timestampMs: atMs, ...attempt })),
    nextAttemptAtMs: body.nextAttemptAtMs,
    createdAtMillis: createdAtMs,
  };
}
