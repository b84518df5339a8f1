/** Finds, changes and removes cameras and NVRs. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { KeyedLock } from '../core/keyed-lock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { isRuuid, newRuuid, parseDeviceFacetUuid, type Ruuid } from '../core/ruuid.ts';
import { waitingBriefly } from '../store/brief-waits.ts';
import { CAMERA_PAUSES } from '../store/camera-pause.ts';
import type { Camera, CameraKind, CameraRecord, Nvr } from '../store/entities.ts';
import { MANUAL_RECORDINGS } from '../store/manual-recording.ts';
import type { Room } from '../store/record-change.ts';
import { noteRemovedMasks } from '../store/removed-masks.ts';
import type { ResourceRepository } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { isStoreAway } from '../store/store-away.ts';
import {
  CAMERA_CONFIGS,
  type CameraConfigBody,
  cameraConfigUuid,
  RECORDING_FIELDS,
} from './camera-config.ts';
import { CUSTOM_SEEK_POINTS } from './custom-seek-points.ts';
import {
  DEVICE_DETAILS,
  type DeviceDetails,
  detailsByDevice,
  deviceDetailsUuid,
  type KnownDetails,
  NO_DEVICE_DETAILS,
} from './device-details.ts';
import { DEVICE_REPORTS, deviceReportUuid, reportsByDevice } from './device-report.ts';
import { DEVICE_ERRORS } from './errors.ts';
import { PLAN_PLACES } from './floor-plans.ts';
import { isOperatorsCamera } from './operators-camera.ts';

/** Absent: not changed. */
export interface DeviceChanges {
  readonly name?: string;
  readonly locationUuid?: Ruuid | null;
  readonly mummified?: boolean;
  readonly details: Partial<DeviceDetails>;
}

export interface CameraChanges extends DeviceChanges {
  /** null: behind none. */
  readonly nvrUuid?: Ruuid | null;
}

/** A camera, or one facet of it. */
export interface CameraRef {
  readonly camera: Camera;
  /** '' for the camera itself. */
  readonly facet: string;
}

/** A camera as a caller names it. */
export interface CameraName {
  readonly camera: Pick<Camera, 'uuid'>;
  readonly facet: string;
}

export type CameraUrls = Pick<Camera, 'rtspUrl' | 'substreamUrl' | 'onvifUrl'>;

/** Which NVRs are meant; an empty list means all. */
export interface NvrFilter {
  readonly deviceUuids: readonly Ruuid[];
  /** Only NVRs at these locations. */
  readonly locationUuids: readonly Ruuid[];
}

/** Removes a camera's shares. */
export interface ShareRemoval {
  remove(orgUuid: Ruuid, uuid: Ruuid): Promise<void>;
}

/** A committed removal. */
export interface CameraRemoval {
  readonly kind: 'camera';
  readonly uuid: Ruuid;
  readonly record: null;
}

/**
 * Where the end of a camera takes effect: when the call returns, every view of it that needs no share has ended.
 * Asynchronous, because the views may be in a different thread.
 */
export interface CameraRules {
  applied(change: CameraRemoval): void | Promise<void>;
}

export interface DeviceServiceOptions {
  readonly store: Pick<Store, 'cameras' | 'nvrs' | 'locations' | 'shares' | 'schedules' | 'resources'>;
  readonly shares: ShareRemoval;
  readonly rules: CameraRules;
  readonly clock: Clock;
}

/** A camera's configuration as JSON, all fields together. */
const MAX_CONFIG_CHARS = 256 * 1_024;
const ROOM_FOR_NVRS: Room = {
  atMost: LIMITS.nvrs.perOrganization,
  full: () => new GatewayError(DEVICE_ERRORS.TOO_MANY_NVRS),
};
/** Removed with their device. */
const BELONGINGS = [
  DEVICE_DETAILS,
  DEVICE_REPORTS,
  CAMERA_CONFIGS,
  CAMERA_PAUSES,
  CUSTOM_SEEK_POINTS,
  MANUAL_RECORDINGS,
  PLAN_PLACES,
];
/** How many cameras a refusal names. */
const MAX_NAMED_CAMERAS = 10;

export class DeviceService {
  readonly #store: DeviceServiceOptions['store'];
  readonly #shares: DeviceServiceOptions['shares'];
  readonly #rules: CameraRules;
  readonly #clock: Clock;
  readonly #details: ResourceRepository<DeviceDetails>;
  /** Changes and removals of a device and what belongs to it (details, reports, configuration, seek points, shares) take turns. */
  readonly #locks = new KeyedLock();

  constructor({ store, shares, rules, clock }: DeviceServiceOptions) {
    this.#store = store;
    this.#shares = shares;
    this.#rules = rules;
    this.#clock = clock;
    this.#details = store.resources.of(DEVICE_DETAILS);
  }

  /** The details of every device of the organization with details or a report. */
  async detailsByDevice(orgUuid: Ruuid): Promise<ReadonlyMap<Ruuid, KnownDetails>> {
    const reports = reportsByDevice(await this.#store.resources.of(DEVICE_REPORTS).list(orgUuid));
    return detailsByDevice(await this.#details.list(orgUuid), reports);
  }

  async details(orgUuid: Ruuid, deviceUuid: Ruuid): Promise<KnownDetails> {
    const details = await this.#details.find(orgUuid, deviceDetailsUuid(deviceUuid));
    const reports = this.#store.resources.of(DEVICE_REPORTS);
    const reported = await reports.find(orgUuid, deviceReportUuid(deviceUuid));
    return { ...(details?.body ?? NO_DEVICE_DETAILS), report: reported?.body.report };
  }

  /** By its UUID, with or without a facet. Fails CAMERA_NOT_FOUND, also for a removed camera. */
  async findCamera(orgUuid: Ruuid, deviceFacetUuid: string): Promise<CameraRef> {
    const device = parseDeviceFacetUuid(deviceFacetUuid);
    const camera = device === null ? null : await this.#store.cameras.find(orgUuid, device.uuid);
    if (device === null || camera === null || camera.mummified) throw cameraNotFound(deviceFacetUuid);
    return { camera, facet: device.facet };
  }

  /** The same, to end access: while the store is unavailable, any camera that the caller names. */
  async namedCamera(orgUuid: Ruuid, deviceFacetUuid: string): Promise<CameraName> {
    const device = parseDeviceFacetUuid(deviceFacetUuid);
    return waitingBriefly(() => this.findCamera(orgUuid, deviceFacetUuid)).catch((thrown: unknown) => {
      if (device === null || !isStoreAway(thrown)) throw thrown;
      return { camera: { uuid: device.uuid }, facet: device.facet };
    });
  }

  /** The same for doorbell cameras. Also fails NOT_A_DOORBELL_CAMERA. */
  async findDoorbellCamera(orgUuid: Ruuid, deviceFacetUuid: string): Promise<CameraRef> {
    const found = await this.findCamera(orgUuid, deviceFacetUuid);
    if (found.camera.kind !== 'doorbell') {
      throw new GatewayError(DEVICE_ERRORS.NOT_A_DOORBELL_CAMERA, { camera: deviceFacetUuid });
    }
    return found;
  }

  /** Fails NVR_NOT_FOUND, also for a removed NVR. */
  async findNvr(orgUuid: Ruuid, uuid: Ruuid): Promise<Nvr> {
    const nvr = await this.#nvr(orgUuid, uuid);
    if (nvr.mummified) throw new GatewayError(DEVICE_ERRORS.NVR_NOT_FOUND, { nvr: uuid });
    return nvr;
  }

  /** The cameras of an NVR, without removed ones. */
  async camerasBehind(orgUuid: Ruuid, nvrUuid: Ruuid): Promise<CameraRecord[]> {
    const cameras = await this.#store.cameras.listRecords(orgUuid);
    return cameras.filter((camera) => camera.nvrUuid === nvrUuid && !camera.mummified);
  }

  /** Fails CAMERA_NOT_FOUND, LOCATION_NOT_FOUND, NVR_NOT_FOUND, DEVICE_DECLARED_IN_CONFIG. */
  async updateCamera(orgUuid: Ruuid, uuid: Ruuid, changes: CameraChanges): Promise<void> {
    await this.#locks.run(uuid, async () => {
      const { after } = await this.#store.cameras.change(orgUuid, uuid, async (camera) => {
        if (camera === null) throw cameraNotFound(uuid);
        const placed = await this.#assigned(camera, changes.nvrUuid);
        const changed: Camera = {
          ...(await this.#changed(placed, changes)),
          mummified: changes.mummified ?? camera.mummified,
        };
        refuseDeclared(camera, changed);
        return isChanged(camera, changed) ? changed : 'unchanged';
      });
      if (after?.mummified === true) await this.#rules.applied({ kind: 'camera', uuid, record: null });
      await this.#saveDetails(orgUuid, uuid, changes.details);
    });
  }

  /**
   * `mummify`: the camera stops and stays listed as removed; otherwise it is removed with its shares, its seek
   * points and its configuration. Fails CAMERA_NOT_FOUND, also for a camera of another kind than `kind`, and DEVICE_DECLARED_IN_CONFIG.
   */
  async removeCamera(orgUuid: Ruuid, uuid: Ruuid, mummify: boolean, kind?: CameraKind): Promise<void> {
    await this.#locks.run(uuid, async () => {
      const camera = await this.#camera(orgUuid, uuid);
      if (kind !== undefined && camera.kind !== kind) throw cameraNotFound(uuid);
      if (camera.fromConfig) throw declaredInConfig(camera, 'remove it there');
      if (mummify) {
        await this.#store.cameras.change(orgUuid, uuid, (now) =>
          now === null ? 'unchanged' : { ...now, mummified: true },
        );
        await this.#rules.applied({ kind: 'camera', uuid, record: null });
        return;
      }
      for (const share of await this.#store.shares.listByCamera(orgUuid, uuid)) {
        await this.#shares.remove(orgUuid, share.uuid);
      }
      await noteRemovedMasks(this.#store, camera, this.#clock);
      await this.#store.cameras.remove(orgUuid, uuid);
      await this.#rules.applied({ kind: 'camera', uuid, record: null });
      await this.#removeBelongings(orgUuid, uuid);
    });
  }

  /** Does nothing if the camera no longer exists, or if it is the operator's. */
  async changeUrls(
    orgUuid: Ruuid,
    cameraUuid: Ruuid,
    decide: (now: Camera) => Partial<CameraUrls>,
  ): Promise<void> {
    await this.#locks.run(cameraUuid, async () => {
      await this.#store.cameras.change(orgUuid, cameraUuid, (camera) => {
        if (camera === null || isOperatorsCamera(camera)) return 'unchanged';
        const changed = { ...camera, ...decide(camera) };
        return isSameUrls(camera, changed) ? 'unchanged' : changed;
      });
    });
  }

  /** Fails CAMERA_NOT_FOUND, also for a removed camera, DEVICE_DECLARED_IN_CONFIG, and as `decide`. */
  async changeSource(
    orgUuid: Ruuid,
    cameraUuid: Ruuid,
    decide: (now: Camera) => Partial<Camera>,
  ): Promise<void> {
    await this.#locks.run(cameraUuid, async () => {
      await this.#store.cameras.change(orgUuid, cameraUuid, (camera) => {
        if (camera === null || camera.mummified) throw cameraNotFound(cameraUuid);
        if (camera.fromConfig) throw declaredInConfig(camera, 'change how it is opened there');
        if (isOperatorsCamera(camera)) throw runByGateway(camera);
        return { ...camera, ...decide(camera) };
      });
    });
  }

  /** The stored configuration of a camera; absent fields were never sent. */
  async cameraConfig(orgUuid: Ruuid, cameraUuid: Ruuid): Promise<CameraConfigBody> {
    const uuid = cameraConfigUuid(cameraUuid);
    return (await this.#store.resources.of(CAMERA_CONFIGS).find(orgUuid, uuid))?.body ?? {};
  }

  /**
   * Stored fields that `settings` does not have stay as they are. The camera must exist. Fails
   * CAMERA_CONFIG_SCHEDULE_NOT_FOUND, CAMERA_RECORDING_SCHEDULE_NEEDED, CAMERA_CONFIG_TOO_LARGE.
   */
  async updateCameraConfig(orgUuid: Ruuid, cameraUuid: Ruuid, settings: CameraConfigBody): Promise<void> {
    for (const setting of ['disabled_schedule_uuid', RECORDING_FIELDS.schedule] as const) {
      const scheduleUuid = settings[setting];
      if (!isRuuid(scheduleUuid) || (await this.#store.schedules.find(orgUuid, scheduleUuid)) !== null)
        continue;
      const context = { camera: cameraUuid, setting, schedule: scheduleUuid };
      throw new GatewayError(DEVICE_ERRORS.CAMERA_CONFIG_SCHEDULE_NOT_FOUND, context);
    }
    await this.#locks.run(cameraUuid, async () => {
      const uuid = cameraConfigUuid(cameraUuid);
      await this.#store.resources.of(CAMERA_CONFIGS).change(orgUuid, uuid, (known) => {
        const nowMs = this.#clock.epochMs();
        const body: CameraConfigBody = { ...known?.body, lastModified: nowMs, ...settings };
        if (body.recording === 'schedule' && body[RECORDING_FIELDS.schedule] === undefined) {
          throw new GatewayError(DEVICE_ERRORS.CAMERA_RECORDING_SCHEDULE_NEEDED, { camera: cameraUuid });
        }
        if (JSON.stringify(body).length > MAX_CONFIG_CHARS) {
          throw new GatewayError(DEVICE_ERRORS.CAMERA_CONFIG_TOO_LARGE, { camera: cameraUuid });
        }
        return {
          uuid,
          orgUuid,
          name: '',
          parentUuid: cameraUuid,
          secret: null,
          body,
          createdAtMs: known?.createdAtMs ?? nowMs,
          updatedAtMs: nowMs,
        };
      });
    });
  }

  /**
   * The NVRs that match the filters, at least one; empty filters match all. Fails NVR_NOT_FOUND for a device that is not
   * an NVR, LOCATION_NOT_FOUND, NVR_FILTER_EMPTY.
   */
  async filteredNvrs(orgUuid: Ruuid, { deviceUuids, locationUuids }: NvrFilter): Promise<Nvr[]> {
    const nvrs = (await this.#store.nvrs.list(orgUuid)).filter((nvr) => !nvr.mummified);
    const known = new Set(nvrs.map(({ uuid }) => uuid));
    const unknown = deviceUuids.find((uuid) => !known.has(uuid));
    if (unknown !== undefined) {
      throw new GatewayError(DEVICE_ERRORS.NVR_NOT_FOUND, { nvr: unknown, list: 'deviceFilter' });
    }
    for (const uuid of locationUuids) await this.requireLocation(orgUuid, uuid);
    const devices = new Set(deviceUuids);
    const places = new Set<Ruuid | null>(locationUuids);
    const left = nvrs.filter(
      ({ uuid, locationUuid }) =>
        (devices.size === 0 || devices.has(uuid)) && (places.size === 0 || places.has(locationUuid)),
    );
    if (left.length === 0) throw new GatewayError(DEVICE_ERRORS.NVR_FILTER_EMPTY);
    return left;
  }

  /** Resolves with its UUID. Fails NVR_UNNAMED, LOCATION_NOT_FOUND, TOO_MANY_NVRS. */
  async createNvr(orgUuid: Ruuid, name: string, locationUuid: Ruuid | null): Promise<Ruuid> {
    const trimmed = name.trim();
    if (trimmed === '') throw new GatewayError(DEVICE_ERRORS.NVR_UNNAMED);
    if (locationUuid !== null) await this.requireLocation(orgUuid, locationUuid);
    const nvr: Nvr = {
      uuid: newRuuid(),
      orgUuid,
      locationUuid,
      name: trimmed,
      serialNumber: null,
      createdAtMs: this.#clock.epochMs(),
      mummified: false,
      fromConfig: false,
    };
    await this.#store.nvrs.add(nvr, ROOM_FOR_NVRS);
    return nvr.uuid;
  }

  /** Fails NVR_NOT_FOUND, LOCATION_NOT_FOUND, DEVICE_DECLARED_IN_CONFIG. */
  async updateNvr(orgUuid: Ruuid, uuid: Ruuid, changes: DeviceChanges): Promise<void> {
    await this.#locks.run(uuid, async () => {
      await this.#store.nvrs.change(orgUuid, uuid, async (nvr) => {
        if (nvr === null) throw nvrNotFound(uuid);
        const changed = await this.#changed(nvr, changes);
        refuseDeclared(nvr, changed);
        return isChanged(nvr, changed) ? changed : 'unchanged';
      });
      await this.#saveDetails(orgUuid, uuid, changes.details);
    });
  }

  /** Fails NVR_NOT_FOUND, DEVICE_DECLARED_IN_CONFIG, and NVR_IN_USE, whose sentence names the cameras. */
  async removeNvr(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    await this.#locks.run(uuid, async () => {
      const nvr = await this.#nvr(orgUuid, uuid);
      if (nvr.fromConfig) throw declaredInConfig(nvr, 'remove it there');
      const behind = (await this.#store.cameras.list(orgUuid)).filter((camera) => camera.nvrUuid === uuid);
      const running = behind.filter((camera) => !camera.mummified);
      if (running.length > 0) throw nvrInUse(nvr, running);
      for (const camera of behind) {
        await this.#store.cameras.change(orgUuid, camera.uuid, (now) =>
          now?.nvrUuid === uuid ? { ...now, nvrUuid: null } : 'unchanged',
        );
      }
      await this.#store.nvrs.remove(orgUuid, uuid);
      await this.#removeBelongings(orgUuid, uuid);
    });
  }

  /** Fails LOCATION_NOT_FOUND. */
  async requireLocation(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    if ((await this.#store.locations.find(orgUuid, uuid)) === null) {
      throw new GatewayError(DEVICE_ERRORS.LOCATION_NOT_FOUND, { location: uuid });
    }
  }

  async #camera(orgUuid: Ruuid, uuid: Ruuid): Promise<Camera> {
    const camera = await this.#store.cameras.find(orgUuid, uuid);
    if (camera === null) throw cameraNotFound(uuid);
    return camera;
  }

  async #nvr(orgUuid: Ruuid, uuid: Ruuid): Promise<Nvr> {
    const nvr = await this.#store.nvrs.find(orgUuid, uuid);
    if (nvr === null) throw nvrNotFound(uuid);
    return nvr;
  }

  /** Without a site of its own, it stays at that of the NVR which it leaves: its schedules keep their time zone. */
  async #assigned(camera: Camera, nvrUuid: Ruuid | null | undefined): Promise<Camera> {
    if (nvrUuid === undefined || nvrUuid === camera.nvrUuid) return camera;
    if (nvrUuid !== null) await this.findNvr(camera.orgUuid, nvrUuid);
    const left = camera.nvrUuid === null ? null : await this.#store.nvrs.find(camera.orgUuid, camera.nvrUuid);
    return { ...camera, nvrUuid, locationUuid: camera.locationUuid ?? left?.locationUuid ?? null };
  }

  async #changed<Device extends Camera | Nvr>(device: Device, changes: DeviceChanges): Promise<Device> {
    const { name = device.name, locationUuid = device.locationUuid } = changes;
    if (locationUuid !== null && locationUuid !== device.locationUuid) {
      await this.requireLocation(device.orgUuid, locationUuid);
    }
    return { ...device, name, locationUuid };
  }

  async #saveDetails(orgUuid: Ruuid, deviceUuid: Ruuid, changes: Partial<DeviceDetails>): Promise<void> {
    if (Object.keys(changes).length === 0) return;
    const uuid = deviceDetailsUuid(deviceUuid);
    await this.#details.change(orgUuid, uuid, (known) => {
      const nowMs = this.#clock.epochMs();
      return {
        uuid,
        orgUuid,
        name: '',
        parentUuid: deviceUuid,
        secret: null,
        body: { ...(known?.body ?? NO_DEVICE_DETAILS), ...changes },
        createdAtMs: known?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      };
    });
  }

  async #removeBelongings(orgUuid: Ruuid, deviceUuid: Ruuid): Promise<void> {
    for (const kind of BELONGINGS) {
      const repository = this.#store.resources.of<object>(kind);
      for (const { uuid } of await repository.listByParent(orgUuid, deviceUuid)) {
        await repository.remove(orgUuid, uuid);
      }
    }
  }
}

function isSameUrls(a: CameraUrls, b: CameraUrls): boolean {
  return (
    a.rtspUrl.reveal() === b.rtspUrl.reveal() &&
    a.substreamUrl?.reveal() === b.substreamUrl?.reveal() &&
    a.onvifUrl?.reveal() === b.onvifUrl?.reveal()
  );
}

function isChanged(before: Camera | Nvr, after: Camera | Nvr): boolean {
  return (
    before.name !== after.name ||
    before.locationUuid !== after.locationUuid ||
    before.mummified !== after.mummified ||
    nvrOf(before) !== nvrOf(after)
  );
}

function nvrOf(device: Camera | Nvr): Ruuid | null {
  return 'nvrUuid' in device ? device.nvrUuid : null;
}

/** Refuses changes that the configuration file would undo when it is next read. */
function refuseDeclared(before: Camera | Nvr, after: Camera | Nvr): void {
  if (before.fromConfig && isChanged(before, after)) {
    throw declaredInConfig(before, 'change its name, its location and whether it exists there');
  }
}

/** The refusal to change a field that the file declares. `advice`: what to do instead. */
export function declaredInConfig(device: Camera | Nvr, advice: string): GatewayError {
  return new GatewayError(DEVICE_ERRORS.DEVICE_DECLARED_IN_CONFIG, {
    device: device.uuid,
    sentence: `The configuration file declares ${device.name}: ${advice}.`,
  });
}

/** The demo can be on this machine, where no address of a caller may lead. */
function runByGateway(camera: Camera): GatewayError {
  return new GatewayError(DEVICE_ERRORS.DEVICE_DECLARED_IN_CONFIG, {
    device: camera.uuid,
    sentence: `The gateway itself runs ${camera.name}: create a camera of your own instead.`,
  });
}

function cameraNotFound(uuid: string): GatewayError {
  return new GatewayError(DEVICE_ERRORS.CAMERA_NOT_FOUND, { camera: uuid });
}

function nvrNotFound(uuid: Ruuid): GatewayError {
  return new GatewayError(DEVICE_ERRORS.NVR_NOT_FOUND, { nvr: uuid });
}

function nvrInUse(nvr: Nvr, cameras: readonly Camera[]): GatewayError {
  const named = cameras.slice(0, MAX_NAMED_CAMERAS).map((camera) => camera.name);
  const more = cameras.length > named.length ? ` and ${cameras.length - named.length} more` : '';
  return new GatewayError(DEVICE_ERRORS.NVR_IN_USE, {
    nvr: nvr.uuid,
    sentence: `Cameras are assigned to the NVR: ${named.join(', ')}${more}. Unassign them first.`,
  });
}
