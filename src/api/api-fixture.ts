/** The API on a real in-memory store with two organizations, for tests. */

import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { AuditTrail } from '../audit/audit-trail.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { type Log, silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { createMemoryCounters } from '../counters/memory-counters.ts';
import { createDeviceServices } from '../devices/device-services.ts';
import { FakeOnvifCameras } from '../devices/fake-onvif-cameras.ts';
import { FakeRtspCameras } from '../devices/fake-rtsp-cameras.ts';
import type { ApiLimits } from '../http/limits.ts';
import {
  type AccessControlServices,
  createAccessControlServices,
} from '../integrations/access-control-services.ts';
import { Passwords } from '../sharing/password.ts';
import { ScheduleService } from '../sharing/schedule-service.ts';
import { ShareDirectory } from '../sharing/share-directory.ts';
import { ShareService } from '../sharing/share-service.ts';
import { ShareTokens } from '../sharing/share-token.ts';
import { hashApiKey } from '../store/api-key-hash.ts';
import type { ApiKey, Camera, Organization } from '../store/entities.ts';
import { openTestStore } from '../store/open-test-store.ts';
import {
  sampleApiKey,
  sampleCamera,
  sampleLocation,
  sampleNvr,
  sampleOrganization,
} from '../store/sample-entities.ts';
import type { Store } from '../store/store.ts';
import type { SoundState } from '../stream/sound-state.ts';
import { type ApiOptions, buildApi } from './build-api.ts';
import { FakeCameraStates } from './fake-camera-states.ts';
import { withSharedSerializers } from './serializers-fixture.ts';

/** What an organization of the fixture has. */
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
  /** What answers on the network. */
  readonly rtspCameras: FakeRtspCameras;
  readonly onvifCameras: FakeOnvifCameras;
  readonly accessControl: AccessControlServices;
  /** POST as `own`, unless headers say otherwise. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  /** The parsed response to `post`, which must have status 200. */
  call(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
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
}

/** These tests are about sharing, not about what guessing costs. */
const CHEAP_SCRYPT = { log2N: 4, r: 1, p: 1 };

export async function openApiFixture({
  limits,
  log = silentLog,
  overrides,
}: FixtureOptions = {}): Promise<ApiFixture> {
  const clock = new FakeClock();
  const store = await openTestStore(clock);
  const own = await addOrganization(store, 'Harbour');
  const foreign = await addOrganization(store, 'Elsewhere');
  const counters = createMemoryCounters({ clock });
  const cameraStates = new FakeCameraStates();
  const cameraSounds = new Map<Ruuid, SoundState>();
  const audit = new AuditTrail({ store, clock, log, maxRows: 250_000 });
  const directory = await ShareDirectory.open({ store, clock, log });
  const shares = new ShareService({
    ...{ store, counters, clock, rules: directory },
    passwords: new Passwords(CHEAP_SCRYPT),
    tokens: new ShareTokens(Buffer.alloc(32, 8)),
    publicMediaUrl: 'http://media.example',
  });
  const rtspCameras = new FakeRtspCameras();
  const onvifCameras = new FakeOnvifCameras();
  const accessControl = createAccessControlServices({
    ...{ store, clock, log, allowPrivateNetworks: true },
  });
  const options: ApiOptions = {
    ...createDeviceServices({
      ...{ store, shares, clock, probeCamera: rtspCameras.probe, onvif: onvifCameras },
      onCameraProbed: async (_org, camera, verdict) => cameraStates.probed(camera, verdict, clock.epochMs()),
    }),
    accessControl,
    store,
    shares,
    schedules: new ScheduleService({ store, clock, rules: directory }),
    counters,
    audit,
    cameraStates,
    cameraSounds,
    clock,
    log,
    limits: { maxEventLoopDelayMs: 0, ...limits },
    publicApiUrl: 'http://api.example',
    readiness: async () => ({ ready: true, checks: { store: 'ok' } }),
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4', body: 'sluice_up 1\n' }),
    ...overrides,
  };
  const api = await withSharedSerializers(() => buildApi(options));
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
    rtspCameras,
    onvifCameras,
    accessControl,
    post,
    async call(path, body, headers) {
      const response = await post(path, body, headers);
      if (response.statusCode !== 200)
        throw new Error(`${path} answered ${response.statusCode}: ${response.body}`);
      return response.json<Answer>();
    },
    async close() {
      await api.close();
      await accessControl.close();
      directory.close();
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
