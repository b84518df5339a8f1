/** What the endpoints about viewers of a link have in common. */

import type { Static } from 'typebox';
import { int64, namedType, plainText, ruuid } from '../../http/fields/field-types.ts';
import type { BlockedAddress } from '../../sharing/ended-views.ts';

export const LINK_INPUT = ruuid('The shared live stream, the shared video wall or the shared group.');

export const BLOCKED_ADDRESS_SCHEMA = namedType('BlockedSharedStreamAddress', {
  address: plainText('The address; an IPv6 address stands for its /64.'),
  untilMs: int64('When it can open the link again, epoch milliseconds.'),
});

export function blockedAddressAnswer({
  address,
  untilEpochMs,
}: BlockedAddress): Static<typeof BLOCKED_ADDRESS_SCHEMA> {
  return { address, untilMs: untilEpochMs };
}
