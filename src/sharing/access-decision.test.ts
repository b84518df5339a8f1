import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { newRuuid } from '../core/ruuid.ts';
import { sampleShare } from '../store/sample-entities.ts';
import { type AccessQuestion, decideAccess, REFUSAL_REASONS } from './access-decision.ts';

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
const link = { kind: 'link', isPasswordProven: false } as const;
const base: AccessQuestion = {
  credential: grant,
  share: open,
  schedule: null,
  admittedTo: null,
  nowEpochMs: NOW,
  otherViewers: 0,
  maxViewers: null,
};
const ask = (changes: Partial<AccessQuestion>) => decideAccess({ ...base, ...changes });
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
        otherViewers: fc.nat(3),
        maxViewers: fc.option(fc.nat(3)),
      }),
      (made) => {
        const question: AccessQuestion = {
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
