import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../core/eventually-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { CAMERA_PAUSES } from '../store/camera-pause.ts';
import type { StoredEvent } from '../store/event.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { CameraPauseEnds } from './camera-pause-ends.ts';
import {
  CameraPauses,
  cameraPausesOf,
  MAX_CAMERA_PAUSE_MS,
  pausedCameras,
  toldEvents,
} from './camera-pauses.ts';

const BASE_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

let clock: FakeClock;
let store: Store;
let pauses: CameraPauses;
let orgUuid: Ruuid;
let foreignUuid: Ruuid;
beforeEach(async () => {
  clock = new FakeClock(BASE_MS);
  store = await openTestStore(clock);
  onTestFinished(() => store.close());
  [orgUuid, foreignUuid] = [newRuuid(), newRuuid()];
  for (const uuid of [orgUuid, foreignUuid]) await store.organizations.save(sampleOrganization({ uuid }));
  pauses = new CameraPauses({ store, clock });
});

const camera = (of = orgUuid) => ({ orgUuid: of, uuid: newRuuid(), name: 'Gate' });
const pause = (of: ReturnType<typeof camera>, durationMs = HOUR_MS, by = 'Ada') =>
  pauses.pause(of, { untilMs: undefined, durationMs }, by);

function health(of: ReturnType<typeof camera>, symptom: 'DOWN' | null, atMs = clock.epochMs()): StoredEvent {
  const body = { symptom, seenBy: 'gateway' as const };
  return { orgUuid: of.orgUuid, kind: 'deviceHealth', id: newRuuid(), deviceUuid: of.uuid, atMs, body };
}

describe('a pause of a camera', () => {
  it('lasts as long as it was asked for, or until a time, and belongs to its organization', async () => {
    const [gate, yard] = [camera(), camera()];
    const untilMs = BASE_MS + 2 * HOUR_MS;
    expect(await pause(gate)).toEqual({
      cameraUuid: gate.uuid,
      fromMs: BASE_MS,
      untilMs: BASE_MS + HOUR_MS,
      pausedBy: 'Ada',
    });
    await pauses.pause(yard, { untilMs, durationMs: 1 }, 'Grace');
    expect((await pauses.list(orgUuid)).map(({ cameraUuid }) => cameraUuid)).toEqual([gate.uuid, yard.uuid]);
    expect(await pauses.list(foreignUuid)).toEqual([]);
    expect(await pausedCameras(store, BASE_MS)).toEqual(new Set([gate.uuid, yard.uuid]));
    await pauses.end(foreignUuid, gate.uuid);
    clock.advance(HOUR_MS - 1);
    expect(await pauses.list(orgUuid)).toHaveLength(2);
    clock.advance(1);
    expect(await pauses.list(orgUuid)).toMatchObject([{ cameraUuid: yard.uuid, untilMs, pausedBy: 'Grace' }]);
  });

  it('moves its end when someone pauses again, and ends early; its past stays known for late reports', async () => {
    const gate = camera();
    await pause(gate);
    clock.advance(60_000);
    expect(await pause(gate, 120_000, 'Grace')).toMatchObject({
      fromMs: BASE_MS,
      untilMs: BASE_MS + 180_000,
    });
    clock.advance(60_000);
    await pauses.end(orgUuid, gate.uuid);
    await pauses.end(orgUuid, gate.uuid);
    expect(await pauses.list(orgUuid)).toEqual([]);
    const isPaused = await cameraPausesOf(store, orgUuid);
    expect(isPaused(gate.uuid, BASE_MS + 119_999)).toBe(true);
    expect(isPaused(gate.uuid, BASE_MS + 120_000)).toBe(false);
    expect(isPaused(newRuuid(), BASE_MS)).toBe(false);
    clock.advance(60_000);
    expect(await pause(gate)).toMatchObject({ fromMs: BASE_MS + 180_000 });
    expect(await store.resources.of(CAMERA_PAUSES).count(orgUuid)).toBe(1);
  });

  it('must end in the future, and within 31 days', async () => {
    const end = (untilMs: number) => pauses.pause(camera(), { untilMs, durationMs: 1 }, 'Ada');
    await expect(end(BASE_MS)).rejects.toMatchObject({ code: 'CAMERA_PAUSE_OVER' });
    await expect(end(BASE_MS + MAX_CAMERA_PAUSE_MS + 1)).rejects.toMatchObject({
      code: 'CAMERA_PAUSE_TOO_LONG',
    });
    expect(await end(BASE_MS + MAX_CAMERA_PAUSE_MS)).toMatchObject({ pausedBy: 'Ada' });
  });

  it('keeps connections of the camera from others, and of no other camera', async () => {
    const [gate, yard, theirs] = [camera(), camera(), camera(foreignUuid)];
    await pause(gate);
    const events = [health(gate, 'DOWN', BASE_MS - 1), health(yard, 'DOWN'), health(theirs, 'DOWN')];
    const hidden = [health(gate, 'DOWN'), health(gate, null)];
    const alert = { ...health(gate, 'DOWN'), kind: 'policyAlert' } as StoredEvent;
    expect(await toldEvents(store, [...events, ...hidden, alert])).toEqual([...events, alert]);
  });
});

describe('the end of a pause', () => {
  function follow(): CameraPauseEnds {
    const ends = new CameraPauseEnds({ store, clock, log: silentLog });
    onTestFinished(() => ends.close());
    return ends;
  }
  const stored = async (of = orgUuid) => {
    const events = await store.events.page(of, {
      kind: 'deviceHealth',
      fromMs: 0,
      toMs: Number.MAX_SAFE_INTEGER,
      order: 'newest-first',
      after: null,
      limit: 100,
    });
    return events.filter(({ body }) => 'isAfterPause' in body);
  };

  it('reports a camera that is still offline once, whichever gateway notices it', async () => {
    const [gate, yard] = [camera(), camera()];
    await pause(gate);
    await pause(yard);
    await store.events.add([health(gate, null), health(gate, 'DOWN', BASE_MS + 10), health(yard, null)]);
    follow();
    follow();
    await eventually('the report of the end', async () => {
      clock.advance(60_000);
      return (await stored()).length > 0;
    });
    const [event] = await stored();
    expect(event).toMatchObject({ deviceUuid: gate.uuid, atMs: BASE_MS + HOUR_MS });
    expect(await toldEvents(store, [event!])).toEqual([event]);
    await follow().close();
    expect(await stored()).toHaveLength(1);
  });

  it('is reported when someone ends it early, and after a start within the hour', async () => {
    const gate = camera();
    await pause(gate);
    await store.events.add([health(gate, 'DOWN', BASE_MS + 10)]);
    clock.advance(60_000);
    await pauses.end(orgUuid, gate.uuid);
    clock.advance(HOUR_MS + 1);
    await follow().close();
    expect(await stored()).toEqual([]);
    const late = camera();
    await pause(late);
    await store.events.add([health(late, 'DOWN', clock.epochMs() + 10)]);
    const ends = follow();
    clock.advance(60_000);
    const untilMs = clock.epochMs();
    await pauses.end(orgUuid, late.uuid);
    await eventually('the report of the early end', async () => (await stored()).length > 0);
    await ends.close();
    expect(await stored()).toMatchObject([{ deviceUuid: late.uuid, atMs: untilMs }]);
  });
});
