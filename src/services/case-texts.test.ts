import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../api/api-fixture.ts';
import { CASES } from '../cases/case-records.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { SHARED_GROUPS } from '../sharing/shared-group.ts';
import { caseTexts } from './case-texts.ts';

const FROM_MS = Date.UTC(2026, 0, 1);
const TO_MS = FROM_MS + 600_000;

let fixture: ApiFixture;
let caseUuid: Ruuid;
beforeEach(async () => {
  fixture = await openApiFixture();
  const { case: opened } = await fixture.call('/api/evidence/createCase', { title: 'Theft' });
  ({ uuid: caseUuid } = opened as { uuid: Ruuid });
});
afterEach(() => fixture.close());

interface Row {
  readonly action: string;
  readonly by: string;
  readonly target: string;
}

async function texts(): Promise<Record<string, { rows?: Row[]; events?: { kind: string }[] }[]>> {
  const { store, audit, clock, own } = fixture;
  const record = (await store.resources.of(CASES).find(own.organization.uuid, caseUuid))!;
  const files = await caseTexts({ store, audit, clock })(record);
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, JSON.parse(text)]));
}

const actionsOf = (parts: { rows?: Row[] }[]) =>
  parts.map(({ rows = [] }) => rows.map(({ action }) => action));

async function clipAt(timestampMs: number): Promise<string> {
  const { rejected } = await fixture.call('/api/ingest/savedClips', {
    rows: [
      { id: newRuuid(), deviceUuids: [fixture.own.camera.uuid], timestampMs, durationSec: 60, title: 'Van' },
    ],
  });
  expect(rejected).toEqual([]);
  const { savedClips } = await fixture.call('/api/event/getSavedClipsV2', {});
  return (savedClips as { uuid: string; timestampMs: number }[]).find(
    (clip) => clip.timestampMs === timestampMs,
  )!.uuid;
}

it('says what happened in the times of a case, at the cameras and their doors', async () => {
  const { own, call } = fixture;
  const cameraUuid = own.camera.uuid;
  const doorUuid = newRuuid();
  await call('/api/ingest/doors', {
    rows: [
      {
        uuid: doorUuid,
        name: 'Gate',
        ownerDeviceUuid: newRuuid(),
        locationUuid: own.locationUuid,
        associatedCameras: [cameraUuid],
      },
    ],
  });
  const at = (offsetMs: number) => ({ uuid: newRuuid(), timestampMs: FROM_MS + offsetMs });
  await call('/api/ingest/componentEvents', {
    rows: [{ ...at(60_000), accessControlledDoorUuid: doorUuid, type: 'DoorStateChangeEvent' }],
  });
  const alert = { deviceUuid: cameraUuid, durationSec: 3, policyAlertTriggers: ['TAMPER_DETECTED'] };
  await call('/api/ingest/policyAlerts', {
    rows: [
      { ...at(120_000), ...alert },
      { ...at(3_600_000), ...alert },
    ],
  });
  await call('/api/evidence/addToCase', { caseUuid, cameraUuid, fromMs: FROM_MS, toMs: TO_MS });
  const { 'events.json': events } = await texts();
  expect(events!.map((item) => item.events!.map(({ kind }) => kind))).toEqual([['ALERT', 'DOOR']]);
});

it('says who viewed and exported what was recorded then, also by links and as clips', async () => {
  const { own, call, audit } = fixture;
  const cameraUuid = own.camera.uuid;
  const orgUuid = own.organization.uuid;
  await call('/api/evidence/addToCase', { caseUuid, cameraUuid, fromMs: FROM_MS, toMs: TO_MS });
  // The first one began before the time, and shows some of it.
  const [shown, elsewhere] = [await clipAt(FROM_MS - 30_000), await clipAt(FROM_MS - 120_000)];
  await call('/api/evidence/addToCase', { caseUuid, clipUuid: shown });
  const { sharedLiveVideoStreamUuid: share } = await call('/api/camera/createSharedLiveVideoStream', {
    cameraUuid,
    name: 'Harbor',
    vodEnabled: true,
  });
  const viewer = { address: '192.0.2.1', userAgent: null };
  audit.shareOpened((await fixture.store.shares.find(orgUuid, share as Ruuid))!, viewer);
  audit.deviceOpened(
    own.camera,
    { uuid: newRuuid(), name: 'Ada', scheme: 'person' },
    viewer,
    'VIEW_CAMERA_VOD',
  );
  audit.deviceOpened(own.doorbell, { uuid: newRuuid(), name: 'Eve', scheme: 'person' }, viewer);
  await audit.settled();
  const { 'views.json': views, 'exports.json': exports } = await texts();
  expect(views!.map(({ rows }) => rows!.map(({ action, by }) => `${action} ${by}`).toSorted())).toEqual([
    ['VIEW_CAMERA_VOD Ada', 'VIEW_SHARE_STREAM Harbor'],
    ['VIEW_CAMERA_VOD Ada', 'VIEW_SHARE_STREAM Harbor'],
  ]);
  expect(actionsOf(exports!)).toEqual([['SAVED_CLIP_CREATE'], ['SAVED_CLIP_CREATE']]);
  expect(JSON.stringify(exports![0])).not.toContain(elsewhere);
});

it('keeps the views by a link that was deleted, of its own camera alone', async () => {
  const { own, call, audit, store } = fixture;
  const orgUuid = own.organization.uuid;
  await call('/api/evidence/addToCase', {
    caseUuid,
    cameraUuid: own.camera.uuid,
    fromMs: FROM_MS,
    toMs: TO_MS,
  });
  const viewer = { address: '192.0.2.1', userAgent: null };
  for (const [name, cameraUuid] of [
    ['Harbor', own.camera.uuid],
    ['Door', own.doorbell.uuid],
  ] as const) {
    const body = { cameraUuid, name, vodEnabled: true };
    const { sharedLiveVideoStreamUuid: uuid } = await call('/api/camera/createSharedLiveVideoStream', body);
    const share = (await store.shares.find(orgUuid, uuid as Ruuid))!;
    audit.shareOpened(share, viewer);
    audit.viewerLeft({ orgUuid, shareUuid: share.uuid, cameraUuid, address: viewer.address });
    await call('/api/camera/deleteSharedLiveVideoStream', { uuid });
    expect(await store.shares.find(orgUuid, share.uuid)).toBeNull();
  }
  await audit.settled();
  const { 'views.json': views } = await texts();
  const shown = views!.flatMap(({ rows }) => rows!.map(({ action, target }) => `${action} ${target}`));
  expect(shown.toSorted()).toEqual(['VIEW_SHARE_STREAM Harbor', 'VIEW_SHARE_STREAM_END Harbor']);
});

it('keeps what became of clips, and who viewed them and walls by links, after all of them were deleted', async () => {
  const { own, call, audit, store, clock } = fixture;
  const orgUuid = own.organization.uuid;
  const cameraUuid = own.camera.uuid;
  await call('/api/evidence/addToCase', { caseUuid, cameraUuid, fromMs: FROM_MS, toMs: TO_MS });
  const viewer = { address: '192.0.2.1', userAgent: null };
  for (const [name, ofCamera] of [
    ['Yard', cameraUuid],
    ['Hall', own.doorbell.uuid],
  ] as const) {
    const { uuid: wallUuid } = await call('/api/camera/createVideoWall', {
      videoWall: { displayName: name, deviceList: [ofCamera] },
    });
    const { sharedLiveVideoStreamUuid: uuid } = await call('/api/camera/createSharedVideoWall', {
      videoWallUuid: wallUuid,
    });
    audit.wallOpened({ orgUuid, uuid: uuid as Ruuid, name }, viewer);
    await audit.settled();
    await call('/api/camera/deleteVideoWall', { uuid: wallUuid });
    expect(await store.wallShares.find(orgUuid, uuid as Ruuid)).toBeNull();
  }
  const groups = store.resources.of(SHARED_GROUPS.clip);
  for (const [title, at] of [
    ['Shown', FROM_MS],
    ['Before', FROM_MS - 3_600_000],
  ] as const) {
    const clipUuid = await clipAt(at);
    const uuid = newRuuid();
    // A clip that was reported has no video, which the API refuses to share.
    const rules = { description: '', expiresAtSec: null, passwordHash: null, accessEpoch: 1 } as const;
    const body = { kind: 'clip', itemUuids: [clipUuid as Ruuid], ...rules } as const;
    const times = { createdAtMs: clock.epochMs(), updatedAtMs: clock.epochMs() };
    await groups.save({ uuid, orgUuid, name: title, parentUuid: null, secret: null, body, ...times });
    audit.groupOpened({ orgUuid, uuid, name: title, body }, viewer);
    await audit.settled();
    await groups.remove(orgUuid, uuid);
    await call('/api/event/deleteSavedClip', { savedClipUuid: clipUuid });
  }
  await audit.settled();
  const { 'views.json': views, 'exports.json': exports } = await texts();
  const shown = views!.flatMap(({ rows }) => rows!.map(({ action, target }) => `${action} ${target}`));
  expect(shown.toSorted()).toEqual(['VIEW_SHARE_CLIP Shown', 'VIEW_SHARE_VIDEOWALL Yard']);
  expect(exports!.flatMap(({ rows }) => rows!.map(({ action }) => action)).toSorted()).toEqual([
    'SAVED_CLIP_CREATE',
    'SAVED_CLIP_DELETE',
    'SHARED_CLIP_CREATE',
    'SHARED_CLIP_DELETE',
  ]);
});

it('says what became of the case, for its organization alone', async () => {
  const { call, foreign } = fixture;
  const headers = { 'x-auth-apikey': foreign.apiKey };
  fixture.clock.advance(1);
  await call('/api/evidence/updateCase', { caseUuid, notes: 'At night' });
  fixture.clock.advance(1);
  await call('/api/evidence/createCaseLink', { caseUuid });
  await call('/api/evidence/createCase', { title: 'Another' }, headers);
  const { 'history.json': history } = await texts();
  expect(actionsOf([history as unknown as { rows: Row[] }])).toEqual([
    ['SHARED_CLIP_CREATE', 'CASE_UPDATE', 'CASE_CREATE'],
  ]);
});
