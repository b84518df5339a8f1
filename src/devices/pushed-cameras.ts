/** Cameras whose devices push their video, and their publish keys: made here, shown once, stored as digests. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Secret } from '../core/secret.ts';
import { makePublishKey, publishDigest } from '../sources/rtmp/publish-key.ts';
import type { Camera } from '../store/entities.ts';
import { isPushed, publishDigestOf, pushedAddress } from '../store/pushed-address.ts';
import type { Store } from '../store/store.ts';
import { type DeviceService, declaredInConfig } from './device-service.ts';
import { DEVICE_ERRORS } from './errors.ts';
import { newCamera, ROOM_FOR_CAMERAS } from './new-camera.ts';
import type { PendingRegistrations } from './pending-registrations.ts';

export interface NewPushedCamera {
  readonly name: string;
  readonly nvrUuid?: Ruuid | undefined;
  /** Absent: the NVR's. */
  readonly locationUuid?: Ruuid | undefined;
}

/**
 * Resolves when the listener admits the camera's new key and no earlier one. Asynchronous, because the listener is in a
 * different thread.
 */
export type OnPublishKey = (orgUuid: Ruuid, cameraUuid: Ruuid) => Promise<void>;

export interface PushedCamerasOptions {
  readonly store: Pick<Store, 'cameras'>;
  readonly devices: Pick<DeviceService, 'findCamera' | 'requireLocation'>;
  readonly pendingRegistrations: Pick<PendingRegistrations, 'requireNvr'>;
  readonly clock: Clock;
  readonly onPublishKey: OnPublishKey;
}

export class PushedCameras {
  readonly #options: PushedCamerasOptions;

  constructor(options: PushedCamerasOptions) {
    this.#options = options;
  }

  /** Resolves with the key, which is not stored. Fails CAMERA_UNNAMED, NVR_NOT_FOUND, LOCATION_NOT_FOUND, TOO_MANY_CAMERAS. */
  async add(
    orgUuid: Ruuid,
    { name, nvrUuid, locationUuid }: NewPushedCamera,
  ): Promise<{ cameraUuid: Ruuid; key: Secret }> {
    const { store, devices, pendingRegistrations, clock, onPublishKey } = this.#options;
    const trimmed = name.trim();
    if (trimmed === '') throw new GatewayError(DEVICE_ERRORS.CAMERA_UNNAMED);
    if (locationUuid !== undefined) await devices.requireLocation(orgUuid, locationUuid);
    const nvr = nvrUuid === undefined ? null : await pendingRegistrations.requireNvr(orgUuid, nvrUuid);
    const key = makePublishKey();
    const camera = newCamera({
      orgUuid,
      name: trimmed,
      rtspUrl: pushedAddress(publishDigest(key)),
      nvrUuid: nvr?.uuid ?? null,
      locationUuid: locationUuid ?? nvr?.locationUuid ?? null,
      createdAtMs: clock.epochMs(),
    });
    await store.cameras.add(camera, ROOM_FOR_CAMERAS);
    await onPublishKey(orgUuid, camera.uuid);
    return { cameraUuid: camera.uuid, key };
  }

  /**
   * A new key, in place of the camera's earlier one. Resolves with it; it is not stored. A device that pushes with the
   * earlier one is disconnected. Fails CAMERA_NOT_FOUND, CAMERA_NOT_PUSHED, DEVICE_DECLARED_IN_CONFIG.
   */
  async createKey(orgUuid: Ruuid, deviceFacetUuid: string): Promise<Secret> {
    const key = makePublishKey();
    await this.#change(orgUuid, deviceFacetUuid, (camera) => ({
      ...camera,
      rtspUrl: pushedAddress(publishDigest(key)),
    }));
    return key;
  }

  /** The camera stays, and nothing can be pushed until it gets another key. Also fails PUBLISH_KEY_NOT_FOUND. */
  async deleteKey(orgUuid: Ruuid, deviceFacetUuid: string): Promise<void> {
    await this.#change(orgUuid, deviceFacetUuid, (camera) => {
      if (publishDigestOf(camera.rtspUrl) === null) {
        throw new GatewayError(DEVICE_ERRORS.PUBLISH_KEY_NOT_FOUND, { camera: camera.uuid });
      }
      return { ...camera, rtspUrl: pushedAddress(null) };
    });
  }

  async #change(orgUuid: Ruuid, deviceFacetUuid: string, decide: (camera: Camera) => Camera): Promise<void> {
    const { store, devices, onPublishKey } = this.#options;
    const { uuid } = (await devices.findCamera(orgUuid, deviceFacetUuid)).camera;
    const decideKnown = (camera: Camera | null): Camera => {
      if (camera === null || camera.mummified) {
        throw new GatewayError(DEVICE_ERRORS.CAMERA_NOT_FOUND, { camera: uuid });
      }
      if (camera.fromConfig) throw declaredInConfig(camera, 'change how its video comes in there');
      if (!isPushed(camera.rtspUrl))
        throw new GatewayError(DEVICE_ERRORS.CAMERA_NOT_PUSHED, { camera: uuid });
      return decide(camera);
    };
    await store.cameras.change(orgUuid, uuid, decideKnown, 'vital');
    await onPublishKey(orgUuid, uuid);
  }
}
