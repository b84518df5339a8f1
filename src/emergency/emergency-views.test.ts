import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { EMERGENCIES, type Emergency, type EmergencyLink } from '../sharing/emergency-link.ts';
import { openSharingFixture, type SharingFixture } from '../sharing/sharing-fixture.ts';
import type { ViewerSession } from '../sharing/viewer-session.ts';
import { VIEWER_IDLE_MS } from '../sharing/viewer-sessions.ts';
import { memberUuidOf } from '../sharing/wall-members.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import { UnresponsiveStore } from '../store/unresponsive-store-fixture.ts';
import { EMERGENCY_VIEWS } from './emergency-records.ts';
import { EmergencyViews, SAME_VIEW_MS } from './emergency-views.ts';

const LINK = newRuuid();

let fixture: SharingFixture;
let views: EmergencyViews;
let uuid: Ruuid;
let startMs: number;

beforeEach(async () => {
  fixture = await openSharingFixture({
    observer: {
      viewerJoined: () => undefined,
      viewerLeft: () => undefined,
      sessionBegan: (session) => views.sessionBegan(session),
      sessionEnded: (session) => views.sessionEnded(session),
    },
  });
  const { store, directory, clock, orgUuid, camera } = fixture;
  views = new EmergencyViews({ store, directory, clock, log: silentLog });
  startMs = clock.epochMs();
  uuid = newRuuid();
  const emergency: Emergency = {
    uuid,
    orgUuid,
    name: 'Gate',
    parentUuid: null,
    secret: null,
    createdAtMs: startMs,
    updatedAtMs: startMs,
    body: {
      partner: { uuid: newRuuid(), name: 'Dispatch', kind: 'RAPIDSOS' },
      cause: { by: 'Ada', isRule: false, reason: 'Fire', alertId: null },
      cameras: [{ cameraUuid: camera.uuid, name: 'Gate', siteName: null }],
      recipients: [{ uuid: LINK, by: 'copy', address: '' }],
      language: 'en',
      timeZone: 'UTC',
      untilMs: startMs + 600_000,
      setAtMs: startMs,
      extensions: [],
      alertIds: [],
    },
  };
  await store.resources.of(EMERGENCIES).save(emergency);
  await directory.applied({ kind: 'emergency', uuid, record: emergency });
});
afterEach(async () => {
  await views.close();
  await fixture.close();
});

const shareUuid = () => memberUuidOf(LINK, fixture.camera.uuid);

/** A grant of a new viewer. */
function newGrant(): string {
  return fixture.grants.issue(shareUuid(), 1, fixture.clock.epochMs() / 1_000 + 3_600);
}

function watch(grantText: string, ip = '203.0.113.7'): void {
  const session = fixture.sessions.access(grantText, { ip, headers: { 'user-agent': 'Dispatch desk' } });
  expect(session.allowed).toBe(true);
}

async function rows() {
  await views.settled();
  const found = await fixture.store.resources.of(EMERGENCY_VIEWS).listByParent(fixture.orgUuid, uuid);
  return found.map(({ body }) => ({
    from: body.fromMs - startMs,
    until: body.untilMs === null ? null : body.untilMs - startMs,
    address: body.address,
  }));
}

it('says who watches which camera, by whose link, from when, and until when', async () => {
  const grant = newGrant();
  fixture.clock.advance(5_000);
  watch(grant);
  expect(await rows()).toEqual([{ from: 5_000, until: null, address: '203.0.113.7' }]);
  const [row] = await fixture.store.resources.of(EMERGENCY_VIEWS).listByParent(fixture.orgUuid, uuid);
  expect(row!.body).toMatchObject({
    recipientUuid: LINK,
    cameraUuid: fixture.camera.uuid,
    userAgent: 'Dispatch desk',
  });
  fixture.clock.advance(10_000);
  await fixture.directory.applied({ kind: 'emergency', uuid, record: null });
  expect(await rows()).toEqual([{ from: 5_000, until: 15_000, address: '203.0.113.7' }]);
});

it('joins a view that pauses for less than a minute, and begins another one after that', async () => {
  const grant = newGrant();
  watch(grant);
  fixture.clock.advance(VIEWER_IDLE_MS + 2_000);
  const [paused] = await rows();
  expect(paused!.until).not.toBeNull();
  watch(grant);
  expect(await rows()).toEqual([{ from: 0, until: null, address: '203.0.113.7' }]);
  fixture.clock.advance(VIEWER_IDLE_MS + SAME_VIEW_MS + 2_000);
  watch(grant);
  expect(await rows()).toHaveLength(2);
});

it('writes what the store did not take as soon as it does', async () => {
  const unresponsive = new UnresponsiveStore();
  unresponsive.standBefore(fixture.store);
  unresponsive.become('away');
  watch(newGrant());
  await views.settled();
  unresponsive.become('working');
  fixture.clock.advance(5_000);
  expect(await rows()).toEqual([{ from: 0, until: null, address: '203.0.113.7' }]);
});

it('ends the views of a gateway that stops', async () => {
  watch(newGrant());
  fixture.clock.advance(7_000);
  await views.close();
  expect((await rows())[0]!.until).toBe(7_000);
});

it('leaves room for other organizations: one can hold half of it, and its viewers watch all the same', async () => {
  const { uuid: foreign } = sampleOrganization();
  await fixture.store.organizations.save(sampleOrganization({ uuid: foreign }));
  const { store, clock, orgUuid, camera } = fixture;
  const link = { emergencyUuid: uuid } as EmergencyLink;
  const directory = { findEmergencyLink: () => link };
  const crowded = new EmergencyViews({ store, directory, clock, log: silentLog, maxViews: 8 });
  const begin = (viewerId: string, ofOrg: Ruuid) =>
    crowded.sessionBegan({
      wallShareUuid: LINK,
      orgUuid: ofOrg,
      isProbe: false,
      audienceUuid: shareUuid(),
      cameraUuid: camera.uuid,
      grant: { viewerId },
      start: { address: '', userAgent: '', atEpochMs: startMs },
    } as ViewerSession);
  for (let each = 0; each < 10; each++) begin(`own ${each}`, orgUuid);
  begin('foreign', foreign);
  await crowded.close();
  const written = store.resources.of(EMERGENCY_VIEWS);
  expect(await written.count(orgUuid)).toBe(4);
  expect(await written.count(foreign)).toBe(1);
});

it('names the camera itself, although its viewers see it with privacy masks', async () => {
  const { store, directory, orgUuid, camera } = fixture;
  const corner = (xPermyriad: number, yPermyriad: number) => ({ xPermyriad, yPermyriad });
  const masks = [{ name: '', points: [corner(0, 0), corner(9, 0), corner(0, 9)] }];
  await store.cameras.change(orgUuid, camera.uuid, (known) => ({ ...known!, masks }));
  await directory.applied({
    kind: 'masks',
    uuid: camera.uuid,
    record: { orgUuid, masks, masksForViewers: false },
  });
  watch(newGrant());
  expect(directory.find(shareUuid())?.isMasked).toBe(true);
  await views.settled();
  const [row] = await store.resources.of(EMERGENCY_VIEWS).listByParent(orgUuid, uuid);
  expect(row!.body.cameraUuid).toBe(camera.uuid);
});
