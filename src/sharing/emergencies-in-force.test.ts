/** Open emergencies and clocks: restarts, steps of the wall clock, other nodes, an unavailable store. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../core/eventually-fixture.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { UnresponsiveStore } from '../store/unresponsive-store-fixture.ts';
import { EMERGENCIES, type Emergency, endEmergency, recipientUuidOf } from './emergency-link.ts';
import { ShareDirectory } from './share-directory.ts';
import { openSharingFixture, type SharingFixture } from './sharing-fixture.ts';
import { memberUuidOf } from './wall-members.ts';

const MINUTE_MS = 60_000;
const LENGTH_MS = 10 * MINUTE_MS;

let fixture: SharingFixture;
let emergency: Emergency;
let linkUuid: Ruuid;

beforeEach(async () => {
  fixture = await openSharingFixture({});
  const nowMs = fixture.clock.epochMs();
  const uuid = newRuuid();
  linkUuid = recipientUuidOf(uuid, 'copy', '');
  emergency = {
    uuid,
    orgUuid: fixture.orgUuid,
    name: 'Gate',
    parentUuid: null,
    secret: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    body: {
      partner: { uuid: newRuuid(), name: 'Dispatch', kind: 'RAPIDSOS' },
      cause: { by: 'Ada', isRule: false, reason: 'Fire', alertId: null },
      cameras: [{ cameraUuid: fixture.camera.uuid, name: 'Gate', siteName: null }],
      recipients: [{ uuid: linkUuid, by: 'copy', address: '' }],
      language: 'en',
      timeZone: 'UTC',
      untilMs: nowMs + LENGTH_MS,
      setAtMs: nowMs,
      extensions: [],
      alertIds: [],
    },
  };
  await save(emergency);
});
afterEach(() => fixture.close());

async function save(changed: Emergency): Promise<void> {
  await fixture.store.resources.of(EMERGENCIES).save(changed);
  await fixture.directory.applied({ kind: 'emergency', uuid: changed.uuid, record: changed });
}

const open = () =>
  fixture.wallGate.open({
    wallToken: fixture.wallTokens.tokenOf(linkUuid),
    password: null,
    address: '203.0.113.7',
    onNear: () => undefined,
  });

/** A viewer of its camera. */
async function watch(): Promise<() => string> {
  const opened = await open();
  if (!opened.allowed) throw new Error(opened.reason);
  const [tile] = opened.tiles;
  if (!tile?.allowed) throw new Error('no tile');
  const { grantText } = tile;
  const access = () => {
    const session = fixture.sessions.access(grantText);
    return session.allowed ? 'watching' : session.reason;
  };
  expect(access()).toBe('watching');
  return access;
}

const other = () => ShareDirectory.open({ store: fixture.store, clock: fixture.clock, log: silentLog });
const shows = (directory: ShareDirectory) => directory.findWall(linkUuid) !== undefined;

describe('an open emergency', () => {
  it('shows its cameras, for alarms first, and no past', async () => {
    const opened = await open();
    expect(opened).toMatchObject({ allowed: true, wall: { name: 'Gate' } });
    const { share } = fixture.directory.find(memberUuidOf(linkUuid, fixture.camera.uuid))!;
    expect(share).toMatchObject({ streamType: 'RAPIDSOS', vodEnabled: false, includeAudio: false });
  });

  it('ends at its second, for those who watch and those who open it', async () => {
    const access = await watch();
    fixture.clock.advance(LENGTH_MS - 1);
    expect(access()).toBe('watching');
    fixture.clock.advance(1);
    expect(access()).not.toBe('watching');
    expect((await open()).allowed).toBe(false);
  });

  it('ends on time if the wall clock is set back, and stays over', async () => {
    const access = await watch();
    fixture.clock.advance(MINUTE_MS);
    fixture.clock.stepWallClock(-60 * MINUTE_MS);
    fixture.clock.advance(LENGTH_MS - MINUTE_MS - 1);
    expect(access()).toBe('watching');
    fixture.clock.advance(1);
    expect(access()).not.toBe('watching');
    await fixture.directory.refresh();
    expect(shows(fixture.directory)).toBe(false);
    // A change of something else does not open it again.
    await save({ ...emergency, body: { ...emergency.body, alertIds: ['one'] } });
    expect(shows(fixture.directory)).toBe(false);
  });

  it('ends early if the wall clock is set ahead: within the second in which decisions are made again', async () => {
    const access = await watch();
    fixture.clock.stepWallClock(LENGTH_MS);
    fixture.clock.advance(1_000);
    expect(access()).toBe('expired');
  });

  it('is as long as it was after a restart, and no longer than it was given if the clock is behind', async () => {
    fixture.clock.advance(4 * MINUTE_MS);
    const restarted = await other();
    fixture.clock.advance(6 * MINUTE_MS - 1);
    expect(shows(restarted)).toBe(true);
    fixture.clock.advance(1);
    expect(shows(restarted)).toBe(false);
    restarted.close();
    fixture.clock.stepWallClock(-24 * 60 * MINUTE_MS);
    const behind = await other();
    expect(shows(behind)).toBe(true);
    fixture.clock.advance(LENGTH_MS);
    expect(shows(behind)).toBe(false);
    behind.close();
  });

  it('does not show after a restart if its time was over in between', async () => {
    fixture.clock.advance(LENGTH_MS);
    const restarted = await other();
    expect(shows(restarted)).toBe(false);
    restarted.close();
  });

  it('is longer at each node when it is extended, and over at each when it is closed at one', async () => {
    const node = await other();
    const untilMs = emergency.body.untilMs + LENGTH_MS;
    const setAtMs = fixture.clock.epochMs();
    await save({ ...emergency, body: { ...emergency.body, untilMs, setAtMs } });
    fixture.clock.advance(LENGTH_MS + MINUTE_MS);
    await node.settled();
    expect(shows(node)).toBe(true);
    const access = await watch();
    const { orgUuid, uuid } = emergency;
    await endEmergency(fixture.store, { orgUuid, uuid }, { atMs: fixture.clock.epochMs(), by: 'Ada' });
    await eventually('the other node knows', () => !shows(node));
    expect(access()).toBe('revoked');
    node.close();
  });

  it('ends on time while the store is away, and is not shown if a change cannot be read', async () => {
    const unresponsive = new UnresponsiveStore();
    unresponsive.standBefore(fixture.store);
    const node = await other();
    const access = await watch();
    unresponsive.become('away');
    fixture.clock.advance(LENGTH_MS);
    expect(shows(node)).toBe(false);
    expect(access()).not.toBe('watching');
    node.close();
  });

  it('is another organization’s nowhere', async () => {
    const cameraUuid = newRuuid();
    await save({
      ...emergency,
      body: { ...emergency.body, cameras: [{ cameraUuid, name: 'Foreign', siteName: null }] },
    });
    expect(fixture.directory.findWall(linkUuid)?.members).toEqual([]);
  });
});
