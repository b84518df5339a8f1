/**
 * Since when cameras are offline, across starts of the gateway. A start forgets it, the events do not: if a camera was offline before
 * and is at the first contact, it counts as offline since then. All that shows such a time reads the completed reports.
 */

import { toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { CameraReport } from '../stream/camera-connection.ts';
import type { CameraHealth } from './camera-health.ts';

export class EarlierOutages {
  readonly #health: Pick<CameraHealth, 'offlineSinceMs'>;
  readonly #log: Log;
  readonly #onKnown: (cameraUuid: Ruuid, report: CameraReport) => void;
  /** The newest report of each camera that is offline. */
  readonly #reports = new Map<Ruuid, CameraReport>();
  /** null: no outage of this run began earlier, or not known yet. */
  readonly #sinceMs = new Map<Ruuid, number | null>();

  /** `onKnown`: called with a camera's newest report as soon as the events show that its outage began earlier. */
  constructor(
    health: Pick<CameraHealth, 'offlineSinceMs'>,
    log: Log,
    onKnown: (cameraUuid: Ruuid, report: CameraReport) => void,
  ) {
    this.#health = health;
    this.#log = log;
    this.#onKnown = onKnown;
  }

  /** The report with the time since which the camera is offline, as far as that is known by now. */
  complete(cameraUuid: Ruuid, report: CameraReport): CameraReport {
    const { offlineSinceEpochMs, checkedAtEpochMs } = report.main;
    if (offlineSinceEpochMs === undefined) {
      this.#reports.delete(cameraUuid);
      // It responded: its next outage begins after that.
      if (checkedAtEpochMs !== null) this.#sinceMs.set(cameraUuid, null);
      return report;
    }
    this.#reports.set(cameraUuid, report);
    const known = this.#sinceMs.get(cameraUuid);
    if (known === undefined) {
      this.#sinceMs.set(cameraUuid, null);
      void this.#lookUp(cameraUuid);
    }
    return since(report, known ?? null);
  }

  forget(cameraUuid: Ruuid): void {
    this.#reports.delete(cameraUuid);
    this.#sinceMs.delete(cameraUuid);
  }

  async #lookUp(cameraUuid: Ruuid): Promise<void> {
    try {
      const sinceMs = await this.#health.offlineSinceMs(cameraUuid);
      const report = this.#reports.get(cameraUuid);
      if (report === undefined || sinceMs === null) return;
      this.#sinceMs.set(cameraUuid, sinceMs);
      this.#onKnown(cameraUuid, since(report, sinceMs));
    } catch (thrown) {
      this.#log.warn({ camera: cameraUuid, err: toGatewayError(thrown) }, 'earlier outage not read');
    }
  }
}

function since(report: CameraReport, sinceMs: number | null): CameraReport {
  const { main } = report;
  if (sinceMs === null || main.offlineSinceEpochMs === undefined) return report;
  const offlineSinceEpochMs = Math.min(sinceMs, main.offlineSinceEpochMs);
  return { ...report, main: { ...main, offlineSinceEpochMs } };
}
