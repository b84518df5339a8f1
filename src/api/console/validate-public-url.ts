/** POST /api/console/validatePublicUrl: what the gateway gets from its own public URL. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int32, listOf, nullable, oneOf, plainText } from '../../http/fields/field-types.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import { OPERATORS_ONLY } from './operators-only.ts';
import { ADDRESS_REACHES, PUBLIC_URL_VISIT_SCHEMA, visitAnswer } from './public-url-types.ts';

const RESULTS = [
  ...([
    'works',
    'other-gateway',
    'dns',
    'refused',
    'unreachable',
    'timeout',
    'tls-name',
    'tls-certificate',
  ] as const),
  ...(['tls', 'closed', 'redirected', 'other-page', 'failed'] as const),
] as const;

export const validatePublicUrl = defineEndpoint({
  path: '/api/console/validatePublicUrl',
  summary: 'Tests whether the public media URL answers, from the gateway itself.',
  description:
    `${OPERATORS_ONLY} The gateway requests a page below \`public.mediaUrl\`, for at most 8 seconds; it follows no redirect. ` +
    '`works` means that the request came back to this gateway; that is not proof for other networks, so open the ' +
    'address of `createPublicUrlCheck` from outside, too. `other-gateway`: Sluice answered, but not this process.',
  isExtension: true,
  request: Type.Object({}),
  response: {
    publicUrl: plainText('The URL that links begin with.'),
    reach: oneOf(
      ADDRESS_REACHES,
      'Who can reach its addresses: loopback, private and special networks, or the Internet.',
    ),
    addresses: listOf(plainText('IP address.'), 'What its host name resolves to here.'),
    result: oneOf(RESULTS, 'What came of the request.'),
    detail: plainText(
      'The code of the error, the target of the redirect, or the name of the other server; may be empty.',
    ),
    status: nullable(int32('HTTP status; absent: no response came.')),
    arrival: nullable(PUBLIC_URL_VISIT_SCHEMA),
  },
  example: {
    request: {},
    response: {
      publicUrl: 'https://video.example.com/',
      ...{ reach: 'everyone', addresses: ['203.0.113.80'], result: 'works', detail: '', status: 200 },
      arrival: {
        ...{
          address: '203.0.113.80',
          reach: 'everyone',
          peerAddress: '127.0.0.1',
          proxyHeaders: ['x-forwarded-for'],
        },
        openedAt: new Date(EXAMPLE_TIME_MS).toISOString(),
      },
    },
  },
  async handler({ caller, services }) {
    const { arrival, addresses, ...report } = await services.system.publicUrl.request(caller);
    return {
      ...report,
      addresses: [...addresses],
      arrival: arrival === null ? null : visitAnswer(arrival),
    };
  },
});
