import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../core/limits/registry.ts';
import { MAX_TIME_SEC } from '../core/max-time.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Share } from '../store/entities.ts';
import { sampleCamera } from '../store/sample-entities-fixture.ts';
import { MAX_PASSWORD_CHARS, Passwords } from './password.ts';
import {
  MAX_SHARE_NAME_CHARS,
  type NewShareRequest,
  type ShareChangeRequest,
  ShareService,
} from './share-service.ts';
import { FIXTURE_EPOCH_MS, openSharingFixture, type SharingFixture } from './sharing-fixture.ts';

const NOW_SEC = FIXTURE_EPOCH_MS / 1_000;
const SCRYPT = /^\$scrypt\$/;

let fixture: SharingFixture;
beforeEach(async () => {
  fixture = await openSharingFixture();
});
afterEach(() => fixture.close());

const create = (fields: Partial<NewShareRequest> = {}) =>
  fixture.shares.create(fixture.orgUuid, { ...fixture.request, ...fields });
const update = ({ uuid }: Share, changes: ShareChangeRequest) =>
  fixture.shares.update(fixture.orgUuid, uuid, changes);
const stored = ({ uuid }: Share) => fixture.store.shares.find(fixture.orgUuid, uuid);
const listed = ({ uuid }: Share) => fixture.directory.find(uuid)?.share;
const failing = (code: string) => expect.objectContaining({ name: 'GatewayError', code });

/** A schedule of nine to five on Monday. */
async function makeSchedule() {
  const intervals = [{ minuteOfWeekStart: 540, minuteOfWeekStop: 1_020 }];
  const request = { name: 'Office', oneTimeUse: false, intervals };
  return (await fixture.schedules.createWeekly(fixture.orgUuid, request)).uuid;
}

describe('a new share', () => {
  it('has defaults for what is not given, and is stored and in force when it is returned', async () => {
    const share = await create();
    expect(share).toEqual({
      uuid: expect.stringMatching(/^[\w-]{22}$/),
      orgUuid: fixture.orgUuid,
      cameraUuid: fixture.camera.uuid,
      cameraFacet: '',
      name: 'Unnamed',
      streamType: 'USER',
      vodEnabled: false,
      vodPastSec: null,
      vodExpiresAtSec: null,
      includeAudio: true,
      talk: false,
      audioGatewayUuid: null,
      ssoProtected: false,
      cdn: null,
      showsUnmasked: false,
      expiresAtSec: null,
      scheduleUuid: null,
      invertSchedule: false,
      passwordHash: null,
      accessEpoch: 1,
      createdAtMs: FIXTURE_EPOCH_MS,
      updatedAtMs: FIXTURE_EPOCH_MS,
    });
    expect(await stored(share)).toEqual(share);
    expect(listed(share)).toBe(share);
    expect(await fixture.shares.find(fixture.orgUuid, share.uuid)).toEqual(share);
    expect(await fixture.shares.list(fixture.orgUuid)).toEqual([share]);
  });

  it('stores everything that is given', async () => {
    const scheduleUuid = await makeSchedule();
    const share = await create({
      cameraFacet: 'v0',
      streamType: 'ALARM_MONITORING',
      vodEnabled: true,
      name: '  Dock ',
      password: ' s3cret ',
      expirationTimeSecs: 3_600,
      scheduleUuid,
      invertSchedule: true,
      includeAudio: false,
      audioGatewayUuid: 'gateway',
      ssoProtected: false,
    });
    expect(await stored(share)).toMatchObject({
      cameraFacet: 'v0',
      streamType: 'ALARM_MONITORING',
      vodEnabled: true,
      name: 'Dock',
      passwordHash: expect.stringMatching(SCRYPT),
      expiresAtSec: NOW_SEC + 3_600,
      scheduleUuid,
      invertSchedule: true,
      includeAudio: false,
      audioGatewayUuid: 'gateway',
    });
  });

  it('treats null as not given', async () => {
    const share = await create({
      name: null,
      password: null,
      expirationTimeSecs: null,
      scheduleUuid: null,
      invertSchedule: null,
      includeAudio: null,
      audioGatewayUuid: null,
      ssoProtected: null,
    });
    const plain = await create();
    expect({ ...share, uuid: null }).toEqual({ ...plain, uuid: null });
  });

  it.each(['', ' ', '\t\n'])('is Unnamed and without a password when both are %j', async (blank) => {
    expect(await create({ name: blank, password: blank })).toMatchObject({
      name: 'Unnamed',
      passwordHash: null,
    });
  });

  it.each([
    ['a second', 1, NOW_SEC + 1],
    ['the longest duration', 999_999_999, NOW_SEC + 999_999_999],
    ['the next second', NOW_SEC + 1, NOW_SEC + 1],
    ['the last second of dates', MAX_TIME_SEC, MAX_TIME_SEC],
  ])('expires after %s', async (_name, expirationTimeSecs, expiresAtSec) => {
    expect((await create({ expirationTimeSecs })).expiresAtSec).toBe(expiresAtSec);
  });

  it('lasts no less than requested when the second has begun', async () => {
    fixture.clock.advance(1);
    expect((await create({ expirationTimeSecs: 60 })).expiresAtSec).toBe(NOW_SEC + 61);
  });

  it.each([0, -1, 0.5, Number.NaN, 1_000_000_000, NOW_SEC, MAX_TIME_SEC + 1, 2 ** 60])(
    'cannot expire at %d',
    async (expirationTimeSecs) => {
      await expect(create({ expirationTimeSecs })).rejects.toEqual(failing('SHARE_EXPIRY_INVALID'));
    },
  );

  it.each([
    ['a camera that does not exist', { camera: { uuid: newRuuid() } }, 'SHARE_CAMERA_NOT_FOUND'],
    ['a schedule that does not exist', { scheduleUuid: newRuuid() }, 'SHARE_SCHEDULE_NOT_FOUND'],
    ['a name that is too long', { name: 'n'.repeat(MAX_SHARE_NAME_CHARS + 1) }, 'SHARE_NAME_TOO_LONG'],
    [
      'a password that is too long',
      { password: 'p'.repeat(MAX_PASSWORD_CHARS + 1) },
      'SHARE_PASSWORD_TOO_LONG',
    ],
  ])('is rejected with %s, and nothing is stored', async (_name, fields, code) => {
    await expect(create(fields)).rejects.toEqual(failing(code));
    expect([await fixture.shares.list(fixture.orgUuid), fixture.directory.size]).toEqual([[], 0]);
  });

  it('accepts a name and a password of the maximum length', async () => {
    const fields = { name: 'n'.repeat(MAX_SHARE_NAME_CHARS), password: 'p'.repeat(MAX_PASSWORD_CHARS) };
    expect(await create(fields)).toMatchObject({ name: fields.name });
  });

  it('is rejected for a camera that was removed, and for one of another organization', async () => {
    const camera = sampleCamera(fixture.orgUuid, { mummified: true });
    await fixture.store.cameras.save(camera);
    await expect(create({ camera })).rejects.toEqual(failing('SHARE_CAMERA_NOT_FOUND'));
    await expect(fixture.shares.create(newRuuid(), fixture.request)).rejects.toEqual(
      failing('SHARE_CAMERA_NOT_FOUND'),
    );
  });

  it('is refused in an organization that has as many as it can, by the name of the limit', async () => {
    const add = vi.spyOn(fixture.store.shares, 'add').mockImplementation(async (_share, room) => {
      expect(room.atMost).toBe(LIMITS.shares.perOrganization);
      throw room.full();
    });
    await expect(create()).rejects.toMatchObject({ code: 'TOO_MANY_SHARES', context: { limit: 'shares' } });
    expect(add).toHaveBeenCalledOnce();
    vi.spyOn(fixture.store.schedules, 'add').mockImplementation(async (_schedule, room) => {
      expect(room.atMost).toBe(LIMITS.schedules.perOrganization);
      throw room.full();
    });
    await expect(makeSchedule()).rejects.toMatchObject({ code: 'TOO_MANY_SCHEDULES' });
  });

  it('warns when its inversion has nothing to invert', async () => {
    expect(fixture.shares.warnings(await create({ invertSchedule: true }))).toHaveLength(1);
    const scheduleUuid = await makeSchedule();
    expect(fixture.shares.warnings(await create({ invertSchedule: true, scheduleUuid }))).toEqual([]);
    expect(fixture.shares.warnings(await create())).toEqual([]);
  });

  it('has links with its token, under the public address', async () => {
    const share = await create();
    const token = fixture.tokens.tokenOf(share.uuid);
    expect(fixture.shares.urls(share)).toEqual({
      pageUrl: `https://media.example/share/${token}`,
      m3u8Url: `https://media.example/live/${token}/file.m3u8`,
      rtspUrl: null,
    });
  });
});

describe('changing a share', () => {
  const full = async () =>
    create({
      name: 'Dock',
      password: 'old',
      expirationTimeSecs: 60,
      scheduleUuid: await makeSchedule(),
      invertSchedule: true,
      includeAudio: false,
    });

  it('keeps what is not given', async () => {
    const share = await full();
    fixture.clock.advance(5_000);
    const updatedAtMs = FIXTURE_EPOCH_MS + 5_000;
    expect(await update(share, {})).toEqual({ ...share, updatedAtMs });
    expect(await stored(share)).toEqual({ ...share, updatedAtMs });
  });

  it.each([
    ['name', { name: 'Gate' }, { name: 'Gate' }],
    ['name, to none', { name: null }, { name: 'Unnamed' }],
    ['expiry', { expirationTimeSecs: 120 }, { expiresAtSec: NOW_SEC + 120 }],
    ['expiration, to none', { expirationTimeSecs: null }, { expiresAtSec: null }],
    ['schedule, to none', { scheduleUuid: null }, { scheduleUuid: null }],
    ['inversion', { invertSchedule: false }, { invertSchedule: false }],
    ['inversion, to none', { invertSchedule: null }, { invertSchedule: false }],
    ['password, to none', { password: null }, { passwordHash: null, accessEpoch: 2 }],
    ['password, to a blank one', { password: ' ' }, { passwordHash: null, accessEpoch: 2 }],
    ['password', { password: 'new' }, { passwordHash: expect.stringMatching(SCRYPT), accessEpoch: 2 }],
  ])('changes only the %s, immediately', async (_name, changes, expected) => {
    const share = await full();
    const next = await update(share, changes);
    expect(next).toEqual({ ...share, ...expected });
    expect(next.passwordHash === share.passwordHash).toBe(!('password' in changes));
    expect(listed(share)).toBe(next);
    expect(await stored(share)).toEqual(next);
  });

  it('puts it under another schedule', async () => {
    const share = await full();
    const scheduleUuid = await makeSchedule();
    expect(await update(share, { scheduleUuid })).toEqual({ ...share, scheduleUuid });
  });

  it.each([
    ['an expiration in the past', { expirationTimeSecs: NOW_SEC }, 'SHARE_EXPIRY_INVALID'],
    ['a schedule that does not exist', { scheduleUuid: newRuuid() }, 'SHARE_SCHEDULE_NOT_FOUND'],
    ['a name that is too long', { name: 'n'.repeat(MAX_SHARE_NAME_CHARS + 1) }, 'SHARE_NAME_TOO_LONG'],
    [
      'a password that is too long',
      { password: 'p'.repeat(MAX_PASSWORD_CHARS + 1) },
      'SHARE_PASSWORD_TOO_LONG',
    ],
  ])('is rejected with %s, even if everything else is valid', async (_name, wrong, code) => {
    const share = await full();
    const right = { name: 'Gate', password: 'new', invertSchedule: false };
    await expect(update(share, { ...right, ...wrong })).rejects.toEqual(failing(code));
    expect(await stored(share)).toEqual(share);
    expect(listed(share)).toBe(share);
  });

  it('fails for one that does not exist, and for one of another organization', async () => {
    const share = await create();
    const notFound = failing('SHARE_NOT_FOUND');
    await expect(fixture.shares.update(fixture.orgUuid, newRuuid(), {})).rejects.toEqual(notFound);
    await expect(fixture.shares.update(newRuuid(), share.uuid, { name: 'x' })).rejects.toEqual(notFound);
    expect(await stored(share)).toEqual(share);
  });

  it('loses no change when several are made at the same time', async () => {
    const share = await create();
    await Promise.all([
      update(share, { name: 'Gate' }),
      update(share, { password: 'one' }),
      update(share, { invertSchedule: true }),
      update(share, { password: 'two' }),
      update(share, { expirationTimeSecs: 60 }),
    ]);
    expect(await stored(share)).toMatchObject({
      name: 'Gate',
      passwordHash: expect.stringMatching(SCRYPT),
      accessEpoch: 3,
      invertSchedule: true,
      expiresAtSec: NOW_SEC + 60,
    });
    expect(listed(share)).toEqual(await stored(share));
  });

  it('loses no change made by an independent service', async () => {
    const share = await create();
    const { shares, ...parts } = fixture;
    const passwords = new Passwords({ log2N: 4, r: 8, p: 1 });
    const elsewhere = new ShareService({
      ...parts,
      passwords,
      rules: fixture.directory,
      publicMediaUrl: 'https://media.example/',
    });
    await Promise.all(
      [shares, elsewhere, shares, elsewhere].map((service, index) =>
        service.update(fixture.orgUuid, share.uuid, { password: `word ${index}` }),
      ),
    );
    expect((await stored(share))?.accessEpoch).toBe(share.accessEpoch + 4);
  });
});

describe('shares of a camera', () => {
  it('are listed newest first, of one facet when it is named', async () => {
    const oldest = await create();
    fixture.clock.advance(1);
    const ofFacet = await create({ cameraFacet: 'v1' });
    fixture.clock.advance(1);
    const newest = await create();
    const camera = sampleCamera(fixture.orgUuid);
    await fixture.store.cameras.save(camera);
    const elsewhere = await create({ camera });
    const { shares, orgUuid } = fixture;
    const list = async (facet: string) =>
      (await shares.listOfCamera(orgUuid, { camera: fixture.camera, facet })).toArray();
    expect(await list('')).toEqual([newest, ofFacet, oldest]);
    expect(await list('v1')).toEqual([ofFacet]);
    const all = await (await shares.listNewestFirst(orgUuid)).toArray();
    expect(new Set(all)).toEqual(new Set([newest, elsewhere, ofFacet, oldest]));
    expect(await (await shares.listOfCamera(newRuuid(), { camera, facet: '' })).toArray()).toEqual([]);
  });

  it('are withdrawn as its own alone', async () => {
    const share = await create({ cameraFacet: 'v1' });
    const remove = (camera: { readonly uuid: Ruuid }) =>
      fixture.shares.removeOfCamera(fixture.orgUuid, share.uuid, { camera, facet: '' });
    await expect(remove({ uuid: newRuuid() })).rejects.toEqual(failing('SHARE_OF_ANOTHER_DEVICE'));
    expect(await stored(share)).toEqual(share);
    await remove(fixture.camera);
    expect(await stored(share)).toBeNull();
    await expect(remove(fixture.camera)).rejects.toEqual(failing('SHARE_NOT_FOUND'));
  });
});

describe('revoking a share', () => {
  it('takes effect before it is confirmed', async () => {
    const share = await create();
    const grant = fixture.grants.issue(share.uuid, 1, NOW_SEC + 60);
    expect(fixture.sessions.access(grant).allowed).toBe(true);
    await fixture.shares.remove(fixture.orgUuid, share.uuid);
    expect(fixture.sessions.access(grant)).toMatchObject({ allowed: false, reason: 'revoked' });
    expect([listed(share), await stored(share)]).toEqual([undefined, null]);
    await expect(fixture.shares.find(fixture.orgUuid, share.uuid)).rejects.toEqual(
      failing('SHARE_NOT_FOUND'),
    );
  });

  it('fails for one that does not exist, and for one of another organization', async () => {
    const share = await create();
    await expect(fixture.shares.remove(newRuuid(), share.uuid)).rejects.toEqual(failing('SHARE_NOT_FOUND'));
    expect(listed(share)).toBe(share);
    await fixture.shares.remove(fixture.orgUuid, share.uuid);
    await expect(fixture.shares.remove(fixture.orgUuid, share.uuid)).rejects.toEqual(
      failing('SHARE_NOT_FOUND'),
    );
  });

  it('is not undone by a change made at the same time, whichever comes first', async () => {
    for (const isChangeFirst of [true, false]) {
      const share = await create();
      const remove = () => fixture.shares.remove(fixture.orgUuid, share.uuid);
      const change = () => update(share, { name: 'Back again', password: 'new' });
      const calls = isChangeFirst ? [change(), remove()] : [remove(), change()];
      await Promise.allSettled(calls);
      expect([listed(share), await stored(share)]).toEqual([undefined, null]);
    }
  });

  it('is confirmed to one of two callers that revoke at the same time', async () => {
    const share = await create();
    const remove = () => fixture.shares.remove(fixture.orgUuid, share.uuid);
    const outcomes = await Promise.allSettled([remove(), remove()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});
