/**
 * Log lines about refused openings and untrusted proxies. Callers determine how frequent both are, so lines are merged:
 * one for each share and reason per interval, with a count.
 */

import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { MergedLines } from '../../core/merged-lines.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { subscriberOf } from '../../core/subscriber.ts';
import type { OpeningRefused } from '../../sharing/share-gate.ts';

/** Limit on proxies to warn about, so that inventing addresses produces no more lines. */
export const MAX_WARNED_PROXIES = 64;

export interface RefusedDevice {
  /** The key or session of the request; null: none that the gateway knows. */
  readonly principal: Ruuid | null;
  readonly device: Ruuid | null;
  readonly reason: string;
}

export class OpeningLog {
  readonly #log: Log;
  readonly #refusals: MergedLines;
  readonly #warnedProxies = new Set<string>();

  constructor(clock: Clock, log: Log) {
    this.#log = log;
    this.#refusals = new MergedLines(clock, log);
  }

  /** `merged`: how many of the kind were not logged since the previous line. */
  refused(route: string | undefined, { shareUuid, reason }: OpeningRefused): void {
    this.#refusals.info(`${shareUuid} ${reason}`, { route, share: shareUuid, reason }, 'share not opened');
  }

  /** The same for a device. */
  refusedDevice(route: string | undefined, { principal, device, reason }: RefusedDevice): void {
    const key = `${device} ${principal} ${reason}`;
    this.#refusals.info(key, { route, device, principal, reason }, 'device not opened');
  }

  /**
   * Behind a proxy that `trustProxy` does not name, all viewers have the proxy's address and share its limits. Logged
   * once for each such address.
   */
  noteProxy(request: FastifyRequest): void {
    if (request.headers['x-forwarded-for'] === undefined) return;
    // With a trusted peer, Fastify takes addresses from the header: there are more than the peer's own.
    if ((request.ips?.length ?? 0) > 1) return;
    const proxy = subscriberOf(request.socket.remoteAddress ?? '');
    if (this.#warnedProxies.has(proxy) || this.#warnedProxies.size >= MAX_WARNED_PROXIES) return;
    this.#warnedProxies.add(proxy);
    this.#log.warn({ proxy }, 'X-Forwarded-For from an untrusted proxy ignored');
  }
}
