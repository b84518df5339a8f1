/** The health of an organization's devices: current problems, uptime, and the times when cameras connected and disconnected. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Store } from '../store/store.ts';
import { lastSeenChangeMs } from './device-health.ts';
import {
  allDiagnostics,
  type DiagnosticEvent,
  type DiagnosticFeed,
  diagnosticFeed,
} from './diagnostic-feed.ts';
import { EVENT_ERRORS } from './errors.ts';
import { type UnhealthyDevice, type UnhealthyDevicesOptions, unhealthyDevices } from './unhealthy-devices.ts';
import { seenEvents, type TimeWindow, uptimeWindows } from './uptime.ts';
import { type UptimeSpan, uptimeHistory } from './uptime-history.ts';

const DAY_MS = 86_400_000;
const DEFAULT_HISTORY_MS = 7 * DAY_MS;
const MAX_HISTORY_MS = 31 * DAY_MS;

export interface HealthServiceOptions extends UnhealthyDevicesOptions {
  readonly store: Pick<Store, 'cameras' | 'nvrs' | 'events' | 'resources' | 'gatewayRuns'>;
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

  /**
   * A camera's history within the range, up to now. null: `endMs` is now, `startMs` seven days before it. Fails UPTIME_HISTORY_TOO_LONG,
   * UPTIME_RANGE_TOO_LONG.
   */
  async uptimeHistory(
    orgUuid: Ruuid,
    cameraUuid: Ruuid,
    {
      startMs: givenStartMs,
      endMs: givenEndMs,
    }: { readonly startMs: number | null; readonly endMs: number | null },
  ): Promise<UptimeSpan[]> {
    const { store, clock } = this.#options;
    const nowMs = clock.epochMs();
    const endMs = givenEndMs ?? nowMs;
    const startMs = givenStartMs ?? Math.max(0, endMs - DEFAULT_HISTORY_MS);
    if (endMs - startMs > MAX_HISTORY_MS) throw new GatewayError(EVENT_ERRORS.UPTIME_HISTORY_TOO_LONG);
    const range = { startMs, endMs: Math.min(endMs, nowMs) };
    if (range.startMs >= range.endMs) return [];
    const [events, runs] = await Promise.all([
      seenEvents(store, orgUuid, cameraUuid, range),
      store.gatewayRuns.since(startMs),
    ]);
    return uptimeHistory(events, runs, range, nowMs);
  }

  /** `fromMs` is inclusive, `toMs` exclusive. Fails DIAGNOSTIC_RANGE_TOO_LONG. */
  diagnostics(
    orgUuid: Ruuid,
    range: { readonly fromMs: number; readonly toMs: number },
  ): Promise<DiagnosticFeed> {
    return diagnosticFeed(this.#options.store, orgUuid, range);
  }

  /** The same without pages. Fails DIAGNOSTIC_EXPORT_TOO_LONG, DIAGNOSTIC_RANGE_TOO_LONG. */
  allDiagnostics(
    orgUuid: Ruuid,
    range: { readonly fromMs: number; readonly toMs: number },
  ): Promise<DiagnosticEvent[]> {
    return allDiagnostics(this.#options.store, orgUuid, range);
  }

  /** When the gateway last saw one of the devices connect or disconnect, epoch milliseconds; null: not recently. */
  lastSeenChangeMs(orgUuid: Ruuid, deviceUuids: readonly Ruuid[]): Promise<number | null> {
    const { store, clock } = this.#options;
    return lastSeenChangeMs(store, orgUuid, clock.epochMs(), deviceUuids);
  }
}
