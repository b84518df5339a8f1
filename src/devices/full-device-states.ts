/** Everything that is known about one camera or one NVR, gathered from several services. */

import type { Clock } from '../core/clock.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { Counters } from '../counters/counters.ts';
import type { ClockReading } from '../rtp/camera-clock.ts';
import type { CameraProbe, RtspUrlStatus } from '../sources/probe.ts';
import type { Camera, Nvr } from '../store/entities.ts';
import { isPushed } from '../store/pushed-address.ts';
import type { CameraReport } from '../stream/camera-connection.ts';
import type { RecordingState } from '../stream/media/recording-state.ts';
import type { SigningState } from '../stream/signing-state.ts';
import type { SoundState } from '../stream/sound-state.ts';
import type { CameraConfigBody } from './camera-config.ts';
import type { KnownDetails } from './device-details.ts';
import type { DeviceService } from './device-service.ts';
import type { CameraStates } from './device-states.ts';
import type { OnvifClocks } from './onvif-clocks.ts';
import type { RtspEndpointService } from './rtsp-endpoint-service.ts';

/** The video that a camera sent when it was opened for this state; null: it did not send it. */
export interface SeenVideo {
  readonly rtspUrlStatus: RtspUrlStatus;
  readonly codec: string | null;
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  readonly frameRateHz: number | null;
}

interface FullDeviceState {
  readonly details: KnownDetails;
  /** Shares that have not expired. */
  readonly sharedCount: number;
  /** When the gateway last saw it connect or disconnect, epoch milliseconds; null: not recently. */
  readonly lastChangeMs: number | null;
  readonly nowMs: number;
}

export interface FullCameraState extends FullDeviceState {
  readonly camera: Camera;
  /** undefined: the gateway does not run it. */
  readonly report: CameraReport | undefined;
  /** undefined: nothing was ever known about its audio. */
  readonly sound: SoundState | undefined;
  /** null: not known. */
  readonly clockReading: ClockReading | null;
  /** undefined: the gateway does not run it. */
  readonly signing: SigningState | undefined;
  /** How far its clock is ahead of ours by ONVIF; null: not known. */
  readonly onvifClockOffsetMs: number | null;
  /** undefined: it was not recorded since the gateway started. */
  readonly recording: RecordingState | undefined;
  /** Whether it offers audio; null: not known. */
  readonly audioSupported: boolean | null;
  /** null: it was not opened. */
  readonly seen: SeenVideo | null;
  /** Without fields if nothing is stored, or if it was not requested. */
  readonly config: CameraConfigBody;
}

export interface FullNvrState extends FullDeviceState {
  readonly nvr: Nvr;
  /** undefined: the gateway does not run the camera. */
  readonly cameras: readonly { readonly uuid: Ruuid; readonly report: CameraReport | undefined }[];
}

/** Whether viewers can hear the gateway's cameras; undefined: never known for this one. */
export interface CameraSounds {
  get(cameraUuid: Ruuid): SoundState | undefined;
}

/** How the clocks of the gateway's cameras run; undefined and null: not known. */
export interface CameraClocks {
  get(cameraUuid: Ruuid): ClockReading | null | undefined;
}

/** What the signatures of cameras say about their video; undefined: never known for this one. */
export interface CameraSignings {
  get(cameraUuid: Ruuid): SigningState | undefined;
}

/** Whether the gateway's cameras are being recorded; undefined: never since it started. */
export interface CameraRecordings {
  get(cameraUuid: Ruuid): RecordingState | undefined;
}

export interface FullDeviceStatesOptions {
  readonly devices: Pick<
    DeviceService,
    'findCamera' | 'findNvr' | 'camerasBehind' | 'details' | 'cameraConfig'
  >;
  readonly rtspEndpoints: Pick<RtspEndpointService, 'endpointOf' | 'probeCamera'>;
  readonly counters: Pick<Counters, 'shareCounts'>;
  readonly cameraStates: CameraStates;
  readonly cameraSounds: CameraSounds;
  readonly cameraClocks: CameraClocks;
  readonly cameraSignings: CameraSignings;
  readonly cameraRecordings: CameraRecordings;
  readonly onvifClocks: Pick<OnvifClocks, 'get' | 'refresh'>;
  /** The history of the camera as the gateway saw it. */
  readonly health: {
    lastSeenChangeMs(orgUuid: Ruuid, deviceUuids: readonly Ruuid[]): Promise<number | null>;
  };
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class FullDeviceStates {
  readonly #options: FullDeviceStatesOptions;

  constructor(options: FullDeviceStatesOptions) {
    this.#options = options;
  }

  /**
   * `isOpened`: opens the camera for it now, which takes up to 10 seconds. Fails CAMERA_NOT_FOUND, or like `probeCamera`.
   */
  async camera(
    orgUuid: Ruuid,
    deviceFacetUuid: string,
    { isOpened, withConfig }: { readonly isOpened: boolean; readonly withConfig: boolean },
  ): Promise<FullCameraState> {
    const {
      devices,
      cameraStates,
      cameraSounds,
      cameraClocks,
      cameraSignings,
      cameraRecordings,
      onvifClocks,
    } = this.#options;
    const { camera } = await devices.findCamera(orgUuid, deviceFacetUuid);
    const { uuid } = camera;
    // A camera whose device pushes cannot be opened.
    const canOpen = !isPushed(camera.rtspUrl);
    const requested = isOpened ? onvifClocks.refresh(camera) : Promise.resolve();
    const said = isOpened && canOpen ? await this.#opened(camera) : await this.#saidBefore(orgUuid, uuid);
    await requested;
    const known = await this.#known(orgUuid, uuid, [uuid]);
    const config = withConfig ? await devices.cameraConfig(orgUuid, uuid) : {};
    // Read after the probe, because it includes the probe's result.
    return {
      ...known,
      ...said,
      camera,
      config,
      report: cameraStates.get(uuid),
      sound: cameraSounds.get(uuid),
      clockReading: cameraClocks.get(uuid) ?? null,
      signing: cameraSignings.get(uuid),
      onvifClockOffsetMs: onvifClocks.get(uuid),
      recording: cameraRecordings.get(uuid),
    };
  }

  /** Fails NVR_NOT_FOUND. */
  async nvr(orgUuid: Ruuid, nvrUuid: Ruuid): Promise<FullNvrState> {
    const { devices, cameraStates } = this.#options;
    const nvr = await devices.findNvr(orgUuid, nvrUuid);
    const behind = await devices.camerasBehind(orgUuid, nvrUuid);
    const cameras = behind.map(({ uuid }) => ({ uuid, report: cameraStates.get(uuid) }));
    const known = await this.#known(
      orgUuid,
      nvrUuid,
      behind.map(({ uuid }) => uuid),
    );
    return { ...known, nvr, cameras };
  }

  /** `seenUuids`: the cameras by which the gateway sees the device. */
  async #known(orgUuid: Ruuid, uuid: Ruuid, seenUuids: readonly Ruuid[]): Promise<FullDeviceState> {
    const { devices, counters, health, clock } = this.#options;
    const nowMs = clock.epochMs();
    const [sharedCount = 0] = await counters.shareCounts([uuid]);
    const details = await devices.details(orgUuid, uuid);
    return { details, sharedCount, nowMs, lastChangeMs: await health.lastSeenChangeMs(orgUuid, seenUuids) };
  }

  /** The last report of its RTSP endpoint. */
  async #saidBefore(orgUuid: Ruuid, cameraUuid: Ruuid) {
    const endpoint = await this.#options.rtspEndpoints.endpointOf(orgUuid, cameraUuid);
    return { audioSupported: endpoint?.body.audioSupported ?? null, seen: null };
  }

  async #opened(camera: Camera) {
    const { probe } = await this.#options.rtspEndpoints.probeCamera(camera);
    const audioSupported = probe.offered.length === 0 ? null : offered(probe, 'audio') !== undefined;
    return { audioSupported, seen: videoIn(probe) };
  }
}

function offered(probe: CameraProbe, kind: 'audio' | 'video') {
  return probe.offered.find((media) => media.kind === kind);
}

function videoIn(probe: CameraProbe): SeenVideo {
  const video = probe.tracks.find((track) => track.kind === 'video');
  return {
    rtspUrlStatus: probe.status,
    codec: offered(probe, 'video')?.encodings[0] ?? null,
    widthPx: video?.widthPx ?? null,
    heightPx: video?.heightPx ?? null,
    frameRateHz: probe.frameRateHz,
  };
}
