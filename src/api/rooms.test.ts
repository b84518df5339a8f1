/**
 * Every endpoint that creates something is refused when its organization has as much of it as it can, by the name of the
 * limit (docs/design/limits.md), and other organizations do not notice.
 */

import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { CUSTOM_SEEK_POINTS } from '../devices/custom-seek-points.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Repetition } from '../http/repetition.ts';
import { FullOrganization } from '../store/full-organization-fixture.ts';
import type { Answer } from './api-fixture.ts';
import { EXAMPLE_SETTINGS as OIDC_SETTINGS } from './console/oidc-types.ts';
import { EXAMPLE_SETTINGS } from './console/saml-types.ts';
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

/** Others set, replace, end or delete; calls that create things named by callers are found by their effect. */
const CREATING: ReadonlySet<Repetition> = new Set(['once', 'own-ids', 'expires', 'single-use']);
const creating = ENDPOINTS.filter(({ repetition }) => CREATING.has(repetition));
const rows = ENDPOINTS.flatMap((endpoint) => {
  const rooms = ROOMS_OF_ENDPOINTS[endpoint.path];
  return Array.isArray(rooms) ? rooms.map((room) => ({ endpoint, path: endpoint.path, ...room })) : [];
});

/** Fields whose new values name something new. */
const NAMING: ReadonlySet<string> = new Set(['uuid', 'webhookUrl']);
const TAKES_AWAY = /\/(?:cancel|delete|end|remove|revoke|sign|un)\w+$/;

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

describe('the table has a row for each endpoint', () => {
  it('that creates something, by its own word', () => {
    expect(creating.length).toBeGreaterThan(50);
    const missing = creating.filter(({ path }) => ROOMS_OF_ENDPOINTS[path] === undefined);
    expect(missing.map(({ path }) => path)).toEqual([]);
    const paths = ENDPOINTS.map(({ path }) => path);
    expect(Object.keys(ROOMS_OF_ENDPOINTS).filter((path) => !paths.includes(path))).toEqual([]);
  });

  it('that sets something and creates it the first time', async () => {
    const { fixture, own, close } = await openPopulatedApi();
    const created = new Set<string>();
    let path = '';
    fixture.store.onChange(({ type, entity }) => {
      if (type === 'CREATE' && entity !== 'auditEvent') created.add(path);
    });
    for (const endpoint of ENDPOINTS.filter(({ repetition }) => repetition === 'same-outcome')) {
      path = endpoint.path;
      if (TAKES_AWAY.test(path)) continue;
      for (const isNew of [false, true]) {
        const named = (field: string) =>
          isNew && NAMING.has(field) ? undefined : identifierFor(own, path, field);
        const isOfUser = isNew && endpoint.requestSchema.properties.userUuid !== undefined;
        const body = { ...exampleBody(endpoint, named), ...(isOfUser ? { userUuid: newRuuid() } : {}) };
        await fixture.post(path, body, headersFor(endpoint, own));
      }
    }
    await close();
    expect(created).toContain('/api/policy/updateClimatePolicy');
    expect(created).toContain('/api/integrations/webhooks/updateWebhookIntegrationV2');
    expect([...created].filter((each) => ROOMS_OF_ENDPOINTS[each] === undefined)).toEqual([]);
  });
});

describe('an organization that has all it can', () => {
  it.each(rows)('is refused at $path ($limit)', async ({ endpoint, limit, place, refusal, isCounted }) => {
    const { own, foreign } = populated;
    const { uuid: orgUuid } = own.org.organization;
    expect(await call(endpoint, own)).toEqual(SUCCESS);
    full.fill({ orgUuid, place, limit, free: 1, isCounted });
    expect(await call(endpoint, own)).toEqual(SUCCESS);
    full.fill({ orgUuid, place, limit, free: 0, isCounted });
    expect(await call(endpoint, own)).toMatchObject({ error: true, errorMsg: refusal.message });
    expect(await call(endpoint, foreign)).toEqual(SUCCESS);
  });
});

describe('the limit counts for', () => {
  it('links to the past, too', async () => {
    const { own } = populated;
    const { uuid: orgUuid } = own.org.organization;
    const ofPast = rows.filter(({ endpoint }) => endpoint.requestSchema.properties.vodEnabled !== undefined);
    expect(new Set(ofPast.map(({ limit }) => limit))).toEqual(new Set(['shares', 'wallShares']));
    for (const { endpoint, limit, place, refusal } of ofPast) {
      full.fill({ orgUuid, place, limit, free: 0 });
      const response = await call(endpoint, own, { vodEnabled: true });
      expect([endpoint.path, response.errorMsg]).toEqual([endpoint.path, refusal.message]);
    }
  });

  it('all seek points of a call: those that do not fit together are refused together', async () => {
    const { own } = populated;
    const { endpoint, limit, place, refusal } = rows.find((row) => row.limit === 'seekPoints')!;
    full.fill({ orgUuid: own.org.organization.uuid, place, limit, free: 1, isCounted: true });
    const footageSeekPoints = ['in', 'out'].map((name) => ({ timestampMs: 2_000, name }));
    const stored = () => populated.fixture.store.resources.of(CUSTOM_SEEK_POINTS).listEverywhere();
    const before = await stored();
    expect(await call(endpoint, own, { footageSeekPoints })).toMatchObject({ errorMsg: refusal.message });
    expect(await stored()).toEqual(before);
    expect(await call(endpoint, own)).toEqual(SUCCESS);
  });
});

/** With a body that has not been sent before. */
async function call(
  endpoint: Endpoint,
  organization: PopulatedOrganization,
  fields: object = {},
): Promise<Answer> {
  const { fixture } = populated;
  const { path } = endpoint;
  if (path === '/api/console/addPasskey') return (await addPasskey(organization)).answer;
  if (path === '/api/console/signInWithPasskey') return signInWithPasskey(organization);
  const body = exampleBody(endpoint, (field) => identifierFor(organization, path, field));
  const fresh = (await FRESH[path]?.(organization)) ?? {};
  return fixture.call(path, { ...body, ...fresh, ...fields }, headersFor(endpoint, organization));
}

/** Fields that make one more thing of what would be the same again. */
const FRESH: Readonly<Record<string, (organization: PopulatedOrganization) => object | Promise<object>>> = {
  '/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation': ({ identifiers }) => ({
    rule: {
      locationUuid: identifiers.locationUuid,
      ruleName: 'Panic',
      triggerActivity: 'PanicButtonEvent',
      action: { webhookActions: [{ webhookUrl: newWebhook() }] },
    },
  }),
  '/api/integrations/webhooks/updateWebhookIntegrationV2': () => ({ webhookUrl: newWebhook() }),
  '/api/customer/updateCurrentUserNotificationSettings': () => ({ userUuid: newRuuid() }),
  '/api/policy/updateClimatePolicy': () => ({ policy: { uuid: newRuuid(), name: 'Server room' } }),
  '/api/console/acceptInvite': invited,
  '/api/console/addOidcProvider': () => ({
    settings: { ...OIDC_SETTINGS, roleRules: [], domains: [`${randomBytes(8).toString('hex')}.example`] },
  }),
  '/api/console/addSamlProvider': () => ({
    settings: { ...EXAMPLE_SETTINGS, roleRules: [], domains: [`${randomBytes(8).toString('hex')}.example`] },
  }),
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

function newWebhook(): string {
  return populated.fixture.webhookHost.url(`/${newRuuid()}`);
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
  const response = await populated.fixture.call('/api/ingest/policyAlerts', { rows: [row] }, headers);
  expect(response).toMatchObject({ error: false, rejected: [] });
  return { alertUuid: row.uuid };
}

function newPage(): ConsoleTester {
  const page = new ConsoleTester(populated.fixture);
  page.origin = ORIGIN;
  return page;
}

/** As a browser does, with a new authenticator. */
async function addPasskey({ consoleHeaders }: PopulatedOrganization) {
  const page = newPage();
  page.cookie = consoleHeaders.cookie!;
  const { publicKey } = await page.call('beginAddingPasskey');
  const authenticator = new SoftAuthenticator();
  const passkey = authenticator.create(publicKey as Parameters<SoftAuthenticator['create']>[0]);
  return { authenticator, answer: await page.call('addPasskey', { name: 'Desk', passkey }) };
}

const authenticators = new Map<PopulatedOrganization, SoftAuthenticator>();

async function signInWithPasskey(organization: PopulatedOrganization): Promise<Answer> {
  const authenticator = authenticators.get(organization) ?? (await addPasskey(organization)).authenticator;
  authenticators.set(organization, authenticator);
  const page = newPage();
  const { publicKey } = await page.call('beginPasskeySignIn');
  const passkey = authenticator.get(publicKey as Parameters<SoftAuthenticator['get']>[0]);
  return page.call('signInWithPasskey', { passkey });
}

/** The token of an invitation that is not accepted. */
async function invited({ headers }: PopulatedOrganization): Promise<object> {
  const wanted = { name: 'Ada', role: 'viewer', email: `${newRuuid()}@example.com` };
  const { inviteUrl } = await populated.fixture.call('/api/console/invitePerson', wanted, headers);
  return { inviteToken: (inviteUrl as string).split('#invite=')[1]! };
}
