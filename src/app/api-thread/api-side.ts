/**
 * The API's thread, fully wired: its own store over the same database, its services, the real-time stream, the
 * listener. It asks the gateway's thread about everything that the media decide or count.
 */

import { buildApi } from '../../api/build-api.ts';
import { actingPrincipal } from '../../audit/acting-principal.ts';
import { AuditTrail } from '../../audit/audit-trail.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { CredentialUrl, Secret } from '../../core/secret.ts';
import type { Counters } from '../../counters/counters.ts';
import type { RedisRateLimiters } from '../../counters/redis-rate-limiter.ts';
import type { ProbeCamera } from '../../devices/camera-prober.ts';
import { createDeviceServices } from '../../devices/device-services.ts';
import type { CameraStates } from '../../devices/device-states.ts';
import type { OnvifNetwork } from '../../devices/onvif-discovery.ts';
import { createAccessControlServices } from '../../integrations/access-control-services.ts';
import { ChangeFollower } from '../../realtime/change-follower.ts';
import { ChangeTopics } from '../../realtime/change-topics.ts';
import { Passwords } from '../../sharing/password.ts';
import { ScheduleService } from '../../sharing/schedule-service.ts';
import type { AccessRules } from '../../sharing/share-directory.ts';
import { ShareService } from '../../sharing/share-service.ts';
import { ShareTokens } from '../../sharing/share-token.ts';
import { probeCamera } from '../../sources/direct/probe.ts';
import type { AddressRule } from '../../sources/network/camera-address.ts';
import { inspectOnvifDevice } from '../../sources/onvif/onvif-device.ts';
import { discoverOnvifDevices } from '../../sources/onvif/ws-discovery.ts';
import { ChangeFeed } from '../../store/change-feed.ts';
import { withChangesFrom } from '../../store/joined-changes.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import type { CameraReport, ProbeVerdict } from '../../stream/camera-connection.ts';
import type { SoundState } from '../../stream/sound-state.ts';
import type { Cleanup } from '../cleanup.ts';
import { boundPort, listen, stopListening } from '../listening.ts';
import { openCounters } from '../open-counters.ts';
import { apiLimits } from './api-limits.ts';
import { CameraHealth } from './camera-health.ts';
import { Outbox } from './outbox.ts';
import { countedShares, watchShareCounts } from './share-counts.ts';
import {
  type ApiAddress,
  type ApiStart,
  type ApiThreadCalls,
  type ApiThreadData,
  FOLLOWED_KINDS,
  type GatewayCalls,
  type Notice,
} from './thread-calls.ts';
import type { ThreadLink } from './thread-link.ts';

export type GatewayLink = ThreadLink<GatewayCalls, ApiThreadCalls>;

export interface ApiSideOptions {
  readonly data: ApiThreadData;
  readonly now: ApiStart;
  readonly gateway: GatewayLink;
  readonly clock: Clock;
  readonly log: Log;
  /** Where each part is stored as soon as it runs. */
  readonly cleanup: Cleanup;
}

export interface ApiSide {
  readonly address: ApiAddress;
  happened(notices: readonly Notice[]): void;
}

export async function startApiSide(options: ApiSideOptions): Promise<ApiSide> {
  const { data, now, gateway, clock, log, cleanup } = options;
  const ownStore = await openStore({ ...storeOptions(data), clock });
  cleanup.add('store', () => ownStore.close());
  const audit = new AuditTrail({
    ...{ store: ownStore, clock, log },
    maxRows: data.retention.auditMaxRows,
  });
  cleanup.add('audit trail', () => audit.close());
  tellGateway(ownStore, gateway);
  const gatewayChanges = new ChangeFeed();
  const store = withChangesFrom(gatewayChanges, ownStore);

  const cameras = await startCameras(options, store);
  const topics = new ChangeTopics({ clock, log, onChange: (listener) => store.onChange(listener) });
  cleanup.add('real-time stream', () => topics.close());
  const changes = await ChangeFollower.start({ store, topics });
  cleanup.add('real-time changes', () => changes.close());
  for (const [camera, report] of now.cameras) changes.cameraStatusChanged(camera, report);

  const redisUrl = data.redisUrl === null ? null : new CredentialUrl(data.redisUrl);
  const counters = await openCounters(redisUrl, {
    ...{ clock, log },
    counts: 'shares',
    onReturned: async (returned) => returned.reconcile(await countedShares(store)),
  });
  cleanup.add('counters', () => counters.close());
  const watched = { store, elsewhere: gatewayChanges, counters, clock, log };
  cleanup.add('share counts', await watchShareCounts(watched));
  const shares = createShares(options, store, counters);
  const schedules = new ScheduleService({ store, clock, rules: accessRules(gateway) });
  const { allowPrivateNetworks } = data.webhooks;
  const accessControl = createAccessControlServices({ store, clock, log, allowPrivateNetworks });
  cleanup.add('webhooks', () => accessControl.close());
  await accessControl.resume();
  // Without Redis, each node has its own buckets.
  const rateLimiters = redisUrl === null ? null : await limitInRedis(redisUrl, options);
  cleanup.add('rate limits', async () => rateLimiters?.close());
  const api = await buildApi({
    accessControl,
    ...createDeviceServices({
      ...{ store, shares, clock, probeCamera: prober(clock, data.addressRule) },
      onvif: onvifNetwork(clock, data.addressRule),
      onCameraProbed: cameras.probed,
    }),
    ...{ store, shares, schedules, counters, clock, log, cameraStates: cameras.states },
    cameraSounds: cameras.sounds,
    audit: {
      async settled() {
        await Promise.all([audit.settled(), gateway.auditSettled()]);
      },
    },
    readiness: () => gateway.readiness(),
    metrics: () => gateway.metrics(),
    metricsToken: data.metricsToken === null ? undefined : new Secret(data.metricsToken),
    changeTopics: topics,
    publicApiUrl: data.publicApiUrl ?? `http://localhost:${data.listen.port}`,
    trustProxy: data.trustProxy,
    corsOrigins: data.cors,
    limits: { ...apiLimits(data.api), connections: now.connections },
    ...(rateLimiters === null ? {} : { createRateLimiter: rateLimiters.limiter }),
  });
  cleanup.add('API listener', () => stopListening(api, clock));
  const apiUrl = await listen(api, data.listen, data.publicApiUrl);
  return {
    address: { apiUrl, port: boundPort(api) ?? data.listen.port },
    happened(notices) {
      for (const notice of notices) {
        switch (notice.kind) {
          case 'change':
            gatewayChanges.publish(notice.change);
            break;
          case 'camera':
            cameras.reported(notice.cameraUuid, notice.report);
            if (notice.report !== null) changes.cameraStatusChanged(notice.cameraUuid, notice.report);
            break;
          case 'sound':
            cameras.sounds.set(notice.cameraUuid, notice.sound);
            break;
          case 'viewer':
            changes.viewerChanged(notice.viewer);
        }
      }
    },
  };
}

async function limitInRedis(url: CredentialUrl, { clock, log }: ApiSideOptions): Promise<RedisRateLimiters> {
  const { openRedisRateLimiters } = await import('../../counters/redis-rate-limiter.ts');
  return openRedisRateLimiters({ url, clock, log });
}

function storeOptions({ store, fieldKey }: ApiThreadData) {
  const key = { fieldKey: Buffer.from(fieldKey) };
  return store.kind === 'postgres'
    ? { ...key, kind: store.kind, url: new CredentialUrl(store.url) }
    : { ...key, ...store };
}

/**
 * The media follow what is committed here. If a commit was made for a caller, they learn about it before the caller
 * does (AccessRules).
 */
function tellGateway(store: Store, gateway: GatewayLink): void {
  const outbox = new Outbox({
    send: (changes: Parameters<GatewayCalls['changed']>[0]) => gateway.changed(changes),
    mayDrop: () => false,
    onDropped: () => undefined,
  });
  store.onChange((change) => {
    if (FOLLOWED_KINDS.has(change.entity)) outbox.add(change);
  });
}

/** The cameras' states as reported by the gateway's thread, and their history. */
async function startCameras({ now, gateway, clock, log, cleanup }: ApiSideOptions, store: Store) {
  const states = new Map<Ruuid, CameraReport>(now.cameras);
  const sounds = new Map<Ruuid, SoundState>(now.cameraSounds);
  const health = await CameraHealth.start({ store, clock, log });
  cleanup.add('camera health', () => health.stop());
  for (const [camera, report] of now.cameras) health.assume(camera, report);
  const reported = (camera: Ruuid, report: CameraReport | null): void => {
    if (report === null) {
      states.delete(camera);
      sounds.delete(camera);
      return;
    }
    states.set(camera, report);
    health.onReport(camera, report);
  };
  return {
    states: states as CameraStates,
    sounds,
    reported,
    /** The gateway's thread remembers it, and the caller that requested the probe already has the result. */
    async probed(orgUuid: Ruuid, camera: Ruuid, verdict: ProbeVerdict): Promise<void> {
      reported(camera, await gateway.cameraProbed(orgUuid, camera, verdict));
    },
  };
}

function createShares(
  { data, now, gateway, clock }: ApiSideOptions,
  store: Store,
  counters: Counters,
): ShareService {
  return new ShareService({
    ...{ store, counters, clock, rules: accessRules(gateway) },
    passwords: new Passwords(),
    tokens: new ShareTokens(Buffer.from(data.shareTokenKey)),
    publicMediaUrl: now.mediaUrl,
  });
}

/** The rules that the media follow, which belong to the gateway. */
function accessRules(gateway: GatewayLink): AccessRules {
  return {
    putShare: (share) => gateway.putShare(share),
    removeShare: (uuid) => gateway.removeShare(uuid),
    endShare: (orgUuid, uuid) => gateway.endShare(orgUuid, uuid, actingPrincipal()),
    putSchedule: (schedule) => gateway.putSchedule(schedule),
    removeSchedule: (uuid) => gateway.removeSchedule(uuid),
  };
}

/** How the API finds cameras. */
function onvifNetwork(clock: Clock, addressRule: AddressRule): OnvifNetwork {
  return {
    discover: (waitMs) => discoverOnvifDevices({ clock, waitMs }),
    inspect: (service, login, timeoutMs) =>
      inspectOnvifDevice(service, { clock, login, timeoutMs, addressRule }),
  };
}

/** How the API probes cameras: as the direct engine opens them. */
function prober(clock: Clock, undeclaredRule: AddressRule): ProbeCamera {
  return (url, timeoutMs, rule) => {
    const addressRule = rule === 'anywhere' ? rule : undeclaredRule;
    return probeCamera(url, { transport: 'auto', timeoutMs, clock, addressRule });
  };
}
