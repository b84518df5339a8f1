/**
 * The header by which a proxy names the client whose connection it forwards: the PROXY protocol, versions 1 and 2
 * (https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt). Pure: bytes in, a verdict out.
 */

import { isIPv4, isIPv6 } from 'node:net';

/** Version 1: no valid line is longer, with its CRLF (§2.1). */
export const MAX_TEXT_HEADER_BYTES = 107;
/** Version 2: addresses and type-length-values. What proxies send has a few hundred bytes. */
export const MAX_BINARY_HEADER_BYTES = 4_096;

export interface ProxySource {
  readonly address: string;
  readonly port: number;
}

export interface ProxyHeader {
  /** The length of the header: the bytes after it are the client's. */
  readonly byteLength: number;
  /** null: the connection is the proxy's own, or the proxy does not know whose it is. */
  readonly source: ProxySource | null;
}

const TEXT_START = Buffer.from('PROXY ', 'latin1');
/** §2.2 */
const BINARY_START = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const BINARY_FIXED_BYTES = 16;
const TEXT_LINE =
  /^PROXY (TCP4|TCP6) ([\d.]{7,15}|[\dA-Fa-f:.]{2,45}) ([\dA-Fa-f:.]{2,45}) (\d{1,5}) (\d{1,5})$/;
const UNKNOWN_LINE = /^PROXY UNKNOWN(?: [ -~]*)?$/;
const LOCAL = 0x20;
const PROXIED = 0x21;
const TCP_OVER_IPV4 = 0x11;
const TCP_OVER_IPV6 = 0x21;
/** Families that have no IP address: unspecified, and UNIX sockets. */
const NO_IP = new Set([0x00, 0x31, 0x32]);
const IPV4_BYTES = 12;
const IPV6_BYTES = 36;

/** `bytes`: all bytes so far, from the beginning. `more`: they may become a header. `invalid`: they are not one. */
export function readProxyHeader(bytes: Buffer): ProxyHeader | 'more' | 'invalid' {
  if (startsLike(bytes, TEXT_START)) return readText(bytes);
  if (startsLike(bytes, BINARY_START)) return readBinary(bytes);
  return 'invalid';
}

function startsLike(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.subarray(0, length).equals(start.subarray(0, length));
}

function readText(bytes: Buffer): ProxyHeader | 'more' | 'invalid' {
  const end = bytes.subarray(0, MAX_TEXT_HEADER_BYTES).indexOf('\r\n', 0, 'latin1');
  if (end < 0) return bytes.length < MAX_TEXT_HEADER_BYTES ? 'more' : 'invalid';
  const line = bytes.toString('latin1', 0, end);
  const byteLength = end + 2;
  if (UNKNOWN_LINE.test(line)) return { byteLength, source: null };
  const [, family, address = '', ownAddress = '', port, ownPort] = TEXT_LINE.exec(line) ?? [];
  const isAddress = family === 'TCP4' ? isIPv4 : isIPv6;
  if (family === undefined || !isAddress(address) || !isAddress(ownAddress)) return 'invalid';
  if (!isPort(port) || !isPort(ownPort)) return 'invalid';
  return { byteLength, source: { address, port: Number(port) } };
}

function isPort(text: string | undefined): boolean {
  return text !== undefined && String(Number(text)) === text && Number(text) <= 65_535;
}

function readBinary(bytes: Buffer): ProxyHeader | 'more' | 'invalid' {
  if (bytes.length < BINARY_FIXED_BYTES) return 'more';
  const [command, family] = [bytes[12]!, bytes[13]!];
  if (command !== LOCAL && command !== PROXIED) return 'invalid';
  const byteLength = BINARY_FIXED_BYTES + bytes.readUInt16BE(14);
  if (byteLength > MAX_BINARY_HEADER_BYTES) return 'invalid';
  if (bytes.length < byteLength) return 'more';
  if (command === LOCAL || NO_IP.has(family)) return { byteLength, source: null };
  const addresses = bytes.subarray(BINARY_FIXED_BYTES, byteLength);
  if (family === TCP_OVER_IPV4 && addresses.length >= IPV4_BYTES) {
    const address = [...addresses.subarray(0, 4)].join('.');
    return { byteLength, source: { address, port: addresses.readUInt16BE(8) } };
  }
  if (family === TCP_OVER_IPV6 && addresses.length >= IPV6_BYTES) {
    return { byteLength, source: { address: ipv6Text(addresses), port: addresses.readUInt16BE(32) } };
  }
  return 'invalid';
}

function ipv6Text(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16));
  return groups.join(':');
}
