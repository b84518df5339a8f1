/**
 * The health of an organization's devices: what is wrong now, when they were up, when cameras connected and disconnected.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { Store } from '../store/store.ts';
import { lastSeenChangeMs } from './device-health.ts';
import { type DiagnosticFeed, diagnosticFeed } from './diagnostic-feed.ts';
import { type UnhealthyDevice, type UnhealthyDevicesOptions, unhealthyDevices } from './unhealthy-devices.ts';
import { type TimeWindow, uptimeWindows } from './uptime.ts';

export interface HealthServiceOptions extends UnhealthyDevicesOptions {
  readonly store: Pick<Store, 'cameras' | 'nvrs' | 'events'>;
}

export class HealthService {
  readonly #options: HealthServiceOptions;

  constructor(options: HealthServiceOptions) {
    this.#options = options;
  }

  /** One entry per device and symptom, the newest first. */
  unhealthyDevices(orgUuid: Ruuid): Promise<UnhealthyDevice[]> {
    return unhealthyDevices(this.#options, orgUuid);
  }

  /**
   * When at least one of the devices was up, in order and without overlaps. `endMs`: absent for now. Fails
   * UPTIME_RANGE_TOO_LONG.
   */
  uptime(
    orgUuid: Ruuid,
    deviceUuids: readonly Ruuid[],
    { startMs, endMs }: { readonly startMs: number; readonly endMs?: number | undefined },
  ): Promise<TimeWindow[]> {
    const { store, clock } = this.#options;
    const nowMs = clock.epochMs();
    return uptimeWindows(store, orgUuid, deviceUuids, { startMs, endMs: endMs ?? nowMs }, nowMs);
  }

  /** `fromMs` is inclusive, `toMs` exclusive. Fails DIAGNOSTIC_RANGE_TOO_LONG. */
  diagnostics(
    orgUuid: Ruuid,
    range: { readonly fromMs: number; readonly toMs: number },
  ): Promise<DiagnosticFeed> {
    return diagnosticFeed(this.#options.store, orgUuid, range);
  }

  /** When the gateway last saw one of the devices connect or disconnect, epoch milliseconds; null: not recently. */
  lastSeenChangeMs(orgUuid: Ruuid, deviceUuids: readonly Ruuid[]): Promise<number | null> {
    const { store, clock } = this.#options;
    return lastSeenChangeMs(store, orgUuid, clock.epochMs(), deviceUuids);
  }
}
