/** The end of a view whose viewer sends requests to other nodes than the one that gets the call. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Share } from '../store/entities.ts';
import { EndedViews } from './ended-views.ts';
import type { OtherNodes } from './other-nodes.ts';
import { ShareViewers } from './share-viewers.ts';
import { GRANT_LIFETIME_MS, openSharingFixture, type SharingFixture } from './sharing-fixture.ts';
import type { ViewerSession } from './viewer-session.ts';
import { type ViewerOrigin, ViewerSessions } from './viewer-sessions.ts';

const MINUTE_MS = 60_000;
const PHONE: ViewerOrigin = { ip: '192.0.2.10', headers: {} };
const DESK: ViewerOrigin = { ip: '192.0.2.20', headers: {} };

interface OtherNode {
  readonly sessions: ViewerSessions;
  readonly viewers: ShareViewers;
}

let fixture: SharingFixture;
let made: Share;

beforeEach(async () => {
  fixture = await openSharingFixture();
  made = await fixture.shares.create(fixture.orgUuid, fixture.request);
});
afterEach(() => fixture.close());

function openNode(): OtherNode {
  const { directory, counters, clock, grants, groupSessions } = fixture;
  const ended = new EndedViews(clock);
  const sessions = new ViewerSessions({
    directory,
    counters,
    clock,
    grants,
    ended,
    maxViewersPerShare: null,
    maxSessions: 1_000,
  });
  const viewers = new ShareViewers({ directory, sessions, groupSessions, ended, counters, clock });
  return { sessions, viewers };
}

function othersOf(nodes: readonly OtherNode[], silent: readonly string[] = []): OtherNodes {
  return {
    grantLifetimeMs: GRANT_LIFETIME_MS,
    find: async (viewer) => ({ responses: nodes.map(({ viewers }) => viewers.find(viewer)), silent }),
    end: async (view) => ({ responses: nodes.map(({ viewers }) => viewers.endHere(view)), silent }),
  };
}

function grant(lifetimeSec = 3_600, viewerId?: string): string {
  const untilSec = fixture.clock.epochMs() / 1_000 + lifetimeSec;
  return fixture.grants.issue(made.uuid, made.accessEpoch, untilSec, viewerId);
}

function watch(sessions: ViewerSessions, grantText: string, from = PHONE): ViewerSession {
  const access = sessions.access(grantText, from);
  if (!access.allowed) throw new Error(access.reason);
  return access;
}

function reasonAt(sessions: ViewerSessions, grantText: string, from = PHONE): string | null {
  const access = sessions.access(grantText, from);
  return access.allowed ? null : access.reason;
}

const end = (viewerId: string, blockMs: number | null, others: OtherNodes) =>
  fixture.viewers.end(fixture.orgUuid, made.uuid, viewerId, blockMs, others);

it('ends a view that only another node has, everywhere', async () => {
  const nodes = [openNode(), openNode()];
  const session = watch(nodes[1]!.sessions, grant());
  const ends: unknown[] = [];
  session.waiting.add({ onCutOff: ({ reason }) => ends.push(reason) });
  const { viewerId } = session.grant;
  expect(await end(viewerId, null, othersOf(nodes))).toMatchObject({ endedViews: 1, silentNodes: [] });
  expect(ends).toEqual(['viewer-ended']);
  for (const { sessions } of [fixture, ...nodes]) {
    expect(reasonAt(sessions, session.grantText)).toBe('viewer-ended');
  }
  expect(await end(viewerId, null, othersOf(nodes))).toBe('no-viewer');
});

it('ends a view that several nodes have once, for as long as its longest grant', async () => {
  const node = openNode();
  const short = watch(fixture.sessions, grant(60));
  const { viewerId } = short.grant;
  const long = watch(node.sessions, grant(600, viewerId));
  expect(await end(viewerId, null, othersOf([node]))).toMatchObject({ endedViews: 1 });
  await fixture.clock.advance(599_000);
  expect(reasonAt(fixture.sessions, long.grantText)).toBe('viewer-ended');
});

it('blocks the address that the viewer had last, and ends the views from there at all nodes', async () => {
  const node = openNode();
  const { grantText, grant: of } = watch(fixture.sessions, grant(), DESK);
  await fixture.clock.advance(5_000);
  watch(node.sessions, grantText, PHONE);
  const besides = watch(node.sessions, grant(), PHONE);
  const kept = watch(node.sessions, grant(), DESK);
  expect(await end(of.viewerId, MINUTE_MS, othersOf([node]))).toMatchObject({
    endedViews: 2,
    blocked: { address: '192.0.2.10' },
  });
  expect(reasonAt(node.sessions, besides.grantText)).toBe('viewer-ended');
  expect(reasonAt(node.sessions, kept.grantText, DESK)).toBeNull();
  for (const { sessions } of [fixture, node]) expect(reasonAt(sessions, grant())).toBe('viewer-ended');
});

it('ends a view that may be at a silent node, but nothing that cannot be a viewer', async () => {
  const others = othersOf([], ['node-3']);
  const grantText = grant(GRANT_LIFETIME_MS / 1_000);
  const { viewerId } = fixture.grants.verify(grantText)!;
  expect(await end(viewerId, MINUTE_MS, others)).toEqual({
    kind: 'stream',
    endedViews: 0,
    blocked: null,
    isStored: true,
    silentNodes: ['node-3'],
  });
  await fixture.clock.advance(GRANT_LIFETIME_MS - 1_000);
  expect(reasonAt(fixture.sessions, grantText)).toBe('viewer-ended');
  expect(await end('not a viewer', null, others)).toBe('no-viewer');
});
