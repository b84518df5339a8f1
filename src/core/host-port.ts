/** A host with a port, as people write it: `127.0.0.1:8080`, `node-1.internal:7700`, `[::1]:8080`. */

import { isIP } from 'node:net';

/** `host` without brackets. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** null: the text is not `host:port`. */
export function parseHostPort(text: string): HostPort | null {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  if (match === null || host === undefined || Number(match[3]) > 65_535) return null;
  if (match[1] !== undefined && isIP(match[1]) !== 6) return null;
  return Object.freeze({ host, port: Number(match[3]) });
}

/** As `parseHostPort` reads it. */
export function hostPortText({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
