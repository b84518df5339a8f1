import type { LightMyRequestResponse } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IDEMPOTENT_REQUESTS, MAX_IDEMPOTENCY_KEYS } from '../accounts/idempotent-requests.ts';
import { TIMELAPSES } from '../clips/timelapses.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { SAVED_CLIPS } from '../events/saved-clips.ts';
import { type ApiFixture, addApiKey, openApiFixture } from './api-fixture.ts';

const CREATE = '/api/camera/createSharedLiveVideoStream';
const SUBMIT_KEY = '/api/integrations/org/submitApiTokenApplication';
const SUBMIT_APPLICATION = '/api/oauth/submitApplication';
const HOUR_MS = 3_600_000;

let fixture: ApiFixture;
let orgUuid: Ruuid;
beforeEach(async () => {
  fixture = await openApiFixture();
  orgUuid = fixture.own.organization.uuid;
});
afterEach(() => fixture.close());

const newShare = (fields: object = {}) => ({
  cameraUuid: fixture.own.camera.uuid,
  streamType: 'USER',
  vodEnabled: false,
  ...fields,
});

function send(path: string, body: object, key: string, headers: Record<string, string> = {}) {
  return fixture.post(path, body, { 'idempotency-key': key, ...headers });
}

const shareCount = async () => (await fixture.store.shares.list(orgUuid)).length;
const outcome = (response: LightMyRequestResponse) => [response.statusCode, response.json().errorMsg];
const records = () => fixture.store.resources.of(IDEMPOTENT_REQUESTS);

const REUSED = 'This Idempotency-Key belongs to another request. Each request needs its own key.';
const UNKNOWN = /^The request with this Idempotency-Key was interrupted, and its outcome is unknown/;

describe('a creating call with an Idempotency-Key', () => {
  it('creates one thing no matter how often it is sent, and repeats the first response', async () => {
    const first = await send(CREATE, newShare(), '"k-1"');
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    for (const key of ['"k-1"', 'k-1']) {
      const again = await send(CREATE, newShare(), key);
      expect([again.statusCode, again.body]).toEqual([200, first.body]);
      expect(again.headers['idempotency-replayed']).toBe('true');
    }
    expect(await shareCount()).toBe(1);
    await send(CREATE, newShare(), 'k-2');
    expect(await shareCount()).toBe(2);
  });

  it('is refused with another body, or at another path', async () => {
    await send(CREATE, newShare(), 'k');
    expect(outcome(await send(CREATE, newShare({ name: 'Other' }), 'k'))).toEqual([422, REUSED]);
    expect(outcome(await send('/api/location/createLocation', newShare(), 'k'))).toEqual([422, REUSED]);
    expect(await shareCount()).toBe(1);
  });

  it('is refused while the first is being carried out, and gets its response afterwards', async () => {
    const { shares } = fixture.store;
    const add = shares.add.bind(shares);
    let isReached: () => void = () => undefined;
    let goOn: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => (isReached = resolve));
    shares.add = async (share, room) => {
      isReached();
      await new Promise<void>((resolve) => (goOn = resolve));
      return add(share, room);
    };
    const first = send(CREATE, newShare(), 'k');
    await reached;
    const second = await send(CREATE, newShare(), 'k');
    expect(outcome(second)).toEqual([409, expect.stringContaining('still being carried out')]);
    expect(second.headers['retry-after']).toBe('1');
    expect((await send(CREATE, newShare({ name: 'Other' }), 'k')).statusCode).toBe(422);
    goOn();
    const { body } = await first;
    expect((await send(CREATE, newShare(), 'k')).body).toBe(body);
    expect(await shareCount()).toBe(1);
  });

  it('creates one thing from twenty calls at once', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => send(CREATE, newShare(), 'k')));
    expect(responses.filter(({ statusCode }) => statusCode === 200).length).toBeGreaterThanOrEqual(1);
    expect(await shareCount()).toBe(1);
    const bodies = responses.filter(({ statusCode }) => statusCode === 200).map(({ body }) => body);
    expect(new Set(bodies).size).toBe(1);
    expect(responses.every(({ statusCode }) => statusCode === 200 || statusCode === 409)).toBe(true);
  });

  it('is known to a gateway that just started', async () => {
    const body = { displayName: 'Video wall' };
    const first = (await send(SUBMIT_KEY, body, 'k')).json();
    const restarted = await openApiFixture({ overrides: { store: fixture.store } });
    try {
      const again = await restarted.post(SUBMIT_KEY, body, { 'idempotency-key': 'k' });
      expect(again.headers['idempotency-replayed']).toBe('true');
      expect(first.apiKey).toMatch(/^slc_/);
      expect((await restarted.post(SUBMIT_KEY, {}, { 'idempotency-key': 'k' })).statusCode).toBe(422);
    } finally {
      await restarted.close();
    }
  });

  it('belongs to one credential', async () => {
    const otherKey = await addApiKey(fixture.store, orgUuid);
    const first = await send(CREATE, newShare(), 'k');
    const other = await send(CREATE, newShare(), 'k', { 'x-auth-apikey': otherKey });
    expect(other.json().sharedLiveVideoStreamUuid).not.toBe(first.json().sharedLiveVideoStreamUuid);
    expect(other.headers['idempotency-replayed']).toBeUndefined();
  });

  it('is forgotten after a day, and its record is removed', async () => {
    await send(CREATE, newShare(), 'k');
    fixture.clock.advance(24 * HOUR_MS - 1);
    expect((await send(CREATE, newShare(), 'k')).headers['idempotency-replayed']).toBe('true');
    fixture.clock.advance(1);
    await send(CREATE, newShare(), 'another');
    expect(await records().count(orgUuid)).toBe(1);
    await send(CREATE, newShare({ name: 'Other' }), 'k');
    expect(await shareCount()).toBe(3);
  });

  it('frees the key if it is refused', async () => {
    const refused = await send(CREATE, newShare({ streamType: 'USERS' }), 'k');
    expect(refused.json().error).toBe(true);
    expect((await send(CREATE, newShare(), 'k')).json().error).toBe(false);
    expect(await shareCount()).toBe(1);
  });

  it('says that the outcome is unknown if it was interrupted', async () => {
    const { shares } = fixture.store;
    const add = shares.add.bind(shares);
    shares.add = async () => {
      throw new Error('the connection broke');
    };
    expect((await send(CREATE, newShare(), 'k')).statusCode).toBe(500);
    shares.add = add;
    expect(outcome(await send(CREATE, newShare(), 'k'))).toEqual([409, expect.stringMatching(UNKNOWN)]);
    const [record] = await records().list(orgUuid);
    // As left by a gateway that is killed during the call.
    await records().save({ ...record!, body: { ...record!.body, state: 'running' } });
    expect(outcome(await send(CREATE, newShare(), 'k'))[1]).toContain('still being carried out');
    fixture.clock.advance(5 * 60_000);
    expect(outcome(await send(CREATE, newShare(), 'k'))).toEqual([409, expect.stringMatching(UNKNOWN)]);
    expect(await shareCount()).toBe(0);
  });

  it.each([
    [SUBMIT_KEY, { displayName: 'Video wall' }, 'apiKey'],
    [SUBMIT_APPLICATION, { name: 'Desk', redirectUri: 'https://desk.example/cb' }, 'clientSecret'],
  ])('at %s: what is shown only once is neither stored nor returned again', async (path, body, field) => {
    const first = (await send(path, body, 'k')).json();
    const again = (await send(path, body, 'k')).json();
    const { [field]: secret, ...others } = first;
    expect(secret).toEqual(expect.any(String));
    expect(again).toEqual({
      ...others,
      warningMsg: expect.stringContaining(`had ${field}, which is shown only once and not stored`),
    });
    const [record] = await records().list(orgUuid);
    expect(record!.secret!.reveal()).not.toContain(secret);
  });

  it('is refused when the credential has ten thousand, until they expire', async () => {
    const nowMs = fixture.clock.epochMs();
    const uuids = Array.from({ length: MAX_IDEMPOTENCY_KEYS }, newRuuid);
    for (let at = 0; at < uuids.length; at += 1_000) {
      await records().saveAll(
        uuids.slice(at, at + 1_000).map((uuid) => ({
          uuid,
          orgUuid,
          name: '',
          parentUuid: fixture.own.key.uuid,
          secret: null,
          body: { state: 'finished', attemptUuid: uuid, expiresAtMs: nowMs + HOUR_MS },
          createdAtMs: nowMs,
          updatedAtMs: nowMs,
        })),
      );
    }
    const refused = await send(CREATE, newShare(), 'k');
    expect(outcome(refused)).toEqual([200, expect.stringContaining('10,000 Idempotency-Keys')]);
    expect(await shareCount()).toBe(0);
    fixture.clock.advance(HOUR_MS);
    expect((await send(CREATE, newShare(), 'k')).json().error).toBe(false);
  });

  it.each(['', '""', '"open', 'a b', '"a", "b"', 'ü', 'x'.repeat(256)])('refuses the key %j', async (key) => {
    expect(outcome(await send(CREATE, newShare(), key))).toEqual([
      400,
      'Idempotency-Key must be 1 to 255 printable ASCII characters, in double quotes or without spaces.',
    ]);
    expect(await shareCount()).toBe(0);
  });
});

describe('calls whose names say nothing about creating honor it, too:', () => {
  it('a splice and a timelapse are ordered once', async () => {
    const deviceUuids = [fixture.own.camera.uuid];
    const orders: [string, object][] = [
      ['/api/video/spliceV2', { deviceUuids, startTimeMillis: 1_000, durationSec: 1 }],
      ['/api/video/spliceV3', { deviceUuids, startTimeMillis: 1_000, durationSec: 1 }],
      [
        '/api/video/generateTimelapseClip',
        { deviceUuids, startTime: 1_000, stopTime: 3_000, videoDuration: 1 },
      ],
    ];
    for (const [index, [path, body]] of orders.entries()) {
      const [first, second] = [await send(path, body, `k-${index}`), await send(path, body, `k-${index}`)];
      expect([path, first.json().error, second.body]).toEqual([path, false, first.body]);
    }
    await fixture.clips.settled();
    expect(await fixture.store.resources.of(SAVED_CLIPS).count(orgUuid)).toBe(2);
    expect(await fixture.store.resources.of(TIMELAPSES).count(orgUuid)).toBe(1);
  });

  it('a person is invited once, and the link of the invitation is neither stored nor returned again', async () => {
    const body = { name: 'Ada', role: 'viewer', email: 'ada@example.com' };
    const first = (await send('/api/console/invitePerson', body, 'k')).json();
    const again = (await send('/api/console/invitePerson', body, 'k')).json();
    expect(first.inviteUrl).toContain('#invite=');
    const { inviteUrl, ...others } = first;
    expect(again).toEqual({
      ...others,
      warningMsg: expect.stringContaining('had inviteUrl, which is shown only once and not stored'),
    });
    const [record] = await records().list(orgUuid);
    expect(record!.secret!.reveal()).not.toContain(inviteUrl.split('#invite=')[1]);
  });
});

describe('an Idempotency-Key elsewhere', () => {
  it('is ignored with a warning', async () => {
    const body = (await send('/api/location/getLocations', {}, 'k')).json();
    expect(body.warningMsg).toMatch(/^Idempotency-Key is ignored/);
    expect(await records().count(orgUuid)).toBe(0);
  });

  it.each([
    ['/api/location/getLocations', {}, 'this call changes nothing.'],
    ['/api/org/updateDetails', { name: 'Dock' }, 'a second call leaves everything as the first one left it.'],
    ['/api/org/generateFederatedSessionToken', {}, 'this call creates nothing that lasts.'],
    ['/api/ingest/doors', { rows: [] }, 'rows have IDs of their own, so nothing is stored twice.'],
  ])('%s says why it is ignored', async (path, body, reason) => {
    const result = (await send(path, body, 'k')).json();
    expect(result.warningMsg).toContain(`Idempotency-Key is ignored: ${reason}`);
  });
});
