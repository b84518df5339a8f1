import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../core/limits/registry.ts';
import { FakePastMedia } from '../../playback/fake-past-media.ts';
import { MAX_SHEET_BYTES } from '../../playback/thumbnail-sheets.ts';
import { sheetName } from '../../playback/thumbnail-size.ts';
import { LIVE_MOMENTS_MS } from '../../sharing/past-access.ts';
import { FIXTURE_EPOCH_MS } from '../../sharing/sharing-fixture.ts';
import type { Share } from '../../store/entities.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';

const NOW_SEC = FIXTURE_EPOCH_MS / 1_000;
/** Twenty seconds, in ten segments. */
const RANGE = `vod/${NOW_SEC}/20/`;
const SHEET = `${RANGE}thumbnails/${sheetName(FIXTURE_EPOCH_MS, 1)}`;
const corner = (xPermyriad: number, yPermyriad: number) => ({ xPermyriad, yPermyriad });
const MASKS = [{ name: '', points: [corner(0, 0), corner(9, 0), corner(0, 9)] }];

let door: FrontDoorFixture;

beforeEach(async () => {
  const media = new FakePastMedia();
  media.recordRun(FIXTURE_EPOCH_MS, 10);
  const thumbnails = new Map([
    [10_000, Buffer.from('<first>')],
    [15_000, Buffer.from('<sixth>')],
  ]);
  door = await openFrontDoorFixture({ pastMedia: media, thumbnails: () => thumbnails });
});
afterEach(() => door.close());

/** A share that exists since the recording began, a minute later. */
async function pastShare(fields: object = {}): Promise<{ share: Share; folder: string }> {
  const share = await door.share({ vodEnabled: true, ...fields });
  door.sharing.clock.advance(60_000);
  return { share, folder: await door.openShare(share) };
}

describe('thumbnails for viewers with a grant', () => {
  it('are an image playlist, a part of the manifest, and JPEGs that no cache keeps', async () => {
    const { folder } = await pastShare();
    const playlist = await door.get(`${folder}${RANGE}thumbnails.m3u8`);
    expect([playlist.statusCode, playlist.headers['content-type']]).toEqual([
      200,
      'application/vnd.apple.mpegurl',
    ]);
    expect(playlist.body.split('\n').filter((line) => !line.startsWith('#') && line !== '')).toEqual([
      SHEET.slice(RANGE.length),
    ]);
    const manifest = await door.get(`${folder}${RANGE}file.mpd`);
    expect(manifest.body).toContain(`media="thumbnails/${sheetName(FIXTURE_EPOCH_MS, '$Number$')}"`);
    expect((await door.get(`${folder}${RANGE}beside/file.mpd`)).body).not.toContain('thumbnails');
    const sheet = await door.get(folder + SHEET);
    expect(sheet.statusCode).toBe(200);
    expect(sheet.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'x-thumbnails': `11${'0'.repeat(28)}`,
    });
    expect([sheet.body.includes('<first>'), sheet.body.includes('<sixth>')]).toEqual([true, true]);
    for (const name of [
      'x.jpg',
      '1_1.jpg',
      sheetName(FIXTURE_EPOCH_MS + 900_000, 1),
      sheetName(FIXTURE_EPOCH_MS, 2),
    ])
      expect((await door.get(`${folder}${RANGE}thumbnails/${name}`)).statusCode, name).toBe(404);
  });

  it('show what their viewer may see, and nothing before the link', async () => {
    // The last moments before it are shown.
    door.sharing.clock.advance(LIVE_MOMENTS_MS + 9_500);
    const late = await door.share({ vodEnabled: true });
    door.sharing.clock.advance(60_000);
    const sheet = await door.get((await door.openShare(late)) + SHEET);
    expect([sheet.body.includes('<first>'), sheet.body.includes('<sixth>')]).toEqual([false, true]);
    const none = await door.share({ vodEnabled: false });
    const refused = await door.get((await door.openShare(none)) + SHEET);
    expect([refused.statusCode, refused.json().reason]).toEqual([403, 'past-not-shared']);
    const unknown = await door.get(`/live/${'x'.repeat(40)}/${SHEET}`);
    expect([unknown.statusCode, unknown.json().reason]).toEqual([404, 'unknown']);
  });

  it('end with the right to see them', async () => {
    const { share, folder } = await pastShare();
    expect((await door.get(folder + SHEET)).statusCode).toBe(200);
    await door.sharing.shares.remove(door.sharing.orgUuid, share.uuid);
    const refused = await door.get(folder + SHEET);
    expect([refused.statusCode, refused.json().reason]).toEqual([403, 'revoked']);
    expect((await door.get(`${folder}${RANGE}thumbnails.m3u8`)).statusCode).toBe(403);
  });

  it('do not exist for a camera with masks', async () => {
    const { orgUuid, store, directory, camera } = door.sharing;
    await store.cameras.change(orgUuid, camera.uuid, (known) => ({ ...known!, masks: MASKS }));
    const record = { orgUuid, masks: MASKS, masksForViewers: false };
    await directory.applied({ kind: 'masks', uuid: camera.uuid, record });
    const share = await door.share({ vodEnabled: true });
    const { grants, clock } = door.sharing;
    clock.advance(60_000);
    const endsAtSec = Math.floor(clock.epochMs() / 1_000) + 600;
    const folder = `/live/${grants.issue(share.uuid, share.accessEpoch, endsAtSec)}/`;
    expect((await door.get(`${folder}${RANGE}windows.json`)).json().windows.length).toBe(1);
    for (const path of [
      SHEET,
      `${RANGE}thumbnails.m3u8`,
      `${RANGE}key-frames.m3u8`,
      `${RANGE}key-frames/seg_1.mp4`,
    ]) {
      expect((await door.get(folder + path)).statusCode, path).toBe(404);
    }
  });

  it('count as media of their viewer until they are sent', async () => {
    expect(MAX_SHEET_BYTES).toBeLessThan(LIMITS.pastBytes.total / 16);
    const { folder } = await pastShare();
    await door.get(folder + SHEET);
    await door.get(`${folder}${RANGE}thumbnails/${sheetName(FIXTURE_EPOCH_MS + 900_000, 1)}`);
    expect(door.app.pastBudget.bytes).toBe(0);
  });
});

describe('single frames for viewers with a grant', () => {
  it('are a playlist of I-frames', async () => {
    const { folder } = await pastShare();
    const { body, statusCode } = await door.get(`${folder}${RANGE}key-frames.m3u8`);
    expect(statusCode).toBe(200);
    expect(body).toContain('#EXT-X-I-FRAMES-ONLY\n');
    expect(body).toContain('#EXT-X-MAP:URI="key-frames/seg_init.mp4"\n');
    expect(body.match(/^key-frames\/seg_\d+\.mp4$/gm)?.length).toBe(10);
    const init = await door.get(`${folder}${RANGE}key-frames/seg_init.mp4`);
    expect(init.rawPayload.toString('latin1', 4, 8)).toBe('ftyp');
    expect((await door.get(`${folder}${RANGE}key-frames/seg_11.mp4`)).statusCode).toBe(404);
  });
});
