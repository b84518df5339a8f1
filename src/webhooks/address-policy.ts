/**
 * Which addresses the gateway calls on behalf of others. Addresses that are not globally reachable (IANA
 * special-purpose address registries, RFC 6890) are off-limits, even when wrapped in an IPv6 address that leads to
 * IPv4.
 */

import { BlockList, isIP } from 'node:net';

const NOT_GLOBAL_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Within global unicast; everything outside 2000::/3 is refused as a whole. */
const NOT_GLOBAL_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const REFUSED = new BlockList();
for (const [network, prefix] of NOT_GLOBAL_V4) REFUSED.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of NOT_GLOBAL_V6) REFUSED.addSubnet(network, prefix, 'ipv6');
const GLOBAL_UNICAST_V6 = new BlockList();
GLOBAL_UNICAST_V6.addSubnet('2000::', 3, 'ipv6');

/**
 * Whether an address (not a name) is on the public internet. IPv4 wrapped in IPv6 (`::ffff:…`, `::…`, NAT64, 6to4,
 * Teredo) is outside what is accepted for IPv6, so it is refused without being unwrapped.
 */
export function isPublicAddress(address: string): boolean {
  const zone = address.indexOf('%');
  if (zone >= 0) return false;
  switch (isIP(address)) {
    case 4:
      return !REFUSED.check(address, 'ipv4');
    case 6:
      return GLOBAL_UNICAST_V6.check(address, 'ipv6') && !REFUSED.check(address, 'ipv6');
    default:
      return false;
  }
}
