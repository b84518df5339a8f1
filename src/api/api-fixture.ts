/** The API on a real in-memory store with two organizations, for tests. Longer than 500 lines: one list of parts. */

import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { actAs, actingPrincipal } from '../audit/acting-principal.ts';
import { AuditTrail } from '../audit/audit-trail.ts';
import { createEvidenceServices } from '../cases/evidence-services.ts';
import { Clips } from '../clips/clips.ts';
import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import type { RateLimit } from '../core/limits/shared-limit.ts';
import { type Log, silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { createMemoryCounters } from '../counters/memory-counters.ts';
import type { StillRequest, TakeStill } from '../devices/camera-stills.ts';
import { createDeviceServices } from '../devices/device-services.ts';
import { FakeOnvifCameras } from '../devices/fake-onvif-cameras.ts';
import { FakeRtspCameras } from '../devices/fake-rtsp-cameras.ts';
import { OrganizationNetworks } from '../devices/organization-networks.ts';
import type { OnPublishKey } from '../devices/pushed-cameras.ts';
import { StreamSamplePacker } from '../devices/stream-samples.ts';
import { createEmergencyServices, type EmergencyServices } from '../emergency/emergency-services.ts';
import type { ApiLimits } from '../http/limits.ts';
import { FAKE_MAIL_SETTINGS, FakeMailServer } from '../mail/fake-mail-server.ts';
import { createMailServices } from '../mail/mail-services.ts';
import {
  type AccessControlServices,
  createAccessControlServices,
} from '../platform/integrations/access-control-services.ts';
import { PLAYBACK_ERRORS } from '../playback/errors.ts';
import { unreadableMedia } from '../playback/unreadable-media-fixture.ts';
import type { RecorderFootage } from '../recorders/recorder-footage.ts';
import type { RuleInEffect } from '../recording/recording-settings.ts';
import { RULE_OF_ALL_CAMERAS } from '../recording/recording-settings-fixture.ts';
import type { ClockReading } from '../rtp/camera-clock.ts';
import { caseTexts } from '../services/case-texts.ts';
import { DeviceDirectory } from '../sharing/device-directory.ts';
import { EndedViews } from '../sharing/ended-views.ts';
import { endingRules } from '../sharing/ending-rules.ts';
import { Grants } from '../sharing/grant.ts';
import { Passwords } from '../sharing/password.ts';
import type { PreviewRequest } from '../sharing/preview-request.ts';
import { ShareCatalog } from '../sharing/share-catalog.ts';
import { ShareDirectory } from '../sharing/share-directory.ts';
import { ShareViewers } from '../sharing/share-viewers.ts';
import { createSharingServices } from '../sharing/sharing-services.ts';
import { UnstoredEnds } from '../sharing/unstored-ends.ts';
import { type ViewerOrigin, ViewerSessions } from '../sharing/viewer-sessions.ts';
import { hashApiKey } from '../store/api-key-hash.ts';
import type { ApiKey, Camera, Organization } from '../store/entities.ts';
import {
  sampleApiKey,
  sampleCamera,
  sampleLocation,
  sampleNvr,
  sampleOrganization,
} from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import type { RecordingState } from '../stream/media/recording-state.ts';
import type { SigningState } from '../stream/signing-state.ts';
import type { SoundState } from '../stream/sound-state.ts';
import { ConsoleSettingsStore } from '../system/console-settings-store.ts';
import { FakeSystemCalls } from '../system/fake-system-calls.ts';
import { SystemService } from '../system/system-service.ts';
import { LocalWebhookHost } from '../webhooks/local-webhook-host-fixture.ts';
import { type ApiOptions, buildApi } from './build-api.ts';
import { FakeCameraStates } from './fake-camera-states.ts';
import { LOCAL_PROVIDERS } from './local-providers-fixture.ts';

/** An organization of the fixture and its records. */
export interface FixtureOrg {
  readonly organization: Organization;
  readonly apiKey: string;
  readonly key: ApiKey;
  readonly locationUuid: Ruuid;
  readonly nvrUuid: Ruuid;
  readonly camera: Camera;
  readonly doorbell: Camera;
}

export interface ApiFixture {
  readonly api: FastifyInstance;
  readonly store: Store;
  readonly clock: FakeClock;
  readonly audit: AuditTrail;
  readonly own: FixtureOrg;
  readonly foreign: FixtureOrg;
  /** States that cameras report; absent ones do not run. */
  readonly cameraStates: FakeCameraStates;
  readonly cameraSounds: Map<Ruuid, SoundState>;
  readonly cameraClocks: Map<Ruuid, ClockReading>;
  readonly cameraSignings: Map<Ruuid, SigningState>;
  /** Still images requested from the gateway's thread; each is STILL. */
  readonly takenStills: { readonly camera: Ruuid; readonly request: StillRequest }[];
  /** Measurements of the gateway's thread. */
  readonly streamSamples: StreamSamplePacker;
  /** Previews that the gateway's thread was asked for; all are granted. */
  readonly previews: readonly PreviewRequest[];
  readonly cameraRecordings: Map<Ruuid, RecordingState>;
  /** Rules that the gateway's thread follows; absent: no one said anything about the camera. */
  readonly recordingRules: Map<Ruuid, Partial<RuleInEffect>>;
  /** What NVRs have. */
  readonly recorderFootage: Map<Ruuid, RecorderFootage>;
  /** Cameras that answer on the network. */
  readonly rtspCameras: FakeRtspCameras;
  readonly onvifCameras: FakeOnvifCameras;
  readonly accessControl: AccessControlServices;
  /** Receives every webhook. */
  readonly webhookHost: LocalWebhookHost;
  /** Takes every mail. */
  readonly mailServer: FakeMailServer;
  readonly emergency: EmergencyServices;
  readonly clips: Clips;
  /** The gateway that `own` operates. */
  readonly systemCalls: FakeSystemCalls;
  /** Keys and cameras whose views the media had to end, in order. */
  readonly endedAccess: readonly Ruuid[];
  /** Those who watch by links of the API. */
  readonly viewers: ViewerSessions;
  /** A new viewer of a share, or of a camera of a wall. */
  watch(shareUuid: Ruuid, from: ViewerOrigin): { readonly grantText: string; readonly viewerId: string };
  /** POST as `own`, unless headers say otherwise. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  /** The parsed response to `post`, which must have status 200. */
  call(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Ends of access that are in force and not stored. */
  readonly ends: UnstoredEnds;
  close(): Promise<void>;
}

/** A response as tests read it. */
export type Answer = Readonly<Record<string, unknown>> & {
  readonly error: boolean;
  readonly errorMsg?: string;
};

export interface FixtureOptions {
  readonly limits?: Partial<ApiLimits>;
  readonly log?: Log;
  readonly overrides?: Partial<ApiOptions>;
  /** Default: the gateway's. */
  readonly ptzLimit?: RateLimit;
  /** Default: there is no RTMP listener. */
  readonly onPublishKey?: OnPublishKey;
  /** Default true. */
  readonly canTakeStills?: boolean;
  /** Called with the store before anything uses it. */
  readonly onStore?: (store: Store) => void;
}

export const MEDIA_ADDRESSES = {
  mediaUrl: 'http://media.example',
  lanMediaUrls: ['http://192.0.2.5:8081', 'http://nvr.local'],
};

/** Content of every still image of the fixture. */
export const STILL = Buffer.from('a still image');

/** These tests are about sharing, not about what guessing costs. */
const NO_RECORDER = { state: 'none', waiting: 0, spans: [], problem: null } as const;
const CHEAP_SCRYPT = { log2N: 4, r: 1, p: 1 };

export async function openApiFixture({
  limits,
  log = silentLog,
  overrides,
  ptzLimit,
  onPublishKey,
  canTakeStills = true,
  onStore,
}: FixtureOptions = {}): Promise<ApiFixture> {
  const clock = new FakeClock();
  const store = await openTestStore(clock);
  onStore?.(store);
  const own = await addOrganization(store, 'Harbour');
  const foreign = await addOrganization(store, 'Elsewhere');
  const counters = createMemoryCounters({ clock });
  const cameraStates = new FakeCameraStates();
  const cameraSounds = new Map<Ruuid, SoundState>();
  const cameraClocks = new Map<Ruuid, ClockReading>();
  const cameraSignings = new Map<Ruuid, SigningState>();
  const takenStills: ApiFixture['takenStills'] = [];
  const previews: PreviewRequest[] = [];
  const streamSamples = new StreamSamplePacker();
  const taking: TakeStill = async (camera, request) => {
    takenStills.push({ camera, request });
    const { format, isHeld } = request;
    const url = isHeld ? `http://media.example/frames/x.${format}` : null;
    const size = { widthPx: 640, heightPx: 360 };
    return { bytes: STILL, format, ...size, takenAtEpochMs: clock.epochMs(), isLive: true, url };
  };
  const takeStill = canTakeStills ? taking : null;
  const cameraRecordings = new Map<Ruuid, RecordingState>();
  const recordingRules = new Map<Ruuid, Partial<RuleInEffect>>();
  const recorderFootage = new Map<Ruuid, RecorderFootage>();
  const audit = new AuditTrail({ store, clock, log, maxRows: 250_000 });
  const directory = await ShareDirectory.open({ store, clock, log });
  const devices = await DeviceDirectory.open({ store, clock, log });
  const keptEnds = new Set<Ruuid>();
  const ends = new UnstoredEnds({
    store,
    directory,
    devices,
    actAs,
    clock,
    log,
    file: {
      add: async ({ endUuid }) => void keptEnds.add(endUuid),
      remove: (uuid) => void keptEnds.delete(uuid),
    },
  });
  const rules = endingRules(directory, ends, actingPrincipal);
  const sharing = createSharingServices({
    store,
    counters,
    clock,
    rules,
    publicMediaUrl: MEDIA_ADDRESSES.mediaUrl,
    passwords: new Passwords(CHEAP_SCRYPT),
    shareTokenKey: Buffer.alloc(32, 8),
  });
  const { shares } = sharing;
  const grants = new Grants(Buffer.alloc(32, 9));
  const watching = { counters, clock, ended: new EndedViews(clock), maxViewersPerShare: null };
  const viewers = new ViewerSessions({ ...watching, directory, grants });
  const groupViewers = new ViewerSessions({
    ...watching,
    directory: directory.groupShares,
    grants: Grants.forGroups(Buffer.alloc(32, 9)),
  });
  const shareViewers = new ShareViewers({
    ...watching,
    directory,
    sessions: viewers,
    groupSessions: groupViewers,
  });
  const shareCatalog = new ShareCatalog({ store, clock, log });
  const endedAccess: Ruuid[] = [];
  const rtspCameras = new FakeRtspCameras();
  const onvifCameras = new FakeOnvifCameras();
  const webhookHost = new LocalWebhookHost();
  const basics = { store, clock, log };
  const mailServer = new FakeMailServer();
  const mail = createMailServices({
    ...basics,
    settings: FAKE_MAIL_SETTINGS,
    allowPrivateNetworks: true,
    deliver: mailServer.deliver,
    linkKey: Buffer.alloc(32, 7),
    publicApiUrl: 'http://api.example',
  });
  let emergency: EmergencyServices | null = null;
  const accessControl = createAccessControlServices({
    ...basics,
    allowPrivateNetworks: true,
    ownOrgUuid: own.organization.uuid,
    post: webhookHost.post,
    otherEffects: (deliveries) => {
      emergency = createEmergencyServices({
        ...basics,
        deliveries,
        accessRules: rules,
        outbox: mail.outbox,
        shareTokenKey: Buffer.alloc(32, 8),
        publicMediaUrl: MEDIA_ADDRESSES.mediaUrl,
      });
      const { openings } = emergency;
      return [(events) => openings.onEvents(events)];
    },
  });
  const media = unreadableMedia(store);
  const clips = new Clips({
    store,
    media,
    maker: NO_MOVIES,
    takeImage: noImage,
    limits: CLIP_LIMITS,
    clock,
    log,
  });
  const evidence = createEvidenceServices({
    store,
    media,
    groups: sharing.sharedGroups,
    secret: Buffer.alloc(32, 9),
    folder: null,
    verifyPage: async () => '<!doctype html>',
    textsOf: caseTexts({ store, audit, clock }),
    timeStampUrl: null,
    clock,
    log,
  });
  // As the first start does.
  await evidence.certificates.current();
  const deviceServices = createDeviceServices({
    store,
    shares,
    clock,
    probeCamera: rtspCameras.probe,
    onvif: onvifCameras,
    ptzAudit: audit,
    ptzLimit,
    log,
    rules: { applied: ({ uuid }) => void endedAccess.push(uuid) },
    onCameraProbed: async (_org, camera, verdict) => cameraStates.probed(camera, verdict, clock.epochMs()),
    ...(takeStill === null ? {} : { takeStill }),
    ...(onPublishKey === undefined ? {} : { onPublishKey }),
  });
  const systemCalls = new FakeSystemCalls();
  const { uuid: operatorUuid } = own.organization;
  const options: ApiOptions = {
    ...deviceServices,
    system: new SystemService({
      calls: systemCalls,
      clock,
      audit,
      operators: { orgUuid: operatorUuid, partnerUuid: operatorUuid },
      consoleSettings: new ConsoleSettingsStore({
        resources: store.resources,
        orgUuid: operatorUuid,
        clock,
      }),
      serviceLevels: {
        resources: store.resources,
        findShare: (orgUuid, share) => store.shares.find(orgUuid, share),
      },
      keyEnds: async (orgUuid) => ({
        keys: await store.apiKeys.list(orgUuid),
        uses: await store.apiKeys.lastUses(orgUuid),
      }),
      hasCamera: async (orgUuid, camera) => (await store.cameras.find(orgUuid, camera)) !== null,
    }),
    accessControl,
    mail,
    emergency: emergency!,
    credentialRules: {
      applied: (change) => {
        const ended = change.kind === 'tokens' ? Object.values(change.ended)[0] : change.uuid;
        endedAccess.push(ended as Ruuid);
      },
      endAccess: (orgUuid, request) => ends.endAccess(orgUuid, request, actingPrincipal()),
    },
    endedCredentials: ends.endedCredentials,
    passwords: new Passwords(CHEAP_SCRYPT),
    signInFailed: (person, client) => audit.signInFailed(person, client),
    mediaAddresses: MEDIA_ADDRESSES,
    hasWayToSpeakers: true,
    store,
    ...sharing,
    counters,
    audit,
    viewing: {
      listViewers: async (orgUuid, uuid) => shareViewers.list(orgUuid, uuid),
      endViewer: async (orgUuid, uuid, viewerId, blockMs) =>
        shareViewers.end(orgUuid, uuid, viewerId, blockMs),
      unblockAddress: async (orgUuid, uuid, address) => shareViewers.unblock(orgUuid, uuid, address),
      countViewers: (uuids) => shareViewers.counts(uuids),
    },
    viewerAudit: audit,
    shareCatalog,
    organizationNetworks: await OrganizationNetworks.open({ store, log, operatorNetworks: [] }),
    readStreamSamples: async () => streamSamples.packed(),
    openPreview: async (request) => {
      previews.push(request);
      const grantText = request.grantText ?? `grant-${previews.length}`;
      return { allowed: true, grantText, endsAtEpochMs: clock.epochMs() + 600_000 };
    },
    cameraStates,
    cameraSounds,
    cameraClocks,
    cameraSignings,
    cameraRecordings,
    readRecordingRule: async (camera) => ({ ...RULE_OF_ALL_CAMERAS, ...recordingRules.get(camera) }),
    readRecorderFootage: async (cameras) => cameras.map((each) => recorderFootage.get(each) ?? NO_RECORDER),
    recordedMedia: media,
    clips,
    evidence,
    clock,
    log,
    limits: { maxEventLoopDelayMs: 0, requestsPerOrg: { burst: 1_000, perSec: 50 }, ...limits },
    publicApiUrl: 'http://api.example',
    providers: LOCAL_PROVIDERS,
    readiness: async () => ({ ready: true, checks: { store: 'ok' } }),
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4', body: 'sluice_up 1\n' }),
    ...overrides,
  };
  const api = await buildApi(options);
  const post = (path: string, body: unknown = {}, headers: Record<string, string> = {}) => {
    const request: InjectOptions = {
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/json', 'x-auth-apikey': own.apiKey, ...headers },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    };
    return api.inject(request);
  };
  return {
    api,
    store,
    clock,
    audit,
    own,
    foreign,
    cameraStates,
    cameraSounds,
    cameraClocks,
    cameraSignings,
    takenStills,
    previews,
    streamSamples,
    cameraRecordings,
    recordingRules,
    recorderFootage,
    rtspCameras,
    onvifCameras,
    accessControl,
    webhookHost,
    mailServer,
    emergency: emergency!,
    clips,
    systemCalls,
    endedAccess,
    viewers,
    ends,
    watch(shareUuid, from) {
      const view = directory.find(shareUuid);
      if (view === undefined) throw new Error(`there is no share ${shareUuid}`);
      const grantText = grants.issue(shareUuid, view.share.accessEpoch, clock.epochMs() / 1_000 + 86_400);
      const session = viewers.access(grantText, from);
      if (!session.allowed) throw new Error(`refused: ${session.reason}`);
      return { grantText, viewerId: session.grant.viewerId };
    },
    post,
    async call(path, body, headers) {
      const response = await post(path, body, headers);
      if (response.statusCode !== 200)
        throw new Error(`${path} answered ${response.statusCode}: ${response.body}`);
      return response.json<Answer>();
    },
    async close() {
      await api.close();
      await deviceServices.ptz.close();
      await clips.close();
      await accessControl.close();
      shareCatalog.close();
      viewers.close();
      groupViewers.close();
      ends.close();
      directory.close();
      devices.close();
      await audit.close();
      await counters.close();
      await store.close();
    },
  };
}

/** Adds an API key to an organization and returns its text. */
export async function addApiKey(
  store: Store,
  orgUuid: Ruuid,
  overrides: Partial<ApiKey> = {},
): Promise<string> {
  const apiKey = `key-${newRuuid()}`;
  await store.apiKeys.save(sampleApiKey(orgUuid, { keyHash: hashApiKey(apiKey), ...overrides }));
  return apiKey;
}

async function addOrganization(store: Store, name: string): Promise<FixtureOrg> {
  const organization = sampleOrganization({ name });
  const orgUuid = organization.uuid;
  await store.organizations.save(organization);
  const apiKey = `key-of-${name}`;
  const key = sampleApiKey(orgUuid, { keyHash: hashApiKey(apiKey) });
  await store.apiKeys.save(key);
  const location = sampleLocation(orgUuid);
  const nvr = sampleNvr(orgUuid, { locationUuid: location.uuid });
  const camera = sampleCamera(orgUuid, { locationUuid: location.uuid, nvrUuid: nvr.uuid });
  const doorbell = sampleCamera(orgUuid, {
    name: 'Front door',
    kind: 'doorbell',
    locationUuid: location.uuid,
  });
  await store.locations.save(location);
  await store.nvrs.save(nvr);
  await store.cameras.save(camera);
  await store.cameras.save(doorbell);
  return { organization, apiKey, key, locationUuid: location.uuid, nvrUuid: nvr.uuid, camera, doorbell };
}

const noImage = () => Promise.reject(new GatewayError(PLAYBACK_ERRORS.RANGE_EMPTY));
const CLIP_LIMITS = { keepMs: 730 * 86_400_000, maxBytes: null };

/** Nothing was recorded: clips fail. */
const NO_MOVIES: ConstructorParameters<typeof Clips>[0]['maker'] = {
  copy: () => Promise.reject(new GatewayError(PLAYBACK_ERRORS.RANGE_EMPTY)),
  write: () => Promise.reject(new GatewayError(PLAYBACK_ERRORS.RANGE_EMPTY)),
  delete: async () => false,
  list: async () => [],
};
