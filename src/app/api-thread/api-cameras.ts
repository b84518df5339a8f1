/** The cameras in the API's thread: their states, the services over them, and their events. */

import type { AuditTrail } from '../../audit/audit-trail.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { CredentialUrl } from '../../core/secret.ts';
import type { RedisRateLimiters } from '../../counters/redis-rate-limiter.ts';
import { AddressRules } from '../../devices/address-rules.ts';
import { examiner, onvifNetwork, prober } from '../../devices/camera-access.ts';
import { createDeviceServices, type DeviceServices } from '../../devices/device-services.ts';
import type { CameraStates } from '../../devices/device-states.ts';
import { OrganizationNetworks } from '../../devices/organization-networks.ts';
import { CameraHealth } from '../../events/camera-health.ts';
import { CameraPauseEnds } from '../../events/camera-pause-ends.ts';
import { EarlierOutages } from '../../events/earlier-outages.ts';
import { CameraEvents } from '../../policies/camera-events.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import type { ShareService } from '../../sharing/share-service.ts';
import type { Store } from '../../store/store.ts';
import type { CameraReport, ProbeVerdict } from '../../stream/camera-connection.ts';
import type { RecordingState } from '../../stream/media/recording-state.ts';
import type { SigningState } from '../../stream/signing-state.ts';
import type { SoundState } from '../../stream/sound-state.ts';
import type { ApiSideOptions } from './api-side-options.ts';

export type ApiCameras = Awaited<ReturnType<typeof startCameras>>;

/** The cameras' states as reported by the gateway's thread, and their history. */
export async function startCameras({ now, gateway, clock, log, cleanup }: ApiSideOptions, store: Store) {
  const states = new Map(now.cameras.map(({ cameraUuid, report }) => [cameraUuid, report]));
  const sounds = new Map<Ruuid, SoundState>(now.cameraSounds);
  const clocks = new Map<Ruuid, ClockReading | null>(now.cameraClocks);
  const signings = new Map<Ruuid, SigningState>(now.cameraSignings);
  const recordings = new Map<Ruuid, RecordingState>(now.cameraRecordings);
  const health = await CameraHealth.start({ store, clock, log });
  cleanup.add('camera health', () => health.stop());
  const pauseEnds = new CameraPauseEnds({ store, clock, log });
  cleanup.add('ends of pauses', () => pauseEnds.close());
  const outages = new EarlierOutages(health, log, (camera, report) => states.set(camera, report));
  for (const [camera, report] of states) states.set(camera, outages.complete(camera, report));
  for (const { cameraUuid, report, isObserved } of now.cameras) {
    if (now.isRestart || !isObserved) health.assume(cameraUuid, report);
    else health.onReport(cameraUuid, report);
  }
  const reported = (
    camera: Ruuid,
    { report, isObserved }: { readonly report: CameraReport | null; readonly isObserved: boolean },
  ): void => {
    if (report === null) {
      states.delete(camera);
      sounds.delete(camera);
      clocks.delete(camera);
      signings.delete(camera);
      recordings.delete(camera);
      outages.forget(camera);
      return;
    }
    states.set(camera, outages.complete(camera, report));
    if (isObserved) health.onReport(camera, report);
    else health.assume(camera, report);
  };
  return {
    states: states as CameraStates,
    all: states as ReadonlyMap<Ruuid, CameraReport>,
    sounds,
    clocks,
    signings,
    recordings,
    reported,
    refresh: () => health.refresh(),
    /** The gateway's thread remembers it, and the caller that requested the probe already has the result. */
    async probed(orgUuid: Ruuid, camera: Ruuid, verdict: ProbeVerdict): Promise<void> {
      const probed = await gateway.cameraProbed(orgUuid, camera, verdict);
      reported(camera, probed ?? { report: null, isObserved: true });
    },
  };
}

export interface ApiDevices {
  readonly services: DeviceServices;
  readonly organizationNetworks: OrganizationNetworks;
  readonly cameraEvents: CameraEvents;
}

/** After everything that alerts set off. */
export async function startDevices(
  options: ApiSideOptions,
  of: {
    readonly store: Store;
    readonly cameras: ApiCameras;
    readonly audit: AuditTrail;
    readonly shares: ShareService;
    readonly redisUrl: CredentialUrl | null;
    /** null: rate limits are of this process. */
    readonly rateLimiters: RedisRateLimiters | null;
  },
): Promise<ApiDevices> {
  const { data, now, gateway, clock, log, cleanup } = options;
  const { store, cameras, shares, audit, rateLimiters } = of;
  const organizationNetworks = await OrganizationNetworks.open({
    store,
    log,
    operatorNetworks: data.cameraNetworks,
  });
  cleanup.add('networks of cameras', async () => organizationNetworks.stop());
  const addressRules = new AddressRules({
    undeclaredReach: data.undeclaredReach,
    networks: organizationNetworks,
  });
  const cameraMoves = await openCameraMoves(of.redisUrl, options);
  cleanup.add('moves of cameras', async () => cameraMoves?.close());
  const services = createDeviceServices({
    ...(rateLimiters === null ? {} : { createRateLimiter: rateLimiters.limiter }),
    store,
    shares,
    clock,
    log,
    cameraMoves,
    ptzAudit: audit,
    probeCamera: prober(clock, addressRules),
    examineStream: examiner(clock, addressRules),
    decodeKeyFrame: (orgUuid, frame, maxWidthPx) => gateway.decodeKeyFrame(orgUuid, frame, maxWidthPx),
    rules: { applied: (change) => gateway.applied(change) },
    onvif: onvifNetwork(clock, data.onvifProbes, addressRules),
    onCameraProbed: cameras.probed,
    onPublishKey: (orgUuid, camera) => gateway.publishKeyChanged(orgUuid, camera),
    takeStill: (camera, request) => gateway.takeStill(camera, request),
  });
  cleanup.add('PTZ', () => services.ptz.close());
  const cameraEvents = await CameraEvents.start({
    store,
    clock,
    log,
    addressRules,
    placedHere: now.placedHere,
    random: Math.random,
    onSeen: (seen) => void gateway.eventsSeen(seen),
    onClock: (uuid, offsetMs) => services.onvifClocks.note(uuid, offsetMs),
  });
  cleanup.add('camera events', () => cameraEvents.close());
  return { services, organizationNetworks, cameraEvents };
}

/** null: no other node moves cameras. */
async function openCameraMoves(url: CredentialUrl | null, { data, clock, log }: ApiSideOptions) {
  const { clusterName } = data;
  if (url === null || clusterName === null) return null;
  const { RedisCameraMoves } = await import('../../devices/redis-camera-moves.ts');
  return RedisCameraMoves.open({ url, clusterName, clock, log });
}
