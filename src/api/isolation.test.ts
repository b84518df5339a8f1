import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { type Answer, type ApiFixture, addApiKey, openApiFixture } from './api-fixture.ts';
import { asJsonSchema, type JsonSchema } from './base/json-schema.ts';
import { ENDPOINTS } from './endpoints.ts';
import { OAuthTester, REDIRECT_URI } from './oauth/oauth-fixture.ts';

const UUID_FIELD = /uuid|^clientId$/i;

/** What `own` has, by the field that names it; the other organisation then asks for it. */
let fixture: ApiFixture;
let ownUuids: Record<string, string>;
let foreignHeaders: Record<string, string>;
let foreignPartnerHeaders: Record<string, string>;
let before: string;

/** Everything that `own` has, as its own key sees it. */
async function snapshot(): Promise<string> {
  const answers: Answer[] = [];
  for (const path of [
    '/api/camera/findAllSharedLiveVideoStreams',
    '/api/schedule/getSchedules',
    '/api/location/getLocations',
    '/api/camera/getMinimalCameraStateList',
    '/api/relay/getMinimalNVRStateList',
    '/api/org/getOrgV2',
    '/api/relay/getMinimalThirdPartyCameraStateList',
    '/api/relay/getThirdPartyCameraPasswords',
    '/api/org/findAllHardwareWithPendingRegistration',
    '/api/policy/getClimatePolicies',
    '/api/proximity/getTags',
    '/api/integrations/org/getApiTokens',
    '/api/oauth/getAllApplicationsForOrg',
    '/api/oauth/getAllGrantsForOrg',
  ]) {
    answers.push(await fixture.call(path));
  }
  return JSON.stringify(answers);
}

beforeAll(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: 100_000, perSec: 1 } } });
  const { own, foreign } = fixture;
  foreignHeaders = { 'x-auth-apikey': foreign.apiKey };
  const weekly = { name: 'Own', intervalList: [{ minuteOfWeekStart: 0, minuteOfWeekStop: 1 }] };
  const { scheduleUuid } = await fixture.call('/api/schedule/createWeeklySchedule', { schedule: weekly });
  const { sharedLiveVideoStreamUuid } = await fixture.call('/api/camera/createSharedLiveVideoStream', {
    cameraUuid: own.camera.uuid,
    streamType: 'USER',
    vodEnabled: false,
    scheduleUuid,
  });
  const alert = { uuid: newRuuid(), deviceUuid: own.camera.uuid, timestampMs: 1 };
  await fixture.call('/api/ingest/policyAlerts', { rows: [alert] });
  const landingUuid = newRuuid();
  await fixture.accessControl.elevatorLandings.report(own.organisation.uuid, [
    { uuid: landingUuid, ownerDeviceUuid: own.nvrUuid, locationUuid: own.locationUuid },
  ]);
  const oauth = new OAuthTester(fixture);
  const details = { name: 'Own', redirectUri: REDIRECT_URI };
  const { clientId } = await fixture.call('/api/oauth/submitApplication', details);
  await oauth.tokens(await oauth.register());
  const [grant] = await fixture.store.oauthGrants.list(own.organisation.uuid);
  const partnerKey = await addApiKey(fixture.store, foreign.organisation.uuid, { scheme: 'partner-api' });
  foreignPartnerHeaders = { 'x-auth-apikey': partnerKey };
  const login = { username: 'u', password: 'p' };
  const { passwordUuid } = await fixture.call('/api/relay/createThirdPartyCameraPassword', login);
  const rtspUrl = 'rtsp://192.0.2.10/stream1';
  fixture.rtspCameras.byUrl.set(rtspUrl, {});
  await fixture.call('/api/relay/manualDiscoverCamera', { rtspUrl });
  const assigned = { nvruuid: own.nvrUuid, rtspUrl };
  const { deviceUuid: thirdPartyCameraUuid } = await fixture.call(
    '/api/relay/assignThirdPartyCameraToNVR',
    assigned,
  );
  await fixture.call('/api/org/createPendingRegistration', { serialNumber: 'NVR-2' });
  const { hardwareList } = await fixture.call('/api/org/findAllHardwareWithPendingRegistration');
  const rule = { locationUuid: own.locationUuid, ruleName: 'Own', action: { alertAction: true } };
  const { ruleUuid } = await fixture.call('/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation', {
    rule,
  });
  const credentialUuid = newRuuid();
  await fixture.accessControl.credentials.reportCredentials(own.organisation.uuid, [
    { uuid: credentialUuid, type: 'STANDARD_CSN', value: '04A2' },
  ]);
  ownUuids = {
    ruleUuid: ruleUuid as string,
    causeUuid: ruleUuid as string,
    credentialUuid,
    disabled_schedule_uuid: scheduleUuid as string,
    nvruuid: own.nvrUuid,
    thirdPartyCameraUuid: thirdPartyCameraUuid as string,
    passwordUuid: passwordUuid as string,
    hardwareUuid: (hardwareList as { uuid: string }[])[0]!.uuid,
    orgUuid: own.organisation.uuid,
    tokenUuid: own.key.uuid,
    clientId: clientId as string,
    grantUuid: grant!.uuid,
    policyUuid: alert.uuid,
    locationUuid: own.locationUuid,
    cameraUuid: own.camera.uuid,
    doorbellCameraUuid: own.doorbell.uuid,
    scheduleUuid: scheduleUuid as string,
    uuid: sharedLiveVideoStreamUuid as string,
    parentLocationUuid: own.locationUuid,
    audioGatewayUuid: own.camera.uuid,
    deviceUuid: own.camera.uuid,
    policyAlertUuid: alert.uuid,
    lastUuid: alert.uuid,
    accessControlledDoorUuid: own.nvrUuid,
    accessControlledElevatorLandingUuid: landingUuid,
    ownerDeviceUuid: own.nvrUuid,
  };
  before = await snapshot();
});
afterAll(() => fixture.close());

/** A valid body in which every UUID is one of `own`'s. */
function bodyOf(path: string, schema: JsonSchema, example: object): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const given = (example as Record<string, unknown>)[name];
    if (UUID_FIELD.test(name) && field.type === 'string') body[name] = uuidFor(path, name);
    else if (field.properties !== undefined) body[name] = bodyOf(path, field, (given as object) ?? {});
    else if (given !== undefined) body[name] = given;
  }
  return body;
}

/** What a field that is called `uuid` is about. */
function uuidFieldOf(path: string): string {
  if (/chedule/.test(path)) return 'scheduleUuid';
  if (path === '/api/camera/updateDetailsV2') return 'thirdPartyCameraUuid';
  if (path.startsWith('/api/relay/')) return 'nvruuid';
  return path.startsWith('/api/location/') ? 'locationUuid' : 'uuid';
}

/** UUIDs of things that the gateway only passes on and knows nothing about. */
const PASSED_ON = new Set([
  'userUuid',
  'serviceToken',
  'webhookUuid',
  'locationLockdownPlanUuid',
  'audioDeviceUuid',
  'doorUuid',
  'proxyDeviceUuid',
]);
const PASSED_ON_UUID = newRuuid();

function uuidFor(path: string, field: string): string {
  if (PASSED_ON.has(field)) return PASSED_ON_UUID;
  const uuid = field === 'uuid' ? ownUuids[uuidFieldOf(path)] : ownUuids[field];
  if (uuid === undefined) throw new Error(`${path}: which UUID is ${field}?`);
  return uuid;
}

describe('another organisation’s key', () => {
  it.each(ENDPOINTS.map((endpoint) => [endpoint.path, endpoint] as const))(
    'sees and changes nothing at %s',
    async (path, endpoint) => {
      const body = bodyOf(path, asJsonSchema(endpoint.requestSchema), endpoint.example.request);
      const headers = endpoint.scheme === 'partner-api' ? foreignPartnerHeaders : foreignHeaders;
      const response = await fixture.post(path, body, headers);
      expect(response.statusCode).toBe(200);
      const text = JSON.stringify(body);
      const namesOwn = Object.values(ownUuids).some((uuid) => text.includes(uuid));
      // A batch answers for each of its rows; ingest has tests of its own for rows that name others' things.
      const isRefused = namesOwn && endpoint.category !== 'ingest';
      if (isRefused) expect(response.json<Answer>()).toMatchObject({ error: true });
      for (const uuid of [...Object.values(ownUuids), fixture.own.organisation.uuid, fixture.own.nvrUuid]) {
        expect(response.body).not.toContain(uuid);
      }
      expect(await snapshot()).toBe(before);
    },
  );

  it('is refused a share of another’s camera', async () => {
    const body = { cameraUuid: fixture.own.camera.uuid, streamType: 'USER', vodEnabled: false };
    const answer = await fixture.call('/api/camera/createSharedLiveVideoStream', body, foreignHeaders);
    expect(answer.error).toBe(true);
    expect(await snapshot()).toBe(before);
  });

  it('is refused a share of its own camera with another’s schedule', async () => {
    const answer = await fixture.call(
      '/api/camera/createSharedLiveVideoStream',
      {
        cameraUuid: fixture.foreign.camera.uuid,
        streamType: 'USER',
        vodEnabled: false,
        scheduleUuid: ownUuids.scheduleUuid,
      },
      foreignHeaders,
    );
    expect(answer.error).toBe(true);
  });
});
