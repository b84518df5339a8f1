import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, addApiKey, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid } from '../../core/ruuid.ts';

const CSN = '/api/accesscontrol/getStandardCsnCredentialDetails';
const REVOCATIONS = '/api/accesscontrol/findLocationAccessRevocationsByOrg';

let fixture: ApiFixture;
let foreignHeaders: Record<string, string>;
beforeEach(async () => {
  fixture = await openApiFixture();
  foreignHeaders = { 'x-auth-apikey': fixture.foreign.apiKey };
});
afterEach(() => fixture.close());

describe(CSN, () => {
  const card = { uuid: newRuuid(), type: 'STANDARD_CSN', value: '0x04:A2-3B C1' };
  const details = {
    userUuid: newRuuid(),
    managedCredUuid: newRuuid(),
    note: 'Spare',
    workflowStatus: 'ACTIVE',
    startDateEpochSecInclusive: 1,
    endDateEpochSecExclusive: 2,
    lastUsedAtMillis: 3,
    lastUsedAccessControlledDoorUuid: newRuuid(),
    lastUsedLocationUuid: newRuuid(),
  };
  const report = (row: object) => fixture.call('/api/ingest/credentials', { rows: [row] });

  it('returns what was reported, with the number in hexadecimal digits', async () => {
    expect(await report({ ...card, ...details })).toMatchObject({ acceptedCount: 1, rejected: [] });
    const { credential } = await fixture.call(CSN, { credentialUuid: card.uuid });
    const atMillis = fixture.clock.epochMs();
    expect(credential).toEqual({
      ...card,
      ...details,
      lowercaseHexValue: '04a23bc1',
      orgUuid: fixture.own.organization.uuid,
      createdAtMillis: atMillis,
      updatedAtMillis: atMillis,
    });
  });

  it('accepts later reports without losing what they leave out', async () => {
    await report({ ...card, ...details });
    fixture.clock.advance(5);
    expect(await report({ ...card, note: 'Lost', workflowStatus: 'REVOKED' })).toMatchObject({
      acceptedCount: 0,
      duplicateCount: 1,
    });
    expect((await fixture.call(CSN, { credentialUuid: card.uuid })).credential).toMatchObject({
      note: 'Lost',
      workflowStatus: 'REVOKED',
      userUuid: details.userUuid,
      updatedAtMillis: fixture.clock.epochMs(),
      createdAtMillis: fixture.clock.epochMs() - 5,
    });
  });

  it('refuses credentials of other types and of other organizations', async () => {
    const pin = { uuid: newRuuid(), type: 'PIN_CODE', value: '1234' };
    await report(card);
    await report(pin);
    const missing = 'There is no standard CSN credential with this UUID.';
    expect((await fixture.call(CSN, { credentialUuid: pin.uuid })).errorMsg).toBe(missing);
    expect((await fixture.call(CSN, { credentialUuid: newRuuid() })).errorMsg).toBe(missing);
    expect((await fixture.call(CSN, { credentialUuid: card.uuid }, foreignHeaders)).errorMsg).toBe(missing);
    expect((await fixture.call(CSN)).errorMsg).toBe('credentialUuid is required.');
    expect(await report({ ...card, uuid: newRuuid(), value: 'card' })).toMatchObject({
      rejected: [{ field: 'value' }],
    });
  });
});

describe(REVOCATIONS, () => {
  it('returns what was reported, only to its organization', async () => {
    const row = {
      uuid: newRuuid(),
      name: 'Contractors',
      locationUuid: fixture.own.locationUuid,
      sortKey: 'a',
      storedInS3: false,
      accessControlledDoorUuids: [newRuuid()],
      accessControlledElevatorLandingUuids: [newRuuid()],
      doorLabelIds: ['north'],
      groupUuids: [newRuuid()],
      userUuids: [newRuuid()],
    };
    const rows = [
      row,
      { ...row, uuid: newRuuid(), locationUuid: fixture.foreign.locationUuid },
      { ...row, uuid: newRuuid(), scheduleUuid: newRuuid() },
    ];
    expect(await fixture.call('/api/ingest/accessRevocations', { rows })).toMatchObject({
      acceptedCount: 1,
      rejected: [{ field: 'locationUuid' }, { field: 'scheduleUuid' }],
    });
    const atMillis = fixture.clock.epochMs();
    expect((await fixture.call(REVOCATIONS)).accessRevocations).toEqual([
      {
        ...row,
        orgUuid: fixture.own.organization.uuid,
        createdAtMillis: atMillis,
        updatedAtMillis: atMillis,
      },
    ]);
    expect((await fixture.call(REVOCATIONS, {}, foreignHeaders)).accessRevocations).toEqual([]);
    const refused = await fixture.post(REVOCATIONS, {}, { 'x-auth-apikey': 'none' });
    expect([refused.statusCode, refused.json().error]).toEqual([401, true]);
  });

  it('refuses a body that is not an object', async () => {
    expect((await fixture.call(REVOCATIONS, [])).errorMsg).toMatch(/^The request body must be/);
  });
});

it('credentials of a user are listed by what was reported, to administrators of the organization', async () => {
  const path = '/api/accesscontrol/findAccessControlCredentialByUser';
  const [userUuid, doorUuid] = [newRuuid(), newRuuid()];
  const card = { uuid: newRuuid(), type: 'STANDARD_CSN', value: '04a2', userUuid, workflowStatus: 'ACTIVE' };
  const used = { lastUsedAtMillis: 5, lastUsedAccessControlledDoorUuid: doorUuid };
  const pin = { uuid: newRuuid(), type: 'PIN_CODE', value: '1234', userUuid, ...used };
  const others = { uuid: newRuuid(), type: 'PIN_CODE', value: '9999', userUuid: newRuuid() };
  const rows = [card, pin, others];
  expect(await fixture.call('/api/ingest/credentials', { rows })).toMatchObject({ acceptedCount: 3 });
  const found = async (filter?: object, headers = {}) => {
    const { credentials } = await fixture.call(path, { userUuid, filter }, headers);
    return (credentials as { uuid: string }[]).map(({ uuid }) => uuid).toSorted();
  };
  expect(await found()).toEqual([card.uuid, pin.uuid].toSorted());
  for (const filter of [
    { credTypeFilter: ['PIN_CODE'] },
    { lastUsedAccessControlledDoorUuidFilter: [doorUuid] },
    { lastUsedAfterFilter: 5, lastUsedBeforeFilter: 6 },
  ]) {
    expect([filter, await found(filter)]).toEqual([filter, [pin.uuid]]);
  }
  expect(await found({ workflowStatusFilter: ['ACTIVE'] })).toEqual([card.uuid]);
  expect(await found({ lastUsedLocationUuidFilter: [newRuuid()] })).toEqual([]);
  expect(await found({}, foreignHeaders)).toEqual([]);
  const viewer = await addApiKey(fixture.store, fixture.own.organization.uuid, { role: 'operator' });
  const refused = await fixture.post(path, { userUuid }, { 'x-auth-apikey': viewer });
  expect(refused.statusCode).toBe(403);
});
