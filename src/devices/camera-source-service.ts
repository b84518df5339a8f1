/** Creates cameras that the gateway opens itself, without a discovery, and changes how it opens them. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Camera } from '../store/entities.ts';
import { isPushed } from '../store/pushed-address.ts';
import type { Store } from '../store/store.ts';
import { type CameraSourceFields, mergedSource, type ShownSource, shownSource } from './camera-source.ts';
import type { DeviceService } from './device-service.ts';
import { DEVICE_ERRORS } from './errors.ts';
import { newCamera, ROOM_FOR_CAMERAS } from './new-camera.ts';
import type { PendingRegistrations } from './pending-registrations.ts';

export interface NewCameraRequest {
  readonly name: string;
  readonly nvrUuid?: Ruuid | undefined;
  /** Absent: the NVR's. */
  readonly locationUuid?: Ruuid | undefined;
  readonly source: CameraSourceFields;
}

/** Absent: stays as it is. `locationUuid` null: it has none. */
export interface CameraSourceChanges {
  readonly name?: string | undefined;
  readonly locationUuid?: Ruuid | null | undefined;
  readonly source: CameraSourceFields;
}

/** A camera and how it is opened, without secrets. */
export interface KnownSource {
  readonly camera: Pick<Camera, 'uuid' | 'name' | 'locationUuid' | 'nvrUuid' | 'fromConfig'>;
  readonly source: ShownSource;
}

export interface CameraSourceServiceOptions {
  readonly store: Pick<Store, 'cameras'>;
  readonly devices: Pick<DeviceService, 'findCamera' | 'requireLocation' | 'changeSource'>;
  readonly pendingRegistrations: Pick<PendingRegistrations, 'requireNvr'>;
  readonly clock: Clock;
}

export class CameraSourceService {
  readonly #options: CameraSourceServiceOptions;

  constructor(options: CameraSourceServiceOptions) {
    this.#options = options;
  }

  /** Resolves with its UUID. Fails CAMERA_UNNAMED, LOCATION_NOT_FOUND, NVR_NOT_FOUND, TOO_MANY_CAMERAS, and like `mergedSource`. */
  async create(orgUuid: Ruuid, { name, nvrUuid, locationUuid, source }: NewCameraRequest): Promise<Ruuid> {
    const { store, devices, pendingRegistrations, clock } = this.#options;
    const camera = newCamera({
      orgUuid,
      name: requiredName(name),
      locationUuid: locationUuid ?? null,
      nvrUuid: null,
      ...mergedSource(null, source),
      createdAtMs: clock.epochMs(),
    });
    if (locationUuid !== undefined) await devices.requireLocation(orgUuid, locationUuid);
    const nvr = nvrUuid === undefined ? null : await pendingRegistrations.requireNvr(orgUuid, nvrUuid);
    const placed = {
      ...camera,
      nvrUuid: nvr?.uuid ?? null,
      locationUuid: locationUuid ?? nvr?.locationUuid ?? null,
    };
    await store.cameras.add(placed, ROOM_FOR_CAMERAS);
    return camera.uuid;
  }

  /** Fails CAMERA_NOT_FOUND. */
  async read(orgUuid: Ruuid, cameraUuid: Ruuid): Promise<KnownSource> {
    const { camera } = await this.#options.devices.findCamera(orgUuid, cameraUuid);
    return { camera, source: shownSource(camera) };
  }

  /**
   * Fails CAMERA_NOT_FOUND, CAMERA_UNNAMED, LOCATION_NOT_FOUND, DEVICE_DECLARED_IN_CONFIG, CAMERA_IS_PUSHED, and like
   * `mergedSource`.
   */
  async update(orgUuid: Ruuid, cameraUuid: Ruuid, changes: CameraSourceChanges): Promise<void> {
    const { devices } = this.#options;
    const { source, locationUuid } = changes;
    const name = changes.name === undefined ? undefined : requiredName(changes.name);
    if (locationUuid !== undefined && locationUuid !== null) {
      await devices.requireLocation(orgUuid, locationUuid);
    }
    await devices.changeSource(orgUuid, cameraUuid, (now) => ({
      ...(name === undefined ? {} : { name }),
      ...(locationUuid === undefined ? {} : { locationUuid }),
      ...mergedSource(pulled(now), source),
    }));
  }
}

/** Fails CAMERA_UNNAMED. */
function requiredName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw new GatewayError(DEVICE_ERRORS.CAMERA_UNNAMED);
  return trimmed;
}

/** Fails CAMERA_IS_PUSHED. */
function pulled(camera: Camera): Camera {
  if (isPushed(camera.rtspUrl)) {
    throw new GatewayError(DEVICE_ERRORS.CAMERA_IS_PUSHED, { camera: camera.uuid });
  }
  return camera;
}
