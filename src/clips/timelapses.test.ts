import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { newRuuid } from '../core/ruuid.ts';
import { sampleLocation } from '../store/sample-entities-fixture.ts';
import { MAX_CLIP_JOBS } from './clip-orders.ts';
import { timelapseSpans } from './clip-sources.ts';
import { START_MS, testRecording } from './clips-fixture.ts';
import { MAX_TIMELAPSE_RANGE_MS, type TimelapseRequest } from './timelapses.ts';
import { READER, TimelapsesFixture } from './timelapses-fixture.ts';

describe('a timelapse', () => {
  it('that fails says so, and can be made again', async () => {
    const fixture = await TimelapsesFixture.open();
    const { base } = fixture;
    const [camera] = base.cameras;
    base.recorded.delete(camera!);
    const uuid = await fixture.made();
    expect(await fixture.stateOf(uuid)).toEqual(['FAILED', 0]);
    base.recorded.set(camera!, [(await testRecording()).found]);
    await base.clips.retry(base.orgUuid, uuid, READER);
    await base.clips.settled();
    expect(await fixture.stateOf(uuid)).toEqual(['COMPLETE', 100]);
  });

  it('is deleted with its files, whether or not it is complete', async () => {
    const fixture = await TimelapsesFixture.open();
    const { base } = fixture;
    const complete = await fixture.made();
    const other = await fixture.made();
    base.thread.isHanging = true;
    const begun = await fixture.generate();
    await eventuallyEqual(() => base.thread.messages.at(-1)?.op, 'copy');
    expect(await fixture.stateOf(begun)).toEqual(['INITIATED', 0]);
    base.thread.isHanging = false;
    await expect(fixture.timelapses.remove(base.orgUuid, [complete, newRuuid()])).rejects.toMatchObject({
      code: 'TIMELAPSE_NOT_FOUND',
    });
    await expect(fixture.timelapses.remove(newRuuid(), [complete])).rejects.toMatchObject({
      code: 'TIMELAPSE_NOT_FOUND',
    });
    expect(existsSync(base.path(complete))).toBe(true);
    await fixture.timelapses.remove(base.orgUuid, [complete, begun]);
    await eventuallyEqual(() => existsSync(base.path(complete)), false);
    await eventuallyEqual(() => base.thread.messages.some(({ op }) => op === 'cancel'), true);
    base.thread.end(undefined);
    await base.clips.settled();
    expect((await fixture.timelapses.list(base.orgUuid)).map(({ timelapse }) => timelapse.uuid)).toEqual([
      other,
    ]);
    expect(existsSync(base.path(other))).toBe(true);
  });

  it('is deleted when it is too old, as clips are', async () => {
    const fixture = await TimelapsesFixture.open();
    const { base } = fixture;
    const uuid = await fixture.made();
    base.clock.advance(86_400_001);
    await base.restart();
    await eventuallyEqual(() => existsSync(base.path(uuid)), false);
    expect(await fixture.listed(uuid)).toBeUndefined();
  });
});

describe('orders for timelapses that are refused', () => {
  it('name what is wrong', async () => {
    const fixture = await TimelapsesFixture.open();
    const { base } = fixture;
    const refused = (fields: Partial<TimelapseRequest>) =>
      fixture.generate(fields).then(
        () => 'accepted',
        ({ code }: { code: string }) => code,
      );
    expect(await refused({ devices: [] })).toBe('CLIP_WITHOUT_CAMERA');
    expect(await refused({ devices: [newRuuid()] })).toBe('CLIP_CAMERA_NOT_FOUND');
    expect(await refused({ stopMs: START_MS + 1_999 })).toBe('TIMELAPSE_TOO_SHORT');
    expect(await refused({ stopMs: START_MS - 1 })).toBe('TIMELAPSE_TOO_SHORT');
    expect(await refused({ stopMs: START_MS + MAX_TIMELAPSE_RANGE_MS + 1 })).toBe('TIMELAPSE_RANGE_TOO_LONG');
    const aheadMs = base.clock.epochMs() + 1;
    expect(await refused({ startMs: aheadMs, stopMs: aheadMs + 60_000 })).toBe('TIMELAPSE_AHEAD');
    expect(await fixture.timelapses.list(base.orgUuid)).toEqual([]);
    base.recorded.clear();
    for (let i = 0; i < MAX_CLIP_JOBS; i++) await fixture.generate();
    await base.clips.settled();
    expect(await refused({})).toBe('CLIP_JOBS_FULL');
  });
});

describe('the times of a timelapse', () => {
  const camera = newRuuid();
  const spans = (
    fields: { skipsNights?: boolean; skipsWeekends?: boolean },
    from: string,
    to: string,
    zone = 'America/New_York',
  ) =>
    timelapseSpans(
      { durationMs: 1, skipsNights: false, skipsWeekends: false, timeZones: { [camera]: zone }, ...fields },
      camera,
      Date.parse(from),
      Date.parse(to),
    ).map(({ fromMs, toMs }) => `${new Date(fromMs).toISOString()} ${new Date(toMs).toISOString()}`);

  it('are all of the range, or its days at the camera', () => {
    // Friday to Monday; New York is five hours behind.
    const range = ['2026-01-09T00:00:00Z', '2026-01-13T00:00:00Z'] as const;
    expect(spans({}, ...range)).toEqual(['2026-01-09T00:00:00.000Z 2026-01-13T00:00:00.000Z']);
    expect(spans({ skipsNights: true }, ...range)).toEqual([
      '2026-01-09T00:00:00.000Z 2026-01-09T01:00:00.000Z',
      '2026-01-09T11:00:00.000Z 2026-01-10T01:00:00.000Z',
      '2026-01-10T11:00:00.000Z 2026-01-11T01:00:00.000Z',
      '2026-01-11T11:00:00.000Z 2026-01-12T01:00:00.000Z',
      '2026-01-12T11:00:00.000Z 2026-01-13T00:00:00.000Z',
    ]);
    expect(spans({ skipsWeekends: true }, ...range)).toEqual([
      '2026-01-09T00:00:00.000Z 2026-01-10T05:00:00.000Z',
      '2026-01-12T05:00:00.000Z 2026-01-13T00:00:00.000Z',
    ]);
    expect(spans({ skipsNights: true, skipsWeekends: true }, ...range, 'UTC')).toEqual([
      '2026-01-09T06:00:00.000Z 2026-01-09T20:00:00.000Z',
      '2026-01-12T06:00:00.000Z 2026-01-12T20:00:00.000Z',
    ]);
  });

  it('cover a year', () => {
    const year = spans({ skipsNights: true }, '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z', 'UTC');
    expect(year).toHaveLength(365);
  });

  it('are those of the location of the camera', async () => {
    const fixture = await TimelapsesFixture.open(2);
    const { store, orgUuid, cameras } = fixture.base;
    const location = sampleLocation(orgUuid, { tz: 'Asia/Tokyo' });
    await store.locations.save(location);
    const camera = (await store.cameras.find(orgUuid, cameras[1]!))!;
    await store.cameras.save({ ...camera, locationUuid: location.uuid });
    // 2023-11-14, 22:13 in UTC, 07:13 in Tokyo: it is day there, and night where a camera has no location.
    const uuid = await fixture.made({ devices: cameras.slice(1), skipsNights: true });
    expect(await fixture.stateOf(uuid)).toEqual(['COMPLETE', 100]);
    expect(await fixture.stateOf(await fixture.made({ skipsNights: true }))).toEqual(['FAILED', 0]);
  });
});
