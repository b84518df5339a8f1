import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { FFMPEG_ERRORS } from '../../ffmpeg/errors.ts';
import { FIXTURE_EPOCH_MS } from '../../sharing/sharing-fixture.ts';
import type { Share } from '../../store/entities.ts';
import type { Still, StillRequest } from '../../thumbnails/stills.ts';
import { type FrontDoorFixture, openFrontDoorFixture, stillOf } from '../front-door-fixture.ts';
import { STILL_WAIT_MS } from './still-routes.ts';

const BYTES = Buffer.from('a picture');

let door: FrontDoorFixture;
/** When the picture was taken; null: there is none. */
let takenAtEpochMs: number | null;
let requests: StillRequest[];
let failure: GatewayError | null;
let making: Promise<void>;
let held: Map<string, Still>;

beforeEach(async () => {
  takenAtEpochMs = FIXTURE_EPOCH_MS;
  requests = [];
  failure = null;
  making = Promise.resolve();
  held = new Map();
  door = await openFrontDoorFixture({
    stills: {
      async still(_camera, wanted) {
        requests.push(wanted);
        await making;
        if (failure !== null) throw failure;
        return takenAtEpochMs === null ? null : stillOf(BYTES, wanted.format, takenAtEpochMs);
      },
    },
    heldStills: {
      find: (name) => {
        const still = held.get(name);
        return still === undefined ? null : { still, cameraUuid: door.camera.uuid };
      },
    },
  });
});
afterEach(() => door.close());

const posterOf = (share: Share) => `/live/${door.shareToken(share)}/poster.jpg`;
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the poster of a share', () => {
  it('is at an address that stays, and needs nothing but the link', async () => {
    door.camera.start();
    const share = await door.share();
    for (let round = 0; round < 2; round++) {
      const response = await door.get(posterOf(share), { accept: 'image/avif,image/webp,*/*' });
      expect([response.statusCode, response.rawPayload]).toEqual([200, BYTES]);
      expect(response.headers).toMatchObject({
        'content-type': 'image/jpeg',
        'cache-control': 'private, no-cache',
        'x-picture-state': 'live',
        'x-picture-time-ms': String(FIXTURE_EPOCH_MS),
        'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
        age: '0',
        'referrer-policy': 'no-referrer',
      });
    }
    expect(requests).toEqual(Array(2).fill(expect.objectContaining({ format: 'jpeg', widthPx: 640 })));
    // It does not count as a viewer.
    expect(door.sharing.sessions.size).toBe(0);
  });

  it('does not exist for links that show nothing now', async () => {
    door.camera.start();
    const shares: [name: string, share: Share, status: number, reason: string][] = [
      ['expired', await door.share({ expirationTimeSecs: 10 }), 403, 'expired'],
      ['password', await door.share({ password: 'harbour' }), 401, 'password-needed'],
      ['revoked', await door.share(), 403, 'revoked'],
      ['hidden', await hiddenShare(), 403, 'hidden-by-schedule'],
    ];
    door.sharing.clock.advance(10_000);
    door.sharing.directory.applied({ kind: 'share', uuid: shares[2]![1].uuid, record: null });
    for (const [name, share, status, reason] of shares) {
      for (const query of ['', '?password=harbour']) {
        const { statusCode, headers, body } = await door.get(posterOf(share) + query);
        expect([name, statusCode, JSON.parse(body).reason]).toEqual([name, status, reason]);
        expect(headers['content-type']).toMatch(/json/);
      }
    }
    expect(requests).toEqual([]);
  });

  it('that is revoked, or shows another camera, while the poster is made is refused', async () => {
    door.camera.start();
    const share = await door.share();
    const { promise, resolve } = Promise.withResolvers<void>();
    making = promise;
    const requested = door.get(posterOf(share));
    await settle();
    expect(requests).toHaveLength(1);
    door.sharing.directory.applied({ kind: 'share', uuid: share.uuid, record: null });
    resolve();
    expect([(await requested).statusCode, (await requested).json().reason]).toEqual([403, 'revoked']);
  });

  it('shows nothing from before the share, and nothing from when it was hidden', async () => {
    door.camera.goOffline(FIXTURE_EPOCH_MS + 60_000);
    takenAtEpochMs = FIXTURE_EPOCH_MS - 3_600_000;
    const early = await door.get(posterOf(await door.share()));
    expect([early.statusCode, early.json().reason]).toEqual([503, 'camera-offline']);
    expect(early.headers['retry-after']).toBe('30');

    const share = await hiddenShare();
    const shownMs = FIXTURE_EPOCH_MS + 18.5 * 3_600_000;
    door.sharing.clock.advance(shownMs + 1_800_000 - FIXTURE_EPOCH_MS);
    takenAtEpochMs = shownMs;
    const shown = await door.get(posterOf(share));
    expect([shown.statusCode, shown.headers['x-picture-state'], shown.headers.age]).toEqual([
      200,
      'last',
      '1800',
    ]);
    // Taken when the share was hidden, after it was created.
    takenAtEpochMs = FIXTURE_EPOCH_MS + 4 * 3_600_000;
    expect((await door.get(posterOf(share))).statusCode).toBe(503);
  });

  it('waits for a camera that is being opened', async () => {
    const share = await door.share();
    const requested = door.get(posterOf(share));
    await settle();
    expect([door.camera.waitingCount, requests.length]).toEqual([1, 0]);
    door.camera.start();
    expect((await requested).headers).toMatchObject({ 'x-picture-state': 'live' });
  });

  it('stops waiting when the share ends', async () => {
    const share = await door.share();
    const requested = door.get(posterOf(share));
    await settle();
    door.sharing.directory.applied({ kind: 'share', uuid: share.uuid, record: null });
    door.sharing.clock.advance(500);
    expect([(await requested).statusCode, (await requested).json().reason]).toEqual([403, 'revoked']);
    expect(door.camera.waitingCount).toBe(0);
  });

  it.each([
    ['', () => door.sharing.clock.advance(STILL_WAIT_MS)],
    [' or fails', () => door.camera.goOffline(FIXTURE_EPOCH_MS + 60_000)],
  ])('is the last one, and says so, if the camera takes too long%s', async (_how, end) => {
    const requested = door.get(posterOf(await door.share()));
    await settle();
    end();
    const { statusCode, headers } = await requested;
    expect([statusCode, headers['x-picture-state']]).toEqual([200, 'last']);
    expect(door.camera.waitingCount).toBe(0);
  });

  /** Shown from 18:00 to 20:00 UTC on the fixture's first day, which begins with it. */
  async function hiddenShare(): Promise<Share> {
    const startSec = FIXTURE_EPOCH_MS / 1_000 + 18 * 3_600;
    const intervals = [{ startSec, stopSec: startSec + 7_200 }];
    const request = { name: 'Evening', oneTimeUse: true, intervals };
    const { uuid } = await door.sharing.schedules.createAbsolute(door.sharing.orgUuid, request);
    return door.share({ scheduleUuid: uuid });
  }
});

describe('the snapshot of a grant', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await door.openShare(await door.share());
  });
  const get = (query = '', headers = {}) => door.get(`${folder}snapshot.jpeg${query}`, headers);

  it('has the width and the format that are asked for', async () => {
    door.camera.start();
    const { headers } = await get('?width=1000', { accept: 'image/webp,*/*;q=0.5' });
    expect(headers).toMatchObject({ 'content-type': 'image/webp', vary: 'accept' });
    await get();
    expect(requests).toMatchObject([
      { widthPx: 1_000, format: 'webp' },
      { widthPx: null, format: 'jpeg' },
    ]);
  });

  it('is not sent again to a client that has it', async () => {
    door.camera.start();
    const { etag = '', 'last-modified': modified = '' } = (await get()).headers as Record<string, string>;
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    for (const headers of [
      { 'if-none-match': etag },
      { 'if-none-match': `"x", W/${etag}` },
      { 'if-none-match': '*' },
      { 'if-modified-since': modified },
    ]) {
      const response = await get('', headers);
      expect([response.statusCode, response.body, response.headers.etag]).toEqual([304, '', etag]);
      expect(response.headers['x-picture-state']).toBe('live');
    }
    for (const headers of [
      { 'if-none-match': '"x"' },
      { 'if-none-match': '"x"', 'if-modified-since': modified },
      { 'if-modified-since': 'Wed, 31 Dec 2025 23:59:59 GMT' },
      { 'if-modified-since': 'yesterday' },
    ]) {
      expect([headers, (await get('', headers)).statusCode]).toEqual([headers, 200]);
    }
  });

  it('is refused to a client that has it and may no longer see it', async () => {
    door.camera.start();
    const share = await door.share();
    const path = `${await door.openShare(share)}snapshot.jpeg`;
    const { etag = '' } = (await door.get(path)).headers as Record<string, string>;
    door.sharing.directory.applied({ kind: 'share', uuid: share.uuid, record: null });
    expect((await door.get(path, { 'if-none-match': etag })).statusCode).toBe(403);
  });

  it('never says that an old picture is live', async () => {
    door.camera.start();
    door.sharing.clock.advance(60_000);
    expect((await get()).headers).toMatchObject({ 'x-picture-state': 'last', age: '60' });
    takenAtEpochMs = FIXTURE_EPOCH_MS + 60_000;
    expect((await get()).headers).toMatchObject({ 'x-picture-state': 'live', age: '0' });
    door.camera.goOffline(0);
    expect((await get()).headers).toMatchObject({ 'x-picture-state': 'last', age: '0' });
  });

  it.each([
    [FFMPEG_ERRORS.FFMPEG_POOL_FULL, 'busy'],
    [FFMPEG_ERRORS.FFMPEG_BAD_PICTURE, 'camera-offline'],
  ])('that cannot be made is 503: %j', async (definition, reason) => {
    door.camera.start();
    failure = new GatewayError(definition);
    const response = await get();
    expect([response.statusCode, response.json().reason]).toEqual([503, reason]);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('of a camera that is offline and was never seen is 503', async () => {
    door.camera.goOffline(FIXTURE_EPOCH_MS + 7_000);
    takenAtEpochMs = null;
    const response = await get();
    expect([response.statusCode, response.json().reason, response.headers['retry-after']]).toEqual([
      503,
      'camera-offline',
      '7',
    ]);
  });

  it.each(['?width=0', '?width=x', '?width=5000'])('refuses %s, and says why', async (query) => {
    door.camera.start();
    const response = await get(query);
    expect([response.statusCode, response.json().errorMsg]).toEqual([
      400,
      'width must be a whole number of pixels from 1 to 3840.',
    ]);
  });

  it('counts as what the viewers of the share were sent', async () => {
    door.camera.start();
    const { shareUuid } = door.sharing.grants.verify(folder.split('/')[2]!)!;
    await get();
    await door.inject({ method: 'HEAD', url: `${folder}snapshot.jpeg` });
    expect(door.traffic.bytesOf(shareUuid)).toBe(BYTES.length);
  });

  it('stops waiting for the camera when the viewer’s access ends', async () => {
    const share = await door.share();
    const path = `${await door.openShare(share)}snapshot.jpeg`;
    const requested = door.get(path);
    await settle();
    expect(door.camera.waitingCount).toBe(1);
    door.sharing.directory.applied({ kind: 'share', uuid: share.uuid, record: null });
    expect([(await requested).statusCode, (await requested).json().reason]).toEqual([403, 'revoked']);
    expect(door.camera.waitingCount).toBe(0);
  });
});

describe('frames that an API call made', () => {
  it('are read by their names, are of the past, and end with their camera', async () => {
    held.set('abc.jpeg', stillOf(BYTES, 'jpeg', FIXTURE_EPOCH_MS)!);
    door.camera.start();
    const response = await door.get('/frames/abc.jpeg');
    expect([response.statusCode, response.rawPayload, response.headers['x-picture-state']]).toEqual([
      200,
      BYTES,
      'past',
    ]);
    const { etag = '' } = response.headers as Record<string, string>;
    expect((await door.get('/frames/abc.jpeg', { 'if-none-match': etag })).statusCode).toBe(304);
    expect((await door.get('/frames/abd.jpeg')).statusCode).toBe(404);
    door.removeCamera();
    expect((await door.get('/frames/abc.jpeg')).statusCode).toBe(404);
  });
});
