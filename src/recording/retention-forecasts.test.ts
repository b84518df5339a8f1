import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Recording } from '../store/recording.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { forecastOfCamera } from './retention-forecast.ts';
import { RetentionForecasts } from './retention-forecasts.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const GB = 1e9;

describe('the forecast of what is stored', () => {
  async function open() {
    const clock = new FakeClock();
    const store = await openTestStore(clock);
    let freeBytes: number | null = 400 * GB;
    const own = new Map<Ruuid, number>();
    const forecasts = new RetentionForecasts({
      recordings: store.recordings,
      recordingHolds: store.recordingHolds,
      limits: {
        keepMs: 30 * DAY_MS,
        keepSubMs: 30 * DAY_MS,
        keepKeyFramesMs: null,
        keepForSharesMs: DAY_MS,
        maxCameraBytes: null,
        maxOrganizationBytes: null,
        minFreeBytes: 0,
      },
      ownRetention: (cameraUuid) => ({
        keepMs: own.get(cameraUuid) ?? null,
        keepSubMs: null,
        keepKeyFramesMs: null,
        maxBytes: null,
      }),
      freeBytes: async () => freeBytes,
      clock,
    });
    /** An hour each, 1 GB. */
    const record = async (cameraUuid: Ruuid, hours: number, changes: Partial<Recording> = {}) => {
      for (let number = 0; number < hours; number++) {
        const startMs = clock.epochMs() - (number + 1) * HOUR_MS;
        const time = { startMs, endMs: startMs + HOUR_MS, byteLength: GB, segments: '{}' };
        await store.recordings.save({
          cameraUuid,
          rendition: 'main',
          number: hours - number,
          ...time,
          ...changes,
        });
      }
    };
    const setFree = (bytes: number | null) => {
      freeBytes = bytes;
    };
    const keptDays = async (cameraUuid: Ruuid) => {
      const found = forecastOfCamera(await forecasts.read(), cameraUuid);
      return found === null ? null : [Math.round(found.keptMs / HOUR_MS) / 24, found.decidedBy];
    };
    return { clock, store, forecasts, own, record, setFree, keptDays };
  }

  it('follows the rate, the own time of a camera, shares, and the disk, once a minute', async () => {
    const { clock, own, record, setFree, keptDays } = await open();
    const [camera, shared] = [newRuuid(), newRuuid()];
    await record(camera, 48);
    await record(shared, 2, { purpose: 'shares' });
    own.set(camera, 3 * DAY_MS);
    expect(await keptDays(camera)).toEqual([3, 'age']);
    expect(await keptDays(shared)).toEqual([1, 'age']);
    own.set(camera, 4 * DAY_MS);
    setFree(0);
    expect(await keptDays(camera)).toEqual([4, 'age']);
    own.set(camera, 3 * DAY_MS);
    expect(await keptDays(camera)).toEqual([3, 'age']);
    clock.advance(60_000);
    // 50 GB for 24 GB a day, and another 24 GB a day for one day.
    const [days, decidedBy] = (await keptDays(camera))!;
    expect([Math.round(Number(days) * 10) / 10, decidedBy]).toEqual([1.1, 'disk']);
    setFree(null);
    clock.advance(60_000);
    expect(await keptDays(camera)).toEqual([3, 'age']);
  });

  it('leaves what is held out of what can be deleted', async () => {
    const { clock, store, record, setFree, keptDays } = await open();
    const [camera, orgUuid] = [newRuuid(), newRuuid()];
    await record(camera, 48);
    setFree(0);
    const endMs = clock.epochMs() - 24 * HOUR_MS;
    await store.recordingHolds.save({
      uuid: newRuuid(),
      orgUuid,
      cameraUuid: camera,
      startMs: endMs - 24 * HOUR_MS,
      endMs,
    });
    expect(await keptDays(camera)).toEqual([1, 'disk']);
  });

  it('asks again after the store has failed', async () => {
    const { store, record, forecasts } = await open();
    const camera = newRuuid();
    await record(camera, 24);
    const { recordings } = store;
    const broken = new RetentionForecasts({
      recordings: {
        usage: () => (isBroken ? Promise.reject(new Error('away')) : recordings.usage()),
        recent: (fromMs) => recordings.recent(fromMs),
        byteLength: (stream, which) => recordings.byteLength(stream, which),
      },
      recordingHolds: store.recordingHolds,
      limits: {
        keepMs: DAY_MS,
        keepSubMs: DAY_MS,
        keepKeyFramesMs: null,
        keepForSharesMs: DAY_MS,
        maxCameraBytes: null,
        maxOrganizationBytes: null,
        minFreeBytes: 0,
      },
      ownRetention: () => ({ keepMs: null, keepSubMs: null, keepKeyFramesMs: null, maxBytes: null }),
      freeBytes: async () => null,
      clock: new FakeClock(),
    });
    let isBroken = true;
    await expect(broken.read()).rejects.toThrow('away');
    isBroken = false;
    expect((await broken.read()).total).toMatchObject({ keptMs: DAY_MS });
    expect((await forecasts.read()).total).not.toBeNull();
  });
});
