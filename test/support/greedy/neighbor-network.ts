/**
 * A network of attackers: a namespace of its own with twenty IPv4 addresses and a /64 of IPv6, connected to this machine by a
 * pair of virtual interfaces. Needs root and `ip`; without them, opening it fails with what the system says.
 */

import { execFileSync } from 'node:child_process';

/** RFC 2544 and RFC 4193: nobody's. */
const HERE = '198.19.77.1';
const HERE_V6 = 'fd77:5ca1:e::1';
export const IPV4_ADDRESSES: readonly string[] = Array.from(
  { length: 20 },
  (_, host) => `198.19.77.${host + 10}`,
);
/** Every address of this /64 is the namespace's. */
const PREFIX_V6 = 'fd77:5ca1:e:1';

export interface NeighborNetwork {
  /** Runs a command in the namespace. */
  readonly command: readonly string[];
  /** This machine, as the namespace sees it. */
  readonly host: string;
  readonly hostV6: string;
  readonly prefixV6: string;
  close(): void;
}

export function openNeighborNetwork(): NeighborNetwork {
  const name = `greedy-${process.pid}`;
  const [here, there] = [`gn${process.pid}a`, `gn${process.pid}b`];
  const ip = (words: string): void => {
    execFileSync('ip', words.split(' '), { stdio: ['ignore', 'ignore', 'pipe'] });
  };
  const inside = (words: string): void => ip(`netns exec ${name} ip ${words}`);
  ip(`netns add ${name}`);
  const close = (): void => ip(`netns del ${name}`);
  try {
    ip(`link add ${here} type veth peer name ${there} netns ${name}`);
    ip(`addr add ${HERE}/24 dev ${here}`);
    ip(`-6 addr add ${HERE_V6}/64 dev ${here} nodad`);
    ip(`link set ${here} up`);
    ip(`-6 route add ${PREFIX_V6}::/64 dev ${here}`);
    for (const address of IPV4_ADDRESSES) inside(`addr add ${address}/24 dev ${there}`);
    inside(`-6 addr add fd77:5ca1:e::2/64 dev ${there} nodad`);
    inside(`link set ${there} up`);
    inside('link set lo up');
    inside(`-6 route add local ${PREFIX_V6}::/64 dev lo`);
    // Sockets can have any of them without one being set at an interface.
    ip(`netns exec ${name} sysctl -q -w net.ipv6.ip_nonlocal_bind=1`);
    // It answers for all of them.
    ip(`-6 route replace ${PREFIX_V6}::/64 via fd77:5ca1:e::2 dev ${here}`);
  } catch (error) {
    close();
    throw error;
  }
  return {
    command: ['ip', 'netns', 'exec', name],
    ...{ host: HERE, hostV6: HERE_V6, prefixV6: PREFIX_V6, close },
  };
}
