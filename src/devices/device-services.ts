/** Wires up the services of devices and locations. */

import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { RateLimit } from '../core/limits/shared-limit.ts';
import { type Log, silentLog } from '../core/log.ts';
import { type CreateRateLimiter, memoryRateLimiters } from '../counters/rate-limiter.ts';
import type { Store } from '../store/store.ts';
import { CameraExaminer, type DecodeKeyFrame } from './camera-examiner.ts';
import { CameraMasks, type MaskRules } from './camera-masks.ts';
import type { CameraMoves } from './camera-moves.ts';
import { CameraProber, PROBE_LIMIT, type ProbeCamera } from './camera-prober.ts';
import { CameraSourceService } from './camera-source-service.ts';
import { CameraStills, type TakeStill } from './camera-stills.ts';
import { CustomSeekPoints } from './custom-seek-points.ts';
import { type CameraRules, DeviceService, type ShareRemoval } from './device-service.ts';
import { DEVICE_ERRORS } from './errors.ts';
import { type ExamineStream, examinedStream } from './examined-stream.ts';
import { FloorPlans } from './floor-plans.ts';
import { LocationService } from './location-service.ts';
import { NearbyFeeds, type OpenShares } from './nearby-feeds.ts';
import { OnvifCameras } from './onvif-cameras.ts';
import { OnvifClocks } from './onvif-clocks.ts';
import { OnvifDiscovery, type OnvifNetwork } from './onvif-discovery.ts';
import { PendingRegistrations } from './pending-registrations.ts';
import { NO_PTZ_AUDIT, PTZ_CALL_LIMIT, type PtzAudit, PtzService } from './ptz-service.ts';
import { type OnPublishKey, PushedCameras } from './pushed-cameras.ts';
import { RtspCredentials } from './rtsp-credentials.ts';
import { type OnCameraProbed, RtspEndpointService } from './rtsp-endpoint-service.ts';

const PROBE_POLICY = 'camera-probes';
const PTZ_POLICY = 'ptz';

export interface DeviceServices {
  readonly devices: DeviceService;
  readonly cameraMasks: CameraMasks;
  readonly cameraSources: CameraSourceService;
  readonly cameraExaminer: CameraExaminer;
  readonly pendingRegistrations: PendingRegistrations;
  readonly rtspCredentials: RtspCredentials;
  readonly rtspEndpoints: RtspEndpointService;
  readonly pushedCameras: PushedCameras;
  readonly onvifDiscovery: OnvifDiscovery;
  readonly onvifCameras: OnvifCameras;
  readonly onvifClocks: OnvifClocks;
  readonly ptz: PtzService;
  readonly locations: LocationService;
  readonly nearbyFeeds: NearbyFeeds;
  readonly cameraStills: CameraStills;
  readonly customSeekPoints: CustomSeekPoints;
  readonly floorPlans: FloorPlans;
}

export interface DeviceServicesOptions {
  readonly store: Store;
  readonly shares: ShareRemoval & OpenShares;
  readonly rules: CameraRules & MaskRules;
  readonly clock: Clock;
  readonly probeCamera: ProbeCamera;
  /** Absent: as `probeCamera`, without what that does not measure. */
  readonly examineStream?: ExamineStream;
  /** Absent: key frames are not decoded. */
  readonly decodeKeyFrame?: DecodeKeyFrame;
  readonly onvif: OnvifNetwork;
  /** Absent: moves are not recorded. */
  readonly ptzAudit?: PtzAudit;
  /** As in ApiOptions. Absent: this process counts for itself. */
  readonly createRateLimiter?: CreateRateLimiter;
  /** The limit on calls for one camera. Default: bursts of 20, 5 per second. */
  readonly ptzLimit?: RateLimit | undefined;
  /** Absent: no other node moves cameras. */
  readonly cameraMoves?: CameraMoves | null;
  readonly log?: Log;
  /** Receives the result of probing a running camera; absent: this process has no running cameras. */
  readonly onCameraProbed?: OnCameraProbed;
  /** Absent: this process has no running cameras. */
  readonly onPublishKey?: OnPublishKey;
  /** Absent: this process has no running cameras. */
  readonly takeStill?: TakeStill;
}

export function createDeviceServices(options: DeviceServicesOptions): DeviceServices {
  const { store, shares, rules, clock, probeCamera, onvif, onCameraProbed = async () => undefined } = options;
  const { examineStream = examiningBy(probeCamera), decodeKeyFrame = async () => null } = options;
  const { takeStill = noStill, ptzAudit = NO_PTZ_AUDIT, log = silentLog } = options;
  const { onPublishKey = async () => undefined } = options;
  const { createRateLimiter = memoryRateLimiters(clock) } = options;
  const devices = new DeviceService({ store, shares, rules, clock });
  const pendingRegistrations = new PendingRegistrations({ store, devices, clock });
  const rtspCredentials = new RtspCredentials(store, clock);
  const prober = new CameraProber(probeCamera, clock, createRateLimiter(PROBE_POLICY, PROBE_LIMIT));
  const rtspEndpoints = new RtspEndpointService({
    store,
    devices,
    pendingRegistrations,
    credentials: rtspCredentials,
    prober,
    clock,
    onCameraProbed,
  });
  const onvifDiscovery = new OnvifDiscovery({
    store,
    devices,
    prober,
    clock,
    network: onvif,
    credentials: rtspCredentials,
    endpoints: rtspEndpoints,
  });
  const onvifCameras = new OnvifCameras({
    store,
    devices,
    discovery: onvifDiscovery,
    endpoints: rtspEndpoints,
    credentials: rtspCredentials,
  });
  const floorPlans = new FloorPlans({ store, clock });
  const locations = new LocationService({ store, clock, floorPlans });
  return {
    devices,
    pendingRegistrations,
    rtspCredentials,
    rtspEndpoints,
    onvifDiscovery,
    onvifCameras,
    locations,
    cameraMasks: new CameraMasks(store, rules),
    cameraSources: new CameraSourceService({ store, devices, pendingRegistrations, clock }),
    cameraExaminer: new CameraExaminer({
      devices,
      prober,
      clock,
      examineStream,
      decodeKeyFrame,
      onCameraProbed,
    }),
    onvifClocks: new OnvifClocks(onvif.readClock),
    ptz: new PtzService({
      devices,
      clock,
      log,
      audit: ptzAudit,
      openPtz: onvif.openPtz,
      moves: options.cameraMoves ?? null,
      limiter: createRateLimiter(PTZ_POLICY, options.ptzLimit ?? PTZ_CALL_LIMIT),
    }),
    pushedCameras: new PushedCameras({ store, devices, pendingRegistrations, clock, onPublishKey }),
    nearbyFeeds: new NearbyFeeds({ store, devices, shares }),
    cameraStills: new CameraStills({ devices, clock, takeStill }),
    customSeekPoints: new CustomSeekPoints({ store, clock }),
    floorPlans,
  };
}

async function noStill(): Promise<never> {
  throw new GatewayError(DEVICE_ERRORS.CAMERA_IMAGE_UNAVAILABLE);
}

function examiningBy(probeCamera: ProbeCamera): ExamineStream {
  return async (url, { engine, timeoutMs, rule, transport, tls, onMedia }) => {
    const probe = await probeCamera(url, timeoutMs, { rule, transport, tls });
    if (probe.error === null) onMedia?.();
    return examinedStream(probe, engine);
  };
}
