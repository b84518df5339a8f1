import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { CUSTOM_SEEK_POINTS, CustomSeekPoints } from '../../devices/custom-seek-points.ts';
import { recordingOf } from '../../recording/recording-catalog.ts';
import type { RecordedSegment } from '../../recording/segment-index.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const PRESENCE = '/api/camera/getPresenceWindows';
const SPANS = '/api/camera/getRecordedSpans';
const SEEKPOINTS = '/api/camera/getFootageSeekpointsV2';
const CREATE = '/api/camera/createCustomFootageSeekpoints';
const CUSTOM = '/api/camera/getCustomFootageSeekpointsV2';
const DELETE = '/api/camera/deleteCustomFootageSeekpoints';
const TIMESCALE_HZ = 90_000;

let fixture: ApiFixture;
let cameraUuid: Ruuid;
let startSec: number;
beforeEach(async () => {
  fixture = await openApiFixture();
  cameraUuid = fixture.own.camera.uuid;
  startSec = fixture.clock.epochMs() / 1_000;
});
afterEach(() => fixture.close());

/** A recording file with segments of 2 s, seconds after the start. */
async function record(number: number, ...startsSec: number[]): Promise<void> {
  return recordAs('main', number, startsSec);
}

async function recordAs(
  rendition: 'main' | 'key-frames',
  number: number,
  startsSec: readonly number[],
): Promise<void> {
  const segments = startsSec.map(
    (atSec, i): RecordedSegment => ({
      offset: 1_000 * (i + 1),
      byteLength: 1_000,
      startTicks: i * 180_000,
      durationTicks: 180_000,
      timescaleHz: TIMESCALE_HZ,
      epochMs: (startSec + atSec) * 1_000,
      isDiscontinuity: true,
      init: { offset: 0, byteLength: 900 },
    }),
  );
  const file = { cameraUuid, rendition, number, byteLength: 9_999, segments };
  await fixture.store.recordings.save(recordingOf(file));
}

/** As `[from, to]`, seconds after the start. */
async function presence(durationSec: number, fields: object = {}): Promise<number[][]> {
  const body = { cameraUuid, startTimeSec: startSec, durationSec, ...fields };
  const { presenceWindows } = await fixture.call(PRESENCE, body);
  type Windows = { startSeconds: number; durationSeconds: number }[];
  const { VideoCloud, ...others } = presenceWindows as Record<'VideoCloud' | 'VideoLocal', Windows>;
  expect(others).toEqual({ VideoLocal: [] });
  return VideoCloud.map(({ startSeconds, durationSeconds }) => [
    startSeconds - startSec,
    startSeconds - startSec + durationSeconds,
  ]);
}

describe(PRESENCE, () => {
  it('shows when there is footage, without seconds of which a part is missing', async () => {
    expect(await presence(100)).toEqual([]);
    fixture.clock.advance(86_400_000);
    await record(0, 0.5, 2.5, 4.5);
    await record(1, 6.5, 20, 22.3);
    await record(2, 50_000);
    expect(await presence(86_400)).toEqual([
      [1, 8],
      [20, 24],
      [50_000, 50_002],
    ]);
    expect(await presence(5)).toEqual([[1, 5]]);
  });

  it('joins what was recorded twice after someone set the clock back', async () => {
    fixture.clock.advance(86_400_000);
    await record(0, 10, 12, 14);
    await record(1, 11, 13, 15, 17);
    expect(await presence(100)).toEqual([[10, 19]]);
  });

  it('shows all that there is to those who ask from the beginning of time', async () => {
    const all = () => ({ startTimeSec: 0, durationSec: fixture.clock.epochMs() / 1_000 });
    const requested = async () => presence(0, all());
    expect(await requested()).toEqual([]);
    fixture.clock.advance(86_400_000);
    await record(0, 10, 12);
    await record(1, 80_000);
    expect(await requested()).toEqual([
      [10, 14],
      [80_000, 80_002],
    ]);
    fixture.clock.advance(366 * 86_400_000);
    expect(await fixture.call(PRESENCE, { cameraUuid, ...all() })).toMatchObject({
      errorMsg: 'The range has more than 366 days since its first footage. Choose a shorter range.',
    });
  });

  it("knows no other organization's cameras", async () => {
    const foreign = { cameraUuid: fixture.foreign.camera.uuid, startTimeSec: startSec, durationSec: 5 };
    expect(await fixture.call(PRESENCE, foreign)).toMatchObject({ error: true });
  });
});

describe(SPANS, () => {
  const spans = (fields: object = {}) =>
    fixture.call(SPANS, {
      cameraUuids: [cameraUuid],
      fromMs: startSec * 1_000,
      toMs: (startSec + 100) * 1_000,
      ...fields,
    });

  it('shows when cameras were recorded, to the millisecond, also after the clock was set back', async () => {
    fixture.clock.advance(86_400_000);
    await record(0, 0.5, 2.5, 20);
    await record(1, 1.5, 30);
    const doorbell = fixture.own.doorbell.uuid;
    const response = await spans({ cameraUuids: [doorbell, cameraUuid, cameraUuid] });
    expect(response).toMatchObject({ exact: true, nowMs: fixture.clock.epochMs() });
    const found = response.cameras as { cameraUuid: string; spans: { fromMs: number; toMs: number }[] }[];
    expect(found.map((each) => [each.cameraUuid, each.spans.length])).toEqual([
      [doorbell, 0],
      [cameraUuid, 3],
    ]);
    const sec = (ms: number) => ms / 1_000 - startSec;
    expect(found[1]!.spans.map(({ fromMs, toMs }) => [sec(fromMs), sec(toMs)])).toEqual([
      [0.5, 4.5],
      [20, 22],
      [30, 32],
    ]);
    const joined = await spans({ joinMs: 10_000 });
    expect((joined.cameras as typeof found)[0]!.spans).toHaveLength(2);
  });

  it.each([100, 31 * 86_400])('says of %i seconds when only pictures are left', async (durationSec) => {
    fixture.clock.advance(32 * 86_400_000);
    await recordAs('key-frames', 0, [0, 2, 4, 6]);
    await record(0, 6, 8);
    const { cameras } = await spans({ toMs: (startSec + durationSec) * 1_000 });
    const [found] = cameras as Record<'spans' | 'pictures', { fromMs: number; toMs: number }[]>[];
    const secOf = (name: 'spans' | 'pictures') =>
      found![name].map(({ fromMs, toMs }) => [fromMs / 1_000 - startSec, toMs / 1_000 - startSec]);
    expect([secOf('spans'), secOf('pictures')]).toEqual([[[0, 10]], [[0, 6]]]);
  });

  it('refuses ranges that are none or too long, and cameras of others', async () => {
    const fromMs = startSec * 1_000;
    expect((await spans({ toMs: fromMs })).errorMsg).toMatch(/^toMs must be after fromMs/);
    expect((await spans({ toMs: fromMs + 33 * 86_400_000 })).errorMsg).toMatch(/at most 32 days/);
    expect(await spans({ cameraUuids: [fixture.foreign.camera.uuid] })).toMatchObject({ error: true });
  });
});

describe(SEEKPOINTS, () => {
  const alert = (atSec: number, fields: object = {}) => ({
    uuid: newRuuid(),
    deviceUuid: cameraUuid,
    timestampMs: (startSec + atSec) * 1_000,
    ...fields,
  });

  it('lists what raised the alerts of the camera, in order', async () => {
    fixture.clock.advance(600_000);
    const reported = await fixture.call('/api/ingest/policyAlerts', {
      rows: [
        alert(30, { policyAlertTriggers: ['MOTION_HUMAN', 'MOTION'], textDescription: 'Gate' }),
        alert(10),
        alert(500, { policyAlertTriggers: ['DOOR_AJAR'] }),
        alert(20, { deviceUuid: fixture.own.doorbell.uuid, policyAlertTriggers: ['MOTION_CAR'] }),
      ],
    });
    expect(reported).toMatchObject({ acceptedCount: 4, rejected: [] });
    const requested = { cameraUuid, startTime: startSec, duration: 100 };
    const human = { ts: (startSec + 30) * 1_000, a: 'MOTION_HUMAN', al: true, cd: 'Gate', dcao: false };
    const unnamed = { ts: (startSec + 10) * 1_000, al: true, dcao: false };
    expect((await fixture.call(SEEKPOINTS, requested)).footageSeekPoints).toEqual([unnamed, human]);
    const ofMotion = await fixture.call(SEEKPOINTS, {
      ...requested,
      startTime: startSec * 1_000,
      includeAnyMotion: 'true',
    });
    expect(ofMotion.footageSeekPoints).toEqual([unnamed, human, { ...human, a: 'MOTION' }]);
    expect(
      (await fixture.call(SEEKPOINTS, { ...requested, includeAnyMotion: true })).footageSeekPoints,
    ).toEqual(ofMotion.footageSeekPoints);
  });
});

describe('custom seek points', () => {
  const at = (atSec: number) => (startSec + atSec) * 1_000;
  const point = (atSec: number, name: string, fields: object = {}) => ({
    timestampMs: at(atSec),
    name,
    ...fields,
  });
  const create = (points: readonly object[], camera: string = cameraUuid) =>
    fixture.call(CREATE, { cameraUuid: camera, footageSeekPoints: points });
  /** Their names, as found. */
  const found = async (requested: object = {}): Promise<string[]> => {
    const { customFootageSeekPoints } = await fixture.call(CUSTOM, requested);
    return (customFootageSeekPoints as { customDisplayName: string }[]).map(
      ({ customDisplayName }) => customDisplayName,
    );
  };

  it('are kept, and are among the moments of the footage', async () => {
    const delivery = point(20, 'Delivery', { color: 'TEAL', description: 'Gate 2', displayOverlay: true });
    expect(await create([delivery, point(10, 'Opening')], `${cameraUuid}.v0`)).toMatchObject({
      error: false,
    });
    const alert = { uuid: newRuuid(), deviceUuid: cameraUuid, timestampMs: at(15) };
    await fixture.call('/api/ingest/policyAlerts', {
      rows: [{ ...alert, policyAlertTriggers: ['MOTION_CAR'] }],
    });
    const { footageSeekPoints } = await fixture.call(SEEKPOINTS, {
      cameraUuid,
      startTime: startSec,
      duration: 21,
    });
    expect(footageSeekPoints).toEqual([
      { ts: at(10), a: 'CUSTOM', al: false, cd: '', cdn: 'Opening', dcao: false },
      { ts: at(15), a: 'MOTION_CAR', al: true, dcao: false },
      { ts: at(20), a: 'CUSTOM', al: false, cd: 'Gate 2', cdn: 'Delivery', cc: 'TEAL', dcao: true },
    ]);
    const { customFootageSeekPoints } = await fixture.call(CUSTOM, { customDescription: 'gate' });
    expect(customFootageSeekPoints).toEqual([
      {
        timestampMs: at(20),
        customDisplayName: 'Delivery',
        customDescription: 'Gate 2',
        deviceUuid: cameraUuid,
        orgUuid: fixture.own.organization.uuid,
        locationUuid: fixture.own.camera.locationUuid!,
      },
    ]);
  });

  it('are found by camera, place, time and words', async () => {
    const doorbell = fixture.own.doorbell.uuid;
    await create([point(0, 'A one'), point(60, 'B one')]);
    await create([point(30, 'A two')], doorbell);
    expect(await found()).toEqual(['A one', 'A two', 'B one']);
    expect(await found({ deviceUuids: [`${doorbell}.v0`] })).toEqual(['A two']);
    expect(await found({ deviceUuids: [newRuuid()] })).toEqual([]);
    expect(await found({ locationUuids: [newRuuid()] })).toEqual([]);
    expect(await found({ locationUuids: [fixture.own.camera.locationUuid] })).toContain('A one');
    expect(await found({ customDisplayName: 'ONE' })).toEqual(['A one', 'B one']);
    expect(await found({ startTime: startSec, duration: 60 })).toEqual(['A one', 'A two']);
    expect(await found({ startTime: at(30), duration: 31 })).toEqual(['A two', 'B one']);
  });

  it('are the same if they are sent again, and take what changed', async () => {
    await create([point(0, 'Delivery')]);
    await create([point(0, 'Delivery', { description: 'late' })]);
    expect(await found({ customDescription: 'late' })).toEqual(['Delivery']);
    expect(await found()).toEqual(['Delivery']);
  });

  it('have a limit for each camera, and none of a list that exceeds it is kept', async () => {
    const hundred = (from: number) => Array.from({ length: 100 }, (_, index) => point(from + index, 'many'));
    for (let from = 0; from < 1_000; from += 100)
      expect(await create(hundred(from))).toMatchObject({ error: false });
    expect(await create([point(5_000, 'first'), point(5_001, 'second')])).toMatchObject({
      error: true,
      errorMsg: expect.stringContaining('1,000 custom seek points'),
    });
    expect(await create([point(0, 'many', { description: 'changed' })])).toMatchObject({ error: false });
    expect((await found()).length).toBe(1_000);
    expect(await create([point(0, 'of another')], fixture.own.doorbell.uuid)).toMatchObject({ error: false });
  });

  it('keep to their limit when many are added at once, and are not left behind by a camera', async () => {
    const { store, clock, own } = fixture;
    const points = new CustomSeekPoints({ store, clock });
    const many = (name: string) =>
      Array.from({ length: 501 }, (_, index) => ({
        name,
        timestampMs: at(index),
        description: '',
        color: null,
        displayOverlay: false,
      }));
    const { uuid: orgUuid } = own.organization;
    const added = await Promise.allSettled(
      ['one', 'two'].map((name) => points.add(orgUuid, cameraUuid, many(name))),
    );
    // They take turns, so either one, or both, can find no room.
    const refused = added.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const one of refused) expect(one).toMatchObject({ reason: { code: 'SEEK_POINTS_FULL' } });
    expect((await found()).length).toBe(1_000);
    const deleted = newRuuid();
    await expect(points.add(orgUuid, deleted, many('late'))).rejects.toMatchObject({
      code: 'CAMERA_NOT_FOUND',
    });
    expect(await store.resources.of(CUSTOM_SEEK_POINTS).listByParent(orgUuid, deleted)).toEqual([]);
  });

  it('are deleted by time and name, also where some cameras do not exist', async () => {
    await create([point(0, 'A'), point(10, 'A'), point(10, 'B'), point(20, 'A')]);
    const unknown = newRuuid();
    const requested = { cameraUuids: [cameraUuid, unknown], customName: 'A' };
    const { deleteSeekpointResponseMap } = await fixture.call(DELETE, {
      ...requested,
      startTimestampMs: at(0),
      endTimestampMs: at(10),
    });
    expect(deleteSeekpointResponseMap).toEqual({
      [cameraUuid]: { err: false },
      [unknown]: { err: true, errMsg: 'There is no camera with this UUID.' },
    });
    expect(await found()).toEqual(['B', 'A']);
    await fixture.call(DELETE, { cameraUuids: [cameraUuid], startTimestampMs: 0, endTimestampMs: at(60) });
    expect(await found()).toEqual([]);
  });

  it("are no other organization's", async () => {
    const foreign = fixture.foreign.camera.uuid;
    expect(await create([point(0, 'A')], foreign)).toMatchObject({ error: true });
    await create([point(0, 'A')]);
    const theirs = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect((await fixture.call(CUSTOM, {}, theirs)).customFootageSeekPoints).toEqual([]);
    expect(await found({ deviceUuids: [foreign] })).toEqual([]);
  });
});
