import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { Share } from '../store/entities.ts';
import { sampleShare } from '../store/sample-entities-fixture.ts';
import type { OpenedShare, OpeningRefused, OpeningRequest } from './share-gate.ts';
import {
  ATTEMPTS_PER_MINUTE,
  FIXTURE_EPOCH_MS,
  GRANT_LIFETIME_MS,
  openSharingFixture,
  type SharingFixture,
  type SharingFixtureOptions,
} from './sharing-fixture.ts';

const NOW_SEC = FIXTURE_EPOCH_MS / 1_000;
const PASSWORD = 'Correct horse';

let fixture: SharingFixture;
/** Shares whose camera was woken. */
let near: string[];
beforeEach(async () => {
  near = [];
  fixture = await openSharingFixture();
});
afterEach(() => fixture.close());

async function restart(options: SharingFixtureOptions): Promise<void> {
  await fixture.close();
  fixture = await openSharingFixture(options);
}

const makeShare = (fields: object = {}) =>
  fixture.shares.create(fixture.orgUuid, { ...fixture.request, ...fields });

const open = (share: Pick<Share, 'uuid'>, request: Partial<OpeningRequest> = {}) =>
  fixture.gate.open({
    shareToken: fixture.tokens.tokenOf(share.uuid),
    password: null,
    address: '192.0.2.1',
    onNear: (view) => void near.push(view.share.uuid),
    ...request,
  });

async function opened(share: Share, request: Partial<OpeningRequest> = {}): Promise<OpenedShare> {
  const response = await open(share, request);
  if (!response.allowed) throw new Error(`refused: ${response.reason}`);
  return response;
}

const refused = (reason: OpeningRefused['reason'], more: Partial<OpeningRefused> = {}) => ({
  allowed: false,
  reason,
  untilEpochMs: null,
  retryAfterMs: null,
  shareUuid: expect.any(String),
  ...more,
});

async function makeSchedule(startSec: number, stopSec: number): Promise<Share['scheduleUuid']> {
  const request = { name: 'Span', oneTimeUse: true, intervals: [{ startSec, stopSec }] };
  return (await fixture.schedules.createAbsolute(fixture.orgUuid, request)).uuid;
}

describe('a share that another node has just made', () => {
  const shareOf = (uuid: Share['uuid']) =>
    sampleShare(fixture.orgUuid, {
      uuid,
      cameraUuid: fixture.camera.uuid,
      passwordHash: null,
      expiresAtSec: NOW_SEC + 3_600,
    });

  it('opens once this node has caught up', async () => {
    const share = { uuid: newRuuid() };
    await restart({
      caughtUp: async () => {
        await fixture.store.shares.save(shareOf(share.uuid));
        await fixture.directory.settled();
      },
    });
    expect(await open(share)).toMatchObject({ allowed: true });
  });

  it('makes no one wait whose link is not genuine, or whose share is known', async () => {
    let waits = 0;
    await restart({ caughtUp: async () => void waits++ });
    await opened(await makeShare());
    expect(await open({ uuid: newRuuid() }, { shareToken: 'made-up' })).toMatchObject({ allowed: false });
    expect(waits).toBe(0);
    expect(await open({ uuid: newRuuid() })).toMatchObject({ allowed: false });
    expect(waits).toBe(1);
  });
});

describe('a share without a password', () => {
  it('opens with a separate grant for each viewer, valid for the lifetime of grants', async () => {
    const share = await makeShare();
    const [first, second] = [await opened(share), await opened(share)];
    expect(first.view.share).toBe(share);
    const grant = fixture.grants.verify(first.grantText);
    expect(grant).toEqual({
      of: 'share',
      shareUuid: share.uuid,
      viewerId: expect.any(String),
      accessEpoch: 1,
      expiresAtSec: NOW_SEC + GRANT_LIFETIME_MS / 1_000,
    });
    expect(fixture.grants.verify(second.grantText)?.viewerId).not.toBe(grant?.viewerId);
    expect(fixture.sessions.access(first.grantText).allowed).toBe(true);
    expect(near).toEqual([share.uuid, share.uuid]);
  });

  it('opens with any password, which is ignored', async () => {
    const share = await makeShare();
    for (let i = 0; i < 2 * ATTEMPTS_PER_MINUTE; i++) await opened(share, { password: 'any' });
  });

  it.each(['', 'x', 'A'.repeat(38), '%2e%2e'])(
    'is not found by the link %j, and no camera wakes',
    async (shareToken) => {
      expect(await open({ uuid: newRuuid() }, { shareToken })).toEqual(
        refused('unknown', { shareUuid: null }),
      );
      expect(near).toEqual([]);
    },
  );

  it('is distinguished, when revoked, from one that never existed', async () => {
    const share = await makeShare();
    await fixture.shares.remove(fixture.orgUuid, share.uuid);
    expect(await open(share)).toEqual(refused('revoked', { shareUuid: share.uuid }));
    expect(near).toEqual([]);
  });

  it('is closed from the instant of its expiration', async () => {
    const share = await makeShare({ expirationTimeSecs: 60 });
    fixture.clock.advance(59_999);
    await opened(share);
    fixture.clock.advance(1);
    expect(await open(share)).toEqual(refused('expired'));
  });

  it('reports when a hidden share is shown again, and opens then', async () => {
    const scheduleUuid = await makeSchedule(NOW_SEC + 60, NOW_SEC + 120);
    const share = await makeShare({ scheduleUuid });
    const untilEpochMs = (NOW_SEC + 60) * 1_000;
    expect(await open(share)).toEqual(refused('hidden-by-schedule', { untilEpochMs }));
    expect(near).toEqual([]);
    fixture.clock.advance(60_000);
    await opened(share);
    fixture.clock.advance(60_000);
    expect(await open(share)).toEqual(refused('hidden-by-schedule'));
  });
});

describe('a share with a password', () => {
  it('asks for it, after waking the camera', async () => {
    const share = await makeShare({ password: PASSWORD });
    expect(await open(share)).toEqual(refused('password-needed', { shareUuid: share.uuid }));
    expect(near).toEqual([share.uuid]);
  });

  it('opens with it, in any Unicode normalization, and not with another', async () => {
    const share = await makeShare({ password: 'Wörd' });
    await opened(share, { password: 'Wörd' });
    await opened(share, { password: 'Wo\u0308rd' });
    for (const password of ['wörd', 'Wörd ', 'p'.repeat(1_000)]) {
      expect(await open(share, { password, address: password })).toEqual(refused('password-wrong'));
    }
  });

  it('slows down guesses by share and address, including parallel ones, and does not count correct ones', async () => {
    const share = await makeShare({ password: PASSWORD });
    for (let i = 0; i < 3 * ATTEMPTS_PER_MINUTE; i++) await opened(share, { password: PASSWORD });
    const guesses = Array.from({ length: 10 }, (_, i) => open(share, { password: `guess ${i}` }));
    const reasons = (await Promise.all(guesses)).map((response) => !response.allowed && response.reason);
    const looked = reasons.filter((reason) => reason === 'password-wrong');
    expect(looked).toHaveLength(ATTEMPTS_PER_MINUTE);
    expect(new Set(reasons)).toEqual(new Set(['password-wrong', 'too-many-attempts']));
    const retryAfterMs = 60_000 / ATTEMPTS_PER_MINUTE;
    expect(await open(share, { password: PASSWORD })).toEqual(refused('too-many-attempts', { retryAfterMs }));
    await opened(share, { password: PASSWORD, address: '192.0.2.2' });
    await opened(await makeShare({ password: PASSWORD }), { password: PASSWORD });
    fixture.clock.advance(retryAfterMs);
    await opened(share, { password: PASSWORD });
  });

  it('tells an address with waiting guesses to wait for them', async () => {
    const share = await makeShare({ password: PASSWORD });
    const guesses = Array.from({ length: 80 }, () => open(share, { password: 'guess' }));
    const reasons = (await Promise.all(guesses)).map((response) => !response.allowed && response.reason);
    expect(new Set(reasons)).toEqual(new Set(['password-wrong', 'too-many-attempts']));
  });

  it('does not count a guess that was not checked for lack of time', async () => {
    const share = await makeShare({ password: PASSWORD });
    const addressOf = (i: number) => `192.0.2.${i}`;
    const guesses = Array.from({ length: 80 }, (_, i) =>
      open(share, { password: 'guess', address: addressOf(i) }),
    );
    const outcomes = await Promise.allSettled(guesses);
    const dropped = outcomes.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []));
    expect(dropped.length).toBeGreaterThan(0);
    const address = addressOf(dropped[0]!);
    for (let i = 0; i < ATTEMPTS_PER_MINUTE; i++) {
      expect(await open(share, { password: 'guess', address })).toEqual(refused('password-wrong'));
    }
    expect(await open(share, { password: 'guess', address })).toMatchObject({ reason: 'too-many-attempts' });
  });

  it('does not check passwords while it is hidden or has ended', async () => {
    const scheduleUuid = await makeSchedule(NOW_SEC + 60, NOW_SEC + 120);
    const share = await makeShare({ password: PASSWORD, scheduleUuid });
    for (let i = 0; i < 2 * ATTEMPTS_PER_MINUTE; i++) {
      expect(await open(share, { password: 'guess' })).toMatchObject({ reason: 'hidden-by-schedule' });
    }
    expect(near).toEqual([]);
  });

  it.each([
    [
      'withdrawn',
      'revoked',
      ({ uuid }: Share) => fixture.directory.applied({ kind: 'share', uuid, record: null }),
    ],
    ['over', 'expired', () => fixture.clock.advance(60_000)],
    [
      'given another password',
      'password-needed',
      (share: Share) =>
        fixture.directory.applied({
          kind: 'share',
          uuid: share.uuid,
          record: { ...share, passwordHash: '$scrypt$other', accessEpoch: 2 },
        }),
    ],
  ])('that is %s while the password is checked stays closed', async (_name, reason, change) => {
    const share = await makeShare({ password: PASSWORD, expirationTimeSecs: 60 });
    const response = open(share, { password: PASSWORD });
    change(share);
    expect(await response).toMatchObject({ allowed: false, reason });
  });
});

describe('a share that got a password while it was opened', () => {
  it('stays closed to clients without it', async () => {
    await restart({ maxViewersPerShare: 5 });
    const share = await makeShare();
    const response = open(share);
    fixture.directory.applied({
      kind: 'share',
      uuid: share.uuid,
      record: { ...share, passwordHash: '$scrypt$', accessEpoch: 2 },
    });
    expect(await response).toMatchObject({ allowed: false, reason: 'password-needed' });
  });
});

describe('opening too often', () => {
  it('is slowed down by share and address, and wakes no camera', async () => {
    await restart({ opensPerMinute: 60 });
    const share = await makeShare();
    for (let i = 0; i < 120; i++) await opened(share);
    near = [];
    expect(await open(share)).toEqual(refused('too-many-opens', { retryAfterMs: 1_000 }));
    expect(near).toEqual([]);
    await opened(share, { address: '192.0.2.2' });
    await opened(await makeShare());
    fixture.clock.advance(1_000);
    await opened(share);
  });

  it('does not hide that the share has ended', async () => {
    await restart({ opensPerMinute: 1 });
    const share = await makeShare({ expirationTimeSecs: 60 });
    fixture.clock.advance(60_000);
    for (let i = 0; i < 10; i++) expect(await open(share)).toEqual(refused('expired'));
  });
});

describe('a password that was correct a moment ago', () => {
  it('is not computed again while others wait for their turn', async () => {
    const share = await makeShare({ password: PASSWORD });
    await opened(share, { password: PASSWORD });
    const guesses = Array.from({ length: 60 }, (_, i) =>
      open(share, { password: 'guess', address: `192.0.2.${i}` }).then(() => 'guess'),
    );
    const right = opened(share, { password: PASSWORD, address: '198.51.100.1' }).then(() => 'right');
    expect(await Promise.race([right, ...guesses])).toBe('right');
    await Promise.all(guesses);
  });

  it('opens nothing after it was changed, and does not help guessing', async () => {
    const share = await makeShare({ password: PASSWORD });
    await opened(share, { password: PASSWORD });
    await fixture.shares.update(fixture.orgUuid, share.uuid, { password: 'another' });
    expect(await open(share, { password: PASSWORD })).toEqual(refused('password-wrong'));
    await opened(share, { password: 'another', address: '192.0.2.2' });
    for (let i = 1; i < ATTEMPTS_PER_MINUTE; i++) await open(share, { password: 'guess' });
    expect(await open(share, { password: 'another' })).toMatchObject({ reason: 'too-many-attempts' });
  });
});

describe('the limit of viewers', () => {
  it('closes a share with the maximum number of viewers, and opens it when one has left', async () => {
    await restart({ maxViewersPerShare: 2 });
    const share = await makeShare();
    for (let i = 0; i < 2; i++) fixture.sessions.access((await opened(share)).grantText);
    expect(await open(share)).toEqual(refused('viewer-limit'));
    await opened(await makeShare());
    fixture.clock.advance(20_000);
    await opened(share);
  });

  it('does not count grant holders that do not watch', async () => {
    await restart({ maxViewersPerShare: 1 });
    const share = await makeShare();
    await opened(share);
    await opened(share);
  });
});

describe('asking again for a share just opened', () => {
  it('allows what is still valid', async () => {
    const share = await makeShare({ password: PASSWORD });
    expect(fixture.gate.reconsider(await opened(share, { password: PASSWORD }), { ip: '' })).toBeNull();
  });

  it.each([
    ['withdrawn', 'revoked', (uuid: Share['uuid']) => fixture.shares.remove(fixture.orgUuid, uuid)],
    ['over', 'expired', async () => fixture.clock.advance(60_000)],
    [
      'given a password',
      'password-needed',
      (uuid: Share['uuid']) => fixture.shares.update(fixture.orgUuid, uuid, { password: PASSWORD }),
    ],
    [
      'hidden',
      'hidden-by-schedule',
      async (uuid: Share['uuid']) => {
        const scheduleUuid = await makeSchedule(NOW_SEC + 30, NOW_SEC + 40);
        await fixture.shares.update(fixture.orgUuid, uuid, { scheduleUuid });
      },
    ],
  ])('refuses one that is now %s', async (_name, reason, change) => {
    const share = await makeShare({ expirationTimeSecs: 60 });
    const response = await opened(share);
    await change(share.uuid);
    expect(fixture.gate.reconsider(response, { ip: '' })).toMatchObject({ reason, shareUuid: share.uuid });
  });
});
