/** Whether the public media URL can be reached from outside. */

import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  dateTime,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  text,
} from '../../http/fields/field-types.ts';
import { addressReach } from '../../system/public-url-request.ts';
import { MAX_VISITORS, type PublicUrlVisit } from '../../system/public-url-visits.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import { OPERATORS_ONLY } from './console-types.ts';

const ADDRESS_REACHES = ['this-machine', 'own-network', 'everyone', 'unknown'] as const;

const PUBLIC_URL_VISIT_SCHEMA = namedType('PublicUrlVisit', {
  address: plainText('The address that opened it, as limits and the audit trail know it.'),
  reach: oneOf(
    ADDRESS_REACHES,
    'Who can reach that address: loopback, private and special networks, or the Internet.',
  ),
  peerAddress: plainText('The other end of the connection: the same address, or a proxy.'),
  proxyHeaders: listOf(
    plainText('Its name in lower case.'),
    'Headers of proxies that the request had. If `address` is `peerAddress`, the gateway did not trust them: `trustProxy`.',
  ),
  openedAt: dateTime('When it was last opened from there.'),
});

function visitResponse({
  address,
  peerAddress,
  proxyHeaders,
  atEpochMs,
}: PublicUrlVisit): Static<typeof PUBLIC_URL_VISIT_SCHEMA> {
  return {
    address,
    reach: addressReach(address),
    peerAddress,
    proxyHeaders: [...proxyHeaders],
    openedAt: new Date(atEpochMs).toISOString(),
  };
}

const MAX_ID_CHARS = 64;

const getPublicUrlVisits = defineEndpoint({
  path: '/api/console/getPublicUrlVisits',
  summary: 'Reads from where the address of a check was opened.',
  description: `${OPERATORS_ONLY} The last ${MAX_VISITORS} addresses, each with the time when it was last there.`,
  isExtension: true,
  request: Type.Object({ checkId: text('From `createPublicUrlCheck`.', MAX_ID_CHARS) }),
  response: { visits: listOf(PUBLIC_URL_VISIT_SCHEMA, 'The last one first.') },
  example: {
    request: { checkId: 'hb0gk7Yd0tqcS2lqz7m8Zg' },
    response: {
      visits: [
        {
          address: '198.51.100.7',
          reach: 'everyone',
          peerAddress: '127.0.0.1',
          proxyHeaders: ['x-forwarded-for'],
          openedAt: new Date(EXAMPLE_TIME_MS).toISOString(),
        },
      ],
    },
  },
  async handler({ caller, services }, { checkId }) {
    const visits = await services.system.publicUrl.visits(caller, checkId);
    return { visits: visits.map(visitResponse) };
  },
});

const createPublicUrlCheck = defineEndpoint({
  path: '/api/console/createPublicUrlCheck',
  summary: 'Makes an address that shows whether the public media URL answers.',
  description:
    `${OPERATORS_ONLY} Open \`pageUrl\` from another network; \`getPublicUrlVisits\` then says from where it was opened. The page says ` +
    'that the address works, and nothing else. It is valid for 15 minutes, until the gateway restarts, or until 32 newer ones exist.',
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({}),
  response: {
    checkId: plainText('For `getPublicUrlVisits`.'),
    pageUrl: plainText('The address.'),
    endsAtMs: int64('Until when it is valid, epoch milliseconds.'),
  },
  example: {
    request: {},
    response: {
      checkId: 'hb0gk7Yd0tqcS2lqz7m8Zg',
      pageUrl: 'https://video.example.com/reach/hb0gk7Yd0tqcS2lqz7m8Zg',
      endsAtMs: EXAMPLE_TIME_MS + 900_000,
    },
  },
  async handler({ caller, services }) {
    const { checkId, pageUrl, endsAtEpochMs } = await services.system.publicUrl.open(caller);
    return { checkId, pageUrl, endsAtMs: endsAtEpochMs };
  },
});

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

const validatePublicUrl = defineEndpoint({
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
      reach: 'everyone',
      addresses: ['203.0.113.80'],
      result: 'works',
      detail: '',
      status: 200,
      arrival: {
        address: '203.0.113.80',
        reach: 'everyone',
        peerAddress: '127.0.0.1',
        proxyHeaders: ['x-forwarded-for'],
        openedAt: new Date(EXAMPLE_TIME_MS).toISOString(),
      },
    },
  },
  async handler({ caller, services }) {
    const { arrival, addresses, ...report } = await services.system.publicUrl.request(caller);
    return {
      ...report,
      addresses: [...addresses],
      arrival: arrival === null ? null : visitResponse(arrival),
    };
  },
});

export const PUBLIC_URL_ENDPOINTS: readonly Endpoint[] = [
  getPublicUrlVisits,
  createPublicUrlCheck,
  validatePublicUrl,
];
