/** Counters for a single gateway: everything is in this process's memory. */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { CountedShare, Counters } from './counters.ts';
import { DeviceShares } from './device-shares.ts';
import { ViewerRegister } from './viewer-register.ts';

/** A viewer who made no request for this long is gone. */
export const DEFAULT_VIEWER_TIMEOUT_MS = 15_000;

export interface MemoryCountersOptions {
  readonly clock: Clock;
  readonly viewerTimeoutMs?: number;
}

export function createMemoryCounters(options: MemoryCountersOptions): Counters {
  return new MemoryCounters(options);
}

class MemoryCounters implements Counters {
  readonly #clock: Clock;
  readonly #shares = new DeviceShares();
  readonly #viewers: ViewerRegister;

  constructor({ clock, viewerTimeoutMs = DEFAULT_VIEWER_TIMEOUT_MS }: MemoryCountersOptions) {
    this.#clock = clock;
    this.#viewers = new ViewerRegister(clock, viewerTimeoutMs);
  }

  async putShare(share: CountedShare): Promise<void> {
    this.#shares.put(share);
  }

  async removeShare(uuid: Ruuid): Promise<void> {
    this.#shares.remove(uuid);
  }

  async shareCounts(deviceUuids: readonly Ruuid[]): Promise<number[]> {
    const nowEpochMs = this.#clock.epochMs();
    return deviceUuids.map((uuid) => this.#shares.count(uuid, nowEpochMs));
  }

  async reconcile(shares: readonly CountedShare[]): Promise<void> {
    this.#shares.replaceAll(shares);
  }

  viewerSeen(shareUuid: Ruuid, viewerId: string): void {
    this.#viewers.seen(shareUuid, viewerId);
  }

  viewerLeft(shareUuid: Ruuid, viewerId: string): void {
    this.#viewers.left(shareUuid, viewerId);
  }

  async viewerCounts(shareUuids: readonly Ruuid[]): Promise<number[]> {
    return shareUuids.map((uuid) => this.#viewers.count(uuid));
  }

  localViewerCount(shareUuid: Ruuid): number {
    return this.#viewers.count(shareUuid);
  }

  connection(): null {
    return null;
  }

  status(): 'up' | 'down' {
    return 'up';
  }

  async close(): Promise<void> {
    this.#viewers.close();
  }
}
