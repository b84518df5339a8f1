/**
 * IP addresses by their numeric value, never by their notation: all rules about addresses use this. `node:net` decides whether a text is an
 * address (`0x7f.1` is not one), and ipaddr.js gives its value.
 */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** null: not an address. A zone (`%eth0`) is left out. */
export function parseAddress(text: string): IpAddress | null {
  return isIP(text) === 0 ? null : ipaddr.parse(withoutDots(text.split('%', 1)[0]!));
}

/** The one spelling that is compared; another text stays as it is. */
export function normalizedAddress(text: string): string {
  return parseAddress(text)?.toNormalizedString() ?? text;
}

/** The same, but IPv4 written as IPv6 (`::ffff:192.0.2.1`) is IPv4: a socket for both families reports it that way. */
export function parsePeerAddress(text: string): IpAddress | null {
  const address = parseAddress(text);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** Addresses and networks in CIDR notation (RFC 4632), as an operator lists them. */
export class NetworkList {
  readonly #networks: readonly (readonly [IpAddress, prefixBits: number])[];

  /** Throws TypeError for text that `isNetwork` rejects. */
  constructor(networks: readonly string[]) {
    this.#networks = networks.map((text) => {
      const network = parseNetwork(text);
      if (network === null) throw new TypeError(`not a network: ${text}`);
      return network;
    });
  }

  /** `address`: the peer's. False for anything that is not an address. */
  has(address: string): boolean {
    const peer = parsePeerAddress(address);
    if (peer === null) return false;
    return this.#networks.some(
      ([network, bits]) => network.kind() === peer.kind() && peer.match(network, bits),
    );
  }
}

/**
 * Whether it is an address, or a network such as `10.0.0.0/8`. Zones are not allowed: a rule applies to every
 * interface.
 */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== null;
}

const MAPPED_BITS = 96;
const DOTTED_TAIL = /:(\d+)\.(\d+)\.(\d+)\.(\d+)$/;

/** ipaddr.js 2.5 takes `::192.0.2.1`, an IPv6 address, for `::ffff:192.0.2.1`. `address` is an address. */
function withoutDots(address: string): string {
  return address.replace(DOTTED_TAIL, (_, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.map(Number);
    return `:${((a! << 8) | b!).toString(16)}:${((c! << 8) | d!).toString(16)}`;
  });
}

function parseNetwork(text: string): readonly [IpAddress, number] | null {
  const [written = '', prefix, rest] = text.split('/');
  if (isIP(written) === 0 || written.includes('%') || rest !== undefined) return null;
  const address = ipaddr.parse(withoutDots(written));
  const maxBits = address.kind() === 'ipv4' ? 32 : 128;
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return null;
  const bits = prefix === undefined ? maxBits : Number(prefix);
  if (bits > maxBits) return null;
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_BITS;
  return isMapped ? [address.toIPv4Address(), bits - MAPPED_BITS] : [address, bits];
}
