/** Longer than 500 lines: shared groups have one door, whose lists, archives, and downloads end together. */

import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CLIP_FILES,
  CLIP_JOBS,
  clipFileName,
  clipFileUuid,
  clipImageName,
} from '../../clips/clip-records.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { SAVED_CLIPS, type SavedClipBody } from '../../events/saved-clips.ts';
import type { PastMedia } from '../../playback/recorded-media.ts';
import type { SharedGroup } from '../../sharing/shared-group.ts';
import type { NewGroupRequest } from '../../sharing/shared-group-service.ts';
import { ATTEMPTS_PER_MINUTE, FIXTURE_EPOCH_MS, GRANT_LIFETIME_MS } from '../../sharing/sharing-fixture.ts';
import { noteRemovedMasks } from '../../store/removed-masks.ts';
import { sampleCamera, sampleLocation } from '../../store/sample-entities-fixture.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import type { LoopbackClient } from '../loopback-client-fixture.ts';

const PASSWORD = 'Correct horse';
const CLIP_BYTES = Buffer.alloc(1_500_000, 'the bytes of a clip. ');
const IMAGE = Buffer.from('an image of the dock');

let door: FrontDoorFixture;
let client: LoopbackClient;
/** Reads wait for it. */
let readable: Promise<void>;
let reads: number;
/** Blocks that were not given back. */
let loans: number;
let deleted: Set<string>;
let percent: number | null;
/** Until then, a file that is encoded does not end. */
let encoding: Promise<void>;

beforeEach(async () => {
  readable = Promise.resolve();
  [reads, loans, deleted, percent] = [0, 0, new Set(), null];
  encoding = Promise.resolve();
  const unrequested = () => Promise.reject(new Error('not asked for'));
  const pastMedia: PastMedia = {
    segments: async () => [],
    renditions: async () => ({ main: [], sub: [], areTwo: false }),
    seek: async () => null,
    pictures: async () => [],
    spans: async () => [],
    hours: async () => [],
    read: unrequested,
    readStored: () => Promise.reject(new Error('not read here')),
    readTrack: unrequested,
    lend: async (name, offset, length) => {
      reads++;
      await readable;
      if (deleted.has(name)) throw new Error('no such file');
      loans++;
      const bytes = name.endsWith('.jpeg') ? IMAGE : CLIP_BYTES;
      return { bytes: bytes.subarray(offset, offset + length), release: () => void loans-- };
    },
  };
  door = await openFrontDoorFixture({
    pastMedia,
    itemProgress: async (_kind, uuids) => uuids.map(() => percent),
    async *encodeFile({ source, masks }) {
      for await (const { release } of source.read(0, source.byteLength)) release();
      yield Buffer.from('encoded ');
      await encoding;
      yield Buffer.from(`with ${masks?.length ?? 0} masks`);
    },
  });
  client = await door.listen();
});
afterEach(async () => {
  await expect.poll(() => loans).toBe(0);
  await door.close();
});

const corner = (xPermyriad: number, yPermyriad: number) => ({ xPermyriad, yPermyriad });
const MASKS = [{ name: '', points: [corner(0, 0), corner(9, 0), corner(0, 9)] }];

/** A clip of the fixture's camera, and of further ones. */
async function newClip(fields: Partial<SavedClipBody> = {}, cameras = [door.sharing.camera]): Promise<Ruuid> {
  const { store, orgUuid } = door.sharing;
  const uuid = newRuuid();
  const common = {
    orgUuid,
    name: '',
    secret: null,
    createdAtMs: FIXTURE_EPOCH_MS,
    updatedAtMs: FIXTURE_EPOCH_MS,
  };
  const body: SavedClipBody = {
    reportedId: null,
    deviceUuids: cameras.map((camera) => camera.uuid),
    locationUuid: null,
    timestampMs: FIXTURE_EPOCH_MS,
    durationSec: 2,
    status: 'COMPLETE',
    title: 'Dock "3"',
    ...fields,
  };
  if (body.status === 'COMPLETE') {
    for (const { uuid: cameraUuid } of cameras) {
      await store.resources.of(CLIP_FILES).save({
        ...common,
        uuid: clipFileUuid(uuid, cameraUuid),
        parentUuid: uuid,
        body: {
          device: cameraUuid,
          cameraUuid,
          name: clipFileName(uuid, cameraUuid),
          ...stored(CLIP_BYTES),
          image: { name: clipImageName(uuid, cameraUuid), ...stored(IMAGE) },
          durationMs: 2_000,
          startEpochMs: FIXTURE_EPOCH_MS,
          endEpochMs: FIXTURE_EPOCH_MS + 2_000,
          widthPx: 640,
          heightPx: 360,
        },
      });
    }
  } else {
    await store.resources.of(CLIP_JOBS).save({
      ...common,
      uuid,
      parentUuid: null,
      body: {
        devices: [],
        fromMs: FIXTURE_EPOCH_MS,
        toMs: FIXTURE_EPOCH_MS + 2_000,
        hasAudio: true,
        failureCode: body.status === 'FAILED' ? 'RANGE_EMPTY' : null,
      },
    });
  }
  await store.resources.of(SAVED_CLIPS).save({ ...common, uuid, parentUuid: null, body });
  return uuid;
}

function stored(bytes: Buffer) {
  return { byteLength: bytes.length, sha256Hex: createHash('sha256').update(bytes).digest('hex') };
}

const share = (itemUuids: readonly Ruuid[], fields: Partial<NewGroupRequest> = {}): Promise<SharedGroup> =>
  door.sharing.groups.create(door.sharing.orgUuid, 'clip', { title: 'Tuesday', itemUuids, ...fields });

const tokenOf = ({ uuid }: Pick<SharedGroup, 'uuid'>) => door.sharing.groupTokens.tokenOf(uuid);

const open = (group: Pick<SharedGroup, 'uuid'>, password: string | null = null) =>
  door.inject({
    method: 'POST',
    url: `/clips/${tokenOf(group)}/open`,
    payload: password === null ? {} : { password },
  });

/** The path under which a viewer's files are, without a trailing slash. */
async function opened(group: SharedGroup, password: string | null = null): Promise<string> {
  const { itemsUrl } = (await open(group, password)).json() as { itemsUrl: string };
  return itemsUrl.slice('/video'.length, -'/items'.length);
}

interface ShownFile {
  readonly label: string;
  readonly url: string;
  readonly byteLength: number;
  readonly imageUrl: string | null;
}

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly title?: string;
  readonly percent?: number;
  readonly files?: readonly ShownFile[];
}

async function itemsOf(folder: string): Promise<readonly Shown[]> {
  return ((await door.get(`${folder}/items`)).json() as { items: Shown[] }).items;
}

const statusOf = async (path: string) => (await client.get(path)).statusCode;

describe('a shared group of clips', () => {
  it('lists its clips in order, and delivers their files whole, in ranges and only if they changed', async () => {
    const [first, second] = [await newClip(), await newClip({ title: 'Gate' })];
    const folder = await opened(await share([second, first]));
    const list = await door.get(`${folder}/items`);
    expect(list.json()).toMatchObject({ kind: 'clip', title: 'Tuesday', expiresAtSec: null });
    expect(list.headers['cache-control']).toBe('no-store');
    const items = await itemsOf(folder);
    expect(items.map(({ id, state, title }) => [id, state, title])).toEqual([
      [second, 'ready', 'Gate'],
      [first, 'ready', 'Dock "3"'],
    ]);
    const [file] = items[1]!.files!;
    expect(file).toMatchObject({ label: door.sharing.camera.name, byteLength: CLIP_BYTES.length });
    const whole = await client.get(`${folder}/${file!.url}`);
    expect([whole.statusCode, whole.headers['content-type']]).toEqual([200, 'video/mp4']);
    expect(whole.body.equals(CLIP_BYTES)).toBe(true);
    const etag = `"${stored(CLIP_BYTES).sha256Hex}"`;
    expect(whole.headers.etag).toBe(etag);
    const part = await client.get(`${folder}/${file!.url}`, { range: 'bytes=100-199' });
    expect([part.statusCode, part.body]).toEqual([206, CLIP_BYTES.subarray(100, 200)]);
    expect((await client.get(`${folder}/${file!.url}`, { 'if-none-match': etag })).statusCode).toBe(304);
    expect((await client.get(`${folder}/${file!.url}`, { 'if-match': '"other"' })).statusCode).toBe(412);
    expect((await client.get(`${folder}/${file!.url}`, { range: 'bytes=9999999-' })).statusCode).toBe(416);
    const image = await client.get(`${folder}/${file!.imageUrl}`);
    expect([image.headers['content-type'], image.body]).toEqual(['image/jpeg', IMAGE]);
    const named = await client.get(`${folder}/${file!.url}?download`);
    expect(named.headers['content-disposition']).toMatch(
      /^attachment; filename="Dock _3_ - .+ - 2025-12-31 19\.00\.00 UTC-5\.mp4"/,
    );
  });

  it('has a file per camera, in the order of the clip, which say which camera they show', async () => {
    const { store, orgUuid, camera } = door.sharing;
    const yard = sampleCamera(orgUuid, { name: 'Yard' });
    await store.cameras.save(yard);
    const uuid = await newClip({}, [yard, camera]);
    const folder = await opened(await share([uuid]));
    const [{ files }] = (await itemsOf(folder)) as [Shown];
    expect(files!.map(({ label }) => label)).toEqual(['Yard', camera.name]);
    const named = await client.get(`${folder}/${files![0]!.url}?download`);
    expect(named.headers['content-disposition']).toMatch(
      /^attachment; filename="Dock _3_ - Yard - \d.+ UTC\.mp4"/,
    );
  });

  it('says how far a clip has come, which have failed and which were deleted', async () => {
    const making = await newClip({ status: 'INITIATING' });
    const failed = await newClip({ status: 'FAILED' });
    const folder = await opened(await share([making, failed, newRuuid()]));
    const states = async () => (await itemsOf(folder)).map(({ state, percent }) => [state, percent]);
    expect(await states()).toEqual([
      ['making', undefined],
      ['failed', undefined],
      ['deleted', undefined],
    ]);
    percent = 40;
    door.sharing.clock.advance(500);
    expect((await states())[0]).toEqual(['making', 40]);
    expect(await statusOf(`${folder}/${making}/${door.sharing.camera.uuid}.mp4`)).toBe(404);
  });
});

describe('all files of a group in one archive', () => {
  /** Names and sizes, by the archive's central directory. */
  function listed(zip: Buffer): [string, number][] {
    let at = zip.readUInt32LE(zip.length - 6);
    return Array.from({ length: zip.readUInt16LE(zip.length - 12) }, () => {
      const nameBytes = zip.readUInt16LE(at + 28);
      const entry: [string, number] = [
        zip.toString('utf8', at + 46, at + 46 + nameBytes),
        zip.readUInt32LE(at + 20),
      ];
      at += 46 + nameBytes;
      return entry;
    });
  }

  it('has each camera’s file, and a note with camera, site, zone, times, and checksum', async () => {
    const { store, orgUuid, camera } = door.sharing;
    const site = sampleLocation(orgUuid, { name: 'Warehouse', tz: 'Europe/Berlin' });
    await store.locations.save(site);
    const yard = sampleCamera(orgUuid, { name: 'Yard / north', locationUuid: site.uuid });
    await store.cameras.save(yard);
    const [first, second] = [await newClip({ title: 'Gate' }, [yard]), await newClip()];
    const making = await newClip({ title: 'Ramp', status: 'INITIATING' });
    const folder = await opened(await share([first, second, making], { description: 'Delivery' }));
    const zip = await client.get(`${folder}/case.zip`);
    expect([zip.statusCode, zip.headers['content-type']]).toEqual([200, 'application/zip']);
    expect(zip.headers['content-disposition']).toContain('filename="Tuesday.zip"');
    expect(zip.headers['accept-ranges']).toBe('none');
    expect(zip.body.length).toBe(Number(zip.headers['content-length']));
    const files = listed(zip.body);
    expect(files.slice(1)).toEqual([
      ['01 - Gate - Yard _ north - 2026-01-01 01.00.00 UTC+1.mp4', CLIP_BYTES.length],
      [`02 - Dock _3_ - ${camera.name} - 2025-12-31 19.00.00 UTC-5.mp4`, CLIP_BYTES.length],
    ]);
    const note = zip.body.toString('utf8', 38, 38 + files[0]![1]);
    expect(note).toContain('Delivery');
    expect(note).toContain('Not in this archive: Ramp (making)');
    expect(note).toContain(
      [
        'Camera: Yard / north',
        'Site: Warehouse',
        'Time zone: Europe/Berlin',
        'From: 2026-01-01 01:00:00 GMT+01:00',
        'To: 2026-01-01 01:00:02 GMT+01:00',
        `Bytes: ${CLIP_BYTES.length}`,
        `SHA-256: ${stored(CLIP_BYTES).sha256Hex}`,
      ].join('\n'),
    );
  });

  it('needs a file that is complete, and the grant of its own group', async () => {
    const making = await share([await newClip({ status: 'INITIATING' })]);
    expect(await statusOf(`${await opened(making)}/case.zip`)).toBe(404);
    expect(await statusOf(`/clips/${tokenOf(making)}/case.zip`)).toBe(404);
  });

  it('has no file of a camera with masks, unless the group shows what they cover', async () => {
    const { store, orgUuid, camera } = door.sharing;
    await store.cameras.change(orgUuid, camera.uuid, (known) => ({ ...known!, masks: MASKS }));
    const clip = await newClip();
    const statesOf = async (more: object): Promise<unknown[]> => {
      const folder = await opened(await share([clip], more));
      const { items } = JSON.parse((await client.get(`${folder}/items`)).body.toString());
      const files = [`${clip}/${camera.uuid}.mp4`, `${clip}/${camera.uuid}.jpeg`, 'case.zip'];
      return [items[0]!.state, ...(await Promise.all(files.map((file) => statusOf(`${folder}/${file}`))))];
    };
    await door.sharing.directory.settled();
    expect(await statesOf({})).toEqual(['ready', 200, 404, 404]);
    expect(await statesOf({ showsUnmasked: true })).toEqual(['ready', 200, 200, 200]);
    await noteRemovedMasks(store, (await store.cameras.find(orgUuid, camera.uuid))!, door.sharing.clock);
    await store.cameras.remove(orgUuid, camera.uuid);
    await door.sharing.directory.settled();
    expect(await statesOf({})).toEqual(['withheld', 404, 404, 404]);
  });

  it('names in its note what is missing because of masks', async () => {
    const { store, orgUuid, camera } = door.sharing;
    const yard = { ...sampleCamera(orgUuid, { name: 'Yard' }), masks: MASKS };
    await store.cameras.save(yard);
    const clip = await newClip({}, [camera, yard]);
    const { body } = await client.get(`${await opened(await share([clip]))}/case.zip`);
    expect(body.toString('latin1')).toContain('Not in this archive: Dock "3", Yard (privacy masks)');
  });
});

describe('a file that is encoded', () => {
  const fileOf = async (group: SharedGroup, clip: Ruuid) =>
    `${await opened(group)}/${clip}/${door.sharing.camera.uuid}.mp4`;

  async function setMasks(masks: typeof MASKS): Promise<void> {
    const { store, orgUuid, camera, directory } = door.sharing;
    await store.cameras.change(orgUuid, camera.uuid, (known) => ({ ...known!, masks }));
    await directory.applied({
      kind: 'masks',
      uuid: camera.uuid,
      record: { orgUuid, masks, masksForViewers: false },
    });
  }

  it('is made if its query says so, or its camera has masks', async () => {
    const clip = await newClip();
    const url = await fileOf(await share([clip]), clip);
    expect((await client.get(`${url}?video=h264`)).body.toString()).toBe('encoded with 0 masks');
    expect(await statusOf(`${url}?video=vp9`)).toBe(400);
    await setMasks(MASKS);
    for (const each of [url, `${url}?video=h264`, `${url}?video=main`]) {
      const { body, headers } = await client.get(each, { range: 'bytes=0-3' });
      expect([body.toString(), headers['accept-ranges']]).toEqual(['encoded with 1 masks', 'none']);
    }
    const [item] = await itemsOf(url.slice(0, url.indexOf(`/${clip}`)));
    expect(item!.files).toEqual([expect.objectContaining({ imageUrl: null })]);
    expect(item!.files![0]).not.toHaveProperty('byteLength');
  });

  it.each([
    ['with the earlier masks', MASKS, []],
    ['without masks', [], MASKS],
  ])('%s is cut off when the masks change', async (_title, before, after) => {
    await setMasks(before);
    const clip = await newClip();
    const url = await fileOf(await share([clip]), clip);
    const gate = Promise.withResolvers<void>();
    encoding = gate.promise;
    const cut = expect(client.get(`${url}?video=h264`)).rejects.toThrow();
    await expect.poll(() => reads).toBeGreaterThan(0);
    await setMasks(after);
    gate.resolve();
    await cut;
  });

  it('ends with its link', async () => {
    const clip = await newClip();
    const group = await share([clip]);
    const url = await fileOf(group, clip);
    const gate = Promise.withResolvers<void>();
    encoding = gate.promise;
    const cut = expect(client.get(`${url}?video=h264`)).rejects.toThrow();
    await expect.poll(() => door.sharing.groupSessions.size).toBeGreaterThan(0);
    await expect.poll(() => reads).toBeGreaterThan(0);
    await door.sharing.groups.remove(group.orgUuid, 'clip', group.uuid);
    await cut;
    gate.resolve();
  });

  it('can be saved by the link alone, if that has no password', async () => {
    const [one, two] = [await newClip(), await newClip()];
    const several = await client.get(`/clips/${tokenOf(await share([one, two]))}/download`);
    expect([several.statusCode, several.headers.location]).toEqual([
      302,
      expect.stringMatching(/^\/video\/clips\/[\w-]+\/case\.zip$/),
    ]);
    const single = await client.get(`/clips/${tokenOf(await share([one]))}/download`);
    const file = `${one}/${door.sharing.camera.uuid}.mp4?download`;
    expect(single.headers.location).toMatch(new RegExp(`/${file.replace('?', '\\?')}$`));
    const encoded = await client.get(`/clips/${tokenOf(await share([one]))}/download?video=h264`);
    expect(encoded.headers.location).toMatch(/\.mp4\?download&video=h264$/);
    const guarded = await share([one], { password: PASSWORD });
    expect(await statusOf(`/clips/${tokenOf(guarded)}/download`)).toBe(401);
  });

  it('ends when the group is deleted', async () => {
    const group = await share([await newClip()]);
    const folder = await opened(group);
    const { promise, resolve } = Promise.withResolvers<void>();
    readable = promise;
    const download = client.get(`${folder}/case.zip`).then(
      ({ statusCode }) => String(statusCode),
      () => 'broken off',
    );
    await expect.poll(() => reads).toBeGreaterThan(0);
    await door.sharing.groups.remove(door.sharing.orgUuid, 'clip', group.uuid);
    await expect.poll(() => door.app.mediaResponses.size).toBe(0);
    resolve();
    expect(await download).toBe('broken off');
  });
});

describe('the access to a shared group', () => {
  it('needs the password, and counts guesses', async () => {
    const group = await share([await newClip()], { password: PASSWORD });
    const refused = await open(group);
    expect([refused.statusCode, refused.json()]).toMatchObject([401, { reason: 'password-needed' }]);
    for (let guess = 0; guess < ATTEMPTS_PER_MINUTE; guess++) {
      expect((await open(group, `${guess}`)).json()).toMatchObject({ reason: 'password-wrong' });
    }
    expect((await open(group, PASSWORD)).json()).toMatchObject({ reason: 'too-many-attempts' });
    door.sharing.clock.advance(60_000);
    expect((await open(group, PASSWORD)).statusCode).toBe(200);
  });

  it('reaches nothing but its own files', async () => {
    const [mine, other] = [await newClip(), await newClip()];
    const folder = await opened(await share([mine]));
    const camera = door.sharing.camera.uuid;
    const grant = folder.split('/').at(-1)!;
    const path = `${folder}/${mine}/${camera}.mp4`;
    expect(await statusOf(path)).toBe(200);
    reads = 0;
    for (const wrong of [
      `${folder}/${other}/${camera}.mp4`,
      `${folder}/${mine}/${newRuuid()}.mp4`,
      `${folder}/${mine}/${camera}.gif`,
      `${folder}/${mine}/${camera}.png`,
      `${folder}/${mine}/${camera}`,
      `${folder}/${mine}/..%2F${other}%2F${camera}.mp4`,
      `${folder}/..%2F${other}/${camera}.mp4`,
      `${folder}/items/${camera}.mp4`,
      `${folder.replace(grant, `${grant.slice(0, -1)}${grant.endsWith('x') ? 'y' : 'x'}`)}/items`,
      `/clips/${tokenOf(await share([mine]))}/items`,
      `/live/${grant}/file.m3u8`,
      `/live/${grant}/poster.jpg`,
      `/live/${grant}/status`,
      `/live/${grant}/vod/1767225600/60/clip.mp4`,
      `/wall/${grant}/cameras`,
      `/media/metadata/${camera}/local/${mine}.mp4`,
    ]) {
      expect([wrong, [401, 404].includes(await statusOf(wrong))]).toEqual([wrong, true]);
    }
    expect(reads).toBe(0);
  });

  it('is not that of a camera’s share, nor the other way round', async () => {
    const group = await share([await newClip()]);
    const ofCamera = await door.share();
    const media = await door.openShare(ofCamera);
    const cameraGrant = media.split('/').at(-2)!;
    expect(await statusOf(`/clips/${cameraGrant}/items`)).toBe(404);
    const { tokens, groupTokens, wallTokens } = door.sharing;
    for (const token of [tokens.tokenOf(group.uuid), wallTokens.tokenOf(group.uuid)]) {
      const answer = await door.inject({ method: 'POST', url: `/clips/${token}/open`, payload: {} });
      expect(answer.statusCode).toBe(404);
    }
    for (const path of ['share', 'wall']) {
      const url = `/${path}/${groupTokens.tokenOf(group.uuid)}/open`;
      expect((await door.inject({ method: 'POST', url, payload: {} })).statusCode).toBe(404);
    }
    expect((await open({ uuid: newRuuid() })).json()).toMatchObject({ reason: 'revoked' });
    expect(await statusOf(`/clips/${tokenOf(group)}`)).toBe(200);
    expect(await statusOf('/clips/made-up')).toBe(404);
  });

  it('ends with the grant, and a new one is needed', async () => {
    const group = await share([await newClip()]);
    const folder = await opened(group);
    door.sharing.clock.advance(GRANT_LIFETIME_MS);
    expect((await door.get(`${folder}/items`)).json()).toMatchObject({ reason: 'grant-expired' });
  });
});

describe('a download of a shared file', () => {
  /** A download that waits for the disk, with its response; `cut` must end it. */
  async function cutBy(
    cut: (group: SharedGroup, clip: Ruuid) => unknown,
    fields: Partial<NewGroupRequest> = {},
  ) {
    const clip = await newClip();
    const group = await share([clip], fields);
    const folder = await opened(group, fields.password ?? null);
    const { promise, resolve } = Promise.withResolvers<void>();
    readable = promise;
    reads = 0;
    const download = client.get(`${folder}/${clip}/${door.sharing.camera.uuid}.mp4`).then(
      ({ statusCode }) => String(statusCode),
      () => 'broken off',
    );
    await expect.poll(() => reads).toBeGreaterThan(0);
    await cut(group, clip);
    await expect.poll(() => door.app.mediaResponses.size).toBe(0);
    resolve();
    expect(await download).toBe('broken off');
    return { folder, group };
  }

  it('ends when the group is deleted', async () => {
    const { folder, group } = await cutBy(({ uuid }) =>
      door.sharing.groups.remove(door.sharing.orgUuid, 'clip', uuid),
    );
    expect((await door.get(`${folder}/items`)).json()).toMatchObject({ reason: 'revoked' });
    expect((await open(group)).json()).toMatchObject({ reason: 'revoked' });
  });

  it('ends when the group expires', async () => {
    const { folder } = await cutBy(() => door.sharing.clock.advance(60_000), { expirationTimeSecs: 60 });
    expect((await door.get(`${folder}/items`)).json()).toMatchObject({ reason: 'expired' });
  });

  it('ends when the password changes, and so does the session', async () => {
    const { folder } = await cutBy(
      ({ uuid }) => door.sharing.groups.update(door.sharing.orgUuid, 'clip', uuid, { password: 'another' }),
      { password: PASSWORD },
    );
    expect((await door.get(`${folder}/items`)).json()).toMatchObject({ reason: 'password-needed' });
  });

  it('ends when an end is not stored yet', async () => {
    await cutBy(({ orgUuid, uuid }) => door.sharing.directory.endAccess(orgUuid, { kind: 'link', uuid }));
  });

  it('ends before the promised length when its clip is deleted, which is then said', async () => {
    const clip = await newClip();
    const folder = await opened(await share([clip]));
    const path = `${folder}/${clip}/${door.sharing.camera.uuid}.mp4`;
    deleted.add(clipFileName(clip, door.sharing.camera.uuid));
    await expect(client.get(path)).rejects.toThrow();
    await door.sharing.store.resources.of(SAVED_CLIPS).remove(door.sharing.orgUuid, clip);
    expect(await statusOf(path)).toBe(404);
    expect(await itemsOf(folder)).toMatchObject([{ state: 'deleted' }]);
  });

  it('goes on when only the title changes', async () => {
    const clip = await newClip();
    const group = await share([clip]);
    const folder = await opened(group);
    const { promise, resolve } = Promise.withResolvers<void>();
    readable = promise;
    const download = client.get(`${folder}/${clip}/${door.sharing.camera.uuid}.mp4`);
    await expect.poll(() => reads).toBeGreaterThan(0);
    await door.sharing.groups.update(door.sharing.orgUuid, 'clip', group.uuid, { title: 'Wednesday' });
    expect((await door.get(`${folder}/items`)).json()).toMatchObject({ title: 'Wednesday' });
    resolve();
    expect((await download).body.equals(CLIP_BYTES)).toBe(true);
  });
});
