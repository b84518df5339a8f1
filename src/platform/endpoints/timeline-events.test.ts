import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../../api/api-fixture.ts';
import { newRuuid, type Ruuid } from '../../core/ruuid.ts';
import { SAVED_CLIPS, type SavedClipBody } from '../../events/saved-clips.ts';
import type { StoredEvent } from '../../store/event.ts';
import { DOORS, type DoorBody } from '../access-control/door.ts';

const FIND = '/api/event/getTimelineEvents';
const BOOKMARK = '/api/camera/createCustomFootageSeekpoints';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Found {
  readonly kind: string;
  readonly id: string;
  readonly timestampMs: number;
  readonly title: string;
}

let fixture: ApiFixture;
let orgUuid: Ruuid;
let cameraUuid: Ruuid;
let doorUuid: Ruuid;
let startMs: number;

beforeEach(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: 1e6, perSec: 1e6 } } });
  orgUuid = fixture.own.organization.uuid;
  cameraUuid = fixture.own.camera.uuid;
  doorUuid = newRuuid();
  startMs = fixture.clock.epochMs();
  await saveDoor(doorUuid, [`${cameraUuid}.v0`]);
});
afterEach(() => fixture.close());

async function saveDoor(uuid: Ruuid, associatedCameras: string[]): Promise<void> {
  const body = { locationUuid: null, associatedCameras } as DoorBody;
  await fixture.store.resources.of(DOORS).save({ ...common(), uuid, name: 'Gate door', body });
}

const common = () => ({
  orgUuid,
  parentUuid: null,
  secret: null,
  createdAtMs: startMs,
  updatedAtMs: startMs,
});

function event(kind: StoredEvent['kind'], sec: number, body: object, deviceUuid = cameraUuid): StoredEvent {
  return { orgUuid, kind, id: newRuuid(), deviceUuid, atMs: startMs + sec * 1_000, body };
}

const alert = (sec: number, trigger: string, deviceUuid = cameraUuid) =>
  event('policyAlert', sec, { policyAlertTriggers: [trigger], textDescription: trigger }, deviceUuid);

async function saveClip(sec: number, more: Partial<SavedClipBody> = {}): Promise<Ruuid> {
  const uuid = newRuuid();
  const body: SavedClipBody = {
    reportedId: null,
    deviceUuids: [`${cameraUuid}.v0`],
    locationUuid: null,
    timestampMs: startMs + sec * 1_000,
    durationSec: 30,
    title: 'Delivery',
    status: 'COMPLETE',
    ...more,
  };
  await fixture.store.resources.of(SAVED_CLIPS).save({ ...common(), uuid, name: 'Delivery', body });
  return uuid;
}

const find = (fields: object = {}, headers: Record<string, string> = {}) =>
  fixture.call(
    FIND,
    { cameraUuids: [cameraUuid], fromMs: startMs, toMs: startMs + HOUR_MS, ...fields },
    headers,
  );
const found = (response: object) => (response as { events: Found[] }).events;

/** One of each kind, a second apart. */
async function fill(): Promise<void> {
  await fixture.store.events.add([
    alert(1, 'TAMPER'),
    alert(2, 'MOTION_HUMAN'),
    event('deviceHealth', 3, { symptom: 'DOWN', seenBy: 'gateway' }),
    event(
      'componentEvent',
      4,
      { type: 'DoorStateChangeEvent', timestampMs: startMs + 4_000, componentUuid: doorUuid },
      doorUuid,
    ),
  ]);
  await saveClip(5);
  const footageSeekPoints = [{ timestampMs: startMs + 6_000, name: 'Blue van', color: 'TEAL' }];
  expect(await fixture.call(BOOKMARK, { cameraUuid, footageSeekPoints })).toMatchObject({ error: false });
}

describe(FIND, () => {
  it('lists all kinds together, newest first', async () => {
    await fill();
    const response = await find();
    expect(response.lastEvaluatedKey).toBeUndefined();
    expect(found(response)).toMatchObject([
      { kind: 'BOOKMARK', title: 'Blue van', timestampMs: startMs + 6_000, cameraUuid, color: 'TEAL' },
      { kind: 'CLIP', title: 'Delivery', timestampMs: startMs + 5_000, durationSec: 30, status: 'COMPLETE' },
      {
        kind: 'DOOR',
        what: ['DoorStateChangeEvent'],
        deviceUuid: doorUuid,
        deviceName: 'Gate door',
        cameraUuid,
      },
      { kind: 'CAMERA', what: ['DOWN'], cameraUuid },
      { kind: 'MOTION', what: ['MOTION_HUMAN'], title: 'MOTION_HUMAN', cameraUuid },
      { kind: 'ALERT', what: ['TAMPER'], timestampMs: startMs + 1_000, acknowledged: false },
    ]);
  });

  it.each(['ALERT', 'MOTION', 'CAMERA', 'DOOR', 'CLIP', 'BOOKMARK'])('narrows to %s', async (kind) => {
    await fill();
    expect(found(await find({ kinds: [kind] })).map((each) => each.kind)).toEqual([kind]);
  });

  it.each([
    ['every kind', undefined],
    ['a kind that few events have', ['ALERT', 'BOOKMARK']],
  ])('pages without repeating or losing one: %s', async (_name, kinds) => {
    await fill();
    const triggers = ['MOTION', 'MOTION', 'MOTION', 'TAMPER'];
    // Several in one millisecond.
    const many = Array.from({ length: 60 }, (_, i) => alert(10 + Math.floor(i / 4), triggers[i % 4]!));
    await fixture.store.events.add(many);
    const whole = found(await find({ kinds, maxPageSize: 500 }));
    expect(whole).toHaveLength(kinds === undefined ? 66 : 17);
    const seen: string[] = [];
    let lastEvaluatedKey: unknown;
    do {
      const response = await find({ kinds, maxPageSize: 7, lastEvaluatedKey });
      expect(found(response).length).toBeLessThanOrEqual(7);
      seen.push(...found(response).map(({ id }) => id));
      lastEvaluatedKey = response.lastEvaluatedKey;
      await fixture.store.events.add([alert(3_000, 'TAMPER')]);
    } while (lastEvaluatedKey !== undefined);
    expect(seen).toEqual(whole.map(({ id }) => id));
  });

  it('reads a bounded part of a day with ten thousand events', async () => {
    for (let part = 0; part < 10; part++) {
      const motion = Array.from({ length: 1_000 }, (_, i) => alert(part * 8_000 + i * 8, 'MOTION'));
      await fixture.store.events.add(motion);
    }
    await fixture.store.events.add([alert(0, 'TAMPER')]);
    const day = { toMs: startMs + DAY_MS };
    const first = await find(day);
    expect(found(first)).toHaveLength(100);
    expect(first.lastEvaluatedKey).toBeDefined();
    // The only one is the oldest: it takes several calls, none of which reads everything.
    let calls = 0;
    let lastEvaluatedKey: unknown;
    const alerts: Found[] = [];
    do {
      const response = await find({ ...day, kinds: ['ALERT'], lastEvaluatedKey });
      alerts.push(...found(response));
      lastEvaluatedKey = response.lastEvaluatedKey;
      calls += 1;
    } while (lastEvaluatedKey !== undefined);
    expect(alerts).toMatchObject([{ kind: 'ALERT', timestampMs: startMs }]);
    expect(calls).toBeGreaterThan(1);
  });

  it('lists only what happened in the range, at these cameras', async () => {
    const other = fixture.own.doorbell.uuid;
    const elsewhere = newRuuid();
    await saveDoor(elsewhere, [other]);
    await fixture.store.events.add([
      alert(-1, 'TAMPER'),
      alert(0, 'TAMPER'),
      alert(3_600, 'TAMPER'),
      alert(5, 'TAMPER', other),
      event('componentEvent', 5, { type: 'ButtonEvent', timestampMs: startMs }, elsewhere),
    ]);
    await saveClip(7, { deviceUuids: [`${other}.v0`] });
    expect(found(await find()).map(({ timestampMs }) => timestampMs)).toEqual([startMs]);
    expect(found(await find({ cameraUuids: [other] }))).toHaveLength(3);
    expect(found(await find({ cameraUuids: [other, cameraUuid] }))).toHaveLength(4);
  });

  it('shows a clip under the camera that was asked about, and no private clip of someone else', async () => {
    const other = fixture.own.doorbell.uuid;
    const both = await saveClip(7, { deviceUuids: [`${other}.v0`, `${cameraUuid}.v0`] });
    await saveClip(8, { userUuid: newRuuid(), accessSettings: { visibility: 'PRIVATE' } });
    expect(found(await find())).toMatchObject([{ id: both, cameraUuid }]);
  });

  it('knows nothing of another organization, and refuses a key of another list', async () => {
    await fill();
    const foreign = { 'x-auth-apikey': fixture.foreign.apiKey };
    expect(await find({}, foreign)).toMatchObject({ error: true });
    const ofForeign = { cameraUuids: [fixture.foreign.camera.uuid] };
    expect(found(await find(ofForeign, foreign))).toEqual([]);
    expect((await find({ lastEvaluatedKey: 'abc' })).errorMsg).toBe(
      'lastEvaluatedKey must be a key that this endpoint returned.',
    );
    expect((await find({ toMs: startMs })).errorMsg).toBe('toMs must be after fromMs.');
    expect((await find({ toMs: startMs + 33 * DAY_MS })).errorMsg).toBe(
      'The range can have at most 32 days.',
    );
  });
});
