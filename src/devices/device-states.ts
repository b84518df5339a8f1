/** Lists of an organization's devices with their current state, sorted by name. */

import { GatewayError } from '../core/errors.ts';
import { LongList } from '../core/long-list.ts';
import { inOrderOfNames } from '../core/name-order.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { mapInSlices } from '../core/sliced-work.ts';
import type { Counters } from '../counters/counters.ts';
import type { Camera, CameraKind, CameraRecord, Nvr } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import type { CameraReport } from '../stream/camera-connection.ts';
import type { KnownDetails } from './device-details.ts';
import type { DeviceService } from './device-service.ts';
import { DEVICE_ERRORS } from './errors.ts';
import { announcedNvr, type PendingRegistrations } from './pending-registrations.ts';
import { hostOf, type RtspEndpoint } from './rtsp-endpoint.ts';
import type { RtspEndpointService } from './rtsp-endpoint-service.ts';

/** The current states of the gateway's cameras; undefined: it does not run this camera. */
export interface CameraStates {
  get(cameraUuid: Ruuid): CameraReport | undefined;
}

export interface CameraState<Known extends CameraRecord = CameraRecord> {
  readonly camera: Known;
  /** undefined: the API received none. */
  readonly details: KnownDetails | undefined;
  /** Shares that have not expired. */
  readonly sharedCount: number;
  /** undefined: the gateway does not run it. */
  readonly report: CameraReport | undefined;
}

export interface NvrState {
  readonly nvr: Nvr;
  readonly details: KnownDetails | undefined;
  /** The number of shares of its cameras. */
  readonly sharedCount: number;
  /** One for each camera behind it. */
  readonly reports: readonly (CameraReport | undefined)[];
}

/** A camera behind an NVR, or an RTSP endpoint that is not assigned to one yet. */
export type ThirdPartyCamera =
  | {
      readonly kind: 'assigned';
      readonly name: string;
      readonly state: CameraState<Camera>;
      /** undefined: the configuration file declares the camera. */
      readonly endpoint: RtspEndpoint | undefined;
    }
  | { readonly kind: 'unassigned'; readonly name: string; readonly endpoint: RtspEndpoint };

/** A discovered camera with its unassigned endpoints. */
export interface UnassignedCamera {
  /** Made from its address (rtsp-endpoint.ts). */
  readonly macAddress: string;
  readonly endpoints: readonly [RtspEndpoint, ...RtspEndpoint[]];
}

export interface NvrRecord {
  readonly nvr: Nvr;
  readonly details: KnownDetails | undefined;
  /** No camera was assigned to it yet. */
  readonly isAnnounced: boolean;
}

export interface CameraFilter {
  /** Default: all. */
  readonly kind?: CameraKind;
  /** Whether to include removed cameras. */
  readonly includeMummified: boolean;
}

export interface DeviceStatesOptions {
  readonly store: Pick<Store, 'cameras' | 'nvrs'>;
  readonly devices: Pick<DeviceService, 'detailsByDevice'>;
  readonly rtspEndpoints: Pick<RtspEndpointService, 'list' | 'assignedCameras'>;
  readonly pendingRegistrations: Pick<PendingRegistrations, 'list'>;
  readonly counters: Pick<Counters, 'shareCounts'>;
  readonly cameraStates: CameraStates;
}

export class DeviceStates {
  readonly #options: DeviceStatesOptions;

  constructor(options: DeviceStatesOptions) {
    this.#options = options;
  }

  async cameras(orgUuid: Ruuid, filter: CameraFilter): Promise<LongList<CameraState>> {
    const { kind, includeMummified } = filter;
    const listed = await this.#options.store.cameras.listRecords(orgUuid);
    const wanted = listed.filter(
      (camera) => (kind === undefined || camera.kind === kind) && (includeMummified || !camera.mummified),
    );
    return this.#statesOf(orgUuid, await inOrderOfNames(wanted));
  }

  /** Without those that were removed. */
  async nvrs(orgUuid: Ruuid): Promise<LongList<NvrState>> {
    const { store, devices, counters, cameraStates } = this.#options;
    const nvrs = await inOrderOfNames((await store.nvrs.list(orgUuid)).filter((nvr) => !nvr.mummified));
    const camerasByNvr = await this.#camerasByNvr(orgUuid);
    const details = await devices.detailsByDevice(orgUuid);
    const counts = await counters.shareCounts(nvrs.map((nvr) => nvr.uuid));
    return LongList.of(nvrs).map((nvr, index) => ({
      nvr,
      details: details.get(nvr.uuid),
      sharedCount: counts[index] ?? 0,
      reports: (camerasByNvr.get(nvr.uuid) ?? []).map((uuid) => cameraStates.get(uuid)),
    }));
  }

  /** Cameras behind an NVR, including those of the configuration file, and endpoints that are not assigned. */
  async thirdPartyCameras(orgUuid: Ruuid): Promise<LongList<ThirdPartyCamera>> {
    const { store, rtspEndpoints } = this.#options;
    const endpoints = await rtspEndpoints.list(orgUuid);
    const assigned = await rtspEndpoints.assignedCameras(orgUuid, endpoints);
    const endpointByCamera = new Map<Ruuid, RtspEndpoint>();
    for (const endpoint of endpoints) {
      const camera = assigned.get(endpoint.uuid);
      if (camera !== undefined) endpointByCamera.set(camera.uuid, endpoint);
    }
    const cameras = (await store.cameras.list(orgUuid)).filter(
      (camera) => camera.nvrUuid !== null && !camera.mummified,
    );
    const states = await (await this.#statesOf(orgUuid, cameras)).toArray();
    const withEndpoints = await mapInSlices(states, (state): ThirdPartyCamera => {
      const { name, uuid } = state.camera;
      return { kind: 'assigned', name, state, endpoint: endpointByCamera.get(uuid) };
    });
    const unassigned = await mapInSlices(
      endpoints.filter(({ uuid }) => !assigned.has(uuid)),
      (endpoint): ThirdPartyCamera => ({ kind: 'unassigned', name: hostOf(endpoint), endpoint }),
    );
    return LongList.of(await inOrderOfNames([...withEndpoints, ...unassigned]));
  }

  /** Discovered cameras that have unassigned endpoints, in discovery order. */
  async unassignedCameras(orgUuid: Ruuid): Promise<LongList<UnassignedCamera>> {
    const { rtspEndpoints } = this.#options;
    const endpoints = await rtspEndpoints.list(orgUuid);
    const assigned = await rtspEndpoints.assignedCameras(orgUuid, endpoints);
    const unassigned = endpoints.filter(({ uuid }) => !assigned.has(uuid));
    const byCamera = Map.groupBy(unassigned, ({ body }) => body.macAddress);
    return LongList.of([...byCamera]).map(([macAddress, [first, ...others]]) =>
      first === undefined ? undefined : { macAddress, endpoints: [first, ...others] },
    );
  }

  /**
   * NVRs as records, in the order of `uuids`; without `uuids` all of them, announced ones last. Fails NVR_NOT_FOUND.
   */
  async nvrRecords(orgUuid: Ruuid, uuids?: readonly Ruuid[]): Promise<NvrRecord[]> {
    const { store, devices, pendingRegistrations } = this.#options;
    const known = new Map((await store.nvrs.list(orgUuid)).map((nvr) => [nvr.uuid, nvr]));
    const details = await devices.detailsByDevice(orgUuid);
    const announced = new Map(
      (await pendingRegistrations.list(orgUuid)).map((each) => [each.uuid, announcedNvr(each)]),
    );
    return (uuids ?? [...known.keys(), ...announced.keys()]).map((uuid) => {
      const nvr = known.get(uuid) ?? announced.get(uuid);
      if (nvr === undefined)
        throw new GatewayError(DEVICE_ERRORS.NVR_NOT_FOUND, { nvr: uuid, list: 'nvruuids' });
      return { nvr, details: details.get(uuid), isAnnounced: !known.has(uuid) };
    });
  }

  /** The cameras behind an NVR in creation order, without removed ones. Fails NVR_NOT_FOUND. */
  async assignedCameras(
    orgUuid: Ruuid,
    nvrUuid: Ruuid,
  ): Promise<LongList<Pick<CameraState<Camera>, 'camera' | 'details'>>> {
    const { store, devices } = this.#options;
    if ((await store.nvrs.find(orgUuid, nvrUuid)) === null) {
      throw new GatewayError(DEVICE_ERRORS.NVR_NOT_FOUND, { nvr: nvrUuid });
    }
    const details = await devices.detailsByDevice(orgUuid);
    const cameras = await store.cameras.list(orgUuid);
    return LongList.of(cameras.filter((camera) => camera.nvrUuid === nvrUuid && !camera.mummified)).map(
      (camera) => ({ camera, details: details.get(camera.uuid) }),
    );
  }

  async #statesOf<Known extends CameraRecord>(
    orgUuid: Ruuid,
    cameras: readonly Known[],
  ): Promise<LongList<CameraState<Known>>> {
    const { devices, counters, cameraStates } = this.#options;
    const details = await devices.detailsByDevice(orgUuid);
    const counts = await counters.shareCounts(cameras.map((camera) => camera.uuid));
    return LongList.of(cameras).map((camera, index) => ({
      camera,
      details: details.get(camera.uuid),
      sharedCount: counts[index] ?? 0,
      report: cameraStates.get(camera.uuid),
    }));
  }

  async #camerasByNvr(orgUuid: Ruuid): Promise<ReadonlyMap<Ruuid | null, Ruuid[]>> {
    const camerasByNvr = new Map<Ruuid | null, Ruuid[]>();
    await (await this.#options.store.cameras.records(orgUuid)).forEach(({ uuid, nvrUuid, mummified }) => {
      if (mummified) return;
      const behind = camerasByNvr.get(nvrUuid);
      if (behind === undefined) camerasByNvr.set(nvrUuid, [uuid]);
      else behind.push(uuid);
    });
    return camerasByNvr;
  }
}
