/**
 * A network of attackers: a namespace of its own with twenty IPv4 addresses and a /64 of IPv6, connected to this machine by
 * a pair of virtual interfaces. Needs root and `ip`; without them, opening it fails with the system's error.
 */

import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';

const ADDRESSES = 20;
const NAME = /^greedy-(\d+)/;

export interface NeighborNetwork {
  /** Runs a command in the namespace. */
  readonly command: readonly string[];
  /** This machine, as the namespace sees it. */
  readonly host: string;
  readonly hostV6: string;
  readonly addresses: readonly string[];
  /** Every address of this /64 is the namespace's. */
  readonly prefixV6: string;
  close(): void;
}

export function openNeighborNetwork(): NeighborNetwork {
  removeLeftOver();
  // RFC 2544 and RFC 4193: these networks are not assigned. Several tests can have one at a time.
  const subnet = `198.19.${randomInt(256)}`;
  const site = `fd77:5ca1:${randomInt(1, 65_536).toString(16)}`;
  const [hostV4, hostV6] = [`${subnet}.1`, `${site}::1`];
  const prefixV6 = `${site}:1`;
  const addresses = Array.from({ length: ADDRESSES }, (_, host) => `${subnet}.${host + 10}`);
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
    ip(`addr add ${hostV4}/24 dev ${here}`);
    ip(`-6 addr add ${hostV6}/64 dev ${here} nodad`);
    ip(`link set ${here} up`);
    ip(`-6 route add ${prefixV6}::/64 dev ${here}`);
    for (const address of addresses) inside(`addr add ${address}/24 dev ${there}`);
    inside(`-6 addr add ${site}::2/64 dev ${there} nodad`);
    inside(`link set ${there} up`);
    inside('link set lo up');
    inside(`-6 route add local ${prefixV6}::/64 dev lo`);
    // Sockets can have any of them without one being set at an interface.
    ip(`netns exec ${name} sysctl -q -w net.ipv6.ip_nonlocal_bind=1`);
    // It answers for all of them.
    ip(`-6 route replace ${prefixV6}::/64 via ${site}::2 dev ${here}`);
  } catch (error) {
    close();
    throw error;
  }
  return {
    command: ['ip', 'netns', 'exec', name],
    host: hostV4,
    hostV6,
    addresses,
    prefixV6,
    close,
  };
}

/** Removes the leftovers of a killed process. */
function removeLeftOver(): void {
  for (const line of execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' }).split('\n')) {
    const [name, pid] = NAME.exec(line) ?? [];
    if (name !== undefined && !existsSync(`/proc/${pid}`)) execFileSync('ip', ['netns', 'del', name]);
  }
}
