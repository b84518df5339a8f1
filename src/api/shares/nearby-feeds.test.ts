import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ruuid } from '../../core/ruuid.ts';
import { sampleCamera } from '../../store/sample-entities-fixture.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const NEARBY = '/api/rapidsos/getNearbyFeeds';
const SHARE = '/api/camera/createSharedLiveVideoStream';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

/** A camera at a position, with a share. Resolves with the share's playlist. */
async function feedAt(latitude: number, longitude: number, share: object = {}): Promise<string> {
  const { uuid } = await savedCamera();
  await fixture.call('/api/camera/updateDetailsV2', {
    uuid,
    latitude,
    latitudeUpdated: true,
    longitude,
    longitudeUpdated: true,
  });
  return shareOf(uuid, share);
}

async function savedCamera() {
  const camera = sampleCamera(fixture.own.organization.uuid);
  await fixture.store.cameras.save(camera);
  return camera;
}

async function shareOf(cameraUuid: Ruuid, share: object = {}): Promise<string> {
  fixture.clock.advance(1);
  const response = await fixture.call(SHARE, {
    cameraUuid,
    streamType: 'RAPIDSOS',
    vodEnabled: false,
    ...share,
  });
  return response.sharedLiveM3U8StreamUrl as string;
}

const nearby = async (latitude: number, longitude: number, headers = {}) =>
  (await fixture.call(NEARBY, { latitude, longitude, width: 640 }, headers)).streamUrls;

describe(NEARBY, () => {
  it('returns the ten nearest, the nearest first', async () => {
    const urls: string[] = [];
    for (let step = 0; step < 12; step++) urls.push(await feedAt(0, step));
    expect(await nearby(0, -1)).toEqual(urls.slice(0, 10));
    expect(await nearby(0, 20)).toEqual(urls.toReversed().slice(0, 10));
  });

  it('measures across the date line and near the pole', async () => {
    const east = await feedAt(0, 179);
    const middle = await feedAt(0, 170);
    expect(await nearby(0, -179)).toEqual([east, middle]);
    const overThePole = await feedAt(89, 180);
    expect(await nearby(89, 0)).toEqual([overThePole, middle, east]);
  });

  it('takes the newest share of a camera for emergency services that has not expired', async () => {
    const { uuid } = fixture.own.camera;
    await shareOf(uuid);
    const newest = await shareOf(uuid);
    await shareOf(uuid, { streamType: 'USER' });
    await shareOf(uuid, { expirationTimeSecs: 60 });
    fixture.clock.advance(61_000);
    expect(await nearby(40, -74)).toEqual([newest]);
  });

  it('leaves out what its caller could not play now: hidden or protected shares', async () => {
    const { uuid } = fixture.own.camera;
    const open = await shareOf(uuid);
    await shareOf(uuid, { password: 'Correct horse' });
    const intervalList = [{ b: 1, e: 2 }];
    const { scheduleUuid } = await fixture.call('/api/schedule/createAbsoluteSchedule', {
      schedule: { name: 'Over', intervalList },
    });
    await shareOf(uuid, { scheduleUuid });
    expect(await nearby(40, -74)).toEqual([open]);
    const shown = await shareOf(uuid, { scheduleUuid, invertSchedule: true });
    expect(await nearby(40, -74)).toEqual([shown]);
  });

  it('goes by the clock of the camera’s location', async () => {
    const { uuid } = fixture.own.camera;
    // The fixture's location is in New York: 00:00 UTC on Thursday is Wednesday 19:00 there.
    const start = 2 * 1_440 + 18 * 60;
    const { scheduleUuid } = await fixture.call('/api/schedule/createWeeklySchedule', {
      schedule: {
        name: 'Evening',
        intervalList: [{ minuteOfWeekStart: start, minuteOfWeekStop: start + 120 }],
      },
    });
    const evening = await shareOf(uuid, { scheduleUuid });
    expect(await nearby(40, -74)).toEqual([evening]);
    fixture.clock.advance(2 * 3_600_000);
    expect(await nearby(40, -74)).toEqual([]);
  });

  it('leaves out cameras without a position, and other organizations’', async () => {
    await shareOf((await savedCamera()).uuid);
    expect(await nearby(0, 0)).toEqual([]);
    await feedAt(0, 0);
    expect(await nearby(0, 0, { 'x-auth-apikey': fixture.foreign.apiKey })).toEqual([]);
  });

  it.each([
    [{ longitude: 1 }, 'latitude is required.'],
    [{ latitude: 90.5, longitude: 1 }, 'latitude must be a number from -90 to 90, got 90.5.'],
    [{ latitude: 1, longitude: -181 }, 'longitude must be a number from -180 to 180, got -181.'],
  ])('refuses %j', async (body, sentence) => {
    expect((await fixture.call(NEARBY, body)).errorMsg).toBe(sentence);
  });
});
