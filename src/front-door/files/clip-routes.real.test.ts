import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLIP_FILES } from '../../clips/clip-records.ts';
import { type ClipRequest, Clips } from '../../clips/clips.ts';
import { silentLog } from '../../core/log.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { PolicyAlerts } from '../../events/policy-alerts.ts';
import { SAVED_CLIPS, SavedClips } from '../../events/saved-clips.ts';
import { FakeMovieThread } from '../../playback/fake-movie-thread.ts';
import { MovieMaker } from '../../playback/movie-maker.ts';
import { FPS, frameHashes, makeRecording, type TestRecording } from '../../playback/range-mp4-fixture.ts';
import type { PastMedia } from '../../playback/recorded-media.ts';
import { DecryptingStorage } from '../../recording/decrypting-storage.ts';
import { FileStorage } from '../../recording/file-storage.ts';
import { RecordingKeys } from '../../recording/recording-cipher.ts';
import { testFolder } from '../../recording/recording-fixture.ts';
import { endEpochMs } from '../../recording/segment-index.ts';
import { FIXTURE_EPOCH_MS } from '../../sharing/sharing-fixture.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import type { ApiKey } from '../../store/entities.ts';
import { sampleApiKey, sampleOrganization } from '../../store/sample-entities-fixture.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import type { LoopbackClient } from '../loopback-client-fixture.ts';

const NAME = 'recording.mp4';
const NO_LIMITS = { keepMs: Number.POSITIVE_INFINITY, maxBytes: null };
const KEY_TEXT = 'slc_key-of-the-harbour';
const FOREIGN_TEXT = 'slc_key-of-elsewhere';
const BY_KEY = { 'x-auth-scheme': 'api-token', 'x-auth-apikey': KEY_TEXT };

const IMAGE = Buffer.from('an image of the dock');
const KEYS = new RecordingKeys(Buffer.alloc(32, 3));
const RECORDING = { state: 'recording', code: null, reasons: ['always'], isForbidden: false } as const;
const BY_PROXY = { ...BY_KEY, 'x-sendfile-type': 'X-Accel-Redirect' };

let recording: TestRecording;
let door: FrontDoorFixture;
let client: LoopbackClient;
let maker: MovieMaker;
let clips: Clips;
let key: ApiKey;
/** Whether new files are. */
let isEncrypting: boolean;
let alertFields: { readonly alerts: PolicyAlerts; readonly recorded: { isRecorded: boolean } };
/** Reads wait for it. */
let gate: Promise<void>;
let reads: number;
/** Blocks that were not given back. */
let loans: number;

beforeEach(async () => {
  recording ??= await makeRecording(NAME, { seconds: 4, epochMs: FIXTURE_EPOCH_MS, size: '640x360' });
  const folder = testFolder();
  writeFileSync(join(folder, NAME), recording.bytes);
  const files = new FileStorage(folder);
  const storage = new DecryptingStorage(files, KEYS);
  const wrapping = new DecryptingStorage(files, KEYS, { isWrapping: true });
  storage.create = (name, bytes) => (isEncrypting ? wrapping : files).create(name, bytes);
  isEncrypting = false;
  gate = Promise.resolve();
  reads = 0;
  loans = 0;
  const media: PastMedia = {
    segments: async (_stream, fromMs, toMs) => {
      const { found } = recording;
      const segments = found.segments.filter((each) => each.epochMs < toMs && endEpochMs(each) > fromMs);
      return segments.length === 0 ? [] : [{ ...found, segments }];
    },
    renditions: async () => ({ main: [], sub: [], areTwo: false }),
    pictures: async () => [],
    spans: async () => [],
    hours: async () => [],
    seek: async () => null,
    lend: async (name, offset, length) => {
      reads++;
      await gate;
      const reader = await storage.open(name);
      try {
        loans++;
        const release = () => void loans--;
        return { bytes: await reader.read(offset, length), release };
      } finally {
        await reader.close();
      }
    },
    read: () => Promise.reject(new Error('not asked for')),
    readStored: () => Promise.reject(new Error('not read here')),
    readTrack: () => Promise.reject(new Error('not asked for')),
  };
  const thread = new FakeMovieThread(storage);
  door = await openFrontDoorFixture({
    pastMedia: media,
    internalFiles: '/files/',
    maker: { make: (source) => maker.make(source) },
  });
  client = await door.listen();
  const { store, clock, orgUuid } = door.sharing;
  maker = new MovieMaker({ launch: thread.launch, clock, log: silentLog });
  const recorded = { isRecorded: true };
  alertFields = { alerts: new PolicyAlerts(store), recorded };
  clips = new Clips({
    store,
    media,
    maker,
    takeImage: async () => IMAGE,
    limits: NO_LIMITS,
    alerts: {
      cameras: {
        of: async ({ deviceUuid }) => [deviceUuid],
        recording: () => (recorded.isRecorded ? RECORDING : undefined),
        isLive: () => true,
        takeLiveImage: async () => ({ bytes: IMAGE, takenAtEpochMs: FIXTURE_EPOCH_MS + 3_600_000 }),
      },
      settings: { preRollMs: 500, postRollMs: 500, perHour: 60 },
      limits: NO_LIMITS,
    },
    clock,
    log: silentLog,
  });
  clock.advance(3_600_000);
  key = sampleApiKey(orgUuid, { keyHash: hashApiKey(KEY_TEXT) });
  await store.apiKeys.save(key);
  const other = sampleOrganization();
  await store.organizations.save(other);
  await store.apiKeys.save(sampleApiKey(other.uuid, { keyHash: hashApiKey(FOREIGN_TEXT) }));
});
afterEach(async () => {
  await expect.poll(() => loans).toBe(0);
  await clips.close();
  maker.close();
  await door.close();
});

/** Frames 12 to 61. */
async function splice(startMs = FIXTURE_EPOCH_MS + 480, more: Partial<ClipRequest> = {}): Promise<Ruuid> {
  const { orgUuid, camera } = door.sharing;
  const uuid = await clips.splice(orgUuid, {
    ...more,
    devices: [`${camera.uuid}.v0`],
    startMs,
    durationSec: 2,
    hasAudio: true,
    title: 'Dock "3"',
  });
  await clips.settled();
  return uuid;
}

function pathOf(clip: string, device: string = door.sharing.camera.uuid): string {
  return `/media/metadata/${device}/local/${clip}.mp4`;
}

describe('the file of a clip', () => {
  it('is delivered by key, whole and in ranges', async () => {
    const uuid = await splice();
    const whole = await client.get(pathOf(uuid), BY_KEY);
    expect(whole.statusCode).toBe(200);
    expect(frameHashes(whole.body)).toEqual(frameHashes(recording.bytes).slice(12, 62));
    const sha256 = createHash('sha256').update(whole.body).digest('hex');
    const saved = await door.sharing.store.resources.of(SAVED_CLIPS).find(door.sharing.orgUuid, uuid);
    expect(saved?.body).toMatchObject({ sha256Hex: sha256, byteCount: whole.body.length });
    expect(whole.headers.etag).toBe(`"${sha256}"`);
    const part = await client.get(pathOf(uuid), { ...BY_KEY, range: 'bytes=100-199' });
    expect([part.statusCode, part.body]).toEqual([206, whole.body.subarray(100, 200)]);
    const known = await client.get(pathOf(uuid), { ...BY_KEY, 'if-none-match': `"${sha256}"` });
    expect(known.statusCode).toBe(304);
    const named = await client.get(`${pathOf(uuid)}?download`, BY_KEY);
    expect(named.headers['content-disposition']).toMatch(
      /^attachment; filename="Dock _3_ - .+ - \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d UTC\.mp4"; filename\*=UTF-8''Dock%20_3_/,
    );
  });

  it('has an image next to it', async () => {
    const uuid = await splice();
    const image = await client.get(pathOf(uuid).replace('.mp4', '.jpeg'), BY_KEY);
    expect([image.statusCode, image.headers['content-type'], image.body]).toEqual([200, 'image/jpeg', IMAGE]);
    const saved = await door.sharing.store.resources.of(SAVED_CLIPS).find(door.sharing.orgUuid, uuid);
    expect(saved?.body.thumbnailLocation).toEqual({ region: 'local' });
    expect((await client.get(pathOf(uuid).replace('.mp4', '.png'), BY_KEY)).statusCode).toBe(404);
    expect((await client.get(pathOf(uuid).replace('.mp4', '.jpeg'))).statusCode).toBe(401);
  });

  it('is there only for those who may see its camera, and once it is complete', async () => {
    const uuid = await splice();
    const failed = await splice(FIXTURE_EPOCH_MS + 60_000);
    const statusOf = async (path: string, headers: Record<string, string> = BY_KEY) =>
      (await client.get(path, headers)).statusCode;
    expect(await statusOf(pathOf(uuid), {})).toBe(401);
    expect(await statusOf(pathOf(uuid), { ...BY_KEY, 'x-auth-apikey': 'slc_wrong' })).toBe(401);
    expect(await statusOf(pathOf(uuid), { ...BY_KEY, 'x-auth-apikey': FOREIGN_TEXT })).toBe(404);
    expect(await statusOf(pathOf(failed))).toBe(404);
    expect(await statusOf(pathOf(newRuuid()))).toBe(404);
    expect(await statusOf(pathOf('..%2F..%2Frecording'))).toBe(404);
    expect(await statusOf(pathOf(uuid, newRuuid()))).toBe(404);
    expect(await statusOf(pathOf(uuid).replace('.mp4', ''))).toBe(404);
    expect(reads).toBe(0);
    expect(await statusOf(pathOf(uuid))).toBe(200);
    await door.sharing.store.resources.of(SAVED_CLIPS).remove(door.sharing.orgUuid, uuid);
    expect(await statusOf(pathOf(uuid))).toBe(404);
  });

  it('ends with the key in the middle of a download', async () => {
    const uuid = await splice();
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const download = client.get(pathOf(uuid), BY_KEY).then(
      ({ statusCode }) => String(statusCode),
      () => 'broken off',
    );
    await expect.poll(() => reads).toBeGreaterThan(0);
    await door.sharing.store.apiKeys.save({ ...key, revokedAtMs: door.sharing.clock.epochMs() });
    await expect
      .poll(() => {
        door.sharing.clock.advance(1_000);
        return door.app.mediaResponses.size;
      })
      .toBe(0);
    resolve();
    expect(await download).toBe('broken off');
  });
});

describe('a timelapse', () => {
  const made = async (startMs = FIXTURE_EPOCH_MS): Promise<Ruuid> => {
    const { orgUuid, camera } = door.sharing;
    const uuid = await clips.timelapses.generate(orgUuid, {
      devices: [camera.uuid],
      startMs,
      stopMs: startMs + 4_000,
      durationSec: 1,
      skipsNights: false,
      skipsWeekends: false,
      title: 'Roof',
      description: null,
    });
    await clips.settled();
    return uuid;
  };
  const keyFrames = () => frameHashes(recording.bytes).filter((_, index) => index % FPS === 0);

  it('is delivered without the name of its camera, and with it', async () => {
    const uuid = await made();
    const file = await client.get(`/media/timelapse/${uuid}.mp4`, BY_KEY);
    expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'video/mp4']);
    expect(frameHashes(file.body)).toEqual(keyFrames());
    const { statusCode, headers, body } = await client.get(pathOf(uuid), {
      ...BY_KEY,
      range: 'bytes=10-19',
    });
    expect([statusCode, headers.etag, body]).toEqual([206, file.headers.etag, file.body.subarray(10, 20)]);
    const image = await client.get(`/media/timelapse/${uuid}.jpeg`, BY_KEY);
    expect([image.statusCode, image.body]).toEqual([200, IMAGE]);
    const named = await client.get(`/media/timelapse/${uuid}.mp4?download`, BY_KEY);
    expect(named.headers['content-disposition']).toMatch(/filename="Roof - .+ UTC\.mp4"/);
  });

  it('is there only for those who may see its camera, and once it is complete', async () => {
    const uuid = await made();
    const failed = await made(FIXTURE_EPOCH_MS + 60_000);
    const statusOf = async (name: string, headers: Record<string, string> = BY_KEY) =>
      (await client.get(`/media/timelapse/${name}`, headers)).statusCode;
    const foreign = { ...BY_KEY, 'x-auth-apikey': FOREIGN_TEXT };
    const wrong = { ...BY_KEY, 'x-auth-apikey': 'slc_wrong' };
    reads = 0;
    // A caller without the right to a clip cannot tell whether it exists.
    for (const name of [`${uuid}.mp4`, `${newRuuid()}.mp4`]) {
      expect([await statusOf(name, {}), await statusOf(name, wrong), await statusOf(name, foreign)]).toEqual([
        401, 401, 404,
      ]);
    }
    for (const name of [`${failed}.mp4`, `${newRuuid()}.mp4`, uuid, '..%2F..%2Frecording.mp4']) {
      expect([name, await statusOf(name)]).toEqual([name, 404]);
    }
    expect(reads).toBe(0);
    expect(await statusOf(`${uuid}.mp4`)).toBe(200);
    await clips.timelapses.remove(door.sharing.orgUuid, [uuid]);
    expect(await statusOf(`${uuid}.mp4`)).toBe(404);
  });
});

describe('the files of an alert', () => {
  /** Raised in the middle of the recording, or now. */
  async function raise(timestampMs: number): Promise<Ruuid> {
    const { orgUuid, camera } = door.sharing;
    const uuid = newRuuid();
    const { alerts } = alertFields;
    await alerts.report(orgUuid, [{ uuid, deviceUuid: camera.uuid, timestampMs }]);
    await clips.onEvents([await alerts.find(orgUuid, uuid)]);
    await clips.settled();
    return uuid;
  }

  it('are found by the alert, with its camera and without', async () => {
    const uuid = await raise(FIXTURE_EPOCH_MS + 2_000);
    for (const path of [pathOf(uuid), `/media/metadata/local/${uuid}.mp4`]) {
      const video = await client.get(path, BY_KEY);
      expect(frameHashes(video.body)).toEqual(frameHashes(recording.bytes).slice(38, 63));
      const image = await client.get(path.replace('.mp4', '.jpeg'), BY_KEY);
      expect([image.headers['content-type'], image.body]).toEqual(['image/jpeg', IMAGE]);
      const statusOf = async (headers: Record<string, string>) =>
        (await client.get(path, headers)).statusCode;
      expect(await statusOf({})).toBe(401);
      expect(await statusOf({ ...BY_KEY, 'x-auth-apikey': FOREIGN_TEXT })).toBe(404);
    }
    expect((await client.get(pathOf(uuid, newRuuid()), BY_KEY)).statusCode).toBe(404);
    expect((await client.get(`/media/metadata/local/${newRuuid()}.jpeg`, BY_KEY)).statusCode).toBe(404);
    expect((await client.get('/media/metadata/local/x.jpeg', BY_KEY)).statusCode).toBe(404);
  });

  it('are an image alone if the camera is not recorded', async () => {
    alertFields.recorded.isRecorded = false;
    const uuid = await raise(door.sharing.clock.epochMs());
    expect((await client.get(`/media/metadata/local/${uuid}.jpeg`, BY_KEY)).body).toEqual(IMAGE);
    expect((await client.get(`/media/metadata/local/${uuid}.mp4`, BY_KEY)).statusCode).toBe(404);
    expect((await client.get(pathOf(uuid), BY_KEY)).statusCode).toBe(404);
  });

  it('are those of the saved clip, which someone can have for themselves', async () => {
    const { orgUuid, store, clock } = door.sharing;
    const uuid = await raise(FIXTURE_EPOCH_MS + 2_000);
    const savedClips = new SavedClips({ store, alerts: alertFields.alerts, clock });
    await savedClips.saveAlert(orgUuid, uuid, { userUuid: key.uuid });
    const [saved] = (await savedClips.page(orgUuid, null, 1, null)).clips;
    expect((await client.get(pathOf(saved!.uuid), BY_KEY)).statusCode).toBe(200);
  });
});

describe('a private clip', () => {
  it('is delivered to whom it belongs, and to whom it names', async () => {
    const { orgUuid, store } = door.sharing;
    const other = sampleApiKey(orgUuid, { keyHash: hashApiKey('slc_another') });
    await store.apiKeys.save(other);
    const byOther = { ...BY_KEY, 'x-auth-apikey': 'slc_another' };
    const statuses = async (uuid: string) => {
      const paths = [
        pathOf(uuid),
        pathOf(uuid).replace('.mp4', '.jpeg'),
        `/media/metadata/local/${uuid}.mp4`,
      ];
      const found: number[] = [];
      for (const headers of [BY_KEY, byOther]) {
        for (const path of paths) found.push((await client.get(path, headers)).statusCode);
      }
      return found;
    };
    const visibility = 'PRIVATE';
    const own = await splice(undefined, { userUuid: key.uuid, accessSettings: { visibility } });
    expect(await statuses(own)).toEqual([200, 200, 200, 404, 404, 404]);
    const named = { visibility, allowedUsers: [other.uuid] } as const;
    const shared = await splice(undefined, { userUuid: key.uuid, accessSettings: named });
    expect(await statuses(shared)).toEqual([200, 200, 200, 200, 200, 200]);
  });
});

describe('files that are encrypted', () => {
  it('are delivered in the clear, whole and in ranges', async () => {
    isEncrypting = true;
    const uuid = await splice();
    const whole = await client.get(pathOf(uuid), BY_KEY);
    expect(frameHashes(whole.body)).toEqual(frameHashes(recording.bytes).slice(12, 62));
    expect(whole.headers.etag).toBe(`"${createHash('sha256').update(whole.body).digest('hex')}"`);
    for (const [first, last] of [
      [0, 0],
      [15, 33],
      [whole.body.length - 5, whole.body.length - 1],
    ] as const) {
      const part = await client.get(pathOf(uuid), { ...BY_KEY, range: `bytes=${first}-${last}` });
      expect([part.statusCode, part.body]).toEqual([206, whole.body.subarray(first, last + 1)]);
    }
    expect((await client.get(pathOf(uuid).replace('.mp4', '.jpeg'), BY_KEY)).body).toEqual(IMAGE);
  });
});

describe('files that a proxy sends', () => {
  it('are named to it when the access was decided', async () => {
    const uuid = await splice();
    const { uuid: camera } = door.sharing.camera;
    const response = await client.get(`${pathOf(uuid)}?download`, BY_PROXY);
    expect([response.statusCode, response.body.length, response.headers['x-accel-redirect']]).toEqual([
      200,
      0,
      `/files/clips/${uuid}/${camera}.mp4`,
    ]);
    expect(response.headers).toMatchObject({
      'content-type': 'video/mp4',
      'cache-control': 'private, no-cache',
    });
    expect(response.headers['content-disposition']).toMatch(/filename="Dock _3_ - .+ UTC\.mp4"/);
    const image = await client.get(pathOf(uuid).replace('.mp4', '.jpeg'), BY_PROXY);
    expect(image.headers['x-accel-redirect']).toBe(`/files/clips/${uuid}/${camera}.jpeg`);
    const refused = await client.get(pathOf(uuid), { 'x-sendfile-type': 'X-Accel-Redirect' });
    expect([refused.statusCode, refused.headers['x-accel-redirect']]).toEqual([401, undefined]);
  });

  it('are sent by the gateway to those who do not ask for it', async () => {
    const uuid = await splice();
    const response = await client.get(pathOf(uuid), BY_KEY);
    expect([response.headers['x-accel-redirect'], response.body.length > 0]).toEqual([undefined, true]);
    const otherWay = await client.get(pathOf(uuid), { ...BY_KEY, 'x-sendfile-type': 'X-Sendfile' });
    expect([otherWay.headers['x-accel-redirect'], otherWay.body.length > 0]).toEqual([undefined, true]);
  });

  it('are never encrypted ones, nor any of which that is not known', async () => {
    isEncrypting = true;
    const encrypted = await splice();
    isEncrypting = false;
    const old = await splice();
    const files = door.sharing.store.resources.of(CLIP_FILES);
    const [file] = await files.listByParent(door.sharing.orgUuid, old);
    const { isPlain, ...body } = file!.body;
    expect(isPlain).toBe(true);
    await files.save({ ...file!, body });
    for (const uuid of [encrypted, old]) {
      const response = await client.get(pathOf(uuid), BY_PROXY);
      expect([response.headers['x-accel-redirect'], response.body.length > 0]).toEqual([undefined, true]);
    }
  });
});

describe('an MP4 of any time by key', () => {
  it('is what a grant gets', async () => {
    const { camera } = door.sharing;
    const range = `vod/${FIXTURE_EPOCH_MS / 1_000 + 1}/1/clip.mp4`;
    const response = await client.get(`/media/${camera.uuid}/local/${range}`, BY_KEY);
    expect(response.statusCode).toBe(200);
    expect(frameHashes(response.body)).toEqual(frameHashes(recording.bytes).slice(25, 50));
    expect((await client.get(`/media/${camera.uuid}/local/${range}`)).statusCode).toBe(401);
  });
});
