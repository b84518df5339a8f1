/**
 * The API's thread, fully wired: its own store over the same database, its services, the real-time stream, the
 * listener. It asks the gateway's thread about everything that the media decide or count.
 */

import { endedUuid } from '../../accounts/ended-credentials.ts';
import { buildApi } from '../../api/build-api.ts';
import { actingPrincipal } from '../../audit/acting-principal.ts';
import { AuditTrail } from '../../audit/audit-trail.ts';
import type { ListenerCertificate } from '../../connections/certificate.ts';
import { HttpListener } from '../../connections/http-listener.ts';
import type { ConsoleSso } from '../../console/oidc-routes.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { CredentialUrl, Secret } from '../../core/secret.ts';
import type { Counters } from '../../counters/counters.ts';
import { openCounters, openSharedLimits } from '../../counters/open-counters.ts';
import { AddressRules } from '../../devices/address-rules.ts';
import { examiner, onvifNetwork, prober } from '../../devices/camera-access.ts';
import { createDeviceServices } from '../../devices/device-services.ts';
import type { CameraStates } from '../../devices/device-states.ts';
import { OrganizationNetworks } from '../../devices/organization-networks.ts';
import { CameraHealth } from '../../events/camera-health.ts';
import { DiskRoom } from '../../ingest/disk-room.ts';
import { createAccessControlServices } from '../../platform/integrations/access-control-services.ts';
import { CameraEvents } from '../../policies/camera-events.ts';
import { type SeenEvent, watchEvents } from '../../policies/recorded-events.ts';
import { ChangeFollower } from '../../realtime/change-follower.ts';
import { ChangeTopics } from '../../realtime/change-topics.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import type { AccessRules } from '../../sharing/access-rules.ts';
import { ExpiredShares } from '../../sharing/expired-shares.ts';
import { Passwords } from '../../sharing/password.ts';
import { ShareCatalog } from '../../sharing/share-catalog.ts';
import { countedShares, watchShareCounts } from '../../sharing/share-counts.ts';
import type { SharedFileKind } from '../../sharing/shared-group.ts';
import { createSharingServices, type SharingServices } from '../../sharing/sharing-services.ts';
import { ChangeFeed } from '../../store/change-feed.ts';
import { withChangesFrom } from '../../store/joined-changes.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import type { CameraReport, ProbeVerdict } from '../../stream/camera-connection.ts';
import type { RecordingState } from '../../stream/media/recording-state.ts';
import type { SoundState } from '../../stream/sound-state.ts';
import { apiLimits } from '../config/api-limits.ts';
import { DEFAULT_ORG_UUID } from '../config/default-organizations.ts';
import { boundPort, listen, stopListening } from '../process/listening.ts';
import { openRecordedMedia, startClips } from './api-past.ts';
import type { ApiSideOptions, GatewayLink } from './api-side-options.ts';
import { startApiSystem } from './api-system.ts';
import { Outbox } from './outbox.ts';
import {
  type ApiAddress,
  type ApiThreadData,
  FOLLOWED_KINDS,
  type GatewayCalls,
  type Notice,
} from './thread-calls.ts';
import { untilLoaded } from './until-loaded.ts';

export interface ApiSide {
  readonly address: ApiAddress;
  happened(notices: readonly Notice[]): void;
  setCertificate(certificate: ListenerCertificate): void;
  /** Its listener will close in a moment (connection-table.ts). */
  leave(): void;
  /** As in ItemProgress. */
  itemProgress(kind: SharedFileKind, uuids: readonly Ruuid[]): readonly (number | null)[];
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

  const onSeen = (seen: readonly SeenEvent[]): void => void gateway.eventsSeen(seen);
  cleanup.add('recorded events', watchEvents(ownStore, { clock, log, onSeen }));
  const cameras = await startCameras(options, store);
  const topics = new ChangeTopics({ clock, log, onChange: (listener) => store.onChange(listener) });
  cleanup.add('real-time stream', () => topics.close());
  const changes = await ChangeFollower.start({ store, topics });
  cleanup.add('real-time changes', () => changes.close());
  for (const { cameraUuid, report } of now.cameras) changes.cameraStatusChanged(cameraUuid, report);

  const redisUrl = data.redisUrl === null ? null : new CredentialUrl(data.redisUrl);
  const counters = await openCounters(redisUrl, {
    ...{ clock, log },
    counts: 'shares',
    onReturned: async (returned) => returned.reconcile(await countedShares(store)),
  });
  cleanup.add('counters', () => counters.close());
  const watched = { store, elsewhere: gatewayChanges, counters, isShared: redisUrl !== null, clock, log };
  cleanup.add('share counts', await watchShareCounts(watched));
  const sharing = createSharing(options, store, counters);
  const { shares } = sharing;
  const expired = new ExpiredShares({ store, clock, log, ...sharing });
  cleanup.add('expired links', () => expired.stop());
  const shareCatalog = new ShareCatalog({ store, clock, log });
  cleanup.add('share catalog', async () => shareCatalog.close());
  const { allowPrivateNetworks } = data.webhooks;
  const media = openRecordedMedia(options, store);
  // Without Redis, each node has its own buckets.
  const rateLimiters = await openSharedLimits(redisUrl, { clock, log, counts: 'requests' });
  cleanup.add('rate limits', async () => rateLimiters?.close());
  const limits = rateLimiters === null ? {} : { createRateLimiter: rateLimiters.limiter };
  const shared = rateLimiters?.buckets ?? null;
  const clips = await startClips(options, { store, media, cameras, shared });
  const accessControl = createAccessControlServices({
    ...{ store, clock, log, allowPrivateNetworks },
    // Last: doors and webhooks do not wait for clips.
    otherEffects: [(events) => clips.onEvents(events)],
  });
  cleanup.add('webhooks', () => accessControl.close());
  await accessControl.resume();
  const organizationNetworks = await OrganizationNetworks.open({
    ...{ store, log, operatorNetworks: data.cameraNetworks },
  });
  cleanup.add('networks of cameras', async () => organizationNetworks.stop());
  const addressRules = new AddressRules({
    ...{ undeclaredReach: data.undeclaredReach, networks: organizationNetworks },
  });
  const cameraMoves = await openCameraMoves(redisUrl, options);
  cleanup.add('moves of cameras', async () => cameraMoves?.close());
  const deviceServices = createDeviceServices({
    ...limits,
    ...{ store, shares, clock, probeCamera: prober(clock, addressRules) },
    examineStream: examiner(clock, addressRules),
    decodeKeyFrame: (orgUuid, frame, maxWidthPx) => gateway.decodeKeyFrame(orgUuid, frame, maxWidthPx),
    rules: { removeCamera: (uuid) => gateway.removeCamera(uuid) },
    onvif: onvifNetwork(clock, data.onvifProbes, addressRules),
    onCameraProbed: cameras.probed,
    onPublishKey: (orgUuid, camera) => gateway.publishKeyChanged(orgUuid, camera),
    takeStill: (camera, request) => gateway.takeStill(camera, request),
    ptzAudit: audit,
    cameraMoves,
    log,
  });
  cleanup.add('PTZ', () => deviceServices.ptz.close());
  // After everything that alerts set off.
  const cameraEvents = await CameraEvents.start({
    ...{ store, clock, log, onSeen, random: Math.random, addressRules },
    placedHere: now.placedHere,
    onClock: (uuid, offsetMs) => deviceServices.onvifClocks.note(uuid, offsetMs),
  });
  cleanup.add('camera events', () => cameraEvents.close());
  const isTls = now.certificate !== null;
  const listener = new HttpListener({
    ...{ ...data.listener, certificate: now.certificate, trustProxy: data.trustProxy, clock },
  });
  const endedCredentials = new Set(now.endedCredentials);
  const api = await buildApi({
    ...{ listener, endedCredentials },
    accessControl,
    system: startApiSystem(options, { store, states: cameras.all, audit }),
    ...deviceServices,
    ...sharing,
    ...{ store, counters, clock, log, cameraStates: cameras.states },
    diskRoom: data.storeDisk === null ? undefined : new DiskRoom({ ...data.storeDisk, clock }),
    keyRules: {
      putKey: (key) => gateway.putKey(key),
      endAccess: (orgUuid, request) => gateway.endAccess(orgUuid, request, actingPrincipal()),
      endTokens: (ended) => gateway.endTokens(ended),
    },
    passwords: new Passwords(),
    personRules: {
      putPerson: (person) => gateway.putPerson(person),
      removePerson: (uuid) => gateway.removePerson(uuid),
      removeConsoleSession: (uuid) => gateway.removeConsoleSession(uuid),
      endAccess: (orgUuid, request) => gateway.endAccess(orgUuid, request, actingPrincipal()),
    },
    signInFailed: (person, client) => audit.signInFailed(person, client),
    mediaAddresses: { mediaUrl: now.mediaUrl, lanMediaUrls: data.lanMediaUrls },
    readStreamSamples: () => gateway.streamSamples(),
    openPreview: (request) => gateway.openPreview(request),
    cameraSounds: cameras.sounds,
    cameraClocks: cameras.clocks,
    cameraRecordings: cameras.recordings,
    recordedMedia: media,
    clips,
    audit: {
      async settled() {
        await Promise.all([audit.settled(), gateway.auditSettled()]);
      },
    },
    viewing: {
      listViewers: (orgUuid, uuid) => gateway.listViewers(orgUuid, uuid),
      endViewer: (orgUuid, uuid, viewerId, blockMs) => gateway.endViewer(orgUuid, uuid, viewerId, blockMs),
      unblockAddress: (orgUuid, uuid, address) => gateway.unblockAddress(orgUuid, uuid, address),
      countViewers: (uuids) => gateway.countViewers(uuids),
    },
    viewerAudit: audit,
    shareCatalog,
    organizationNetworks,
    readiness: () => gateway.readiness(),
    metrics: () => gateway.metrics(),
    sso: ssoOf(data),
    knownBrowserKey: data.knownBrowserKey,
    metricsToken: data.metricsToken === null ? undefined : new Secret(data.metricsToken),
    changeTopics: topics,
    publicApiUrl: data.publicApiUrl ?? `${isTls ? 'https' : 'http'}://localhost:${data.listen.port}`,
    trustProxy: data.trustProxy,
    corsOrigins: data.cors,
    limits: { ...apiLimits(data.api), connections: now.connections },
    ...limits,
  });
  cleanup.add('API listener', () => stopListening(api, clock));
  const apiUrl = await listen(api, data.listen, data.publicApiUrl, { isTls });
  const loadAgain = untilLoaded(options, async () => {
    await Promise.all([
      ...[cameras.refresh(), changes.refresh(), cameraEvents.refresh()],
      ...[shareCatalog.refresh(), organizationNetworks.refresh()],
    ]);
  });
  return {
    address: { apiUrl, port: boundPort(api) ?? data.listen.port },
    setCertificate: (certificate) => listener.setCertificate(certificate),
    leave: () => api.connectionTable.leave(),
    // Jobs of both kinds have UUIDs of their own.
    itemProgress: (_kind, uuids) => uuids.map((uuid) => clips.percent(uuid)),
    happened(notices) {
      for (const notice of notices) {
        switch (notice.kind) {
          case 'change':
            gatewayChanges.publish(notice.change);
            break;
          case 'endedCredentials':
            endedCredentials.clear();
            for (const name of notice.names) {
              endedCredentials.add(name);
              topics.credentialEnded(endedUuid(name));
            }
            break;
          case 'missed':
            topics.changesMissed();
            loadAgain();
            break;
          case 'camera':
            cameras.reported(notice.cameraUuid, notice);
            if (notice.report !== null) changes.cameraStatusChanged(notice.cameraUuid, notice.report);
            break;
          case 'sound':
            cameras.sounds.set(notice.cameraUuid, notice.sound);
            break;
          case 'clock':
            cameras.clocks.set(notice.cameraUuid, notice.reading);
            break;
          case 'recording':
            cameras.recordings.set(notice.cameraUuid, notice.recording);
            break;
          case 'placed':
            cameraEvents.placed(notice.cameraUuids, notice.isHere);
            break;
          case 'clipsTooMany':
            void clips.makeRoom(notice.orgUuid, notice.byteLength);
            break;
          case 'viewer':
            changes.viewerChanged(notice.viewer);
            break;
          case 'viewersMissed':
            topics.changesMissed();
        }
      }
    },
  };
}

function ssoOf({ oidc, ssoKey, viewerProofMs }: ApiThreadData): ConsoleSso | null {
  if (oidc === null) return null;
  return { settings: oidc, sealingKey: ssoKey, orgUuid: DEFAULT_ORG_UUID, viewerProofMs };
}

function storeOptions({ store, fieldKey }: ApiThreadData) {
  const key = { fieldKey: Buffer.from(fieldKey) };
  return store.kind === 'postgres'
    ? { ...key, ...store, url: new CredentialUrl(store.url) }
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
  const states = new Map(now.cameras.map(({ cameraUuid, report }) => [cameraUuid, report]));
  const sounds = new Map<Ruuid, SoundState>(now.cameraSounds);
  const clocks = new Map<Ruuid, ClockReading | null>(now.cameraClocks);
  const recordings = new Map<Ruuid, RecordingState>(now.cameraRecordings);
  const health = await CameraHealth.start({ store, clock, log });
  cleanup.add('camera health', () => health.stop());
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
      recordings.delete(camera);
      return;
    }
    states.set(camera, report);
    if (isObserved) health.onReport(camera, report);
    else health.assume(camera, report);
  };
  return {
    states: states as CameraStates,
    all: states as ReadonlyMap<Ruuid, CameraReport>,
    sounds,
    clocks,
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

/** What is shared. The media follow its rules, which belong to the gateway. */
function createSharing(
  { data, now, gateway, clock }: ApiSideOptions,
  store: Store,
  counters: Counters,
): SharingServices {
  return createSharingServices({
    ...{ store, counters, clock, rules: accessRules(gateway), passwords: new Passwords() },
    shareTokenKey: Buffer.from(data.shareTokenKey),
    publicMediaUrl: now.mediaUrl,
    signInDomains: data.oidc?.allowedDomains ?? null,
  });
}

function accessRules(gateway: GatewayLink): AccessRules {
  return {
    applied: (change) => gateway.applied(change),
    storeEnds: (uuid) => gateway.storeEnds(uuid),
    endAccess: (orgUuid, request) => gateway.endAccess(orgUuid, request, actingPrincipal()),
  };
}

/** null: no other node moves cameras. */
async function openCameraMoves(url: CredentialUrl | null, { data, clock, log }: ApiSideOptions) {
  const { clusterName } = data;
  if (url === null || clusterName === null) return null;
  const { RedisCameraMoves } = await import('../../devices/redis-camera-moves.ts');
  return RedisCameraMoves.open({ url, clusterName, clock, log });
}
