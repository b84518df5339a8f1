/**
 * The API's thread, fully wired: its own store over the same database, its services, the real-time stream, the
 * listener. It asks the gateway's thread about everything that the media decide or count.
 */

import { NotificationSettingsService } from '../../accounts/notification-settings.ts';
import { type ApiOptions, buildApi } from '../../api/build-api.ts';
import { actingPrincipal } from '../../audit/acting-principal.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import type { ListenerCertificate } from '../../connections/certificate.ts';
import { HttpListener } from '../../connections/http-listener.ts';
import type { ConsoleSso } from '../../console/oidc-routes.ts';
import { toGatewayError } from '../../core/errors.ts';
import { KeyedLock } from '../../core/keyed-lock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { CredentialUrl, Secret } from '../../core/secret.ts';
import { openSharedLimits } from '../../counters/open-counters.ts';
import type { CameraStills } from '../../devices/camera-stills.ts';
import { createEmergencyServices, type EmergencyServices } from '../../emergency/emergency-services.ts';
import type { EventEffect } from '../../events/event-effects.ts';
import { DiskRoom } from '../../ingest/disk-room.ts';
import { createMailServices, type MailServices } from '../../mail/mail-services.ts';
import type { MailSettings } from '../../mail/mail-settings.ts';
import { createMailNotices } from '../../notifications/mail-notices.ts';
import { createPushServices } from '../../notifications/push-services.ts';
import { SystemMails } from '../../notifications/system-mails.ts';
import {
  type AccessControlServices,
  createAccessControlServices,
} from '../../platform/integrations/access-control-services.ts';
import { caseTexts } from '../../services/case-texts.ts';
import { Passwords } from '../../sharing/password.ts';
import type { SharedFileKind } from '../../sharing/shared-group.ts';
import type { ScopeViews } from '../../store/scope-views.ts';
import type { Store } from '../../store/store.ts';
import { systemFindings } from '../../system/system-findings.ts';
import type { WebhookDeliveries } from '../../webhooks/webhook-deliveries.ts';
import { apiLimits } from '../config/api-limits.ts';
import { DEFAULT_ORG_UUID } from '../config/default-organizations.ts';
import { boundPort, listen, stopListening } from '../process/listening.ts';
import { alertPicture } from './alert-picture.ts';
import { startCameras, startDevices } from './api-cameras.ts';
import { startRealtime, takeNotice } from './api-notices.ts';
import { openRecordedMedia, startClips, startEvidence } from './api-past.ts';
import { accessRules, startShares } from './api-shares.ts';
import type { ApiSideOptions } from './api-side-options.ts';
import { openApiStore } from './api-store.ts';
import { startApiSystem } from './api-system.ts';
import type { ApiAddress, ApiThreadData, Notice } from './thread-calls.ts';

export interface ApiSide {
  readonly address: ApiAddress;
  happened(notices: readonly Notice[]): void;
  setCertificate(certificate: ListenerCertificate): void;
  /** As in ApiThreadCalls. */
  setMail(settings: MailSettings | null): void;
  /** Its listener will close in a moment (connection-table.ts). */
  leave(): void;
  /** As in ItemProgress. */
  itemProgress(kind: SharedFileKind, uuids: readonly Ruuid[]): readonly (number | null)[];
}

export async function startApiSide(options: ApiSideOptions): Promise<ApiSide> {
  const { data, now, clock, log, cleanup } = options;
  const { store, gatewayChanges, audit } = await openApiStore(options);
  const cameras = await startCameras(options, store);
  const realtime = await startRealtime(options, store);
  const redisUrl = data.redisUrl === null ? null : new CredentialUrl(data.redisUrl);
  const { sharing, counters, shareCatalog } = await startShares(options, { store, gatewayChanges }, redisUrl);
  const recordedMedia = openRecordedMedia(options, store);
  // Without Redis, each node has its own buckets.
  const rateLimiters = await openSharedLimits(redisUrl, { clock, log, counts: 'requests' });
  cleanup.add('rate limits', async () => rateLimiters?.close());
  const shared = rateLimiters?.buckets ?? null;
  const clips = await startClips(options, { store, media: recordedMedia, cameras, shared });
  const mail = startMail(options, store);
  let stills: CameraStills | null = null;
  const mailNotices = createMailNotices({
    store,
    views: realtime.views,
    clock,
    log,
    mail,
    takePicture: (orgUuid, cameraUuid, atMs) => alertPicture(stills, orgUuid, cameraUuid, atMs),
  });
  const emergencyOf = (deliveries: WebhookDeliveries) =>
    startEmergencies(options, { store, mail, deliveries });
  const { accessControl, emergency } = await startAccessControl(options, store, {
    emergencyOf,
    effects: [mailNotices, (events) => clips.onEvents(events)],
    views: realtime.views,
  });
  const trails = auditing(options, audit);
  const evidence = await startEvidence(options, {
    store,
    media: recordedMedia,
    groups: sharing.sharedGroups,
    textsOf: caseTexts({ store, audit: trails.audit, clock }),
  });
  const { shares } = sharing;
  const devices = await startDevices(options, { store, cameras, audit, shares, redisUrl, rateLimiters });
  const { cameraEvents, organizationNetworks } = devices;
  stills = devices.services.cameraStills;
  const listener = new HttpListener({
    ...data.listener,
    certificate: now.certificate,
    trustProxy: data.trustProxy,
    clock,
  });
  const endedCredentials = new Set(now.endedCredentials);
  const api = await buildApi({
    listener,
    endedCredentials,
    store,
    counters,
    clock,
    log,
    ...settingsOf(options),
    ...callsOf(options),
    ...sharing,
    ...devices.services,
    accessControl,
    mail,
    clips,
    evidence,
    emergency,
    recordedMedia,
    shareCatalog,
    organizationNetworks,
    changeTopics: realtime.topics,
    views: realtime.views,
    system: startApiSystem(options, { store, states: cameras.all, audit }),
    cameraStates: cameras.states,
    cameraSounds: cameras.sounds,
    cameraClocks: cameras.clocks,
    cameraSignings: cameras.signings,
    cameraRecordings: cameras.recordings,
    passwords: new Passwords(),
    ...trails,
    ...(rateLimiters === null ? {} : { createRateLimiter: rateLimiters.limiter }),
  });
  cleanup.add('API listener', () => stopListening(api, clock));
  const isTls = now.certificate !== null;
  startSystemMails(options, store, mail);
  await mail.resume();
  emergency.ends.begin();
  const apiUrl = await listen(api, data.listen, data.publicApiUrl, { isTls });
  const loadAgain = untilLoaded(options, async () => {
    await Promise.all([
      cameras.refresh(),
      realtime.changes.refresh(),
      cameraEvents.refresh(),
      shareCatalog.refresh(),
      organizationNetworks.refresh(),
    ]);
  });
  const takers = { gatewayChanges, endedCredentials, cameras, cameraEvents, clips, realtime, loadAgain };
  return {
    address: { apiUrl, port: boundPort(api) ?? data.listen.port },
    setCertificate: (certificate) => listener.setCertificate(certificate),
    setMail: (settings) => {
      mail.sender.settings = settings;
    },
    leave: () => api.connectionTable.leave(),
    // Jobs of both kinds have UUIDs of their own.
    itemProgress: (_kind, uuids) => uuids.map((uuid) => clips.percent(uuid)),
    happened(notices) {
      for (const notice of notices) takeNotice(notice, takers);
    },
  };
}

function startMail(options: ApiSideOptions, store: Store): MailServices {
  const { data, clock, log, cleanup } = options;
  const mail = createMailServices({
    store,
    clock,
    log,
    settings: data.mail,
    allowPrivateNetworks: data.webhooks.allowPrivateNetworks,
    linkKey: data.mailLinkKey,
    publicApiUrl: publicApiUrlOf(options),
  });
  cleanup.add('mail', () => mail.close());
  return mail;
}

/** Findings of this gateway that someone should act on. */
function startSystemMails(options: ApiSideOptions, store: Store, mail: MailServices): void {
  const { gateway, clock, log, cleanup } = options;
  const mails = new SystemMails({
    store,
    outbox: mail.outbox,
    isSetUp: () => mail.sender.isSetUp,
    settings: new NotificationSettingsService({ store, clock }),
    links: mail.links,
    orgUuid: DEFAULT_ORG_UUID,
    readProblems: async () => systemFindings(await gateway.systemState()),
    clock,
    log,
  });
  cleanup.add('mails about the gateway', async () => mails.close());
  mails.start();
}

/** Doors, and webhooks about events. */
async function startAccessControl(
  options: ApiSideOptions,
  store: Store,
  of: {
    readonly emergencyOf: (deliveries: WebhookDeliveries) => EmergencyServices;
    readonly effects: readonly EventEffect[];
    readonly views: ScopeViews;
  },
): Promise<{ readonly accessControl: AccessControlServices; readonly emergency: EmergencyServices }> {
  const { data, clock, log, cleanup } = options;
  const { allowPrivateNetworks } = data.webhooks;
  const parts = { store, clock, log, allowPrivateNetworks };
  const pushes = createPushServices({ ...parts, views: of.views, publicApiUrl: publicApiUrlOf(options) });
  cleanup.add('notifications', () => pushes.close());
  let emergency: EmergencyServices | null = null;
  const accessControl = createAccessControlServices({
    ...parts,
    ownOrgUuid: DEFAULT_ORG_UUID,
    // Last: doors and webhooks do not wait for notifications and clips.
    otherEffects: (deliveries) => {
      const made = of.emergencyOf(deliveries);
      const { openings } = made;
      emergency = made;
      return [(events) => openings.onEvents(events), pushes.onEvents, ...of.effects];
    },
  });
  cleanup.add('webhooks', () => accessControl.close());
  await accessControl.resume();
  return { accessControl, emergency: emergency! };
}

/** Cameras that are open to a partner for some minutes. */
function startEmergencies(
  options: ApiSideOptions,
  of: { readonly store: Store; readonly mail: MailServices; readonly deliveries: WebhookDeliveries },
): EmergencyServices {
  const { data, now, gateway, clock, log, cleanup } = options;
  const { store, mail, deliveries } = of;
  const emergency = createEmergencyServices({
    store,
    clock,
    log,
    deliveries,
    accessRules: accessRules(gateway),
    outbox: mail.outbox,
    shareTokenKey: Buffer.from(data.shareTokenKey),
    publicMediaUrl: now.mediaUrl,
  });
  cleanup.add('ends of emergencies', () => emergency.ends.close());
  return emergency;
}

function publicApiUrlOf({ data, now }: ApiSideOptions): string {
  const scheme = now.certificate === null ? 'http' : 'https';
  return data.publicApiUrl ?? `${scheme}://localhost:${data.listen.port}`;
}

/** Settings from the configuration. */
function settingsOf(options: ApiSideOptions) {
  const { data, now, clock } = options;
  return {
    diskRoom: data.storeDisk === null ? undefined : new DiskRoom({ ...data.storeDisk, clock }),
    mediaAddresses: { mediaUrl: now.mediaUrl, lanMediaUrls: data.lanMediaUrls },
    hasWayToSpeakers: data.clusterName === null,
    sso: ssoOf(data),
    providers: {
      oidc: data.oidc,
      sealingKey: data.ssoKey,
      domainProof: data.domainProof,
      viewerProofMs: data.viewerProofMs,
      allowPrivateNetworks: data.webhooks.allowPrivateNetworks,
    },
    knownBrowserKey: data.knownBrowserKey,
    metricsToken: data.metricsToken === null ? undefined : new Secret(data.metricsToken),
    securityText: data.securityText,
    mapTiles: data.mapTiles,
    publicApiUrl: publicApiUrlOf(options),
    trustProxy: data.trustProxy,
    corsOrigins: data.cors,
    limits: { ...apiLimits(data.api), connections: now.connections },
  } satisfies Partial<ApiOptions>;
}

/** Calls that only the gateway's thread can handle. */
function callsOf({ gateway }: ApiSideOptions) {
  return {
    credentialRules: {
      applied: (change) => gateway.applied(change),
      endAccess: (orgUuid, request) => gateway.endAccess(orgUuid, request, actingPrincipal()),
    },
    viewing: {
      listViewers: (orgUuid, uuid) => gateway.listViewers(orgUuid, uuid),
      endViewer: (orgUuid, uuid, viewerId, blockMs) => gateway.endViewer(orgUuid, uuid, viewerId, blockMs),
      unblockAddress: (orgUuid, uuid, address) => gateway.unblockAddress(orgUuid, uuid, address),
      countViewers: (uuids) => gateway.countViewers(uuids),
    },
    readStreamSamples: () => gateway.streamSamples(),
    openPreview: (request) => gateway.openPreview(request),
    readRecordingRule: (camera) => gateway.recordingRule(camera),
    readRecorderFootage: (cameras, fromMs, toMs) => gateway.recorderFootage(cameras, fromMs, toMs),
    readiness: () => gateway.readiness(),
    metrics: () => gateway.metrics(),
  } satisfies Partial<ApiOptions>;
}

/** The trail of both threads. */
function auditing({ gateway }: ApiSideOptions, audit: AuditTrail) {
  return {
    signInFailed: (person, client) => audit.signInFailed(person, client),
    viewerAudit: audit,
    audit: {
      async settled() {
        await Promise.all([audit.settled(), gateway.auditSettled()]);
      },
    },
  } satisfies Partial<ApiOptions>;
}

function ssoOf({ oidc, ssoKey }: ApiThreadData): ConsoleSso | null {
  if (oidc === null) return null;
  return { settings: oidc, sealingKey: ssoKey, orgUuid: DEFAULT_ORG_UUID };
}

const RETRY_MS = 1_000;

/**
 * Loads the state in memory of the API's thread again, if changes of other processes were missed. Returns a function that runs `load`
 * until it succeeds, one run at a time.
 */
function untilLoaded(
  { clock, log, cleanup }: Pick<ApiSideOptions, 'clock' | 'log' | 'cleanup'>,
  load: () => Promise<void>,
): () => void {
  const turns = new KeyedLock();
  let isClosed = false;
  cleanup.add('loading after missed changes', async () => {
    isClosed = true;
    await turns.run('', async () => undefined);
  });
  const run = (): void => {
    if (isClosed) return;
    turns.run('', load).catch((thrown: unknown) => {
      log.error({ err: toGatewayError(thrown) }, 'loading after missed changes failed');
      clock.after(RETRY_MS, run);
    });
  };
  return run;
}
