/** What this gateway sees of its cameras, on its way to the API's thread. In a cluster, other nodes see cameras too (ClusterStates). */

import type { Ruuid } from '../core/ruuid.ts';
import type { ClockReading } from '../rtp/camera-clock.ts';
import type { CameraReport, ProbeVerdict } from '../stream/camera-connection.ts';
import type { StreamHub } from '../stream/hub.ts';
import type { RecordingState } from '../stream/recording-state.ts';
import type { SoundState } from '../stream/sound-state.ts';
import type { ApiStart, Notice, ProbedReport } from './api-thread/thread-calls.ts';

/** What an API's thread starts with. */
export type CameraStart = Pick<
  ApiStart,
  'cameras' | 'cameraSounds' | 'cameraClocks' | 'cameraRecordings' | 'placedHere'
>;

export interface CameraNotices {
  report(cameraUuid: Ruuid, report: CameraReport): void;
  sound(cameraUuid: Ruuid, sound: SoundState): void;
  /** null: not known. */
  clock(cameraUuid: Ruuid, reading: ClockReading | null): void;
  recording(cameraUuid: Ruuid, recording: RecordingState): void;
  /** The hub has another camera with this UUID, or none. */
  camera(cameraUuid: Ruuid, change: 'put' | 'removed'): void;
  /** As GatewayCalls.cameraProbed. */
  probed(orgUuid: Ruuid, cameraUuid: Ruuid, verdict: ProbeVerdict): Promise<ProbedReport | null>;
  now(): CameraStart;
}

export interface CameraParts {
  readonly notify: (notice: Notice) => void;
  /** Once there are cameras. */
  readonly hub: () => StreamHub;
  /** As CameraFollower.probed. */
  readonly takeProbe: (
    orgUuid: Ruuid,
    cameraUuid: Ruuid,
    verdict: ProbeVerdict,
  ) => Promise<CameraReport | null>;
}

/** Of a gateway that sees all cameras itself. */
export class OwnCameraNotices implements CameraNotices {
  readonly #parts: CameraParts;
  readonly #recordings = new Map<Ruuid, RecordingState>();

  constructor(parts: CameraParts) {
    this.#parts = parts;
  }

  report(cameraUuid: Ruuid, report: CameraReport): void {
    this.#parts.notify({ kind: 'camera', cameraUuid, report, isObserved: true });
  }

  sound(cameraUuid: Ruuid, sound: SoundState): void {
    this.#parts.notify({ kind: 'sound', cameraUuid, sound });
  }

  clock(cameraUuid: Ruuid, reading: ClockReading | null): void {
    this.#parts.notify({ kind: 'clock', cameraUuid, reading });
  }

  recording(cameraUuid: Ruuid, recording: RecordingState): void {
    this.#recordings.set(cameraUuid, recording);
    this.#parts.notify({ kind: 'recording', cameraUuid, recording });
  }

  camera(cameraUuid: Ruuid, change: 'put' | 'removed'): void {
    const report = change === 'put' ? (this.#parts.hub().get(cameraUuid)?.report() ?? null) : null;
    this.#parts.notify({ kind: 'camera', cameraUuid, report, isObserved: true });
  }

  async probed(orgUuid: Ruuid, cameraUuid: Ruuid, verdict: ProbeVerdict): Promise<ProbedReport | null> {
    const report = await this.#parts.takeProbe(orgUuid, cameraUuid, verdict);
    return report === null ? null : { report, isObserved: true };
  }

  now(): CameraStart {
    const cameras = [...this.#parts.hub().all()];
    return {
      cameras: cameras.map((camera) => ({
        cameraUuid: camera.uuid,
        report: camera.report(),
        isObserved: true,
      })),
      cameraSounds: cameras.map((camera) => [camera.uuid, camera.sound]),
      cameraClocks: cameras.map((camera) => [camera.uuid, camera.clockReading]),
      cameraRecordings: [...this.#recordings].filter(([, recording]) => isWorthTelling(recording)),
      placedHere: null,
    };
  }
}

/** A camera that is not recorded has no state, unless nothing can turn it on. */
export function isWorthTelling({ state, isForbidden }: RecordingState): boolean {
  return state !== 'off' || isForbidden;
}
