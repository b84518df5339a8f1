/**
 * The contents of the tables after every repository has stored an entity with all fields and one without optional fields. The
 * rows in `fixtures/stored-rows.json` are those of released versions: columns and encodings do not change without a migration.
 */

import { readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import { AUTOMATIC_LAYOUT } from './entities.ts';
import { openStore } from './open-store.ts';
import { resourceKind } from './resource.ts';
import {
  sampleAbsoluteSchedule,
  sampleApiKey,
  sampleCamera,
  sampleConsoleSession,
  sampleEvent,
  sampleLocation,
  sampleNvr,
  sampleOrganization,
  samplePasskey,
  samplePerson,
  sampleShare,
  sampleVideoWall,
  sampleWallShare,
  sampleWeeklySchedule,
} from './sample-entities-fixture.ts';
import { DatabaseConnection } from './sqlite/database-connection.ts';
import { connectLocally, openLocalDatabase } from './sqlite/local-database-fixture.ts';
import type { Store } from './store.ts';

const FIXTURE = new URL('./fixtures/stored-rows.json', import.meta.url);

type Rows = Readonly<Record<string, readonly object[]>>;

const id = (name: string): Ruuid => deriveRuuid('stored-rows', name);
const org = id('organization');
const shop = id('shop');
const key = id('key');
const ROOM = { atMost: 9, full: () => new Error('full') };
const hash = (digit: string): string => digit.repeat(64);

it('stores every entity in the same columns, with the same encodings, as released versions', async () => {
  const { database, store, close } = await open();
  await saveAccounts(store);
  await saveDevices(store);
  await saveSharing(store);
  await saveOAuth(store);
  await saveRecordings(store);
  await saveReports(store);
  const expected = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Rows;
  expect(rowsOf(database, Object.keys(expected))).toEqual(expected);
  await close();
});

it('names the table and the column of a field that cannot be read', async () => {
  const { database, store, close } = await open();
  await store.organizations.save(sampleOrganization({ uuid: org }));
  await store.videoWalls.save(sampleVideoWall(org));
  database.exec(`update video_walls set cameras_json = '[{"s3cret'`);
  const failure = await store.videoWalls.list(org).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 'STORE_FIELD_DAMAGED',
    context: { table: 'video_walls', column: 'cameras_json' },
  });
  await close();
});

async function open() {
  const database = openLocalDatabase();
  const connection = new DatabaseConnection(database, null, () => undefined);
  const store = await openStore({
    kind: 'sqlite-port',
    port: connectLocally(connection),
    path: ':memory:',
    fieldKey: Buffer.alloc(32, 7),
    clock: new FakeClock(),
  });
  const close = async () => {
    await store.close();
    connection.close();
  };
  return { database, store, close };
}

async function saveAccounts(store: Store): Promise<void> {
  await store.organizations.save(sampleOrganization({ uuid: shop, name: 'Shop' }));
  await store.organizations.save(
    sampleOrganization({ uuid: org, partnerUuid: shop, cameraNetworks: ['10.0.0.0/8', 'fd00::/8'] }),
  );
  await store.apiKeys.save(sampleApiKey(org, { uuid: key, keyHash: hash('a') }));
  await store.apiKeys.save(
    sampleApiKey(org, { uuid: id('device'), scheme: 'device', keyHash: hash('b'), revokedAtMs: 5 }),
  );
  const ada = samplePerson(org, { uuid: id('ada'), email: 'Ada@Example.com ', lastSignInAtMs: 7 });
  await store.people.save(ada);
  await store.people.save(
    samplePerson(org, {
      uuid: id('bob'),
      email: null,
      passwordHash: null,
      disabled: true,
      scope: { locationUuids: [shop], cameraUuids: [] },
    }),
  );
  const provider = { subject: id('subject'), session: id('session'), issuedAtSec: 1_770_000_000 };
  await store.consoleSessions.save(
    sampleConsoleSession(ada, { uuid: id('at provider'), tokenHash: hash('c'), method: 'oidc', provider }),
  );
  await store.consoleSessions.save(
    sampleConsoleSession(ada, { uuid: id('own'), tokenHash: hash('d'), userAgent: null }),
  );
  await store.passkeys.save(
    samplePasskey(ada, { uuid: id('used'), credentialId: 'used', counter: 3, lastUsedAtMs: 8 }),
  );
  await store.passkeys.save(
    samplePasskey(ada, {
      uuid: id('unused'),
      credentialId: 'unused',
      transports: [],
      isSynced: false,
      isBackedUp: false,
    }),
  );
  const challenge = { browserHash: hash('e'), address: '192.0.2.7', expiresAtMs: 99 };
  const bounds = { perAddress: 9, total: 9 };
  await store.passkeyChallenges.add(
    { ...challenge, challengeHash: hash('1'), purpose: 'confirm', subjectUuid: ada.uuid },
    1,
    bounds,
  );
  await store.passkeyChallenges.add(
    { ...challenge, challengeHash: hash('2'), purpose: 'sign-in', subjectUuid: null },
    1,
    bounds,
  );
}

async function saveDevices(store: Store): Promise<void> {
  const site = id('site');
  await store.locations.save(
    sampleLocation(org, {
      uuid: site,
      address2: 'Floor 2',
      labels: ['b', 'a "ü"'],
      policyUuid: id('policy'),
    }),
  );
  await store.locations.save(
    sampleLocation(org, {
      uuid: id('room'),
      latitude: null,
      longitude: null,
      address1: null,
      postalCode: null,
      countryCode: null,
      parentUuid: site,
      fromConfig: true,
    }),
  );
  const nvr = sampleNvr(org, { uuid: id('nvr'), locationUuid: site, mummified: true });
  await store.nvrs.save(nvr);
  await store.nvrs.save(sampleNvr(org, { uuid: id('bare nvr'), serialNumber: null, fromConfig: true }));
  await store.cameras.save(
    sampleCamera(org, { uuid: id('camera'), locationUuid: site, nvrUuid: nvr.uuid, fromConfig: false }),
  );
  await store.cameras.save(
    sampleCamera(org, {
      uuid: id('bare camera'),
      kind: 'doorbell',
      substreamUrl: null,
      onvifUrl: null,
      engine: 'ffmpeg',
      transport: 'udp',
      audio: 'off',
      tls: 'verify',
      clock: 'arrival',
      mummified: true,
    }),
  );
}

async function saveSharing(store: Store): Promise<void> {
  const weekly = sampleWeeklySchedule(org, { uuid: id('weekly') });
  await store.schedules.save(weekly);
  await store.schedules.save(sampleAbsoluteSchedule(org, { uuid: id('absolute') }));
  await store.schedules.save({
    uuid: id('relative'),
    orgUuid: org,
    name: 'Last hour',
    mutable: true,
    oneTimeUse: false,
    createdAtMs: 1,
    updatedAtMs: 2,
    strategy: 'REALTIME_RELATIVE_SECONDS',
    pastSeconds: 3_600,
  });
  await store.shares.save(
    sampleShare(org, {
      uuid: id('share'),
      cameraUuid: id('camera'),
      audioGatewayUuid: `${id('microphone')}.a0`,
      cdn: true,
      scheduleUuid: weekly.uuid,
      invertSchedule: true,
      vodEnabled: true,
      ssoProtected: true,
    }),
  );
  await store.shares.save(
    sampleShare(org, {
      uuid: id('bare share'),
      cameraUuid: id('camera'),
      cameraFacet: '',
      includeAudio: false,
      expiresAtSec: null,
      passwordHash: null,
    }),
  );
  await store.shares.save(
    sampleShare(org, { uuid: id('uncached share'), cameraUuid: id('camera'), cdn: false }),
  );
  const cameras = [
    { cameraUuid: id('camera'), facet: 'v0', addedAtMs: 3 },
    { cameraUuid: id('bare camera'), facet: '', addedAtMs: 4 },
  ];
  const wall = sampleVideoWall(org, { uuid: id('wall'), cameras, ownerUserUuid: id('ada') });
  await store.videoWalls.save(wall);
  await store.videoWalls.save(
    sampleVideoWall(org, {
      uuid: id('bare wall'),
      cameras: [],
      layout: AUTOMATIC_LAYOUT,
      ownerUserUuid: null,
      othersCanEdit: false,
      isShared: false,
      settings: {},
    }),
  );
  await store.wallShares.save(
    sampleWallShare(org, wall.uuid, {
      uuid: id('wall share'),
      scheduleUuid: weekly.uuid,
      invertSchedule: true,
      vodEnabled: true,
      deviceSchedules: {
        [id('camera')]: { scheduleUuid: null, invertSchedule: true, unscheduledMessage: 'Later.' },
      },
    }),
  );
  await store.wallShares.save(
    sampleWallShare(org, wall.uuid, {
      uuid: id('bare wall share'),
      expiresAtSec: null,
      scheduleUuid: null,
      unscheduledMessage: null,
      deviceSchedules: {},
      passwordHash: null,
    }),
  );
  const ended = { orgUuid: org, linkUuid: id('share'), untilMs: 50 };
  await store.endedViews.put(
    [
      { ...ended, kind: 'viewer', subject: 'viewer-1' },
      { ...ended, kind: 'address', subject: '192.0.2.0' },
    ],
    1,
  );
}

async function saveOAuth(store: Store): Promise<void> {
  const client = id('client');
  const times = { createdAtMs: 1, updatedAtMs: 2 };
  await store.oauthApplications.save({
    uuid: client,
    orgUuid: org,
    name: 'Dashboard',
    description: 'Shows cameras',
    ...times,
    contactEmail: 'dev@example.com',
    redirectUri: 'https://app.example/',
    secretHash: hash('f'),
  });
  await store.oauthApplications.save({
    uuid: id('public client'),
    orgUuid: org,
    name: 'App',
    description: null,
    ...times,
    contactEmail: null,
    redirectUri: 'app://back',
    secretHash: null,
  });
  const grant = { orgUuid: org, clientUuid: client, keyUuid: key, keyOrgUuid: org, createdAtMs: 3 };
  const code = { kind: 'code', expiresAtMs: 20, usedAtMs: null } as const;
  const first = {
    ...grant,
    uuid: id('grant'),
    codeChallenge: 'challenge',
    redirectUri: 'https://app.example/',
  };
  await store.oauthGrants.begin(first, { ...code, tokenHash: hash('3'), grantUuid: first.uuid }, ROOM);
  const second = { ...grant, uuid: id('bare grant'), codeChallenge: 'other', redirectUri: null };
  await store.oauthGrants.begin(second, { ...code, tokenHash: hash('4'), grantUuid: second.uuid }, ROOM);
  await store.oauthGrants.exchange(hash('3'), 10, [
    { tokenHash: hash('5'), grantUuid: first.uuid, kind: 'access', expiresAtMs: 30, usedAtMs: null },
  ]);
}

async function saveRecordings(store: Store): Promise<void> {
  const stream = { cameraUuid: id('camera'), rendition: 'main' } as const;
  const numbering = { nextMediaSequenceNumber: 128, nextDiscontinuitySequence: 2 };
  await store.streamLedger.save({ ...stream, ...numbering, initFingerprint: 'abc' });
  await store.streamLedger.save({ ...stream, rendition: 'main-audio', ...numbering, initFingerprint: null });
  const times = { startMs: 10, endMs: 20, byteLength: 300 };
  await store.recordings.save({ ...stream, number: 1, ...times, segments: '[1]' });
  await store.recordings.save({ ...stream, number: 2, ...times, segments: '[2]', purpose: 'shares' });
  await store.recordings.save({ ...stream, number: 3, ...times, segments: '[3]', purpose: 'camera' });
  const run = { nodeId: 'node-1', runId: id('run') };
  await store.recordingBlocks.reserve(stream, run, 10, 100);
  await store.clusterLeases.claim(stream.cameraUuid, run, null);
  await store.clusterLeases.rely({ ...run, address: '10.0.0.1:8000', beat: 4, aliveMs: 9_000 });
  await store.gatewayRuns.note({ uuid: id('process'), startedAtMs: 1, lastSeenAtMs: 2 });
  const upload = {
    orgUuid: org,
    keyUuid: key,
    cameraUuid: stream.cameraUuid,
    fileType: 'mp4',
    startMs: 5,
    byteLength: 1_000,
    createdAtMs: 6,
    updatedAtMs: 7,
  };
  await store.uploads.save({
    ...upload,
    uuid: id('upload'),
    clipId: 'clip-1',
    title: 'Door',
    sha256: hash('6'),
    syncedBytes: 1_000,
    state: 'done',
    refusal: null,
    recordingNumber: 4,
    durationMs: 1_500,
    nodeId: 'node-1',
  });
  await store.uploads.save({
    ...upload,
    uuid: id('refused'),
    clipId: 'clip-2',
    title: '',
    sha256: null,
    syncedBytes: 0,
    state: 'refused',
    refusal: 'UPLOAD_X',
    recordingNumber: null,
    durationMs: null,
    nodeId: '',
  });
}

async function saveReports(store: Store): Promise<void> {
  const device = id('camera');
  store.events.follow(() => undefined);
  await store.events.add([
    sampleEvent(org, { id: 'plain', deviceUuid: device }),
    sampleEvent(org, {
      kind: 'policyAlert',
      id: 'alert',
      deviceUuid: device,
      locationUuid: id('site'),
      reporterUuid: key,
      acknowledgement: { note: 'seen', actorName: 'Ada', actorUuid: id('ada'), atMs: 9 },
      taking: { actorName: 'Ada', actorUuid: id('ada'), atMs: 8 },
    }),
  ]);
  const facet = { deviceUuid: device, facet: 'v0' };
  await store.crossings.add(org, [
    { ...facet, id: 'in', atMs: 1_000, object: 'HUMAN', direction: 'INGRESS', objectId: 7 },
    { ...facet, id: 'out', atMs: 2_000, object: 'VEHICLE', direction: 'EGRESS', objectId: 8 },
  ]);
  await store.occupancy.add(org, [{ ...facet, id: 'count', atMs: 3_000, count: 12 }]);
  const viewer = {
    type: 'USER',
    uuid: id('ada'),
    name: 'Ada',
    sourceIp: '192.0.2.7',
    userAgent: 'X',
  } as const;
  const stranger = { type: 'UNKNOWN', uuid: null, name: '', sourceIp: null, userAgent: null } as const;
  await store.audit.add([
    {
      uuid: id('view'),
      orgUuid: org,
      atMs: 11,
      action: 'VIEW_CAMERA_LIVE',
      principal: viewer,
      targetUuid: device,
      targetName: 'Lobby',
      repeated: { occurrences: 3, lastAtMs: 12 },
    },
    {
      uuid: id('change'),
      orgUuid: org,
      atMs: 13,
      action: 'DEVICE_UPDATE',
      principal: stranger,
      targetUuid: device,
      targetName: '',
    },
  ]);
  const times = { createdAtMs: 1, updatedAtMs: 2 };
  await store.resources.of(resourceKind('door')).save({
    uuid: id('door'),
    orgUuid: org,
    name: 'Front',
    parentUuid: id('site'),
    ...times,
    body: { b: 1, a: [true, null] },
    secret: new Secret('pin'),
  });
  await store.resources.of(resourceKind('webhook')).save({
    uuid: id('webhook'),
    orgUuid: org,
    name: '',
    parentUuid: null,
    ...times,
    body: { url: 'https://hooks.example/', isUsedByRules: true },
    secret: null,
  });
}

/** All rows in a fixed order. Encrypted values differ each time. */
function rowsOf(database: DatabaseSync, tables: readonly string[]): Rows {
  return Object.fromEntries(
    tables.map((table) => {
      const rows = database.prepare(`select * from ${table}`).all();
      const texts = rows.map((row) =>
        JSON.stringify(row, (name, value: unknown) =>
          name.endsWith('_encrypted') && value !== null ? 'encrypted' : value,
        ),
      );
      return [table, texts.sort().map((text) => JSON.parse(text) as object)];
    }),
  );
}
