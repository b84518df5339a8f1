/** The types of the check whether the public URL answers. */

import type { Static } from 'typebox';
import { dateTime, listOf, namedType, oneOf, plainText } from '../../http/fields/field-types.ts';
import { addressReach } from '../../system/public-url-request.ts';
import type { PublicUrlVisit } from '../../system/public-url-visits.ts';

export const ADDRESS_REACHES = ['this-machine', 'own-network', 'everyone', 'unknown'] as const;

export const PUBLIC_URL_VISIT_SCHEMA = namedType('PublicUrlVisit', {
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

export function visitAnswer({
  address,
  peerAddress,
  proxyHeaders,
  atEpochMs,
}: PublicUrlVisit): Static<typeof PUBLIC_URL_VISIT_SCHEMA> {
  return {
    ...{ address, reach: addressReach(address), peerAddress, proxyHeaders: [...proxyHeaders] },
    openedAt: new Date(atEpochMs).toISOString(),
  };
}
