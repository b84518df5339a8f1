/** The streams of an organization's cameras now: state, faults, and samples. */

import { GatewayError } from '../core/errors.ts';
import { LongList } from '../core/long-list.ts';
import { inOrderOfNames } from '../core/name-order.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { CameraRecord } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import type { CameraReport } from '../stream/camera-connection.ts';
import type { SigningState } from '../stream/signing-state.ts';
import type { CameraStates } from './device-states.ts';
import { DEVICE_ERRORS } from './errors.ts';
import type { CameraSignings } from './full-device-states.ts';
import type { CameraSample, StreamSamples } from './stream-samples.ts';

export interface CameraStreamState {
  readonly camera: CameraRecord;
  /** undefined: the gateway does not run it. */
  readonly report: CameraReport | undefined;
  /** undefined: never known. */
  readonly signing: SigningState | undefined;
  /** undefined: it is closed and has no viewers. */
  readonly sample: CameraSample | undefined;
}

export interface CameraStreamStatesOptions {
  readonly store: Pick<Store, 'cameras'>;
  readonly cameraStates: CameraStates;
  readonly cameraSignings: CameraSignings;
  readonly samples: Pick<StreamSamples, 'latest'>;
}

export class CameraStreamStates {
  readonly #options: CameraStreamStatesOptions;

  constructor(options: CameraStreamStatesOptions) {
    this.#options = options;
  }

  /** Sorted by name. `uuids`: null for all. Without removed cameras. Fails CAMERA_NOT_FOUND. */
  async list(orgUuid: Ruuid, uuids: readonly Ruuid[] | null): Promise<LongList<CameraStreamState>> {
    const { store, cameraStates, cameraSignings, samples } = this.#options;
    const listed = (await store.cameras.listRecords(orgUuid)).filter((camera) => !camera.mummified);
    const wanted = uuids === null ? listed : pick(listed, uuids);
    const sampled = await samples.latest();
    return LongList.of(await inOrderOfNames(wanted)).map((camera) => ({
      camera,
      report: cameraStates.get(camera.uuid),
      signing: cameraSignings.get(camera.uuid),
      sample: sampled.get(camera.uuid),
    }));
  }
}

/** Fails CAMERA_NOT_FOUND. */
function pick(cameras: readonly CameraRecord[], uuids: readonly Ruuid[]): CameraRecord[] {
  const known = new Map(cameras.map((camera) => [camera.uuid, camera]));
  return [...new Set(uuids)].map((uuid) => {
    const camera = known.get(uuid);
    if (camera === undefined) throw new GatewayError(DEVICE_ERRORS.CAMERA_NOT_FOUND, { camera: uuid });
    return camera;
  });
}
