/** The link of a case: what it shows, its archive in pieces, and its end. */

import { generateKeyPairSync } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CASE_SEALS, CASES, type CaseBody, type SealBody } from '../../cases/case-records.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { fingerprintOf, pemOf, selfSignedCertificate } from '../../evidence/certificate.ts';
import type { SharedGroup } from '../../sharing/shared-group.ts';
import type { NewGroupRequest } from '../../sharing/shared-group-service.ts';
import { FIXTURE_EPOCH_MS } from '../../sharing/sharing-fixture.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import type { LoopbackClient } from '../loopback-client-fixture.ts';
import { filesOf } from './archive-fixture.ts';
import { SAME_READ_MS } from './recent-reads.ts';

const PAGE = '<!doctype html><title>Check a case</title>';
const EVENTS = '[{"at": "2026-01-01T00:00:00.000Z"}]\n';
const { privateKey: key, publicKey } = generateKeyPairSync('ed25519');
const certificatePem = pemOf(
  selfSignedCertificate({ commonName: 'Sluice', key, publicKey, nowEpochMs: FIXTURE_EPOCH_MS }),
);

let door: FrontDoorFixture;
let client: LoopbackClient;
let caseUuid: Ruuid;

beforeEach(async () => {
  const unread = () => Promise.reject(new Error('not read here'));
  door = await openFrontDoorFixture({
    pastMedia: {
      segments: async () => [],
      renditions: async () => ({ main: [], sub: [], areTwo: false }),
      seek: async () => null,
      pictures: async () => [],
      spans: async () => [],
      hours: async () => [],
      read: unread,
      readStored: unread,
      readTrack: unread,
      lend: unread,
    },
  });
  client = await door.listen();
  caseUuid = newRuuid();
  await saveCase('sealed');
  await saveSeal();
});
afterEach(() => door.close());

function common(uuid: Ruuid) {
  const times = { createdAtMs: FIXTURE_EPOCH_MS, updatedAtMs: FIXTURE_EPOCH_MS };
  return { uuid, orgUuid: door.sharing.orgUuid, name: 'Theft', parentUuid: null, secret: null, ...times };
}

/** `cameras`: of which it has times. */
async function saveCase(state: CaseBody['state'], cameras: readonly Ruuid[] = []): Promise<void> {
  const body: CaseBody = {
    number: '2026/17',
    notes: '',
    createdBy: 'Ada',
    createdByUuid: null,
    state,
    failureCode: null,
    sealedBy: 'Ada',
    sealedAtMs: FIXTURE_EPOCH_MS,
    items: cameras.map(timeOf),
  };
  await door.sharing.store.resources.of(CASES).save({ ...common(caseUuid), body });
}

function timeOf(cameraUuid: Ruuid): CaseBody['items'][number] {
  return {
    uuid: newRuuid(),
    cameraUuid,
    startMs: FIXTURE_EPOCH_MS,
    endMs: FIXTURE_EPOCH_MS + 1_000,
    clipUuid: null,
    cameraUuids: [cameraUuid],
    note: '',
    addedBy: 'Ada',
    addedAtMs: FIXTURE_EPOCH_MS,
    holdUuid: newRuuid(),
  };
}

async function saveSeal(): Promise<void> {
  const texts = { 'verify.html': PAGE, 'events.json': EVENTS };
  const files = Object.entries(texts).map(([name, text]) => ({
    name,
    byteLength: Buffer.byteLength(text),
    sha256Hex: name,
    crc32: crc32(text),
  }));
  const manifest = JSON.stringify({
    sealedAt: new Date(FIXTURE_EPOCH_MS).toISOString(),
    sealedBy: 'Ada',
    case: { title: 'Theft', number: '2026/17', notes: 'Two cameras.' },
    items: [
      {
        camera: { uuid: door.sharing.camera.uuid, name: 'Dock' },
        from: new Date(FIXTURE_EPOCH_MS).toISOString(),
        to: new Date(FIXTURE_EPOCH_MS + 60_000).toISOString(),
        note: 'Enters from the left.',
        files: [{ name: 'events.json' }],
      },
      { camera: null, from: null, to: null, note: '', files: [] },
    ],
  });
  const body: SealBody = {
    manifest,
    signature: 'a..b',
    certificatePem,
    timeStamp: null,
    texts,
    files,
    stretches: [],
  };
  await door.sharing.store.resources.of(CASE_SEALS).save({ ...common(caseUuid), body });
}

const share = (fields: Partial<NewGroupRequest> = {}): Promise<SharedGroup> =>
  door.sharing.groups.create(door.sharing.orgUuid, 'clip', {
    title: 'Theft',
    itemUuids: [caseUuid],
    caseUuid,
    ...fields,
  });

const tokenOf = ({ uuid }: Pick<SharedGroup, 'uuid'>) => door.sharing.groupTokens.tokenOf(uuid);

/** The path under which a recipient's files are, without a trailing slash. */
async function opened(group: SharedGroup): Promise<string> {
  const response = await door.inject({ method: 'POST', url: `/clips/${tokenOf(group)}/open`, payload: {} });
  return (response.json() as { itemsUrl: string }).itemsUrl.slice('/video'.length, -'/items'.length);
}

const statusOf = async (path: string) => (await client.get(path)).statusCode;

describe('the link of a case', () => {
  it('shows what the signed archive contains, who sealed it, and the fingerprint of its key', async () => {
    const folder = await opened(await share());
    const {
      case: shown,
      items,
      title,
    } = (await door.get(`${folder}/items`)).json() as Record<string, unknown>;
    const archive = await client.get(`${folder}/case.zip`);
    expect({ title, items }).toEqual({ title: 'Theft', items: [] });
    expect(shown).toEqual({
      sealed: {
        number: '2026/17',
        notes: 'Two cameras.',
        sealedAtMs: FIXTURE_EPOCH_MS,
        sealedBy: 'Ada',
        fingerprint: fingerprintOf(certificatePem),
        archiveBytes: archive.body.length,
        isWithheld: false,
        archiveUrl: 'case.zip',
        verifyUrl: 'verify.html',
        items: [
          {
            camera: 'Dock',
            fromMs: FIXTURE_EPOCH_MS,
            toMs: FIXTURE_EPOCH_MS + 60_000,
            note: 'Enters from the left.',
            files: 1,
            byteLength: EVENTS.length,
          },
          { camera: null, fromMs: null, toMs: null, note: '', files: 0, byteLength: 0 },
        ],
      },
    });
  });

  it('has the page that checks the archive as a file, which browsers do not open here', async () => {
    const page = await client.get(`${await opened(await share())}/verify.html`);
    expect([page.statusCode, String(page.body)]).toEqual([200, PAGE]);
    expect(page.headers).toMatchObject({
      'content-disposition': expect.stringMatching(/^attachment; filename="verify.html"/),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });

  it('sends the archive again from where a download broke off, as long as it is the same', async () => {
    const address = `${await opened(await share())}/case.zip`;
    const whole = await client.get(address);
    expect(whole.headers['accept-ranges']).toBe('bytes');
    const etag = String(whole.headers.etag);
    const rest = await client.get(address, { range: 'bytes=100-', 'if-range': etag });
    expect(rest.statusCode).toBe(206);
    expect(Buffer.concat([whole.body.subarray(0, 100), rest.body]).equals(whole.body)).toBe(true);
    expect([...(await filesOf(whole.body)).keys()]).toEqual([
      'manifest.json',
      'manifest.jws',
      'verify.html',
      'events.json',
    ]);
    const other = await client.get(address, { range: 'bytes=100-', 'if-range': '"another"' });
    expect([other.statusCode, other.body.length]).toEqual([200, whole.body.length]);
  });

  it('leads to the archive without a page, if it has no password', async () => {
    const saving = await client.get(`/clips/${tokenOf(await share())}/download`);
    expect([saving.statusCode, saving.headers.location]).toEqual([
      302,
      expect.stringMatching(/\/case\.zip$/),
    ]);
    const guarded = await share({ password: 'Correct horse' });
    expect(await statusOf(`/clips/${tokenOf(guarded)}/download`)).toBe(401);
  });

  it.each(['open', 'sealing', 'failed'] as const)('shows nothing of a case that is %s', async (state) => {
    await saveCase(state);
    const folder = await opened(await share());
    expect((await door.get(`${folder}/items`)).json()).toMatchObject({ items: [], case: { sealed: null } });
    expect([await statusOf(`${folder}/case.zip`), await statusOf(`${folder}/verify.html`)]).toEqual([
      404, 404,
    ]);
  });

  it('reads the case once for many requests, and again a moment later', async () => {
    const folder = await opened(await share());
    const sealedOf = async () =>
      ((await door.get(`${folder}/items`)).json() as { case: { sealed: object | null } }).case.sealed;
    expect(await sealedOf()).not.toBeNull();
    await saveCase('sealing');
    door.sharing.clock.advance(SAME_READ_MS - 1);
    expect(await sealedOf()).not.toBeNull();
    door.sharing.clock.advance(1);
    expect(await sealedOf()).toBeNull();
  });

  it('ends with its revocation, and reaches no other case and no clip', async () => {
    const group = await share();
    const folder = await opened(group);
    expect(await statusOf(`${folder}/${caseUuid}/${caseUuid}.mp4`)).toBe(404);
    await door.sharing.groups.remove(door.sharing.orgUuid, 'clip', group.uuid);
    for (const name of ['items', 'case.zip', 'verify.html']) {
      expect([name, await statusOf(`${folder}/${name}`)]).toEqual([name, 403]);
    }
    const elsewhere = await share({ itemUuids: [newRuuid()], caseUuid: newRuuid() });
    expect(await statusOf(`${await opened(elsewhere)}/case.zip`)).toBe(404);
  });

  it('of clips has no page that checks anything', async () => {
    const clips = await door.sharing.groups.create(door.sharing.orgUuid, 'clip', { itemUuids: [newRuuid()] });
    const folder = await opened(clips);
    expect(await statusOf(`${folder}/verify.html`)).toBe(404);
    expect((await door.get(`${folder}/items`)).json()).not.toHaveProperty('case');
  });
});

it('the archive of a camera with masks is withheld, unless the link shows what they cover', async () => {
  const { camera, orgUuid, store } = door.sharing;
  await saveCase('sealed', [camera.uuid]);
  const folder = await opened(await share());
  const covered = `${folder}/case.zip`;
  expect(await statusOf(covered)).toBe(200);
  const corner = (xPermyriad: number, yPermyriad: number) => ({ xPermyriad, yPermyriad });
  const masks = [{ name: '', points: [corner(0, 0), corner(9, 0), corner(0, 9)] }];
  await store.cameras.change(orgUuid, camera.uuid, (known) => ({ ...known!, masks }));
  expect(await statusOf(covered)).toBe(404);
  const listed = (await door.get(`${folder}/items`)).json();
  expect(listed).toMatchObject({ case: { sealed: { isWithheld: true } } });
  expect(await statusOf(`${await opened(await share({ showsUnmasked: true }))}/case.zip`)).toBe(200);
});
