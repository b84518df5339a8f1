/** Camera states, set by tests. */

import type { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { CameraStates } from '../devices/device-states.ts';
import { type CameraReport, ConnectionRecord, type ProbeVerdict } from '../stream/camera-connection.ts';
import { reportOf } from '../stream/camera-report-fixture.ts';
import type { LiveStateName } from '../stream/media/live-media.ts';
import { cameraFaultOf } from '../stream/source/camera-fault.ts';

export class FakeCameraStates implements CameraStates {
  readonly #reports = new Map<Ruuid, CameraReport>();

  get(cameraUuid: Ruuid): CameraReport | undefined {
    return this.#reports.get(cameraUuid);
  }

  set(cameraUuid: Ruuid, state: LiveStateName | CameraReport): void {
    this.#reports.set(cameraUuid, typeof state === 'string' ? reportOf(state) : state);
  }

  /** Reports a camera that could not be opened. */
  fail(cameraUuid: Ruuid, error: GatewayError): void {
    this.probed(cameraUuid, { fault: cameraFaultOf(error) }, 0);
  }

  /** The gateway's report about a camera without viewers. */
  probed(cameraUuid: Ruuid, verdict: ProbeVerdict, nowEpochMs: number): void {
    const record = new ConnectionRecord();
    record.probed(verdict, nowEpochMs);
    this.set(cameraUuid, { streamState: 'idle', main: record.connection, sub: null });
  }
}
