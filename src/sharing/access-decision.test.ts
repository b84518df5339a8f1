import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { sampleShare } from '../store/sample-entities-fixture.ts';
import { type DeviceQuestion, decideAccess, REFUSAL_REASONS, type ShareQuestion } from './access-decision.ts';

const NOW_SEC = 1_700_000_000;
const NOW = NOW_SEC * 1_000;
const open = sampleShare(newRuuid(), {
  passwordHash: null,
  expiresAtSec: null,
  scheduleUuid: null,
  accessEpoch: 3,
});
const scheduled = { ...open, scheduleUuid: newRuuid() };
const grant = { kind: 'grant', accessEpoch: 3, expiresAtSec: NOW_SEC + 60 } as const;
const link = { kind: 'link', isPasswordProven: false, isSignInProven: false } as const;
const base: ShareQuestion = {
  credential: grant,
  share: open,
  schedule: null,
  ended: null,
  admittedTo: null,
  nowEpochMs: NOW,
  otherViewers: 0,
  maxViewers: null,
};
const ask = (changes: Partial<ShareQuestion>) => decideAccess({ ...base, ...changes });
const refused = (reason: string, untilEpochMs: number | null = null) => ({
  allowed: false,
  reason,
  untilEpochMs,
});
const allowedUntil = (validUntilEpochMs: number) => ({ allowed: true, validUntilEpochMs });
const inside = (changesAtEpochMs: number | null) => ({ isInside: true, changesAtEpochMs });
const outside = (changesAtEpochMs: number | null) => ({ isInside: false, changesAtEpochMs });

describe('decideAccess', () => {
  it('refuses what no one signed, whatever else is true', () => {
    expect(ask({ credential: null })).toEqual(refused('unknown'));
    expect(ask({ credential: null, share: null })).toEqual(refused('unknown'));
  });

  it('calls a deleted share revoked', () => {
    expect(ask({ share: null })).toEqual(refused('revoked'));
  });

  it('ends a share at the first instant of its expiration', () => {
    const share = { ...open, expiresAtSec: NOW_SEC };
    expect(ask({ share, nowEpochMs: NOW - 1 })).toEqual(allowedUntil(NOW));
    expect(ask({ share })).toEqual(refused('expired'));
  });

  it('accepts a grant until its expiration', () => {
    expect(ask({ nowEpochMs: NOW + 59_999 })).toEqual(allowedUntil(NOW + 60_000));
    expect(ask({ nowEpochMs: NOW + 60_000 })).toEqual(refused('grant-expired'));
  });

  it('voids grants from before a password change: asks for the password, or for a new grant if it was removed', () => {
    const credential = { ...grant, accessEpoch: 2 };
    expect(ask({ credential, share: { ...open, passwordHash: '$scrypt$' } })).toEqual(
      refused('password-needed'),
    );
    expect(ask({ credential })).toEqual(refused('grant-expired'));
  });

  it('requires the password with a link, but not with a grant', () => {
    const share = { ...open, passwordHash: '$scrypt$' };
    expect(ask({ share, credential: link })).toEqual(refused('password-needed'));
    expect(ask({ share, credential: { ...link, isPasswordProven: true } }).allowed).toBe(true);
    expect(ask({ share, credential: grant }).allowed).toBe(true);
    expect(ask({ credential: link })).toEqual(allowedUntil(Number.POSITIVE_INFINITY));
  });

  it.each([
    ['shows during the schedule', false, inside(NOW + 5), allowedUntil(NOW + 5)],
    ['hides outside of it', false, outside(NOW + 5), refused('hidden-by-schedule', NOW + 5)],
    ['hides during an inverted one', true, inside(NOW + 5), refused('hidden-by-schedule', NOW + 5)],
    ['shows outside an inverted one', true, outside(NOW + 5), allowedUntil(NOW + 5)],
    ['hides permanently', false, outside(null), refused('hidden-by-schedule')],
    ['hides without its schedule', false, null, refused('hidden-by-schedule')],
    ['hides without its inverted schedule', true, null, refused('hidden-by-schedule')],
  ])('%s', (_name, invertSchedule, schedule, expected) => {
    expect(ask({ share: { ...scheduled, invertSchedule }, schedule })).toEqual(expected);
  });

  it('promises no return after the end of the share', () => {
    const share = { ...scheduled, expiresAtSec: NOW_SEC + 10 };
    expect(ask({ share, schedule: outside(NOW + 9_999) })).toEqual(
      refused('hidden-by-schedule', NOW + 9_999),
    );
    expect(ask({ share, schedule: outside(NOW + 10_000) })).toEqual(refused('hidden-by-schedule'));
  });

  it('refuses a viewer whose view was ended, but tells first that the share is over', () => {
    const share = { ...open, passwordHash: '$scrypt$' };
    expect(ask({ ended: { untilEpochMs: null } })).toEqual(refused('viewer-ended'));
    expect(ask({ share, credential: link, ended: { untilEpochMs: NOW + 5 } })).toEqual(
      refused('viewer-ended', NOW + 5),
    );
    expect(ask({ share: scheduled, schedule: outside(NOW + 9), ended: { untilEpochMs: null } })).toEqual(
      refused('viewer-ended'),
    );
    const over = { ...open, expiresAtSec: NOW_SEC };
    expect(ask({ share: over, ended: { untilEpochMs: NOW + 5 } })).toEqual(refused('expired'));
    expect(ask({ share: null, ended: { untilEpochMs: NOW + 5 } })).toEqual(refused('revoked'));
  });

  it('ignores inversion without a schedule', () => {
    expect(ask({ share: { ...open, invertSchedule: true } }).allowed).toBe(true);
  });

  it('asks a viewer for a new grant when the share shows something else', () => {
    const admittedTo = { cameraUuid: open.cameraUuid, includeAudio: open.includeAudio };
    expect(ask({ admittedTo }).allowed).toBe(true);
    expect(ask({ admittedTo: { ...admittedTo, includeAudio: false } })).toEqual(refused('grant-expired'));
    expect(ask({ admittedTo: { ...admittedTo, cameraUuid: newRuuid() } })).toEqual(refused('grant-expired'));
    const share = { ...open, expiresAtSec: NOW_SEC };
    expect(ask({ share, admittedTo: { ...admittedTo, includeAudio: false } })).toEqual(refused('expired'));
  });

  it('admits viewers up to the limit', () => {
    expect(ask({ otherViewers: 4, maxViewers: 5 }).allowed).toBe(true);
    expect(ask({ otherViewers: 5, maxViewers: 5 })).toEqual(refused('viewer-limit'));
    expect(ask({ otherViewers: 1e6 }).allowed).toBe(true);
  });

  it('holds until the instant it names, and returns only listed reasons', () => {
    const offset = fc.integer({ min: -20, max: 20 });
    const scheduleState = fc.option(
      fc.record({ isInside: fc.boolean(), changesAtEpochMs: fc.option(fc.integer({ min: 1, max: 20_000 })) }),
    );
    const property = fc.property(
      fc.record({
        expiresAt: fc.option(offset),
        hasSchedule: fc.boolean(),
        invertSchedule: fc.boolean(),
        hasPassword: fc.boolean(),
        schedule: scheduleState,
        epoch: fc.constantFrom(2, 3),
        grantExpiresAt: offset,
        ended: fc.option(
          fc.record({ untilEpochMs: fc.option(fc.integer({ min: NOW + 1, max: NOW + 9_999 })) }),
        ),
        otherViewers: fc.nat(3),
        maxViewers: fc.option(fc.nat(3)),
      }),
      (made) => {
        const question: ShareQuestion = {
          share: {
            ...open,
            expiresAtSec: made.expiresAt === null ? null : NOW_SEC + made.expiresAt,
            scheduleUuid: made.hasSchedule ? scheduled.scheduleUuid : null,
            invertSchedule: made.invertSchedule,
            passwordHash: made.hasPassword ? '$scrypt$' : null,
          },
          credential: { kind: 'grant', accessEpoch: made.epoch, expiresAtSec: NOW_SEC + made.grantExpiresAt },
          schedule: made.schedule && {
            isInside: made.schedule.isInside,
            changesAtEpochMs:
              made.schedule.changesAtEpochMs === null ? null : NOW + made.schedule.changesAtEpochMs,
          },
          ended: made.ended,
          admittedTo: null,
          nowEpochMs: NOW,
          otherViewers: made.otherViewers,
          maxViewers: made.maxViewers,
        };
        const decision = decideAccess(question);
        if (!decision.allowed) {
          expect(REFUSAL_REASONS).toContain(decision.reason);
          if (decision.untilEpochMs !== null) expect(decision.untilEpochMs).toBeGreaterThan(NOW);
          return;
        }
        expect(decision.validUntilEpochMs).toBeGreaterThan(NOW);
        const justBefore = Math.min(decision.validUntilEpochMs - 1, NOW + 1e6);
        expect(decideAccess({ ...question, nowEpochMs: justBefore }).allowed).toBe(true);
      },
    );
    fc.assert(property, randomRuns(2_000));
  });
});

describe('decideAccess to a device', () => {
  const siteUuids = [newRuuid(), newRuuid()];
  const device = { uuid: newRuuid(), orgUuid: newRuuid(), partnerUuid: newRuuid(), siteUuids };
  const principal = {
    orgUuid: device.orgUuid,
    isPartner: false,
    onlyDevice: null,
    scope: null,
    expiresAtMs: Number.POSITIVE_INFINITY,
  };
  const deviceGrant = { kind: 'device-grant', expiresAtSec: NOW_SEC + 60 } as const;
  const requested: DeviceQuestion = { deviceCredential: deviceGrant, device, principal, nowEpochMs: NOW };
  const askDevice = (changes: Partial<DeviceQuestion>) => decideAccess({ ...requested, ...changes });
  const bare = { kind: 'principal' } as const;

  it('allows a grant until it, or its principal, ends', () => {
    expect(askDevice({})).toEqual(allowedUntil(NOW + 60_000));
    const session = { ...principal, expiresAtMs: NOW + 1_500 };
    expect(askDevice({ principal: session })).toEqual(allowedUntil(NOW + 1_500));
    expect(askDevice({ principal: session, nowEpochMs: NOW + 1_499 }).allowed).toBe(true);
    expect(askDevice({ principal: session, nowEpochMs: NOW + 1_500 })).toEqual(refused('credential-ended'));
    expect(askDevice({ nowEpochMs: NOW + 60_000 })).toEqual(refused('grant-expired'));
  });

  it('limits a principal to its sites and cameras, and to sites within them', () => {
    const within = (locationUuids: Ruuid[], cameraUuids: Ruuid[] = []) =>
      askDevice({ principal: { ...principal, scope: { locationUuids, cameraUuids } } });
    expect(within([siteUuids[0]!]).allowed).toBe(true);
    expect(within([siteUuids[1]!]).allowed).toBe(true);
    expect(within([], [device.uuid]).allowed).toBe(true);
    expect(within([newRuuid()], [newRuuid()])).toEqual(refused('credential-ended'));
    expect(within([])).toEqual(refused('credential-ended'));
    const asPrincipal = { ...principal, scope: { locationUuids: [], cameraUuids: [] } };
    expect(askDevice({ deviceCredential: bare, principal: asPrincipal })).toEqual(refused('unknown'));
  });

  it('allows a principal as long as it lasts', () => {
    expect(askDevice({ deviceCredential: bare })).toEqual(allowedUntil(Number.POSITIVE_INFINITY));
  });

  it.each<[string, Partial<DeviceQuestion>, string, string]>([
    ['of nothing that was signed', { deviceCredential: null }, 'unknown', 'unknown'],
    ['of a principal that has ended', { principal: null }, 'credential-ended', 'credential-ended'],
    ['of a device that does not exist', { device: null }, 'device-removed', 'unknown'],
    [
      "of another organization's device",
      { principal: { ...principal, orgUuid: newRuuid() } },
      'credential-ended',
      'unknown',
    ],
    [
      'of a session for another device',
      { principal: { ...principal, onlyDevice: newRuuid() } },
      'credential-ended',
      'unknown',
    ],
    [
      'of a key of the partner that is none for clients',
      { principal: { ...principal, orgUuid: device.partnerUuid } },
      'credential-ended',
      'unknown',
    ],
    [
      'of another partner',
      { principal: { ...principal, orgUuid: newRuuid(), isPartner: true } },
      'credential-ended',
      'unknown',
    ],
  ])('refuses a grant, and a principal, %s', (_name, changes, forGrant, forPrincipal) => {
    expect(askDevice(changes)).toEqual(refused(forGrant));
    const deviceCredential = 'deviceCredential' in changes ? null : bare;
    expect(askDevice({ ...changes, deviceCredential })).toEqual(refused(forPrincipal));
  });

  it("allows a partner its clients' devices, and a session its device", () => {
    const partner = { ...principal, orgUuid: device.partnerUuid, isPartner: true };
    expect(askDevice({ principal: partner }).allowed).toBe(true);
    expect(askDevice({ principal: { ...principal, onlyDevice: device.uuid } }).allowed).toBe(true);
    const only = { ...partner, onlyDevice: newRuuid() };
    expect(askDevice({ principal: only, deviceCredential: bare })).toEqual(refused('unknown'));
  });
});
