/** Tests a webhook with one call. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, int32, int64, nullable, plainText, text } from '../../http/fields/field-types.ts';
import { invalidField } from '../../http/request-body.ts';
import { MAX_WEBHOOK_URL_LENGTH } from '../../webhooks/webhook-request.ts';
import { maySeeWebhookPaths } from '../types/caller-rights.ts';

export const sendTestDelivery = defineEndpoint({
  path: '/api/webhook/sendTestDelivery',
  summary: 'Calls a webhook once, as a test.',
  description:
    'The call has the event `test` and no events, and is signed and limited like every other one. It is made once, also if the ' +
    'webhook is off, and listed by `getDeliveries`. A call that fails is a result, not an error. Applications cannot call it.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({ webhookUrl: text('The address.', MAX_WEBHOOK_URL_LENGTH) }),
  response: {
    delivered: flag('Whether the host accepted the call.'),
    httpStatus: nullable(int32('Status of the response; absent if there was none.')),
    durationMs: int64('How long it took.'),
    errorCode: nullable(plainText('The error code; absent if nothing went wrong.')),
    errorSentence: nullable(plainText('What went wrong, in a sentence.')),
    responseStart: nullable(
      plainText(
        'The first 200 characters of the response, without control characters. Absent if the gateway may call private ' +
          'networks, except for its own organization.',
      ),
    ),
  },
  example: {
    request: { webhookUrl: 'https://hook.example.com/' },
    response: {
      delivered: false,
      httpStatus: 404,
      durationMs: 80,
      errorCode: 'WEBHOOK_ANSWER_REFUSED',
      errorSentence: 'The host refused the call.',
      responseStart: 'Not found',
    },
  },
  async handler(context, { webhookUrl: url }) {
    const { orgUuid, services } = context;
    if (!maySeeWebhookPaths(context)) throw invalidField('webhookUrl is not shown to applications.');
    const { webhookTest } = services.accessControl;
    const { isDelivered, error, responseStart, ...result } = await webhookTest.run(orgUuid, url);
    return {
      ...result,
      delivered: isDelivered,
      errorCode: error?.code ?? null,
      errorSentence: error?.message ?? null,
      responseStart,
    };
  },
});
