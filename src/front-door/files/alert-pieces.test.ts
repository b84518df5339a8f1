import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { FakePastMedia } from '../../playback/fake-past-media.ts';
import { FIXTURE_EPOCH_MS } from '../../sharing/sharing-fixture.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import { sampleApiKey, sampleOrganization } from '../../store/sample-entities-fixture.ts';
import { type DeviceDoor, openDeviceDoor } from '../device-door-fixture.ts';

const FOREIGN_TEXT = 'slc_key-of-elsewhere';

let media: FakePastMedia;
let device: DeviceDoor;

beforeEach(async () => {
  media = new FakePastMedia();
  media.recordRun(FIXTURE_EPOCH_MS, 30);
  device = await openDeviceDoor({ pastMedia: media });
  device.door.sharing.clock.advance(3_600_000);
});
afterEach(() => device.door.close());

/** Raised 10 s after the recording began. */
async function raise(body: object = { durationSec: 7 }): Promise<Ruuid> {
  const { store, orgUuid, camera } = device.door.sharing;
  const id = newRuuid();
  const common = { orgUuid, kind: 'policyAlert', id, deviceUuid: camera.uuid } as const;
  await store.events.add([{ ...common, atMs: FIXTURE_EPOCH_MS + 10_000, body }]);
  return id;
}

const folderOf = (alert: string) => `/media/metadata/${device.door.sharing.camera.uuid}/local/${alert}`;
const statusOf = async (path: string, headers: Readonly<Record<string, string>> = device.byKey) =>
  (await device.door.get(path, headers)).statusCode;

/** As programs fetch an alert: the init segment, and segments until there are no more. */
async function segmentCount(alert: string, headers = device.byKey): Promise<number> {
  expect(await statusOf(`${folderOf(alert)}/seg_init.mp4`, headers)).toBe(200);
  for (let number = 1; ; number++) {
    const status = await statusOf(`${folderOf(alert)}/seg_${number}.m4v`, headers);
    if (status === 200) continue;
    expect(status).toBe(404);
    return number - 1;
  }
}

describe('the pieces of an alert', () => {
  it('are those of its time, one after the other, for a single viewer', async () => {
    const alert = await raise();
    // 10 s to 17 s of segments of 2 s.
    expect(await segmentCount(alert)).toBe(4);
    expect(device.openings).toHaveLength(1);
    const manifest = (await device.door.get(`${folderOf(alert)}/clip.mpd`, device.byKey)).body;
    expect(manifest).toContain('mediaPresentationDuration="PT7S"');
    expect(manifest).toContain(`<Period id="t${FIXTURE_EPOCH_MS + 10_000}" start="PT0S" duration="PT7S">`);
    const base = /<BaseURL>(.*)<\/BaseURL>/.exec(manifest)![1]!;
    const { pathname } = new URL(`${base}video/seg_1.m4v`, `http://door${folderOf(alert)}/clip.mpd`);
    expect(pathname).toMatch(/^\/live\/[\w-]+\/vod\//);
    expect(await statusOf(pathname, {})).toBe(200);
  });

  it('have a manifest that scripts can parse, which names them as they are next to it', async () => {
    const url = `${folderOf(await raise())}/clip.mpd`;
    const cookie = { cookie: `RSESSIONID=RFT:${await device.sessionToken()}` };
    const led = await device.door.get(url, cookie);
    expect(led.statusCode).toBe(302);
    const { pathname } = new URL(String(led.headers.location), `http://door${url}`);
    const manifest = (await device.door.get(pathname)).body;
    expect(manifest).toMatch(
      /<Period [^>]*>\s*<AdaptationSet [^>]*>\s*<SegmentTemplate [^>]* startNumber="1" initialization="seg_init.mp4" media="seg_\$Number\$.m4v"/,
    );
    expect(manifest).toContain('mediaPresentationDuration="PT7S"');
    const folder = pathname.slice(0, pathname.lastIndexOf('/'));
    for (const name of ['seg_init.mp4', 'seg_1.m4v']) {
      expect(await statusOf(`${folder}/${name}`, {})).toBe(200);
      expect(await statusOf(url.replace('clip.mpd', name), cookie)).toBe(200);
    }
  });

  it.each([
    [{ durationSec: 1 }, 1],
    [{ durationSec: 86_400 }, 25],
  ])('of %j are %i', async (body, count) => {
    expect(await segmentCount(await raise(body))).toBe(count);
  });

  it('are none of an alert that has neither a duration nor a clip', async () => {
    for (const body of [{}, { durationSec: 0 }]) {
      expect(await statusOf(`${folderOf(await raise(body))}/seg_init.mp4`)).toBe(404);
    }
  });

  it('are there with a session in the path too', async () => {
    const alert = await raise();
    const token = await device.sessionToken();
    const folder = folderOf(alert).replace(`/${alert}`, `/ft/${token}/${alert}`);
    expect(await statusOf(`${folder}/seg_1.m4v`, {})).toBe(200);
    const manifest = (await device.door.get(`${folder}/clip.mpd`, {})).body;
    const base = /<BaseURL>(.*)<\/BaseURL>/.exec(manifest)![1]!;
    const { pathname } = new URL(`${base}video/seg_init.mp4`, `http://door${folder}/clip.mpd`);
    expect(await statusOf(pathname, {})).toBe(200);
  });

  it('are there only for those who may see the camera, under their names', async () => {
    const alert = await raise();
    const segment = `${folderOf(alert)}/seg_1.m4v`;
    const { store } = device.door.sharing;
    const other = sampleOrganization();
    await store.organizations.save(other);
    await store.apiKeys.save(sampleApiKey(other.uuid, { keyHash: hashApiKey(FOREIGN_TEXT) }));
    expect(await statusOf(segment, {})).toBe(401);
    expect(await statusOf(segment, { ...device.byKey, 'x-auth-apikey': 'slc_wrong' })).toBe(401);
    expect(await statusOf(segment, { ...device.byKey, 'x-auth-apikey': FOREIGN_TEXT })).toBe(404);
    for (const unknown of [newRuuid(), 'x', '..%2F..%2Frecording']) {
      expect(await statusOf(`${folderOf(unknown)}/seg_1.m4v`)).toBe(404);
    }
    for (const name of ['seg_0.m4v', 'seg_1.exe', 'file.m3u8', 'seg_init_2.mp4']) {
      expect(await statusOf(`${folderOf(alert)}/${name}`)).toBe(404);
    }
    expect(media.reads).toEqual([]);
    expect(await statusOf(segment)).toBe(200);
  });

  it('of an alert before anything was recorded are 404', async () => {
    const { store, orgUuid, camera } = device.door.sharing;
    const id = newRuuid();
    const early = { atMs: FIXTURE_EPOCH_MS - 60_000, body: { durationSec: 5 } };
    await store.events.add([{ orgUuid, kind: 'policyAlert', id, deviceUuid: camera.uuid, ...early }]);
    expect(await statusOf(`${folderOf(id)}/seg_init.mp4`)).toBe(404);
    expect(await statusOf(`${folderOf(id)}/clip.mpd`)).toBe(404);
  });
});
