/** Which addresses count as one caller, for limits per address. */

import { isIPv4 } from 'node:net';
import { parsePeerAddress } from './ip-address.ts';

/** Groups of 16 bits: providers give each customer at least a /64 (RFC 6177). */
const SUBSCRIBER_GROUPS = 4;

/**
 * The identity of one caller: an IPv4 address (also when written as IPv6), or the first half of an IPv6 address. Any other text is used
 * unchanged.
 */
export function subscriberOf(address: string): string {
  // The usual case; there is only one notation.
  if (isIPv4(address)) return address;
  const peer = parsePeerAddress(address);
  if (peer === null) return address;
  if (peer.kind() === 'ipv4') return peer.toString();
  const bytes = Buffer.from(peer.toByteArray());
  const groups = Array.from({ length: SUBSCRIBER_GROUPS }, (_, group) => bytes.readUInt16BE(2 * group));
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}
