/** POST /api/webhook/getDeliveries: the log of calls to other services. Specific to Sluice. */

import { type Static, Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import {
  flag,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import { NEXT_PAGE_KEY, PAGE_KEY } from '../../http/page-key.ts';
import { DELIVERY_STATES, type Delivery } from '../../webhooks/webhook-delivery.ts';
import { maySeeWebhookPaths } from '../types/caller-rights.ts';
import { creationPage, DEFAULT_PAGE_SIZE } from '../types/creation-page.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import { maskedUrl } from '../types/masked-webhook.ts';

const MAX_PAGE_SIZE = 500;

const ATTEMPT_SCHEMA = namedType('WebhookAttempt', {
  timestampMs: int64('When it began, epoch milliseconds.'),
  durationMs: int64('How long it took.'),
  httpStatus: nullable(int32('Status of the response; absent if there was none.')),
  errorCode: nullable(plainText('The error code; absent if nothing went wrong.')),
});

const DELIVERY_SCHEMA = namedType('WebhookDelivery', {
  uuid: ruuid('The delivery, as in `x-sluice-delivery`.'),
  causeUuid: nullable(ruuid('The lockdown rule or the webhook that caused it.')),
  event: plainText('lockdownRule, activity or diagnostic.'),
  url: plainText('The URL called, without the query. Applications see `…` in place of its path.'),
  state: oneOf(DELIVERY_STATES, 'Its state.'),
  attempts: listOf(ATTEMPT_SCHEMA, 'The attempts, the first one first.'),
  nextAttemptAtMs: nullable(int64('When the next attempt is, epoch milliseconds; absent if there is none.')),
  createdAtMillis: int64('When it was created, epoch milliseconds.'),
});

export const getDeliveries = defineEndpoint({
  path: '/api/webhook/getDeliveries',
  summary: 'Lists webhook calls and their results.',
  description:
    'The oldest first, unless you ask for the newest. A key leads on in the order of its page. The newest 2,000 of the organization are kept. A call that fails for a temporary reason is ' +
    'tried up to six times, with growing pauses.',
  isExtension: true,
  request: Type.Object({
    isNewestFirst: Type.Optional(flag('Whether the newest are first. Default false.')),
    causeUuid: Type.Optional(ruuid('Only calls caused by this lockdown rule or webhook.')),
    lastEvaluatedKey: PAGE_KEY,
    maxPageSize: Type.Optional(int32(`Entries per page. Default ${DEFAULT_PAGE_SIZE}.`, 1, MAX_PAGE_SIZE)),
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
  async handler(context, { causeUuid, isNewestFirst = false, ...page }) {
    const { orgUuid, services } = context;
    const list = isNewestFirst ? 'newestWebhookDeliveries' : 'webhookDeliveries';
    const order = isNewestFirst ? 'newest-first' : 'oldest-first';
    const { items, lastEvaluatedKey } = await creationPage(list, page, (query) =>
      services.accessControl.deliveryLog.page(orgUuid, { causeUuid, order, ...query }),
    );
    return {
      deliveries: LongList.of(items).map(maySeeWebhookPaths(context) ? deliveryAnswer : redactedAnswer),
      lastEvaluatedKey,
    };
  },
});

function redactedAnswer(delivery: Delivery): Static<typeof DELIVERY_SCHEMA> {
  return { ...deliveryAnswer(delivery), url: maskedUrl(delivery.body.url) };
}

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
