import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Share } from '../store/entities.ts';
import { sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { AccessRefused } from './access-decision.ts';
import { LOOKS_TO_PROVE, MAX_COUNTED_PER_ADDRESS, MAX_NEW_VIEWERS_PER_ADDRESS } from './share-audience.ts';
import { openSharingFixture, type SharingFixture, type SharingFixtureOptions } from './sharing-fixture.ts';
import type { ViewerSession, WaitingRequest } from './viewer-session.ts';
import { RECHECK_MS, VIEWER_IDLE_MS } from './viewer-sessions.ts';

const HOUR_MS = 3_600_000;
let fixture: SharingFixture;

async function restart(options: SharingFixtureOptions): Promise<void> {
  await fixture.close();
  fixture = await openSharingFixture(options);
}

beforeEach(async () => {
  fixture = await openSharingFixture();
});
afterEach(() => fixture.close());

const share = (fields: object = {}) =>
  fixture.shares.create(fixture.orgUuid, { ...fixture.request, ...fields });

function grantFor({ uuid, accessEpoch }: Share, lifetimeSec = 86_400): string {
  return fixture.grants.issue(uuid, accessEpoch, fixture.clock.epochMs() / 1_000 + lifetimeSec);
}

function enter(grantText: string, ip = ''): ViewerSession {
  const access = fixture.sessions.access(grantText, { ip });
  if (!access.allowed) throw new Error(`refused: ${access.reason}`);
  return access;
}

const reasonFor = (grantText: string) => {
  const access = fixture.sessions.access(grantText);
  return access.allowed ? null : access.reason;
};

/** A waiting request, and the refusal that it received. */
function waitOn(session: ViewerSession): WaitingRequest & { refusal: AccessRefused | null } {
  const waiting = {
    refusal: null as AccessRefused | null,
    onCutOff(refusal: AccessRefused) {
      waiting.refusal = refusal;
    },
  };
  session.waiting.add(waiting);
  return waiting;
}

describe('ViewerSessions', () => {
  it('counts the viewers of a camera over all its shares', async () => {
    expect([...fixture.sessions.viewersByCamera()]).toEqual([]);
    for (const one of [await share(), await share()]) enter(grantFor(one));
    expect([...fixture.sessions.viewersByCamera()]).toEqual([[fixture.camera.uuid, 2]]);
  });

  it('gives a grant one session', async () => {
    const grantText = grantFor(await share());
    const session = enter(grantText);
    expect(session).toMatchObject({ cameraUuid: fixture.camera.uuid, audience: 'sound', grantText });
    expect(enter(grantText)).toBe(session);
    expect(fixture.sessions.size).toBe(1);
  });

  it('shows a share without audio silently', async () => {
    expect(enter(grantFor(await share({ includeAudio: false }))).audience).toBe('silent');
  });

  it('refuses what no one signed', () => {
    expect(reasonFor('A'.repeat(64))).toBe('unknown');
    expect(reasonFor('')).toBe('unknown');
    expect(fixture.sessions.size).toBe(0);
  });

  it('cuts off immediately when the share is removed', async () => {
    const made = await share();
    const grantText = grantFor(made);
    const waiting = waitOn(enter(grantText));
    await fixture.shares.remove(fixture.orgUuid, made.uuid);
    expect(waiting.refusal).toMatchObject({ reason: 'revoked' });
    expect(reasonFor(grantText)).toBe('revoked');
    expect(fixture.sessions.size).toBe(0);
  });

  it('cuts off immediately when another process removes the share', async () => {
    const made = await share();
    const waiting = waitOn(enter(grantFor(made)));
    await fixture.store.shares.remove(fixture.orgUuid, made.uuid);
    expect(waiting.refusal).toMatchObject({ reason: 'revoked' });
  });

  it('cuts off at the exact expiration of the share', async () => {
    const grantText = grantFor(await share({ expirationTimeSecs: 10 }));
    const waiting = waitOn(enter(grantText));
    fixture.clock.advance(9_999);
    expect(waiting.refusal).toBeNull();
    expect(reasonFor(grantText)).toBeNull();
    fixture.clock.advance(1);
    expect(waiting.refusal).toMatchObject({ reason: 'expired' });
    expect(reasonFor(grantText)).toBe('expired');
  });

  it('cuts off at the exact flip of the schedule, and says when the stream returns', async () => {
    const now = fixture.clock.epochMs();
    const { uuid } = await fixture.schedules.createAbsolute(fixture.orgUuid, {
      name: 'Twice',
      oneTimeUse: false,
      intervals: [now, now + HOUR_MS].map((ms) => ({ startSec: ms / 1_000, stopSec: ms / 1_000 + 30 })),
    });
    const grantText = grantFor(await share({ scheduleUuid: uuid }));
    const waiting = waitOn(enter(grantText));
    fixture.clock.advance(29_999);
    expect(waiting.refusal).toBeNull();
    fixture.clock.advance(1);
    expect(waiting.refusal).toEqual({
      allowed: false,
      reason: 'hidden-by-schedule',
      untilEpochMs: now + HOUR_MS,
    });
    fixture.clock.advance(HOUR_MS - 30_000);
    expect(reasonFor(grantText)).toBeNull();
  });

  it('cuts off when a grant expires while it waits', async () => {
    const waiting = waitOn(enter(grantFor(await share(), 5)));
    fixture.clock.advance(5_000);
    expect(waiting.refusal).toMatchObject({ reason: 'grant-expired' });
  });

  it('cuts off when the password changes, and when it is removed', async () => {
    const made = await share();
    const first = waitOn(enter(grantFor(made)));
    const changed = await fixture.shares.update(fixture.orgUuid, made.uuid, { password: 'new' });
    expect(first.refusal).toMatchObject({ reason: 'password-needed' });
    const second = waitOn(enter(grantFor(changed)));
    await fixture.shares.update(fixture.orgUuid, made.uuid, { password: null });
    expect(second.refusal).toMatchObject({ reason: 'grant-expired' });
  });

  it('lets viewers continue across a change that does not concern them', async () => {
    const made = await share();
    const grantText = grantFor(made);
    const session = enter(grantText);
    const waiting = waitOn(session);
    await fixture.shares.update(fixture.orgUuid, made.uuid, { name: 'Renamed', expirationTimeSecs: 3_600 });
    expect(waiting.refusal).toBeNull();
    expect(enter(grantText)).toBe(session);
    fixture.clock.advance(3_600_000);
    expect(waiting.refusal).toMatchObject({ reason: 'expired' });
  });

  it('cuts off when the schedule itself is changed or moved to another time zone', async () => {
    // Wednesday 19:00 in New York, midnight in London.
    const evening = { minuteOfWeekStart: 2 * 1_440 + 18 * 60, minuteOfWeekStop: 2 * 1_440 + 22 * 60 };
    const weekly = { name: 'Evening', oneTimeUse: false, intervals: [evening] };
    const { uuid } = await fixture.schedules.createWeekly(fixture.orgUuid, weekly);
    const grantText = grantFor(await share({ scheduleUuid: uuid }));
    const changed = waitOn(enter(grantText));
    await fixture.schedules.updateWeekly(fixture.orgUuid, uuid, { intervals: [] });
    expect(changed.refusal).toMatchObject({ reason: 'hidden-by-schedule', untilEpochMs: null });
    await fixture.schedules.updateWeekly(fixture.orgUuid, uuid, weekly);
    const moved = waitOn(enter(grantText));
    const announced = new Promise<void>((resolve) => {
      const stop = fixture.directory.onChange(() => {
        stop();
        resolve();
      });
    });
    await fixture.store.locations.save({ ...fixture.location, tz: 'Europe/London' });
    await announced;
    expect(moved.refusal).toMatchObject({ reason: 'hidden-by-schedule' });
  });

  it('asks for a new grant when the share shows something else', async () => {
    const made = await share();
    const waiting = waitOn(enter(grantFor(made)));
    fixture.directory.applied({ kind: 'share', uuid: made.uuid, record: { ...made, includeAudio: false } });
    expect(waiting.refusal).toMatchObject({ reason: 'grant-expired' });
  });

  it.each([
    ['forward past the expiration', 3_600_000, 'expired'],
    ['back before the schedule began', -3_600_000, 'hidden-by-schedule'],
  ])(
    'notices within a second a wall clock set %s, also for waiting requests',
    async (_name, stepMs, reason) => {
      const nowSec = fixture.clock.epochMs() / 1_000;
      const { uuid } = await fixture.schedules.createAbsolute(fixture.orgUuid, {
        name: 'From now on',
        oneTimeUse: false,
        intervals: [{ startSec: nowSec - 60, stopSec: nowSec + 1e6 }],
      });
      const grantText = grantFor(await share({ scheduleUuid: uuid, expirationTimeSecs: 1_800 }));
      const waiting = waitOn(enter(grantText));
      fixture.clock.stepWallClock(stepMs);
      fixture.clock.advance(RECHECK_MS);
      expect(waiting.refusal).toMatchObject({ reason });
      expect(reasonFor(grantText)).toBe(reason);
    },
  );

  it('notices a stepped clock on a request, too', async () => {
    const grantText = grantFor(await share({ expirationTimeSecs: 1_800 }));
    enter(grantText);
    fixture.clock.stepWallClock(3_600_000);
    fixture.clock.advance(RECHECK_MS);
    expect(reasonFor(grantText)).toBe('expired');
  });

  it('counts viewers while they send requests or wait, and forgets those who left', async () => {
    const made = await share();
    const [asking, waiting, leaving] = [grantFor(made), grantFor(made), grantFor(made)];
    enter(leaving);
    waitOn(enter(waiting));
    for (let elapsedMs = 0; elapsedMs <= VIEWER_IDLE_MS + RECHECK_MS; elapsedMs += 700) {
      enter(asking);
      fixture.clock.advance(700);
    }
    expect(fixture.sessions.size).toBe(2);
    expect(await fixture.counters.viewerCounts([made.uuid])).toEqual([2]);
    await fixture.shares.remove(fixture.orgUuid, made.uuid);
    expect(await fixture.counters.viewerCounts([made.uuid])).toEqual([0]);
  });

  it('keeps viewers while media is sent to them, and cuts it when the share is removed long after their request', async () => {
    const shared = await share();
    const session = enter(grantFor(shared));
    let cuts = 0;
    session.connections.add({ cutFor: (viewer) => void (viewer === session && cuts++) });
    session.unsentResponses++;
    fixture.clock.advance(4 * VIEWER_IDLE_MS);
    expect([fixture.sessions.size, fixture.counters.localViewerCount(shared.uuid), cuts]).toEqual([1, 1, 0]);
    fixture.directory.applied({ kind: 'share', uuid: shared.uuid, record: null });
    expect([fixture.sessions.size, cuts]).toEqual([0, 1]);
  });

  it('cuts what the kernel is still sending, which does not make a viewer present', async () => {
    const shared = await share();
    let cuts = 0;
    const connection = { cutFor: () => void cuts++ };
    enter(grantFor(shared)).connections.add(connection);
    enter(grantFor(await share())).connections.add(connection);
    fixture.directory.applied({ kind: 'share', uuid: shared.uuid, record: null });
    expect([fixture.sessions.size, cuts]).toEqual([1, 1]);
    fixture.clock.advance(VIEWER_IDLE_MS + RECHECK_MS);
    expect([fixture.sessions.size, cuts]).toEqual([0, 1]);
  });

  it('leaves no timer behind when no one watches', async () => {
    const before = fixture.clock.pendingTimers;
    enter(grantFor(await share()));
    fixture.clock.advance(2 * VIEWER_IDLE_MS + RECHECK_MS);
    expect(fixture.sessions.size).toBe(0);
    expect(fixture.clock.pendingTimers).toBe(before);
  });

  it('admits viewers up to the limit; a place is free when one leaves', async () => {
    await restart({ maxViewersPerShare: 2 });
    const made = await share();
    const [first, second, third] = [grantFor(made), grantFor(made), grantFor(made)];
    enter(first);
    waitOn(enter(second));
    expect(reasonFor(third)).toBe('viewer-limit');
    expect(reasonFor(first)).toBeNull();
    expect(reasonFor(grantFor(await share()))).toBeNull();
    fixture.clock.advance(VIEWER_IDLE_MS + RECHECK_MS);
    expect(reasonFor(third)).toBeNull();
    expect(reasonFor(second)).toBeNull();
    expect(reasonFor(first)).toBe('viewer-limit');
  });

  /** Requests media every second, as players do. */
  function play(grants: readonly string[], seconds: number, ip: string): void {
    for (let second = 0; second < seconds; second++) {
      for (const grantText of grants) {
        const access = fixture.sessions.access(grantText, { ip });
        if (access.allowed) access.noteFetch();
      }
      fixture.clock.advance(RECHECK_MS);
    }
  }
  const viewersOf = async ({ uuid }: Share) => (await fixture.counters.viewerCounts([uuid]))[0];

  it('does not count a client that opens a share again and again as many viewers', async () => {
    const made = await share();
    const viewer = grantFor(made);
    play([viewer], LOOKS_TO_PROVE + 1, '192.0.2.1');
    expect(await viewersOf(made)).toBe(1);
    for (const ip of ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2']) {
      for (let i = 0; i < 200; i++) fixture.sessions.access(grantFor(made), { ip });
    }
    expect(fixture.sessions.size).toBe(801);
    const expected = 1 + 3 * MAX_NEW_VIEWERS_PER_ADDRESS;
    expect(await viewersOf(made)).toBe(expected);
    expect(fixture.counters.localViewerCount(made.uuid)).toBe(expected);
    expect(fixture.sessions.viewers).toBe(expected);
    expect(fixture.sessions.viewersOf(made.uuid)).toBe(expected);
    play([viewer], 20, '192.0.2.1');
    expect([fixture.sessions.size, fixture.sessions.viewers, await viewersOf(made)]).toEqual([1, 1, 1]);
  });

  it('counts every phone of an office that plays, up to a limit', async () => {
    const made = await share();
    const phones = Array.from({ length: MAX_COUNTED_PER_ADDRESS + 10 }, () => grantFor(made));
    play(phones, 1, '192.0.2.1');
    expect(await viewersOf(made)).toBe(MAX_NEW_VIEWERS_PER_ADDRESS);
    play(phones, LOOKS_TO_PROVE, '192.0.2.1');
    expect(await viewersOf(made)).toBe(MAX_COUNTED_PER_ADDRESS);
    expect(fixture.sessions.size).toBe(phones.length);
    await fixture.shares.remove(fixture.orgUuid, made.uuid);
    expect([fixture.sessions.size, fixture.sessions.viewers]).toEqual([0, 0]);
    expect(fixture.sessions.viewersOf(made.uuid)).toBe(0);
  });

  it('reports arrivals and departures of exactly those that count', async () => {
    const told: [string, number][] = [];
    let ended = 0;
    await restart({
      observer: {
        viewerJoined: (_session, viewers) => told.push(['joined', viewers]),
        viewerLeft: (_session, viewers) => told.push(['left', viewers]),
        sessionEnded: () => ended++,
      },
    });
    const made = await share();
    for (let i = 0; i < 50; i++) fixture.sessions.access(grantFor(made), { ip: '192.0.2.1' });
    await fixture.shares.remove(fixture.orgUuid, made.uuid);
    expect(told).toEqual([1, 2, 3].map((n) => ['joined', n]).concat([2, 1, 0].map((n) => ['left', n])));
    expect(ended).toBe(50);
  });

  it('gives a newcomer the place of a client that opened often and plays nothing', async () => {
    await restart({ maxViewersPerShare: 4 });
    const made = await share();
    const viewer = grantFor(made);
    play([viewer], LOOKS_TO_PROVE + 1, '192.0.2.1');
    const opened = Array.from({ length: 50 }, () => grantFor(made));
    const waiting = opened.slice(0, 3).map((grantText) => {
      const access = fixture.sessions.access(grantText, { ip: '192.0.2.66' });
      return waitOn(access as ViewerSession);
    });
    for (const grantText of opened.slice(3)) {
      expect(fixture.sessions.access(grantText, { ip: '192.0.2.66' })).toMatchObject({
        reason: 'viewer-limit',
      });
    }
    const { gate, tokens } = fixture;
    const link = { shareToken: tokens.tokenOf(made.uuid), password: null, onNear: () => undefined };
    expect(await gate.open({ ...link, address: '192.0.2.66' })).toMatchObject({ reason: 'viewer-limit' });
    expect(await gate.open({ ...link, address: '192.0.2.3' })).toMatchObject({ allowed: true });
    const newcomer = grantFor(made);
    expect(fixture.sessions.access(newcomer, { ip: '192.0.2.3' }).allowed).toBe(true);
    expect(waiting.map(({ refusal }) => refusal?.reason)).toEqual([undefined, undefined, 'viewer-limit']);
    expect(fixture.sessions.size).toBe(4);
    expect(reasonFor(viewer)).toBeNull();
    // A client that returns displaces no other viewer.
    expect(fixture.sessions.access(opened[2]!, { ip: '192.0.2.66' }).allowed).toBe(false);
  });

  it('does not let one address keep more than half of a full share from others', async () => {
    await restart({ maxViewersPerShare: 4 });
    const made = await share();
    play(
      Array.from({ length: 4 }, () => grantFor(made)),
      LOOKS_TO_PROVE + 1,
      '192.0.2.1',
    );
    const newcomers = Array.from({ length: 3 }, () => grantFor(made));
    const isIn = newcomers.map(
      (grantText, i) => fixture.sessions.access(grantText, { ip: `198.51.100.${i}` }).allowed,
    );
    expect(isIn).toEqual([true, true, false]);
    expect(fixture.sessions.size).toBe(4);
  });

  it('keeps a limited number: makes room by removing the least recently seen, never those that wait', async () => {
    // One link can have three of them.
    await restart({ maxSessions: 6 });
    const made = await share();
    const [waiting, old, seen] = [grantFor(made), grantFor(made), grantFor(made)];
    waitOn(enter(waiting));
    enter(old);
    enter(seen);
    fixture.clock.advance(RECHECK_MS);
    enter(seen);
    enter(grantFor(made));
    expect(fixture.sessions.size).toBe(3);
    expect(fixture.counters.localViewerCount(made.uuid)).toBe(3);
    waitOn(enter(seen));
    waitOn(enter(grantFor(made)));
    expect(() => fixture.sessions.access(old)).toThrow(
      expect.objectContaining({ code: 'VIEWER_SESSIONS_FULL', kind: 'unavailable' }),
    );
    expect(enter(seen).grantText).toBe(seen);
  });

  it('leaves room for viewers of other links and organizations, however many open one link', async () => {
    await restart({ maxSessions: 100 });
    const popular = await share();
    let host = 0;
    const openAll = (made: Share) => {
      for (let count = 0; ; count++, host++) {
        try {
          waitOn(enter(grantFor(made), `10.0.${host >> 8}.${host & 255}`));
        } catch (error) {
          expect(error).toMatchObject({ code: 'VIEWER_SESSIONS_FULL' });
          return count;
        }
      }
    };
    expect(openAll(popular)).toBe(56);
    expect(openAll(await share())).toBe(14);
    const organization = sampleOrganization();
    const camera = sampleCamera(organization.uuid);
    await fixture.store.organizations.save(organization);
    await fixture.store.cameras.save(camera);
    const ofOther = { ...fixture.request, camera };
    expect(openAll(await fixture.shares.create(organization.uuid, ofOther))).toBeGreaterThan(10);
  });
});
