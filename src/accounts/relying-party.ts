/** Whether browsers offer passkeys to the console's pages, and for which name (W3C Web Authentication Level 3 §5.1.3). */

import { isIP } from 'node:net';

/** Why browsers offer none: the address is an IP address, or plain HTTP. */
export type PasskeyObstacle = 'IP_ADDRESS' | 'PLAIN_HTTP';

export interface RelyingParty {
  /** The host name to which passkeys belong. */
  readonly rpId: string;
  /** The only origin whose pages can use them. */
  readonly origin: string;
}

/** By the configuration alone: a request's own statement about its host counts for nothing. */
export function relyingPartyOf(publicApiUrl: string): RelyingParty | PasskeyObstacle {
  const { protocol, hostname, origin } = new URL(publicApiUrl);
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  if (isAddress) return 'IP_ADDRESS';
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  return protocol === 'https:' || isLocal ? { rpId: hostname, origin } : 'PLAIN_HTTP';
}
