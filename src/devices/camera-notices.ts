/**
 * The camera states that this gateway sees, on their way to the API's thread. In a cluster, other nodes see cameras too (ClusterStates).
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { ClockReading } from '../rtp/camera-clock.ts';
import type { CameraReport, ProbeVerdict } from '../stream/camera-connection.ts';
import type { StreamHub } from '../stream/hub.ts';
import type { RecordingState } from '../stream/media/recording-state.ts';
import type { SigningState } from '../stream/signing-state.ts';
import type { SoundState } from '../stream/sound-state.ts';

/** A camera as this node, or in a cluster another one, last saw it. */
export interface SeenCamera extends ProbedReport {
  readonly cameraUuid: Ruuid;
}

export interface ProbedReport {
  readonly report: CameraReport;
  /** This node saw it: then it records what happened, and no other node does. */
  readonly isObserved: boolean;
}

/** The first message to an API's thread. */
export interface CameraStart {
  /** Every camera that the gateway runs. */
  readonly cameras: readonly SeenCamera[];
  readonly cameraSounds: readonly (readonly [Ruuid, SoundState])[];
  readonly cameraClocks: readonly (readonly [Ruuid, ClockReading | null])[];
  readonly cameraSignings: readonly (readonly [Ruuid, SigningState])[];
  readonly cameraRecordings: readonly (readonly [Ruuid, RecordingState])[];
  /** Cameras whose events this node subscribes to; null: all. */
  readonly placedHere: readonly Ruuid[] | null;
}

/** Something about one camera. */
export type CameraNotice =
  /** `report`: null if the gateway no longer runs this camera. `isObserved`: as in ProbedReport. */
  | {
      readonly kind: 'camera';
      readonly cameraUuid: Ruuid;
      readonly report: CameraReport | null;
      readonly isObserved: boolean;
    }
  /** Whether viewers hear this camera. */
  | { readonly kind: 'sound'; readonly cameraUuid: Ruuid; readonly sound: SoundState }
  /** How this camera's clocks run; null: it is closed. */
  | { readonly kind: 'clock'; readonly cameraUuid: Ruuid; readonly reading: ClockReading | null }
  /** What this camera's signatures say about its video. */
  | { readonly kind: 'signing'; readonly cameraUuid: Ruuid; readonly signing: SigningState }
  /** Whether this camera is being recorded. */
  | { readonly kind: 'recording'; readonly cameraUuid: Ruuid; readonly recording: RecordingState };

export interface CameraNotices {
  report(cameraUuid: Ruuid, report: CameraReport): void;
  sound(cameraUuid: Ruuid, sound: SoundState): void;
  /** null: not known. */
  clock(cameraUuid: Ruuid, reading: ClockReading | null): void;
  signing(cameraUuid: Ruuid, signing: SigningState): void;
  recording(cameraUuid: Ruuid, recording: RecordingState): void;
  /** The hub has another camera with this UUID, or none. */
  camera(cameraUuid: Ruuid, change: 'put' | 'removed'): void;
  /** The camera as `now` has it; null: the hub has none. */
  seen(cameraUuid: Ruuid): CameraReport | null;
  /** As GatewayCalls.cameraProbed. */
  probed(orgUuid: Ruuid, cameraUuid: Ruuid, verdict: ProbeVerdict): Promise<ProbedReport | null>;
  now(): CameraStart;
}

export interface CameraParts {
  readonly notify: (notice: CameraNotice) => void;
  /** Once there are cameras. */
  readonly hub: () => StreamHub;
  /** As CameraFollower.probed. */
  readonly takeProbe: (
    orgUuid: Ruuid,
    cameraUuid: Ruuid,
    verdict: ProbeVerdict,
  ) => Promise<CameraReport | null>;
}

/** The notices of a gateway that sees all cameras itself. */
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

  signing(cameraUuid: Ruuid, signing: SigningState): void {
    this.#parts.notify({ kind: 'signing', cameraUuid, signing });
  }

  recording(cameraUuid: Ruuid, recording: RecordingState): void {
    this.#recordings.set(cameraUuid, recording);
    this.#parts.notify({ kind: 'recording', cameraUuid, recording });
  }

  camera(cameraUuid: Ruuid, change: 'put' | 'removed'): void {
    const report = change === 'put' ? (this.#parts.hub().get(cameraUuid)?.report() ?? null) : null;
    this.#parts.notify({ kind: 'camera', cameraUuid, report, isObserved: true });
  }

  seen(cameraUuid: Ruuid): CameraReport | null {
    return this.#parts.hub().get(cameraUuid)?.report() ?? null;
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
      cameraSignings: cameras.map((camera) => [camera.uuid, camera.signing]),
      cameraRecordings: [...this.#recordings].filter(([, recording]) => isWorthTelling(recording)),
      placedHere: null,
    };
  }
}

/** A camera that is not recorded has no state, unless nothing can turn it on. */
export function isWorthTelling({ state, isForbidden }: RecordingState): boolean {
  return state !== 'off' || isForbidden;
}
