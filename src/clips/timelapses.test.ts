import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { FPS, frameHashes, probe, type TestRecording } from '../playback/range-mp4-fixture.ts';
import { sampleLocation } from '../store/sample-entities.ts';
import { ClipLibrary } from './clip-library.ts';
import { MAX_CLIP_JOBS } from './clip-orders.ts';
import { ClipsFixture, START_MS, testRecording } from './clips-fixture.ts';
import { timelapseSpans } from './timelapse-times.ts';
import { MAX_TIMELAPSE_RANGE_MS, type TimelapseWish } from './timelapses.ts';

const READER = newRuuid();

let recording: TestRecording;

beforeEach(async () => {
  recording = await testRecording();
});

class TimelapsesFixture {
  readonly base: ClipsFixture;

  private constructor(base: ClipsFixture) {
    this.base = base;
  }

  static async open(cameras = 1): Promise<TimelapsesFixture> {
    return new TimelapsesFixture(await ClipsFixture.open(cameras));
  }

  get timelapses() {
    return this.base.clips.timelapses;
  }

  generate(fields: Partial<TimelapseWish> = {}): Promise<Ruuid> {
    return this.timelapses.generate(this.base.orgUuid, {
      ...{ devices: [`${this.base.cameras[0]}.v0`], startMs: START_MS, stopMs: START_MS + 6_000 },
      ...{ durationSec: 2, skipsNights: false, skipsWeekends: false, title: null, description: null },
      ...fields,
    });
  }

  async made(fields: Partial<TimelapseWish> = {}): Promise<Ruuid> {
    const uuid = await this.generate(fields);
    await this.base.clips.settled();
    return uuid;
  }

  async listed(uuid: Ruuid) {
    const all = await this.timelapses.list(this.base.orgUuid);
    return all.find(({ timelapse }) => timelapse.uuid === uuid);
  }

  async stateOf(uuid: Ruuid) {
    const { state, percent } = (await this.listed(uuid))!;
    return [state, percent];
  }
}

const keyFrames = () => frameHashes(recording.bytes).filter((_, index) => index % FPS === 0);

describe('a timelapse', () => {
  it('is a movie of key frames, as long as it was asked for, with an image', async () => {
    const fixture = await TimelapsesFixture.open();
    const { base } = fixture;
    const uuid = await fixture.made({ title: 'Roof' });
    expect(await fixture.listed(uuid)).toMatchObject({
      ...{ state: 'COMPLETE', percent: 100 },
      timelapse: { body: { durationSec: 2, title: 'Roof' } },
    });
    const bytes = readFileSync(base.path(uuid));
    expect(frameHashes(bytes)).toEqual(keyFrames());
    expect(Number(probe(bytes).format.duration)).toBeCloseTo(2, 3);
    expect(readFileSync(base.path(uuid).replace('.mp4', '.jpeg'), 'utf8')).toBe(`image at ${START_MS}`);
    const [camera] = base.cameras;
    const library = new ClipLibrary(base.store.resources);
    expect(await library.find(base.orgUuid, uuid, camera!, READER)).toMatchObject({
      title: 'Roof',
      file: { durationMs: 2_000 },
    });
    expect(await library.find(newRuuid(), uuid, camera!, READER)).toBeNull();
    expect(await library.cameraOf(base.orgUuid, uuid)).toBe(camera);
    // It is no saved clip, and no clip in progress.
    expect(await base.savedClips.known(base.orgUuid, uuid)).toBeNull();
    expect(await base.clips.inProgress(base.orgUuid, READER)).toEqual([]);
  });

  it('shows what is in the time alone, and one of several cameras has a file for each', async () => {
    const fixture = await TimelapsesFixture.open(2);
    const { base } = fixture;
    const uuid = await fixture.made({
      devices: base.cameras,
      ...{ startMs: START_MS + 500, stopMs: START_MS + 4_500, durationSec: 1 },
    });
    for (const camera of base.cameras) {
      expect(frameHashes(readFileSync(base.path(uuid, camera)))).toEqual(keyFrames().slice(1, 5));
    }
  });

  it('is as long as what was recorded, if that is less than was asked for', async () => {
    const fixture = await TimelapsesFixture.open();
    const uuid = await fixture.made({ stopMs: START_MS + 3_000_000, durationSec: 120 });
    expect((await fixture.listed(uuid))!.timelapse.body.durationSec).toBe(6);
    expect(Number(probe(readFileSync(fixture.base.path(uuid))).format.duration)).toBeCloseTo(6, 2);
  });

  it('that fails says so, and can be made again', async () => {
    const fixture = await TimelapsesFixture.open();
    const { base } = fixture;
    const [camera] = base.cameras;
    base.recorded.delete(camera!);
    const uuid = await fixture.made();
    expect(await fixture.stateOf(uuid)).toEqual(['FAILED', 0]);
    base.recorded.set(camera!, [recording.found]);
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
    await expect.poll(() => base.thread.messages.at(-1)?.op).toBe('copy');
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
    await expect.poll(() => existsSync(base.path(complete))).toBe(false);
    await expect.poll(() => base.thread.messages.some(({ op }) => op === 'cancel')).toBe(true);
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
    await expect.poll(() => existsSync(base.path(uuid))).toBe(false);
    expect(await fixture.listed(uuid)).toBeUndefined();
  });

  it('goes on after a restart in the middle', async () => {
    const fixture = await TimelapsesFixture.open();
    const { base } = fixture;
    base.thread.isHanging = true;
    const uuid = await fixture.generate();
    await expect.poll(() => base.thread.messages.some(({ op }) => op === 'copy')).toBe(true);
    mkdirSync(join(base.folder, 'clips', uuid), { recursive: true });
    writeFileSync(base.path(uuid), 'half');
    const library = new ClipLibrary(base.store.resources);
    expect(await library.find(base.orgUuid, uuid, base.cameras[0]!, READER)).toBeNull();
    base.thread.isHanging = false;
    await base.restart();
    await base.clips.settled();
    expect(await fixture.stateOf(uuid)).toEqual(['COMPLETE', 100]);
    expect(frameHashes(readFileSync(base.path(uuid)))).toEqual(keyFrames());
  });
});

describe('orders for timelapses that are refused', () => {
  it('name what is wrong', async () => {
    const fixture = await TimelapsesFixture.open();
    const { base } = fixture;
    const refused = (fields: Partial<TimelapseWish>) =>
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
