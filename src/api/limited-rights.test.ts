/** Rights that are limited to sites and cameras: who gets them, and when they apply. At every endpoint: limited-isolation.test.ts. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Camera, Location } from '../store/entities.ts';
import { sampleCamera, sampleLocation } from '../store/sample-entities-fixture.ts';
import { type Answer, type ApiFixture, addApiKey, openApiFixture } from './api-fixture.ts';
import { ConsoleTester, PASSWORD, signedIn } from './console-fixture.ts';

const LIST = '/api/camera/getMinimalCameraStateList';

let fixture: ApiFixture;
let second: Location;
let elsewhere: Camera;
let ownSite: { locationUuids: Ruuid[]; cameraUuids: Ruuid[] };
beforeAll(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: 1e6, perSec: 1e6 } } });
  const { store, own } = fixture;
  const orgUuid = own.organization.uuid;
  second = sampleLocation(orgUuid, { name: 'Second site' });
  await store.locations.save(second);
  elsewhere = sampleCamera(orgUuid, { name: 'Second camera', locationUuid: second.uuid });
  await store.cameras.save(elsewhere);
  ownSite = { locationUuids: [own.locationUuid], cameraUuids: [] };
});
afterAll(() => fixture.close());

type Headers = Record<string, string>;

async function keyWith(scope: typeof ownSite, role: 'viewer' | 'operator' = 'viewer'): Promise<Headers> {
  return { 'x-auth-apikey': await addApiKey(fixture.store, fixture.own.organization.uuid, { role, scope }) };
}

async function listed(headers: Headers): Promise<Set<Ruuid>> {
  const { cameraStates } = await fixture.call(LIST, {}, headers);
  return new Set((cameraStates as { uuid: Ruuid }[]).map(({ uuid }) => uuid));
}

/** How often the action was recorded of the target. */
async function audited(action: string, targetUuid: Ruuid): Promise<number> {
  const query = { includeActions: [action] };
  const { auditEvents } = await fixture.call('/api/report/getAuditFeed', query);
  return (auditEvents as { targetUuid: Ruuid }[]).filter((event) => event.targetUuid === targetUuid).length;
}

const sorted = (uuids: Iterable<Ruuid>) => [...uuids].toSorted();
const errorOf = ({ error, errorMsg }: Answer) => [error, errorMsg];

describe('a key that is limited to a site', () => {
  it('lists the cameras of that site alone', async () => {
    const { camera, doorbell } = fixture.own;
    expect(sorted(await listed(await keyWith(ownSite)))).toEqual(sorted([camera.uuid, doorbell.uuid]));
  });

  it('lists cameras that are added to the site, moved there, or in a location within it', async () => {
    const { store, own } = fixture;
    const headers = await keyWith(ownSite);
    const orgUuid = own.organization.uuid;
    const added = sampleCamera(orgUuid, { locationUuid: own.locationUuid });
    await store.cameras.save(added);
    expect((await listed(headers)).has(added.uuid)).toBe(true);
    await store.cameras.save({ ...added, locationUuid: second.uuid });
    expect((await listed(headers)).has(added.uuid)).toBe(false);
    const within = sampleLocation(orgUuid, { parentUuid: own.locationUuid });
    await store.locations.save(within);
    await store.cameras.save({ ...added, locationUuid: within.uuid });
    expect((await listed(headers)).has(added.uuid)).toBe(true);
    await store.cameras.remove(orgUuid, added.uuid);
    await store.locations.remove(orgUuid, within.uuid);
  });

  it('gets the same response for a camera elsewhere as for one that does not exist', async () => {
    const headers = await keyWith(ownSite, 'operator');
    for (const [path, body] of [
      ['/api/camera/getFullCameraState', {}],
      ['/api/camera/createPreviewGrant', {}],
      ['/api/camera/createSharedLiveVideoStream', { vodEnabled: false }],
    ] as const) {
      const respond = (uuid: Ruuid) =>
        fixture.call(path, { ...body, cameraUuid: uuid, deviceUuid: uuid }, headers);
      const nothing = newRuuid();
      const [known, unknown] = [errorOf(await respond(elsewhere.uuid)), errorOf(await respond(nothing))];
      expect(known[0]).toBe(true);
      expect([path, ...known]).toEqual([
        path,
        unknown[0],
        String(unknown[1]).replace(nothing, elsewhere.uuid),
      ]);
    }
  });

  it('is refused what is about the whole organization', async () => {
    const headers = await keyWith(ownSite, 'operator');
    const response = await fixture.call('/api/org/findAllHardwareWithPendingRegistration', {}, headers);
    expect(errorOf(response)).toEqual([
      true,
      'The rights of the person or API key are limited to sites and cameras, and this is not part of them.',
    ]);
  });

  it('sees nothing without a site or camera', async () => {
    expect(await listed(await keyWith({ locationUuids: [], cameraUuids: [] }))).toEqual(new Set());
  });
});

describe('a key', () => {
  it('is created with limits, and changed from its next request', async () => {
    const { call, own } = fixture;
    const wanted = { displayName: 'Gate', role: 'viewer', scope: ownSite };
    const { apiKey } = await call('/api/integrations/org/submitApiTokenApplication', wanted);
    const headers = { 'x-auth-apikey': apiKey as string };
    expect((await listed(headers)).has(elsewhere.uuid)).toBe(false);
    const { apiTokens } = await call('/api/integrations/org/getApiTokens');
    const token = (apiTokens as { displayName: string; tokenUuid: Ruuid }[]).find(
      ({ displayName }) => displayName === 'Gate',
    )!;
    expect(token).toMatchObject({ role: 'viewer', scope: ownSite });
    const update = (changes: object) =>
      call('/api/integrations/org/updateApiToken', { tokenUuid: token.tokenUuid, ...changes });
    const only = { locationUuids: [], cameraUuids: [elsewhere.uuid] };
    expect(await update({ scope: only, scopeUpdated: true })).toMatchObject({ apiToken: { scope: only } });
    expect(await listed(headers)).toEqual(new Set([elsewhere.uuid]));
    expect(await update({ role: 'admin' })).toMatchObject({ error: true });
    await update({ scopeUpdated: true });
    expect((await listed(headers)).has(own.camera.uuid)).toBe(true);
    expect(await audited('API_TOKEN_UPDATE', token.tokenUuid)).toBe(2);
  });

  it.each([
    ['of another organization', () => fixture.foreign.locationUuid, 'viewer', /not a site or camera/],
    ['that does not exist', () => newRuuid(), 'viewer', /not a site or camera/],
    ['with the role admin', () => fixture.own.locationUuid, 'admin', /cannot be limited/],
  ] as const)('is not limited to a site %s', async (_why, site, role, sentence) => {
    const scope = { locationUuids: [site()], cameraUuids: [] };
    const wanted = { displayName: 'Gate', role, scope };
    const response = await fixture.call('/api/integrations/org/submitApiTokenApplication', wanted);
    expect(response).toMatchObject({ error: true, errorMsg: expect.stringMatching(sentence) });
  });
});

describe('a person', () => {
  let admin: ConsoleTester;
  beforeEach(async () => {
    ({ console: admin } = await signedIn(fixture, fixture.own, 'admin'));
  });

  it('is invited with limits, and has them from the first request', async () => {
    const email = `eve.${newRuuid()}@example.com`;
    const wanted = { name: 'Eve', email, role: 'viewer', scope: ownSite };
    const { inviteUrl, invitation } = await admin.call('invitePerson', wanted);
    expect(invitation).toMatchObject({ role: 'viewer', scope: ownSite });
    const inviteToken = (inviteUrl as string).split('#invite=')[1];
    const eve = new ConsoleTester(fixture);
    const { person } = await eve.call('acceptInvite', { inviteToken, password: PASSWORD });
    expect(person).toMatchObject({ scope: ownSite });
    expect(await eve.call('getSession')).toMatchObject({ role: 'viewer', scope: ownSite });
    const { cameraStates } = await eve.call(LIST);
    expect(JSON.stringify(cameraStates)).not.toContain(elsewhere.uuid);
  });

  it('has changed limits from the next request, and the change is audited', async () => {
    const { console, person } = await signedIn(fixture, fixture.own, 'viewer');
    const names = async () => JSON.stringify((await console.call(LIST)).cameraStates);
    expect(await names()).toContain(elsewhere.uuid);
    const update = (changes: object) => admin.call('updatePerson', { personUuid: person.uuid, ...changes });
    await update({ scope: ownSite, scopeUpdated: true });
    expect(await names()).not.toContain(elsewhere.uuid);
    await update({ name: 'Still limited' });
    expect(await names()).not.toContain(elsewhere.uuid);
    await update({ scopeUpdated: true });
    expect(await names()).toContain(elsewhere.uuid);
    expect(await audited('USER_RIGHTS_UPDATE', person.uuid)).toBe(2);
  });

  it('becomes an admin only without limits', async () => {
    const { person } = await signedIn(fixture, fixture.own, 'operator', { scope: ownSite });
    const update = (changes: object) => admin.call('updatePerson', { personUuid: person.uuid, ...changes });
    expect(await update({ role: 'admin' })).toMatchObject({ error: true });
    expect(await update({ role: 'admin', scopeUpdated: true })).toMatchObject({ error: false });
  });
});

describe('a schedule', () => {
  it('is read by those who see something that uses it, and changed by those who see all of it', async () => {
    const { call, own } = fixture;
    const headers = await keyWith(ownSite, 'operator');
    const create = async (name: string) => {
      const intervalList = [{ minuteOfWeekStart: 0, minuteOfWeekStop: 60 }];
      const schedule = { name, intervalList };
      return (await call('/api/schedule/createWeeklySchedule', { schedule })).scheduleUuid as Ruuid;
    };
    const share = (cameraUuid: Ruuid, scheduleUuid: Ruuid) =>
      call('/api/camera/createSharedLiveVideoStream', { cameraUuid, scheduleUuid, vodEnabled: false });
    const [theirs, both, hidden] = [await create('Theirs'), await create('Both'), await create('Hidden')];
    await share(own.camera.uuid, theirs);
    await share(own.camera.uuid, both);
    await share(elsewhere.uuid, both);
    await share(elsewhere.uuid, hidden);
    const text = JSON.stringify(await call('/api/schedule/getSchedules', {}, headers));
    expect([theirs, both, hidden].map((uuid) => text.includes(uuid))).toEqual([true, true, false]);
    const change = async (uuid: Ruuid) =>
      (await call('/api/policy/updateSchedule', { schedule: { uuid, name: 'Changed' } }, headers)).error;
    expect([await change(theirs), await change(both), await change(hidden)]).toEqual([false, true, true]);
  });
});

describe('the link of a case', () => {
  it('is listed, created, and revoked by operators who see all of its cameras', async () => {
    const { call, own } = fixture;
    const headers = await keyWith(ownSite, 'operator');
    const opened = async (cameras: readonly Ruuid[]) => {
      const { case: created } = await call('/api/evidence/createCase', { title: 'Theft' });
      const { uuid: caseUuid } = created as { uuid: Ruuid };
      for (const cameraUuid of cameras) {
        await call('/api/evidence/addToCase', { caseUuid, cameraUuid, fromMs: 1_000, toMs: 2_000 });
      }
      return caseUuid;
    };
    const [theirs, both] = [await opened([own.camera.uuid]), await opened([own.camera.uuid, elsewhere.uuid])];
    const made = await call('/api/evidence/createCaseLink', { caseUuid: theirs }, headers);
    const hidden = await call('/api/evidence/createCaseLink', { caseUuid: both });
    expect((await call('/api/evidence/findCaseLinks', { caseUuid: theirs }, headers)).links).toMatchObject([
      { sharedClipGroupUuid: made.sharedClipGroupUuid },
    ]);
    for (const operation of ['createCaseLink', 'findCaseLinks', 'createCaseDownload']) {
      const refused = await call(`/api/evidence/${operation}`, { caseUuid: both }, headers);
      expect(errorOf(refused)).toEqual([
        true,
        'The case has items of cameras that are outside of your rights.',
      ]);
    }
    const revoke = async ({ sharedClipGroupUuid: uuid }: Answer) =>
      (await call('/api/event/deleteSharedClipGroupV2', { uuid }, headers)).error;
    expect([await revoke(made), await revoke(hidden)]).toEqual([false, true]);
  });
});
