/** Both sides of a lease: the sessions of the gateway's thread, and a viewer thread's copies. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccessRefused } from '../../sharing/access-decision.ts';
import { SessionLeases } from '../../sharing/session-leases.ts';
import { openSharingFixture, type SharingFixture } from '../../sharing/sharing-fixture.ts';
import type { MediaReader, ViewerSession } from '../../sharing/viewer-session.ts';
import { RECHECK_MS, VIEWER_IDLE_MS } from '../../sharing/viewer-sessions.ts';
import type { Share } from '../../store/entities.ts';
import { LeasedSessions } from './leased-sessions.ts';

const ORIGIN = { ip: '192.0.2.7', headers: { 'user-agent': 'a player' } };

let fixture: SharingFixture;
let here: LeasedSessions;
let leases: SessionLeases;
let sent: number;
beforeEach(async () => {
  fixture = await openSharingFixture();
  here = new LeasedSessions(fixture.clock);
  sent = 0;
  leases = new SessionLeases({
    sessions: fixture.sessions,
    onSent: (_session, bytes) => {
      sent += bytes;
    },
    onEnded: (id, refusal) => here.end(...structuredClone([id, refusal] as const)),
    onChanged: (id, sharesPaths) => here.change(id, sharesPaths),
  });
});
afterEach(() => fixture.close());

const share = (fields: object = {}) =>
  fixture.shares.create(fixture.orgUuid, { ...fixture.request, ...fields });

function grantFor({ uuid, accessEpoch }: Share, lifetimeSec = 86_400): string {
  return fixture.grants.issue(uuid, accessEpoch, fixture.clock.epochMs() / 1_000 + lifetimeSec);
}

/** The viewer's session in the viewer thread. */
function enter(grantText: string): ViewerSession {
  if (here.known(grantText) === null) here.add(structuredClone(leases.lease(grantText, ORIGIN)!));
  const session = here.access(grantText);
  if (!session.allowed) throw new Error(session.reason);
  return session;
}

function report(): void {
  const { notes, dropped } = structuredClone(here.report());
  leases.note(notes);
  leases.drop(dropped);
}

function waitOn(session: ViewerSession): AccessRefused[] {
  const refusals: AccessRefused[] = [];
  session.waiting.add({ onCutOff: (refusal) => void refusals.push(refusal) });
  return refusals;
}

describe('a leased session', () => {
  it('has what the decision gave, and is one viewer in the gateway’s thread', async () => {
    const grantText = grantFor(await share({ includeAudio: false }));
    const session = enter(grantText);
    expect(session).toMatchObject({ cameraUuid: fixture.camera.uuid, audience: 'silent', grantText });
    expect(session.start).toMatchObject({ address: '192.0.2.7', userAgent: 'a player' });
    expect(enter(grantText)).toBe(session);
    expect([fixture.sessions.size, fixture.sessions.viewers, leases.size]).toEqual([1, 1, 1]);
  });

  it('is not given to those whom the gateway’s thread refuses', () => {
    expect(leases.lease('A'.repeat(64), ORIGIN)).toBeNull();
    expect(leases.size).toBe(0);
  });

  it('tells what the viewer gets', async () => {
    const grantText = grantFor(await share());
    const session = enter(grantText);
    session.noteFetch();
    session.noteLive('hls', 'sub');
    session.sentBytes += 700;
    report();
    session.sentBytes += 30;
    here.known(grantText);
    report();
    expect(sent).toBe(730);
    expect(fixture.sessions.access(grantText)).toMatchObject({ profile: 'sub', protocol: 'hls' });
  });

  it('ends with its requests as soon as the share does', async () => {
    const made = await share();
    const grantText = grantFor(made);
    const session = enter(grantText);
    const refusals = waitOn(session);
    const cut: MediaReader[] = [];
    session.connections.add({ cutFor: (one) => void cut.push(one) });
    await fixture.shares.remove(fixture.orgUuid, made.uuid);
    expect(refusals).toEqual([expect.objectContaining({ reason: 'revoked' })]);
    expect(cut).toEqual([session]);
    expect(here.known(grantText)).toBeNull();
    expect([here.size, leases.size]).toEqual([0, 0]);
    expect(leases.lease(grantText, ORIGIN)).toBeNull();
  });

  it('shares paths as the share says, also after a change', async () => {
    const made = await share({ cdn: true });
    const session = enter(grantFor(made));
    expect(session.sharesPaths).toBe(true);
    await fixture.shares.update(fixture.orgUuid, made.uuid, { cdn: false });
    report();
    expect(session.sharesPaths).toBe(false);
  });

  it('ends by itself when its time is over, although nobody says so', async () => {
    const grantText = grantFor(await share(), 60);
    enter(grantText);
    leases.close();
    fixture.clock.advance(59_000);
    expect(here.known(grantText)).not.toBeNull();
    fixture.clock.advance(1_000);
    expect(here.known(grantText)).toBeNull();
  });

  it('that is no longer valid here ends with its requests, whatever took its place', async () => {
    const made = await share();
    const grantText = grantFor(made);
    const session = enter(grantText);
    const refusals = [waitOn(session)];
    // A wall clock that went back ends earlier decisions.
    fixture.clock.advance(RECHECK_MS);
    fixture.clock.stepWallClock(-60_000);
    expect(here.known(grantText)).toBeNull();
    const next = enter(grantText);
    expect(next).not.toBe(session);
    refusals.push(waitOn(next));
    expect([here.size, leases.size]).toEqual([1, 2]);
    await fixture.shares.remove(fixture.orgUuid, made.uuid);
    const revoked = [expect.objectContaining({ reason: 'revoked' })];
    expect(refusals).toEqual([revoked, revoked]);
    expect([here.size, leases.size]).toEqual([0, 0]);
  });

  it('that another took the place of is forgotten on both sides when its requests are over', async () => {
    const grantText = grantFor(await share());
    const session = enter(grantText);
    waitOn(session);
    fixture.clock.advance(RECHECK_MS);
    fixture.clock.stepWallClock(-60_000);
    enter(grantText);
    session.waiting.clear();
    for (let sec = 0; sec <= VIEWER_IDLE_MS / 1_000 + 1; sec++) {
      fixture.clock.advance(1_000);
      here.known(grantText);
      report();
    }
    expect([here.size, leases.size]).toEqual([1, 1]);
  });

  it('that ended before it was here ends with its first note', async () => {
    const made = await share();
    const grantText = grantFor(made);
    const lease = leases.lease(grantText, ORIGIN)!;
    await fixture.shares.remove(fixture.orgUuid, made.uuid);
    here.add(structuredClone(lease));
    const refusals = waitOn(here.known(grantText)!);
    report();
    expect(refusals).toEqual([expect.objectContaining({ allowed: false })]);
    expect(here.size).toBe(0);
  });

  it('lasts while a request waits, and is forgotten on both sides when the viewer is gone', async () => {
    const grantText = grantFor(await share());
    const session = enter(grantText);
    waitOn(session);
    for (let sec = 0; sec < 60; sec++) {
      fixture.clock.advance(1_000);
      report();
    }
    expect(fixture.sessions.viewers).toBe(1);
    session.waiting.clear();
    for (let sec = 0; sec <= VIEWER_IDLE_MS / 1_000 + 1; sec++) {
      fixture.clock.advance(1_000);
      report();
    }
    expect([here.size, leases.size, fixture.sessions.size]).toEqual([0, 0, 0]);
  });

  it('is one viewer on several threads, and ends on all of them', async () => {
    const other = new LeasedSessions(fixture.clock);
    const otherLeases = new SessionLeases({
      sessions: fixture.sessions,
      onSent: () => undefined,
      onEnded: (id, refusal) => other.end(id, refusal),
      onChanged: (id, sharesPaths) => other.change(id, sharesPaths),
    });
    const made = await share();
    const grantText = grantFor(made);
    enter(grantText);
    other.add(otherLeases.lease(grantText, ORIGIN)!);
    expect(fixture.sessions.viewers).toBe(1);
    await fixture.shares.remove(fixture.orgUuid, made.uuid);
    expect([here.known(grantText), other.known(grantText)]).toEqual([null, null]);
  });

  it('goes on when the gateway’s thread forgot the session and admits the viewer again', async () => {
    const made = await share();
    const grantText = grantFor(made);
    enter(grantText);
    fixture.clock.advance(2 * VIEWER_IDLE_MS);
    expect(fixture.sessions.size).toBe(0);
    here.known(grantText);
    report();
    expect(fixture.sessions.size).toBe(1);
    await fixture.shares.remove(fixture.orgUuid, made.uuid);
    expect(here.known(grantText)).toBeNull();
  });

  it('leaves nothing in its session when its thread ends', async () => {
    const grantText = grantFor(await share());
    enter(grantText);
    leases.close();
    const session = fixture.sessions.access(grantText) as ViewerSession;
    expect(session.connections.size).toBe(0);
  });
});
