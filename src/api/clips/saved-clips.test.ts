import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { MAX_SAVED_CLIPS, SAVED_CLIPS } from '../../events/saved-clips.ts';
import { hashApiKey } from '../../store/api-key-hash.ts';
import { sampleApiKey } from '../../store/sample-entities-fixture.ts';
import { type Answer, type ApiFixture, openApiFixture } from '../api-fixture.ts';

const INGEST = '/api/ingest/savedClips';
const LIST = '/api/event/getSavedClipsV2';
const DETAILS = '/api/event/getSavedClipDetails';
const COUNT = '/api/event/getSavedClipCount';
const DELETE = '/api/event/deleteSavedClip';
const SAVE_ALERT = '/api/event/savePolicyAlertV2';
const GET_ALERT = '/api/event/getPolicyAlert';
const TIME_MS = 1_767_225_600_000;
const NOT_FOUND = 'There is no saved clip with this UUID.';

interface Clip {
  readonly uuid: Ruuid;
  readonly externalTransactionId?: string;
  readonly createdAtMs: number;
}

let fixture: ApiFixture;
let foreign: Record<string, string>;
let nextId: number;
beforeEach(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: 1e6, perSec: 1e6 } } });
  foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
  nextId = 0;
});
afterEach(() => fixture.close());

const clip = (fields: object = {}) => ({
  id: `clip-${nextId++}`,
  deviceUuids: [fixture.own.camera.uuid],
  timestampMs: TIME_MS,
  ...fields,
});
const report = (...rows: object[]) => fixture.call(INGEST, { rows });
const list = async (body: object = {}, headers?: Record<string, string>) =>
  (await fixture.call(LIST, body, headers)).savedClips as Clip[];

describe(INGEST, () => {
  it('stores what is known about clips, each once', async () => {
    const { camera } = fixture.own;
    const row = clip({
      deviceUuids: [`${camera.uuid}.v0`],
      title: 'Delivery',
      description: 'At the dock',
      durationSec: 30,
      analyzed: true,
      byteCount: 1_000,
      status: 'COMPLETE',
      accessSettings: { visibility: 'ROLE_RESTRICTED', allowedRoles: [newRuuid()] },
      alterMap: { [camera.uuid]: [{ crop: { x: 1, y: 2, width: 3, height: 4 } }] },
      fisheyeMap: { [camera.uuid]: [{ pitchDegrees: 1.5, aspectRatio: { width: 16, height: 9 } }] },
      videoResolution: { width: 1_920, height: 1_080 },
      clipLocation: { region: 'eu' },
      clipLocationV2: 'store://clips/1',
      boundingBoxes: [{ activity: 'MOTION_HUMAN', left: 1 }],
      seekPoints: [{ id: 3, relativeSecond: 2.5 }],
    });
    expect(await report(row, row)).toMatchObject({ acceptedCount: 1, duplicateCount: 1, rejected: [] });
    expect(await report({ ...row, title: 'Other' })).toMatchObject({ acceptedCount: 0, duplicateCount: 1 });
    const [listed] = await list();
    const { id, boundingBoxes, seekPoints, ...said } = row as unknown as Record<string, unknown>;
    expect(listed).toMatchObject({
      ...said,
      externalTransactionId: id,
      deviceUuid: `${camera.uuid}.v0`,
      orgUuid: fixture.own.organization.uuid,
      createdAtMs: fixture.clock.epochMs(),
      consoleDelete: false,
    });
    expect(listed).not.toHaveProperty('sha256Hex');
    expect(listed).not.toHaveProperty('boundingBoxes');
    const { savedClip } = await fixture.call(DETAILS, { clipUuid: listed!.uuid });
    expect(savedClip).toMatchObject({
      ...listed,
      boundingBoxes: [{ activity: 'MOTION_HUMAN', left: 1 }],
      seekPoints: [{ id: 3, relativeSecond: 2.5 }],
    });
  });

  it('refuses clips of what is not the organization’s', async () => {
    const rows = [
      clip({ deviceUuids: [fixture.own.camera.uuid, fixture.foreign.camera.uuid] }),
      clip({ locationUuid: fixture.foreign.locationUuid }),
      clip({ durationSec: -1 }),
    ];
    expect((await report(...rows)).rejected).toEqual([
      { index: 0, field: 'deviceUuids[1]', reason: 'deviceUuids[1] must be a camera of the organization.' },
      { index: 1, field: 'locationUuid', reason: 'locationUuid must be a location of the organization.' },
      {
        index: 2,
        field: 'durationSec',
        reason: 'durationSec must be an integer from 0 to 2147483647, got -1.',
      },
    ]);
    expect(await list()).toEqual([]);
  });

  it('keeps a limited number, and still accepts known clips', async () => {
    // No one is notified of the 20,000 that only fill the store.
    await fixture.audit.close();
    const clips = fixture.store.resources.of(SAVED_CLIPS);
    const row = clip();
    await report(row);
    const [known] = await clips.list(fixture.own.organization.uuid);
    for (let left = MAX_SAVED_CLIPS - 1; left > 0; left -= 1_000) {
      const copies = Array.from({ length: Math.min(left, 1_000) }, () => ({ ...known!, uuid: newRuuid() }));
      await clips.saveAll(copies);
    }
    expect(await report(row, clip())).toMatchObject({
      acceptedCount: 0,
      duplicateCount: 1,
      rejected: [
        {
          index: 1,
          field: '',
          reason: 'The organization has reached its limit of 20,000 saved clips (`savedClips`).',
        },
      ],
    });
    const alert = { uuid: newRuuid(), deviceUuid: fixture.own.camera.uuid, timestampMs: TIME_MS };
    await fixture.call('/api/ingest/policyAlerts', { rows: [alert] });
    expect((await fixture.call(SAVE_ALERT, { alertUuid: alert.uuid })).errorMsg).toBe(
      'The organization has 20,000 saved clips. Delete some before you save another.',
    );
  });
});

describe(LIST, () => {
  const walk = async (body: object, betweenPages: () => Promise<unknown>): Promise<Clip[]> => {
    const seen: Clip[] = [];
    for (let pageTimestampMs: unknown; ; ) {
      const response: Answer = await fixture.call(LIST, { ...body, pageTimestampMs });
      seen.push(...(response.savedClips as Clip[]));
      pageTimestampMs = response.lastEvaluatedTimestampMs;
      if (pageTimestampMs === undefined) return seen;
      await betweenPages();
    }
  };

  it('returns each clip once, newest first, while others arrive', async () => {
    for (let index = 0; index < 23; index++) {
      await report(clip());
      if (index % 3 === 2) fixture.clock.advance(1);
    }
    const before = (await list()).map(({ uuid }) => uuid);
    fixture.clock.advance(1);
    const seen = await walk({ maxPageSize: 4 }, () => report(clip()));
    expect(seen.map(({ uuid }) => uuid)).toEqual(before);
    expect(new Set(before).size).toBe(23);
    const times = seen.map(({ createdAtMs }) => createdAtMs);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  it('never splits clips of one millisecond', async () => {
    await report(...Array.from({ length: 700 }, () => clip()));
    fixture.clock.advance(1);
    await report(clip());
    const seen = await walk({ maxPageSize: 5 }, async () => undefined);
    expect(new Set(seen.map(({ uuid }) => uuid)).size).toBe(701);
    expect(seen).toHaveLength(701);
  });

  it('refuses a page that is too large, and shows nothing of others', async () => {
    await report(clip());
    expect((await fixture.call(LIST, { maxPageSize: 501 })).errorMsg).toBe(
      'maxPageSize must be an integer from 1 to 500, got 501.',
    );
    expect(await list({}, foreign)).toEqual([]);
  });
});

describe(COUNT, () => {
  it('counts what matches, private clips separately', async () => {
    const { camera, doorbell } = fixture.own;
    await report(
      clip(),
      clip({ accessSettings: { visibility: 'PRIVATE' } }),
      clip({ deviceUuids: [`${doorbell.uuid}.v1`], timestampMs: TIME_MS + 10 }),
    );
    const count = async (body: object, headers?: Record<string, string>) => {
      const response = await fixture.call(COUNT, body, headers);
      return [response.count, response.privateCount];
    };
    expect(await count({})).toEqual([2, 1]);
    expect(await count({ deviceFilter: [doorbell.uuid] })).toEqual([1, 0]);
    expect(await count({ deviceFilter: [camera.uuid] })).toEqual([1, 1]);
    expect(await count({ locationFilter: [camera.locationUuid] })).toEqual([2, 1]);
    expect(await count({ locationFilter: [newRuuid()] })).toEqual([0, 0]);
    expect(await count({ startTimeMs: TIME_MS, endTimeMs: TIME_MS + 10 })).toEqual([1, 1]);
    expect(await count({}, foreign)).toEqual([0, 0]);
    expect((await fixture.call(COUNT, { startTimeMs: -1 })).errorMsg).toBe(
      'startTimeMs must be an integer from 0 to 253402300799999, got -1.',
    );
  });
});

describe(DELETE, () => {
  it('deletes a clip, and only the organization’s own', async () => {
    await report(clip());
    const [{ uuid }] = (await list()) as [Clip];
    expect((await fixture.call(DELETE, { savedClipUuid: uuid }, foreign)).errorMsg).toBe(NOT_FOUND);
    expect((await fixture.call(DETAILS, { clipUuid: uuid }, foreign)).errorMsg).toBe(NOT_FOUND);
    expect(await list()).toHaveLength(1);
    expect(await fixture.call(DELETE, { savedClipUuid: uuid })).toMatchObject({ error: false });
    expect(await list()).toEqual([]);
    expect((await fixture.call(DELETE, { savedClipUuid: uuid })).errorMsg).toBe(NOT_FOUND);
  });
});

describe(SAVE_ALERT, () => {
  it('creates a clip from an alert, once', async () => {
    const alert = {
      uuid: newRuuid(),
      deviceUuid: fixture.own.camera.uuid,
      timestampMs: TIME_MS,
      durationSec: 12,
      textDescription: 'Motion at the dock',
      clipLocation: { region: 'eu' },
      boundingBoxes: [{ left: 1 }],
    };
    await fixture.call('/api/ingest/policyAlerts', { rows: [alert] });
    expect(await fixture.call(SAVE_ALERT, { alertUuid: alert.uuid })).toMatchObject({ error: false });
    const views = { [fixture.own.camera.uuid]: [{ yawDegrees: 10 }] };
    const again = { alertUuid: alert.uuid, savedClipDescription: 'Look', fisheyePresentationMap: views };
    await fixture.call(SAVE_ALERT, again);
    const clips = await list();
    expect(clips).toMatchObject([
      {
        title: 'Motion at the dock',
        description: 'Look',
        fisheyeMap: views,
        sourceAlertUuid: alert.uuid,
        timestampMs: TIME_MS,
        durationSec: 12,
        clipLocation: { region: 'eu' },
      },
    ]);
    expect(clips[0]).not.toHaveProperty('externalTransactionId');
    const saved = async () =>
      ((await fixture.call(GET_ALERT, { policyAlertUuid: alert.uuid })).policyAlert as { saved: boolean })
        .saved;
    expect(await saved()).toBe(true);
    await fixture.call(DELETE, { savedClipUuid: clips[0]!.uuid });
    expect(await saved()).toBe(false);
  });

  it('does not find another organization’s alert', async () => {
    const alert = { uuid: newRuuid(), deviceUuid: fixture.own.camera.uuid, timestampMs: TIME_MS };
    await fixture.call('/api/ingest/policyAlerts', { rows: [alert] });
    expect((await fixture.call(SAVE_ALERT, { alertUuid: alert.uuid }, foreign)).errorMsg).toBe(
      'There is no policy alert with this UUID.',
    );
    expect(await list({}, foreign)).toEqual([]);
  });
});

describe('private clips', () => {
  const DETAIL_CALLS = [DETAILS, '/api/event/getClipWithProgress'];
  const LISTS = [LIST, '/api/event/getSavedClips', '/api/event/getClipsWithProgress'];
  const UPDATE = '/api/event/updateSavedClip';
  let other: Record<string, string>;
  let otherUuid: Ruuid;

  beforeEach(async () => {
    const key = sampleApiKey(fixture.own.organization.uuid, { keyHash: hashApiKey('slc_other') });
    await fixture.store.apiKeys.save(key);
    other = { 'x-auth-apikey': 'slc_other' };
    otherUuid = key.uuid;
  });

  /** Makes a clip of a caller's own, as private as it can be. */
  async function splice(settings: object, headers?: Record<string, string>): Promise<Ruuid> {
    const response = await fixture.call(
      '/api/video/spliceV3',
      {
        deviceUuids: [fixture.own.camera.uuid],
        startTimeMillis: fixture.clock.epochMs() - 5_000,
        durationSec: 2,
        title: 'Mine',
        ...settings,
      },
      headers,
    );
    return response.clipUuid as Ruuid;
  }

  const uuidsOf = async (path: string, headers?: Record<string, string>, body: object = {}) =>
    ((await fixture.call(path, body, headers)).savedClips as Clip[]).map(({ uuid }) => uuid);
  const errorOf = async (path: string, body: object, headers?: Record<string, string>) =>
    ((await fixture.post(path, body, headers)).json() as Answer).errorMsg;

  it.each(['PRIVATE', 'ROLE_RESTRICTED'])(
    '(%s) are those of who saved them, everywhere',
    async (visibility) => {
      const ahead = { startTimeMillis: fixture.clock.epochMs() - 1_000, durationSec: 60 };
      const uuid = await splice({ ...ahead, accessSettings: { visibility } });
      const everyones = await splice(ahead);
      for (const path of LISTS) {
        expect(await uuidsOf(path)).toEqual(expect.arrayContaining([uuid, everyones]));
        expect(await uuidsOf(path, other)).toEqual([everyones]);
      }
      for (const path of DETAIL_CALLS) {
        expect(await errorOf(path, { clipUuid: uuid })).toBeUndefined();
        expect(await errorOf(path, { clipUuid: uuid }, other)).toBe(NOT_FOUND);
      }
      for (const [path, body] of [
        [DELETE, { savedClipUuid: uuid }],
        [UPDATE, { savedClipUuid: uuid, accessSettings: { visibility: 'ORG_WIDE' } }],
      ] as const) {
        expect(await errorOf(path, body, other)).toBe(NOT_FOUND);
      }
      for (const path of ['/api/video/getSplicedClipsInProgress', '/api/event/getSplicedClipsInProgress']) {
        const inProgress = async (headers?: Record<string, string>) =>
          (await fixture.call(path, {}, headers)).splicedClips;
        expect(await inProgress()).toHaveLength(2);
        expect(await inProgress(other)).toMatchObject([
          { clipUuid: everyones, userUuid: fixture.own.key.uuid },
        ]);
      }
      expect(await errorOf('/api/video/cancelSpliceV2', { clipUuid: uuid }, other)).toBeDefined();
      expect(await errorOf('/api/video/retrySplice', { clipUuid: uuid }, other)).toBeDefined();
      expect(await errorOf(DELETE, { savedClipUuid: uuid })).toBeUndefined();
    },
  );

  it('are counted and found for who may see them', async () => {
    await splice({ clipVisibility: 'PRIVATE' });
    await splice({ clipVisibility: 'PRIVATE' }, other);
    expect(await fixture.call(COUNT)).toMatchObject({ count: 0, privateCount: 1 });
    expect(await uuidsOf('/api/event/getClipsWithProgress', other, { filterByPrivate: true })).toHaveLength(
      1,
    );
  });

  it('can be shown to certain keys', async () => {
    const uuid = await splice({ accessSettings: { visibility: 'PRIVATE', allowedUsers: [otherUuid] } });
    for (const path of LISTS) expect(await uuidsOf(path, other)).toEqual([uuid]);
    expect(await uuidsOf(LIST, foreign)).toEqual([]);
  });

  it('that were reported without an owner are everyone’s, until someone takes one', async () => {
    await report(clip({ accessSettings: { visibility: 'PRIVATE' } }));
    const [uuid] = await uuidsOf(LIST);
    expect(await uuidsOf(LIST, other)).toEqual([uuid]);
    await fixture.call(UPDATE, { savedClipUuid: uuid, accessSettings: { visibility: 'PRIVATE' } }, other);
    expect(await uuidsOf(LIST)).toEqual([]);
    expect(await uuidsOf(LIST, other)).toEqual([uuid]);
  });

  it('are not named in changes that all see', async () => {
    const names: (string | undefined)[] = [];
    const unsubscribe = fixture.store.onChange(({ entity, ...change }) => {
      if (entity === 'savedClip') names.push(JSON.stringify(change));
    });
    await splice({ clipVisibility: 'PRIVATE' });
    unsubscribe();
    expect(names.length).toBeGreaterThan(0);
    expect(names.join()).not.toContain('Mine');
  });

  it('of alerts are saved by one caller', async () => {
    const uuid = newRuuid();
    const row = { uuid, deviceUuid: fixture.own.camera.uuid, timestampMs: fixture.clock.epochMs() };
    await fixture.call('/api/ingest/policyAlerts', { rows: [row] });
    await fixture.call(SAVE_ALERT, { alertUuid: uuid, savedClipTitle: 'Mine' });
    const [saved] = await uuidsOf(LIST);
    await fixture.call(UPDATE, { savedClipUuid: saved, accessSettings: { visibility: 'PRIVATE' } });
    expect(await errorOf(SAVE_ALERT, { alertUuid: uuid, savedClipTitle: 'Yours' }, other)).toBe(NOT_FOUND);
    expect(await list()).toMatchObject([{ title: 'Mine' }]);
  });

  it('of others make a page shorter and lead to the next', async () => {
    await splice({});
    fixture.clock.advance(1);
    await splice({ clipVisibility: 'PRIVATE' });
    const first = await fixture.call(LIST, { maxPageSize: 1 }, other);
    expect(first.savedClips).toEqual([]);
    const next = { maxPageSize: 1, pageTimestampMs: first.lastEvaluatedTimestampMs };
    expect(await list(next, other)).toHaveLength(1);
  });
});
