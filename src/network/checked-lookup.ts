/** Lookups of names for `net.connect`, in place of those of Node.js. Never called for numeric addresses. */

import type { LookupFunction } from 'node:net';

export interface FoundAddress {
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

/**
 * A connection goes to an address that `find` returns, and to no other: what a second response of a name server contains changes
 * nothing. `find` returns at least one. `family`: the one to prefer, `4`, `6`, `IPv4` or `IPv6`; 0 or absent: any.
 */
export function checkedLookup(
  find: (host: string, family?: number | string) => Promise<readonly FoundAddress[]>,
): LookupFunction {
  return (host, options, callback) => {
    find(host, options.family).then(
      (addresses) => {
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}
