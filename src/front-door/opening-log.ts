/**
 * Log lines about refused openings and untrusted proxies. Callers determine how frequent both are, so lines are merged:
 * one for each share and reason per interval, with a count.
 */

import type { FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { subscriberOf } from '../core/subscriber.ts';
import type { OpeningRefused } from '../sharing/share-gate.ts';

/** The same refusal of the same share is logged once in this time. */
export const MERGE_REFUSALS_MS = 10_000;
/** Limit on refusals merged at a time; beyond it the oldest are logged again. */
export const MAX_MERGED_REFUSALS = 1_000;
/** Limit on proxies to warn about, so that inventing addresses produces no more lines. */
export const MAX_WARNED_PROXIES = 64;

interface MergedRefusal {
  readonly writtenMonoMs: number;
  /** Since it was logged. */
  count: number;
}

export interface RefusedDevice {
  /** The key or session that asked; null: none that the gateway knows. */
  readonly principal: Ruuid | null;
  readonly device: Ruuid | null;
  readonly reason: string;
}

export class OpeningLog {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #refusals = new Map<string, MergedRefusal>();
  readonly #warnedProxies = new Set<string>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** `merged`: how many of the kind were not logged since the previous line. */
  refused(route: string | undefined, { shareUuid, reason }: OpeningRefused): void {
    this.#merge(`${shareUuid} ${reason}`, { route, share: shareUuid, reason }, 'share not opened');
  }

  /** The same for a device. */
  refusedDevice(route: string | undefined, { principal, device, reason }: RefusedDevice): void {
    const key = `${device} ${principal} ${reason}`;
    this.#merge(key, { route, device, principal, reason }, 'device not opened');
  }

  #merge(key: string, fields: object, message: string): void {
    const known = this.#refusals.get(key);
    const nowMonoMs = this.#clock.monoMs();
    if (known !== undefined && nowMonoMs - known.writtenMonoMs < MERGE_REFUSALS_MS) {
      known.count++;
      return;
    }
    this.#refusals.delete(key);
    this.#refusals.set(key, { writtenMonoMs: nowMonoMs, count: 0 });
    if (this.#refusals.size > MAX_MERGED_REFUSALS) {
      this.#refusals.delete(this.#refusals.keys().next().value!);
    }
    const merged = known === undefined || known.count === 0 ? {} : { merged: known.count };
    this.#log.info({ ...fields, ...merged }, message);
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
