/** Where media is sent to: connection data (RFC 8866 §5.7) and source filters (RFC 4570). */

import { parseAddress } from '../../core/ip-address.ts';

export interface ConnectionAddress {
  readonly address: string;
  /** How many routers a datagram passes at most; null: not said, as always with IPv6. */
  readonly ttl: number | null;
}

const MAX_TTL = 255;
const MAX_ADDRESS_CHARS = 64;

/**
 * `IN IP4 239.1.1.1/16`, `IN IP4 239.1.1.1/16/3` (the first of three), `IN IP6 ff15::1/3`; null if it names no multicast
 * group, which is what cameras write for unicast: their own address, or 0.0.0.0.
 */
export function multicastConnection(value: string): ConnectionAddress | null {
  const [network = '', type = '', text = ''] = value.trim().split(/\s+/);
  if (network.toUpperCase() !== 'IN' || text.length > MAX_ADDRESS_CHARS) return null;
  const [address = '', second = ''] = text.split('/');
  if (!isMulticastAddress(address)) return null;
  const ttl = type.toUpperCase() === 'IP4' && /^\d{1,3}$/.test(second) ? Number(second) : null;
  return { address, ttl: ttl !== null && ttl <= MAX_TTL ? ttl : null };
}

/** The first source of `incl IN IP4 239.1.1.1 192.0.2.10`; null if it includes none. */
export function includedSource(value: string): string | null {
  const [mode = '', network = '', , , source = ''] = value.trim().split(/\s+/);
  const isIncluded = mode.toLowerCase() === 'incl' && network.toUpperCase() === 'IN';
  return isIncluded && isHostAddress(source) ? source : null;
}

/** Whether `text` is an address of 224.0.0.0/4 (RFC 5771) or ff00::/8 (RFC 4291 §2.7). */
export function isMulticastAddress(text: string): boolean {
  return rangeOf(text) === 'multicast';
}

/** Whether `text` is an address of one host. */
export function isHostAddress(text: string): boolean {
  const range = rangeOf(text);
  return range !== null && !NO_HOST.has(range);
}

const NO_HOST: ReadonlySet<string> = new Set(['multicast', 'broadcast', 'unspecified']);

/** Zones name interfaces of the camera, and mean nothing here. */
function rangeOf(text: string): string | null {
  if (text.length > MAX_ADDRESS_CHARS || text.includes('%')) return null;
  return parseAddress(text)?.range() ?? null;
}
