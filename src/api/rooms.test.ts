/**
 * Every endpoint that creates something is refused when its organization has as much of it as it can, by the name of the
 * limit (docs/design/limits.md), and other organizations do not notice.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { FullOrganization } from '../store/full-organization-fixture.ts';
import type { Answer } from './api-fixture.ts';
import { ConsoleTester } from './console-fixture.ts';
import { ENDPOINTS } from './endpoints.ts';
import {
  headersFor,
  identifierFor,
  openPopulatedApi,
  type PopulatedApi,
  type PopulatedOrganization,
} from './populated-organization-fixture.ts';
import { ROOMS_OF_ENDPOINTS } from './rooms-of-endpoints-fixture.ts';
import { exampleBody } from './schema-samples-fixture.ts';
import { SoftAuthenticator } from './soft-authenticator-fixture.ts';

/** Passkeys need it. */
const ORIGIN = 'https://api.example';

/** `errorMsg`: shown if it is not one. */
const SUCCESS = expect.not.objectContaining({ errorMsg: expect.anything() });

const creating = ENDPOINTS.filter(({ repetition }) => repetition === 'once');
const rows = creating.flatMap((endpoint) => {
  const rooms = ROOMS_OF_ENDPOINTS[endpoint.path];
  return Array.isArray(rooms) ? rooms.map((room) => ({ endpoint, path: endpoint.path, ...room })) : [];
});

const full = new FullOrganization();
let populated: PopulatedApi;
beforeAll(async () => {
  populated = await openPopulatedApi(undefined, {
    onStore: (store) => full.watch(store),
    overrides: { publicApiUrl: ORIGIN },
  });
});
afterEach(() => full.fill(null));
afterAll(() => populated.close());

it('each endpoint that creates something has a row in the table, and no other has', () => {
  expect(creating.length).toBeGreaterThan(30);
  expect(Object.keys(ROOMS_OF_ENDPOINTS).sort()).toEqual(creating.map(({ path }) => path).sort());
});

describe('an organization that has all it can', () => {
  it.each(rows)('is refused at $path ($limit)', async ({ endpoint, limit, place, refusal }) => {
    const { own, foreign } = populated;
    const { uuid: orgUuid } = own.org.organization;
    expect(await call(endpoint, own)).toEqual(SUCCESS);
    full.fill({ orgUuid, place, limit, free: 1 });
    expect(await call(endpoint, own)).toEqual(SUCCESS);
    full.fill({ orgUuid, place, limit, free: 0 });
    expect(await call(endpoint, own)).toMatchObject({ error: true, errorMsg: refusal.message });
    expect(await call(endpoint, foreign)).toEqual(SUCCESS);
  });
});

/** With a body that has not been sent before. */
async function call(endpoint: Endpoint, organization: PopulatedOrganization): Promise<Answer> {
  const { fixture } = populated;
  const { path } = endpoint;
  if (path === '/api/console/addPasskey') return addPasskey(organization);
  const body = exampleBody(endpoint, (field) => identifierFor(organization, path, field));
  const fresh = (await FRESH[path]?.(organization)) ?? {};
  return fixture.call(path, { ...body, ...fresh }, headersFor(endpoint, organization));
}

/** Fields that make one more thing of what would be the same again. */
const FRESH: Readonly<Record<string, (organization: PopulatedOrganization) => object | Promise<object>>> = {
  '/api/console/invitePerson': () => ({ email: `${newRuuid()}@example.com` }),
  '/api/org/createPendingRegistration': () => ({ serialNumber: newRuuid() }),
  '/api/relay/manualDiscoverCamera': () => ({ rtspUrl: newCamera() }),
  '/api/relay/addThirdPartyCameraViaOnvif': () => ({ ...newOnvifCamera(), autoAssign: false, nvrUuid: null }),
  '/api/relay/assignThirdPartyCameraToNVR': discovered,
  '/api/event/savePolicyAlertV2': reportedAlert,
  '/api/camera/createCustomFootageSeekpoints': () => ({
    footageSeekPoints: [{ timestampMs: 1_000, name: newRuuid() }],
  }),
};

/** At an address of its own. */
function newCamera(): string {
  const { byUrl } = populated.fixture.rtspCameras;
  const rtspUrl = `rtsp://dock-${byUrl.size}.example/stream1`;
  byUrl.set(rtspUrl, {});
  return rtspUrl;
}

function newOnvifCamera(): object {
  const ipAddress = `192.0.2.${20 + populated.fixture.onvifCameras.byHost.size}`;
  const stream = { profileToken: '1', codec: 'h264', rtspUrl: `rtsp://${ipAddress}/stream1` } as const;
  const device = { manufacturer: null, model: null, streams: [stream] };
  populated.fixture.onvifCameras.byHost.set(ipAddress, { device });
  return { ipAddress };
}

/** A camera that can be assigned. */
async function discovered({ headers }: PopulatedOrganization): Promise<object> {
  const rtspUrl = newCamera();
  const found = await populated.fixture.call('/api/relay/manualDiscoverCamera', { rtspUrl }, headers);
  const { macAddress } = found.result as { macAddress: string };
  return { rtspUrl, discoveredCameraMacAddress: macAddress };
}

/** An alert that can be saved. */
async function reportedAlert({ headers, identifiers }: PopulatedOrganization): Promise<object> {
  const row = { uuid: newRuuid(), deviceUuid: identifiers.cameraUuid, timestampMs: 1_000 };
  const answer = await populated.fixture.call('/api/ingest/policyAlerts', { rows: [row] }, headers);
  expect(answer).toMatchObject({ error: false, rejected: [] });
  return { alertUuid: row.uuid };
}

/** As a browser does, which has a new authenticator. */
async function addPasskey({ consoleHeaders }: PopulatedOrganization): Promise<Answer> {
  const page = new ConsoleTester(populated.fixture);
  page.origin = ORIGIN;
  page.cookie = consoleHeaders.cookie!;
  const { publicKey } = await page.call('beginAddingPasskey');
  const passkey = new SoftAuthenticator().create(publicKey as Parameters<SoftAuthenticator['create']>[0]);
  return page.call('addPasskey', { name: 'Desk', passkey });
}
