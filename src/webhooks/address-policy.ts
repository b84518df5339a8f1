/**
 * Which addresses the gateway calls on behalf of others. Addresses that are not globally reachable (IANA
 * special-purpose address registries, RFC 6890) are off-limits, even when wrapped in an IPv6 address that leads to
 * IPv4.
 */

import ipaddr from 'ipaddr.js';
import { parseAddress } from '../core/ip-address.ts';

/** All that IANA has given out (RFC 4291 §2.4). */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address (not a name) is on the public internet. IPv4 wrapped in IPv6 (`::ffff:…`, `::…`, NAT64, 6to4, Teredo) is outside the
 * accepted ranges of IPv6, so it is refused without being unwrapped.
 */
export function isPublicAddress(text: string): boolean {
  const address = text.includes('%') ? null : parseAddress(text);
  // `unicast`: in none of the special ranges.
  if (address === null || address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST_V6);
}
