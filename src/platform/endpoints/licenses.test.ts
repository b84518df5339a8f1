import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, addApiKey, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { sampleOrganization } from '../../store/sample-entities-fixture.ts';
import { type LicenseBody, licenseStateAt } from '../devices/license.ts';

const GET = '/api/partner/getLicensesForOrg';
const REPORT = '/api/ingest/licenses';

let fixture: ApiFixture;
let partnerUuid: Ruuid;
let partnerHeaders: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  const partner = sampleOrganization({ name: 'Partner' });
  partnerUuid = partner.uuid;
  await fixture.store.organizations.save(partner);
  await fixture.store.organizations.save({ ...fixture.own.organization, partnerUuid });
  const apiKey = await addApiKey(fixture.store, partnerUuid, { scheme: 'partner-api' });
  partnerHeaders = { 'x-auth-apikey': apiKey };
});
afterEach(() => fixture.close());

const licensesOf = async (orgUuid: Ruuid | undefined, headers: Record<string, string> = {}) =>
  (await fixture.call(GET, { orgUuid }, { ...partnerHeaders, ...headers })).licenses as Record<
    string,
    unknown
  >[];

describe(GET, () => {
  it('lists what was reported for a client organization', async () => {
    const { own } = fixture;
    const [claimKeyUuid, priorClaimKeyUuid] = [newRuuid(), newRuuid()];
    const nowMs = fixture.clock.epochMs();
    const row = {
      id: 'L-1',
      deviceUuid: own.camera.uuid,
      deviceType: 'CAMERA',
      claimKeyUuid,
      priorClaimKeyUuid,
      productCode: 'CAM-1Y',
      productType: 'DEVICE',
      license: 'PERCEPTION',
      addOnLicenseType: 'VEHICLE',
      licenseFamily: 'CAMERA',
      licenseToUnassignEmailState: 'INITIAL_EMAIL_SUCCEEDED',
      cloudArchiveDays: 30,
      trial: true,
      additionalPerceptionFeatures: ['FACE_RECOGNITION'],
      perceptionTypes: ['PEOPLE_COUNTING'],
      firstAssignedAtMs: nowMs,
      maxDeleteAtMs: nowMs + 1_000,
    };
    expect(await fixture.call(REPORT, { rows: [row, { id: 'L-2' }] })).toMatchObject({ acceptedCount: 2 });
    const now = new Date(nowMs).toISOString();
    const licenseOf = async (isFull: boolean) =>
      (await licensesOf(own.organization.uuid)).find(
        (license) => (license.deviceUuid !== undefined) === isFull,
      );
    expect(await licenseOf(true)).toEqual({
      uuid: expect.any(String),
      orgUuid: own.organization.uuid,
      deviceUuid: own.camera.uuid,
      deviceType: 'CAMERA',
      claimKeyUuid,
      priorClaimKeyUuid,
      productCode: 'CAM-1Y',
      productType: 'DEVICE',
      license: 'PERCEPTION',
      addOnLicenseType: 'VEHICLE',
      licenseFamily: 'CAMERA',
      licenseToUnassignEmailState: 'INITIAL_EMAIL_SUCCEEDED',
      cloudArchiveDays: 30,
      trial: true,
      state: 'RENEWED',
      additionalPerceptionFeatures: ['FACE_RECOGNITION'],
      perceptionTypes: ['PEOPLE_COUNTING'],
      createdOn: now,
      updatedOn: now,
      firstAssignedDate: now,
      maxDeleteDate: new Date(nowMs + 1_000).toISOString(),
    });
    expect(await licenseOf(false)).toMatchObject({ state: 'CLAIMED', trial: false, perceptionTypes: [] });
    fixture.clock.advance(1_000);
    expect(await licenseOf(true)).toMatchObject({ state: 'PERMANENTLY_EXPIRED' });
  });

  it('uses the latest report of a license', async () => {
    const orgUuid = fixture.own.organization.uuid;
    await fixture.call(REPORT, { rows: [{ id: 'L-1', productCode: 'A' }] });
    fixture.clock.advance(60_000);
    const again = await fixture.call(REPORT, { rows: [{ id: 'L-1', productCode: 'A' }] });
    expect(again).toMatchObject({ acceptedCount: 0, duplicateCount: 1 });
    const changed = await fixture.call(REPORT, {
      rows: [{ id: 'L-1', productCode: 'A', returnRequested: true }],
    });
    expect(changed).toMatchObject({ acceptedCount: 1, duplicateCount: 0 });
    const [license, ...others] = await licensesOf(orgUuid);
    expect(others).toEqual([]);
    expect(license).toMatchObject({
      state: 'PENDING_RETURN',
      updatedOn: new Date(fixture.clock.epochMs()).toISOString(),
    });
    expect(license!.createdOn).not.toBe(license!.updatedOn);
  });

  it('also takes the organization from x-auth-org, and without either uses the partner itself', async () => {
    const orgUuid = fixture.own.organization.uuid;
    await fixture.call(REPORT, { rows: [{ id: 'L-1' }] });
    expect(await licensesOf(undefined, { 'x-auth-org': orgUuid })).toHaveLength(1);
    expect(await licensesOf(undefined)).toEqual([]);
    expect(await licensesOf(partnerUuid)).toEqual([]);
  });

  it('is for partners, and for their own clients', async () => {
    const orgUuid = fixture.own.organization.uuid;
    expect((await fixture.post(GET, { orgUuid })).statusCode).toBe(401);
    expect((await fixture.post(GET, { orgUuid }, { 'x-auth-scheme': 'partner-api' })).statusCode).toBe(401);
    const unknown = await fixture.call(GET, { orgUuid: newRuuid() }, partnerHeaders);
    expect(unknown).toMatchObject({ error: true, errorMsg: expect.stringMatching(/^orgUuid must be/) });
    const foreignUuid = fixture.foreign.organization.uuid;
    expect(await fixture.call(GET, { orgUuid: foreignUuid }, partnerHeaders)).toEqual(unknown);
    const headers = { ...partnerHeaders, 'x-auth-org': orgUuid };
    expect(await fixture.call(GET, { orgUuid: partnerUuid }, headers)).toEqual(unknown);
  });

  it('refuses reports about cameras of others', async () => {
    const row = { id: 'L-1', deviceType: 'CAMERA', deviceUuid: fixture.foreign.camera.uuid };
    const { rejected } = await fixture.call(REPORT, { rows: [row] });
    expect(rejected).toEqual([
      { index: 0, field: 'deviceUuid', reason: expect.stringMatching(/^deviceUuid must/) },
    ]);
  });
});

describe('/api/org/createPendingRegistration by a partner', () => {
  const CREATE = '/api/org/createPendingRegistration';
  const FIND = '/api/org/findAllHardwareWithPendingRegistration';

  it('announces hardware of a client, and of no one else', async () => {
    const { own, foreign } = fixture;
    const headers = { ...partnerHeaders, 'x-auth-scheme': 'partner-api-token' };
    const announced = {
      serialNumber: 'NVR-9',
      orgUuid: own.organization.uuid,
      locationUuid: own.locationUuid,
    };
    expect(await fixture.call(CREATE, announced, headers)).toMatchObject({ error: false });
    expect((await fixture.call(FIND)).hardwareList).toMatchObject([{ serialNumber: 'NVR-9' }]);
    const foreignOrg = { serialNumber: 'NVR-8', orgUuid: foreign.organization.uuid };
    expect((await fixture.call(CREATE, foreignOrg, headers)).errorMsg).toMatch(/^orgUuid must be/);
    expect((await fixture.call(CREATE, foreignOrg)).errorMsg).toMatch(/^orgUuid must be/);
    const foreignHeaders = { 'x-auth-apikey': foreign.apiKey };
    expect((await fixture.call(FIND, {}, foreignHeaders)).hardwareList).toEqual([]);
  });
});

describe('licenseStateAt', () => {
  const cases: readonly [string, LicenseBody][] = [
    ['CLAIMED', {}],
    ['CLAIMED', { expiresAtMs: 101, maxDeleteAtMs: 200 }],
    ['RENEWED', { priorClaimKeyUuid: newRuuid() }],
    ['NOT_RENEWED', { priorClaimKeyUuid: newRuuid(), renewalDeclined: true }],
    ['PENDING_RETURN', { renewalDeclined: true, returnRequested: true }],
    ['EXPIRED', { expiresAtMs: 100, returnRequested: true }],
    ['PERMANENTLY_EXPIRED', { expiresAtMs: 50, maxDeleteAtMs: 100 }],
  ];
  it.each(cases)('is %s for %j', (state, body) => {
    expect(licenseStateAt(body, 100)).toBe(state);
  });
});
