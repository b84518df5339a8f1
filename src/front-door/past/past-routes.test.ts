import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../core/eventually-fixture.ts';
import { LIMITS } from '../../core/limits/registry.ts';
import { FakePastMedia } from '../../playback/fake-past-media.ts';
import { FIXTURE_EPOCH_MS } from '../../sharing/sharing-fixture.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import type { Share } from '../../store/entities.ts';
import { sampleApiKey } from '../../store/sample-entities-fixture.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';

const KEY_TEXT = 'slc_key-of-the-harbour';
const BY_KEY = { 'x-auth-scheme': 'api-token', 'x-auth-apikey': KEY_TEXT };
const NOW_SEC = FIXTURE_EPOCH_MS / 1_000;
/** Ten seconds, in five segments. */
const RANGE = `vod/${NOW_SEC}/10/`;

let media: FakePastMedia;
let door: FrontDoorFixture;
let opened: string[];

beforeEach(async () => {
  media = new FakePastMedia();
  media.recordRun(FIXTURE_EPOCH_MS, 5);
  opened = [];
  door = await openFrontDoorFixture({
    pastMedia: media,
    onDeviceOpened: ({ device, isPast }) => void opened.push(`${device.uuid} ${isPast}`),
  });
  const key = sampleApiKey(door.sharing.orgUuid, { keyHash: hashApiKey(KEY_TEXT) });
  await door.sharing.store.apiKeys.save(key);
});
afterEach(() => door.close());

/** A share that exists since the recording began, an hour later. */
async function pastShare(fields: object = {}): Promise<{ share: Share; folder: string }> {
  const share = await door.share({ vodEnabled: true, ...fields });
  door.sharing.clock.advance(60_000);
  return { share, folder: await door.openShare(share) };
}

/** Reads wait until the returned function is called. */
function holdReads(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  media.gate = promise;
  return resolve;
}

const readsBegin = (count: number) => eventually('reads begin', () => media.reads.length >= count);

describe('the past for viewers with a grant', () => {
  it('is a playlist, a manifest, and their media', async () => {
    const { folder } = await pastShare();
    const playlist = await door.get(`${folder}${RANGE}file.m3u8`);
    expect([playlist.statusCode, playlist.headers['content-type']]).toEqual([
      200,
      'application/vnd.apple.mpegurl',
    ]);
    expect(playlist.body.match(/^seg_\d+\.m4v$/gm)?.length).toBe(5);
    expect((await door.get(`${folder}${RANGE}stream.m3u8`)).body).toContain('seg_1.mp4');
    expect((await door.get(`${folder}${RANGE}file.mpd`)).headers['content-type']).toBe(
      'application/dash+xml',
    );
    const segment = await door.get(`${folder}${RANGE}seg_2.m4v`);
    expect([segment.statusCode, segment.headers['content-type'], segment.body.slice(8, 20)]).toEqual([
      200,
      'video/mp4',
      'file-0@11000',
    ]);
    expect((await door.get(`${folder}${RANGE}video/seg_2.m4v`)).body).toMatch(/^.{4}freetrack 1 /);
    const audio = await door.get(`${folder}${RANGE}audio/seg_2.m4a`);
    expect([audio.headers['content-type'], audio.body.slice(8, 16)]).toEqual(['audio/mp4', 'track 2 ']);
    expect((await door.get(`${folder}${RANGE}seg_init.mp4`)).rawPayload.toString('latin1', 4, 8)).toBe(
      'ftyp',
    );
    for (const name of ['seg_6.m4v', 'seg_0.m4v', 'seg_init_2.mp4', 'seg_01.m4v', 'x', 'audio/seg_9.m4a']) {
      expect((await door.get(folder + RANGE + name)).statusCode).toBe(404);
    }
  });

  it('says when there is something to see, in numbers of the epoch', async () => {
    media.recordRun(FIXTURE_EPOCH_MS + 20_000, 2);
    const { folder } = await pastShare();
    expect((await door.get(`${folder}vod/${NOW_SEC}/60/windows.json`)).json()).toEqual({
      windows: [
        { fromMs: FIXTURE_EPOCH_MS, toMs: FIXTURE_EPOCH_MS + 10_000 },
        { fromMs: FIXTURE_EPOCH_MS + 20_000, toMs: FIXTURE_EPOCH_MS + 24_000 },
      ],
      serverTimeMs: FIXTURE_EPOCH_MS + 60_000,
    });
  });

  it('says in which hours there is something to see, as [hour since the epoch, number of hours]', async () => {
    const hour = FIXTURE_EPOCH_MS / 3_600_000;
    media.beginFile();
    media.recordRun(FIXTURE_EPOCH_MS + 5 * 3_600_000 - 2_000, 2);
    const { folder } = await pastShare();
    door.sharing.clock.advance(6 * 3_600_000);
    const response = await door.get(`${folder}vod/hours.json`);
    expect(response.json()).toEqual({
      hours: [
        [hour, 1],
        [hour + 4, 2],
      ],
      serverTimeMs: FIXTURE_EPOCH_MS + 60_000 + 6 * 3_600_000,
    });
    const hidden = await door.share({ vodEnabled: false });
    const refused = await door.get(`${await door.openShare(hidden)}vod/hours.json`);
    expect([refused.statusCode, refused.json().reason]).toEqual([403, 'past-not-shared']);
    // Recorded before the share existed.
    const late = await door.share({ vodEnabled: true, createdAtMs: FIXTURE_EPOCH_MS + 6 * 3_600_000 });
    expect((await door.get(`${await door.openShare(late)}vod/hours.json`)).json().hours).toEqual([]);
  });

  it('is announced to pages that open a share, unless it does not show it', async () => {
    for (const vodEnabled of [true, false]) {
      const share = await door.share({ vodEnabled });
      const url = `/share/${door.shareToken(share)}/open`;
      const { pastUrl, playlistUrl } = (await door.inject({ method: 'POST', url })).json();
      expect(pastUrl).toBe(vodEnabled ? playlistUrl.replace('/file.m3u8', '/vod') : undefined);
    }
  });

  it('serves ranges of bytes', async () => {
    const { folder } = await pastShare();
    const part = await door.get(`${folder}${RANGE}seg_1.m4v`, { range: 'bytes=8-13' });
    expect([part.statusCode, part.body, part.headers['content-range']]).toEqual([
      206,
      'file-0',
      'bytes 8-13/1000',
    ]);
  });

  it('has no audio for a share without it, wherever it is looked for', async () => {
    const { folder } = await pastShare({ includeAudio: false });
    expect((await door.get(`${folder}${RANGE}seg_1.m4v`)).body).toMatch(/^.{4}freetrack 1 /);
    expect((await door.get(`${folder}${RANGE}seg_init.mp4`)).rawPayload.includes('mp4a')).toBe(false);
    expect((await door.get(`${folder}${RANGE}file.mpd`)).body).not.toContain('audio');
    for (const name of ['audio/seg_1.m4a', 'audio/seg_init.mp4']) {
      expect((await door.get(folder + RANGE + name)).statusCode).toBe(404);
    }
  });

  it('says what is wrong with a range', async () => {
    const { folder } = await pastShare();
    const responses = [`vod/${NOW_SEC}/-1/`, `vod/${NOW_SEC + 3_600}/5/`, `vod/${NOW_SEC}/99999999/`];
    for (const range of responses) {
      const response = await door.get(`${folder}${range}file.m3u8`);
      expect([response.statusCode, response.json().reason]).toEqual([400, 'bad-request']);
    }
    const empty = await door.get(`${folder}vod/${NOW_SEC + 30}/5/file.m3u8`);
    expect([empty.statusCode, empty.json().errorMsg]).toEqual([404, 'Nothing was recorded in this range.']);
  });

  it('is refused with a share that does not show it, and stops when the share no longer does', async () => {
    const { share, folder } = await pastShare();
    expect((await door.get(`${folder}${RANGE}seg_1.m4v`)).statusCode).toBe(200);
    door.sharing.directory.applied({
      kind: 'share',
      uuid: share.uuid,
      record: { ...share, vodEnabled: false },
    });
    for (const name of ['file.m3u8', 'file.mpd', 'seg_1.m4v', 'seg_init.mp4', 'video/seg_1.m4v']) {
      const refused = await door.get(folder + RANGE + name);
      expect([refused.statusCode, refused.json().reason]).toEqual([403, 'past-not-shared']);
    }
    // Live playback continues.
    expect((await door.get(`${folder}status`)).statusCode).toBe(200);
  });

  it('hides what the schedule hid', async () => {
    const { schedules, orgUuid } = door.sharing;
    const intervals = [{ startSec: NOW_SEC + 4, stopSec: NOW_SEC + 3_600 }];
    const { uuid: scheduleUuid } = await schedules.createAbsolute(orgUuid, {
      name: 'Later',
      oneTimeUse: true,
      intervals,
    });
    const { folder } = await pastShare({ scheduleUuid });
    expect((await door.get(`${folder}${RANGE}file.m3u8`)).body.match(/^seg_\d+/gm)).toEqual([
      'seg_3',
      'seg_4',
      'seg_5',
    ]);
    expect((await door.get(`${folder}${RANGE}seg_2.m4v`)).statusCode).toBe(404);
    expect((await door.get(`${folder}vod/${NOW_SEC}/3/file.m3u8`)).statusCode).toBe(403);
  });
});

describe('a request for the past that is being read', () => {
  it('is refused right away when the share is revoked, and gets nothing later', async () => {
    const { share, folder } = await pastShare();
    const release = holdReads();
    const waiting = door.get(`${folder}${RANGE}seg_1.m4v`);
    await readsBegin(1);
    await door.sharing.shares.remove(door.sharing.orgUuid, share.uuid);
    const refused = await waiting;
    expect([refused.statusCode, refused.json().reason]).toEqual([403, 'revoked']);
    release();
  });

  it('gets nothing when the share stops showing its past meanwhile', async () => {
    const { share, folder } = await pastShare();
    const release = holdReads();
    const waiting = door.get(`${folder}${RANGE}seg_1.m4v`);
    await readsBegin(1);
    door.sharing.directory.applied({
      kind: 'share',
      uuid: share.uuid,
      record: { ...share, vodEnabled: false },
    });
    release();
    const refused = await waiting;
    expect([refused.statusCode, refused.json().reason]).toEqual([403, 'past-not-shared']);
  });

  it('is one of a few: a viewer who asks for more is told so, and others are not', async () => {
    const { share, folder } = await pastShare();
    const release = holdReads();
    const ofViewer = LIMITS.pastRequests.levels.viewer.max;
    const first = Array.from({ length: ofViewer }, () => door.get(`${folder}${RANGE}seg_1.m4v`));
    await readsBegin(ofViewer);
    const tooMany = await door.get(`${folder}${RANGE}seg_2.m4v`);
    expect([tooMany.statusCode, tooMany.json().reason]).toEqual([503, 'busy']);
    expect(door.app.pastBudget.refused).toBe(1);
    const other = door.get(`${await door.openShare(share)}${RANGE}seg_1.m4v`);
    await readsBegin(ofViewer + 1);
    release();
    expect((await Promise.all([...first, other])).map(({ statusCode }) => statusCode)).toEqual(
      Array(ofViewer + 1).fill(200),
    );
    expect((await door.get(`${folder}${RANGE}seg_2.m4v`)).statusCode).toBe(200);
    expect([door.app.pastBudget.requests, door.app.pastBudget.bytes]).toEqual([0, 0]);
  });

  it('is 404 when retention deletes the recording', async () => {
    const { folder } = await pastShare();
    await door.get(`${folder}${RANGE}file.m3u8`);
    media.deleteFile(0);
    expect((await door.get(`${folder}${RANGE}seg_1.m4v`)).statusCode).toBe(404);
  });
});

describe('the past by credentials', () => {
  const entry = () => `/media/${door.sharing.camera.uuid}/local/${RANGE}`;

  it('leads to a grant of the caller, without waking the camera', async () => {
    door.sharing.clock.advance(60_000);
    const { body } = await door.get(`${entry()}file.m3u8`, BY_KEY);
    const path = /^(?:\.\.\/){6}(live\/[\w-]{82}\/vod\/\d+\/10\/stream\.m3u8)$/m.exec(body)![1];
    expect((await door.get(`/${path}`)).body).toContain('seg_1.mp4');
    const manifest = await door.get(`${entry()}file.mpd`, BY_KEY);
    const base = /<BaseURL>(?:\.\.\/){6}(live\/[\w-]{82}\/vod\/\d+\/10\/)<\/BaseURL>/.exec(manifest.body)![1];
    expect((await door.get(`/${base}video/seg_1.m4v`)).statusCode).toBe(200);
    expect(door.camera.status().state).toBe('idle');
    expect((await door.get(`${entry()}file.m3u8`)).statusCode).toBe(401);
  });

  it('gives the same viewer to who sends credentials with every segment', async () => {
    door.sharing.clock.advance(60_000);
    for (const name of ['seg_init.mp4', 'seg_1.m4v', 'seg_2.m4v', 'seg_3.m4v', 'seg_4.m4v', 'seg_5.m4v']) {
      expect((await door.get(entry() + name, BY_KEY)).statusCode).toBe(200);
    }
    expect(opened).toEqual([`${door.sharing.camera.uuid} true`]);
    // A viewer who watches live next is recorded as a live viewer.
    const { uuid } = door.sharing.camera;
    expect((await door.get(`/media/${uuid}/local/file.mpd`, BY_KEY)).statusCode).toBe(302);
    expect(opened).toEqual([`${uuid} true`, `${uuid} false`]);
    expect(door.sharing.sessions.size).toBe(1);
    expect((await door.get(`${entry()}other.m4v`, BY_KEY)).statusCode).toBe(404);
  });
});
