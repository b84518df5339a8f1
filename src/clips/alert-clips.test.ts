import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { type CreateTokenSource, TokenBuckets } from '../core/token-buckets.ts';
import { PolicyAlerts } from '../events/policy-alerts.ts';
import { alertClipUuid, SavedClips } from '../events/saved-clips.ts';
import { FakeMovieThread } from '../playback/fake-movie-thread.ts';
import { MovieMaker } from '../playback/movie-maker.ts';
import { frameHashes, makeRecording, type TestRecording } from '../playback/range-mp4-fixture.ts';
import { FileStorage } from '../recording/file-storage.ts';
import { testFolder } from '../recording/recording-fixture.ts';
import { endEpochMs, type RecordedStream } from '../recording/segment-index.ts';
import type { StoredEvent } from '../store/event.ts';
import { openTestStore } from '../store/open-test-store.ts';
import { sampleCamera, sampleOrganization } from '../store/sample-entities.ts';
import type { Store } from '../store/store.ts';
import type { RecordingState } from '../stream/recording-state.ts';
import { ALERT_BURST, LIVE_IMAGE_MS, type LiveImage, MAX_ALERT_JOBS } from './alert-clips.ts';
import { ClipLibrary } from './clip-library.ts';
import { CLIP_JOBS } from './clip-records.ts';
import { SWEEP_SOON_MS } from './clip-retention.ts';
import { Clips } from './clips.ts';

const START_MS = 1_700_000_000_000;
/** Well before the end of what is recorded. */
const AT_MS = START_MS + 3_000;
const NAME = 'recording.mp4';
const RECORDING: RecordingState = { state: 'recording', code: null, reasons: ['always'], isForbidden: false };
const HERE = { region: 'local' };

let recording: TestRecording;

beforeEach(async () => {
  recording ??= await makeRecording(NAME, { seconds: 6, epochMs: START_MS });
});

class Fixture {
  readonly clock = new FakeClock(START_MS + 10_000);
  readonly folder = testFolder();
  readonly orgUuid = newRuuid();
  readonly thread = new FakeMovieThread(new FileStorage(this.folder));
  readonly store: Store;
  readonly alerts: PolicyAlerts;
  readonly savedClips: SavedClips;
  /** By camera: what it records, and when. */
  readonly states = new Map<Ruuid, RecordingState>();
  readonly recorded = new Set<Ruuid>();
  readonly live = new Map<Ruuid, LiveImage>();
  /** By alert: further cameras that saw it. */
  readonly alsoSeenBy = new Map<string, readonly Ruuid[]>();
  readonly images: number[] = [];
  maxBytes = 1e9;
  perHour = 3_600;
  shared: CreateTokenSource | null = null;
  clips: Clips;
  maker: MovieMaker;

  constructor(store: Store) {
    this.store = store;
    writeFileSync(join(this.folder, NAME), recording.bytes);
    this.alerts = new PolicyAlerts(store);
    this.savedClips = new SavedClips({ store, alerts: this.alerts, clock: this.clock });
    this.maker = this.#newMaker();
    this.clips = this.#newClips();
  }

  static async open(
    settings: Partial<Pick<Fixture, 'maxBytes' | 'perHour' | 'shared'>> = {},
  ): Promise<Fixture> {
    const store = await openTestStore(new FakeClock());
    const fixture = new Fixture(store);
    onTestFinished(async () => {
      fixture.maker.close();
      await fixture.clips.close();
      await store.close();
    });
    Object.assign(fixture, settings);
    await fixture.restart();
    await store.organizations.save(sampleOrganization({ uuid: fixture.orgUuid }));
    return fixture;
  }

  async restart(): Promise<void> {
    this.maker.close();
    await this.clips.close();
    this.maker = this.#newMaker();
    this.clips = this.#newClips();
    await this.clips.begin();
  }

  /** A camera that is recorded, unless said otherwise. */
  async camera(state: RecordingState | null = RECORDING): Promise<Ruuid> {
    const camera = { ...sampleCamera(this.orgUuid), locationUuid: null };
    await this.store.cameras.save(camera);
    if (state !== null) {
      this.states.set(camera.uuid, state);
      this.recorded.add(camera.uuid);
    }
    return camera.uuid;
  }

  /** Reports an alert, and lets it take effect. */
  async raise(deviceUuid: Ruuid, fields: object = {}, timestampMs = AT_MS): Promise<Ruuid> {
    const { event, uuid } = await this.report(deviceUuid, fields, timestampMs);
    await this.clips.onEvents([event]);
    return uuid;
  }

  async report(
    deviceUuid: Ruuid,
    fields: object = {},
    timestampMs = AT_MS,
  ): Promise<{ readonly event: StoredEvent; readonly uuid: Ruuid }> {
    const uuid = newRuuid();
    await this.alerts.report(this.orgUuid, [{ uuid, deviceUuid, timestampMs, ...fields }]);
    return { event: await this.alerts.find(this.orgUuid, uuid), uuid };
  }

  async body(alertUuid: Ruuid) {
    return (await this.alerts.find(this.orgUuid, alertUuid)).body;
  }

  delivered(id: Ruuid, camera: Ruuid) {
    return new ClipLibrary(this.store.resources).find(this.orgUuid, id, camera, newRuuid());
  }

  path(alertUuid: Ruuid, camera: Ruuid): string {
    return join(this.folder, 'clips', alertClipUuid(this.orgUuid, alertUuid), `${camera}.mp4`);
  }

  #newMaker(): MovieMaker {
    return new MovieMaker({ launch: this.thread.launch, clock: this.clock, log: silentLog });
  }

  #newClips(): Clips {
    const { store, maker, clock } = this;
    const { found } = recording;
    const segments = async ({ cameraUuid }: RecordedStream, fromMs: number, toMs: number) => {
      if (!this.recorded.has(cameraUuid)) return [];
      const inRange = found.segments.filter((each) => each.epochMs < toMs && endEpochMs(each) > fromMs);
      return inRange.length === 0 ? [] : [{ ...found, segments: inRange }];
    };
    // Everything until now is recorded.
    const seek = async () => ({ ...found, segment: found.segments.at(-1)! });
    return new Clips({
      ...{ store, maker, clock, log: silentLog, media: { segments, seek } },
      takeImage: async (_camera, atMs) => {
        this.images.push(atMs);
        return Buffer.from(`image at ${atMs}`);
      },
      limits: { keepMs: 10 * 86_400_000, maxBytes: null },
      alerts: {
        cameras: {
          of: async ({ id, deviceUuid }) => [deviceUuid, ...(this.alsoSeenBy.get(id) ?? [])],
          recording: (camera) => this.states.get(camera),
          isLive: (camera) => this.live.has(camera),
          takeLiveImage: async (camera) => this.live.get(camera)!,
        },
        settings: { preRollMs: 2_000, postRollMs: 1_000, perHour: this.perHour },
        shared: this.shared,
        limits: { keepMs: 86_400_000, maxBytes: this.maxBytes },
      },
    });
  }
}

describe('an alert of a camera that is recorded', () => {
  it('gets a clip with pre-roll and post-roll, and an image of its instant', async () => {
    const fixture = await Fixture.open();
    const camera = await fixture.camera();
    const uuid = await fixture.raise(camera, { textDescription: 'Motion', durationSec: 1 });
    expect(await fixture.body(uuid)).not.toHaveProperty('clipLocation');
    await fixture.clips.settled();
    expect(await fixture.body(uuid)).toMatchObject({
      ...{ textDescription: 'Motion', durationSec: 1 },
      ...{ clipLocation: HERE, clipLocationMap: { [camera]: HERE }, thumbnailLocation: HERE },
    });
    const found = (await fixture.delivered(uuid, camera))!;
    expect(found.file).toMatchObject({ startEpochMs: START_MS + 1_000, durationMs: 4_000, isPlain: true });
    expect(fixture.images).toEqual([AT_MS]);
    expect(frameHashes(readFileSync(fixture.path(uuid, camera)))).toEqual(
      frameHashes(recording.bytes).slice(25, 125),
    );
    // Alerts are not saved clips.
    expect((await fixture.savedClips.page(fixture.orgUuid, null, 10, null)).clips).toEqual([]);
    expect(await fixture.clips.inProgress(fixture.orgUuid, newRuuid())).toEqual([]);
  });

  it('gets one clip, however often its event is seen', async () => {
    const fixture = await Fixture.open();
    const camera = await fixture.camera();
    const { event, uuid } = await fixture.report(camera);
    await fixture.clips.onEvents([event]);
    await fixture.clips.onEvents([event]);
    await fixture.clips.settled();
    await fixture.clips.onEvents([event]);
    await fixture.clips.settled();
    expect(fixture.thread.messages.filter(({ op }) => op === 'copy')).toHaveLength(1);
    expect(await fixture.delivered(uuid, camera)).not.toBeNull();
  });

  it('gets its clip after a restart in the middle', async () => {
    const fixture = await Fixture.open();
    const camera = await fixture.camera();
    fixture.thread.isHanging = true;
    const uuid = await fixture.raise(camera);
    await expect.poll(() => fixture.thread.messages.some(({ op }) => op === 'copy')).toBe(true);
    fixture.thread.isHanging = false;
    await fixture.restart();
    await fixture.clips.settled();
    expect(await fixture.body(uuid)).toMatchObject({ clipLocation: HERE });
  });

  it('shows all cameras of its door that have a recording', async () => {
    const fixture = await Fixture.open();
    const [camera, second, empty] = [await fixture.camera(), await fixture.camera(), await fixture.camera()];
    fixture.recorded.delete(empty);
    const { event, uuid } = await fixture.report(camera);
    fixture.alsoSeenBy.set(uuid, [second, empty]);
    await fixture.clips.onEvents([event]);
    await fixture.clips.settled();
    expect(await fixture.body(uuid)).toMatchObject({ clipLocationMap: { [camera]: HERE, [second]: HERE } });
    expect(await fixture.delivered(uuid, empty)).toBeNull();
    expect(await fixture.delivered(uuid, second)).not.toBeNull();
  });

  it('gets none if nothing of its time is recorded, and nothing of it is left', async () => {
    const fixture = await Fixture.open();
    const camera = await fixture.camera();
    fixture.recorded.clear();
    const uuid = await fixture.raise(camera);
    await fixture.clips.settled();
    expect(await fixture.body(uuid)).toEqual({});
    expect(await fixture.store.resources.of(CLIP_JOBS).list(fixture.orgUuid)).toEqual([]);
  });

  it.each([
    ['is old', {}, START_MS - 3_600_000],
    ['has a wrong clock', {}, START_MS + 7_200_000],
    ['has a clip of its own', { clipLocation: { region: 'us-west-2' } }, AT_MS],
  ])('gets none if it %s', async (_why, fields, atMs) => {
    const fixture = await Fixture.open();
    await fixture.raise(await fixture.camera(), fields, atMs);
    expect(await fixture.store.resources.of(CLIP_JOBS).list(fixture.orgUuid)).toEqual([]);
  });

  it('does not undo what else is changed about it', async () => {
    const fixture = await Fixture.open();
    const uuid = await fixture.raise(await fixture.camera());
    const saving = Promise.all(
      Array.from({ length: 20 }, () => fixture.savedClips.saveAlert(fixture.orgUuid, uuid, {})),
    );
    await Promise.all([saving, fixture.clips.settled()]);
    expect(await fixture.body(uuid)).toMatchObject({ saved: true, clipLocation: HERE });
  });
});

describe('many alerts', () => {
  it('of one camera get as many clips as it may have', async () => {
    const fixture = await Fixture.open({ perHour: 60 });
    const [camera, other] = [await fixture.camera(), await fixture.camera()];
    fixture.thread.isHanging = true;
    for (let i = 0; i < 3 * ALERT_BURST; i++) await fixture.raise(camera);
    const jobs = () => fixture.store.resources.of(CLIP_JOBS).list(fixture.orgUuid);
    expect(await jobs()).toHaveLength(ALERT_BURST);
    await fixture.raise(other);
    expect(await jobs()).toHaveLength(ALERT_BURST + 1);
    fixture.clock.advance(60_000);
    const later = await fixture.report(camera, {}, AT_MS + 60_000);
    await fixture.clips.onEvents([later.event]);
    await expect
      .poll(async () =>
        (await jobs()).some(({ uuid }) => uuid === alertClipUuid(fixture.orgUuid, later.uuid)),
      )
      .toBe(true);
  });

  it('of one camera are counted in the buckets that nodes share', async () => {
    const refill = { tokens: 60, perMs: 3_600_000 };
    const buckets = new TokenBuckets({ clock: new FakeClock(), burst: ALERT_BURST, refill });
    const fixture = await Fixture.open({ perHour: 60, shared: () => buckets });
    const camera = await fixture.camera();
    const alerts: Ruuid[] = [];
    for (let i = 0; i < ALERT_BURST; i++) alerts.push(await fixture.raise(camera));
    await fixture.clips.settled();
    // As another node would be, it has counted nothing itself.
    await fixture.restart();
    alerts.push(await fixture.raise(camera));
    await fixture.clips.settled();
    const bodies = await Promise.all(alerts.map((uuid) => fixture.body(uuid)));
    expect(bodies.slice(0, -1).every((body) => 'clipLocation' in body)).toBe(true);
    expect(bodies.at(-1)).not.toHaveProperty('clipLocation');
  });

  it('of many cameras are bounded, and do not take the place of clips that someone orders', async () => {
    const fixture = await Fixture.open();
    const cameras: Ruuid[] = [];
    for (let i = 0; i < MAX_ALERT_JOBS / ALERT_BURST + 2; i++) cameras.push(await fixture.camera());
    fixture.thread.isHanging = true;
    for (const camera of cameras) for (let i = 0; i < ALERT_BURST; i++) await fixture.raise(camera);
    const jobs = await fixture.store.resources.of(CLIP_JOBS).list(fixture.orgUuid);
    expect(jobs).toHaveLength(MAX_ALERT_JOBS);
    const wish = { devices: [cameras[0]!], startMs: START_MS, durationSec: 1, hasAudio: true };
    await expect(fixture.clips.splice(fixture.orgUuid, wish)).resolves.toBeTruthy();
  });

  it('do not fill the disk: the oldest clips go, and their alerts no longer list them', async () => {
    const fixture = await Fixture.open({ maxBytes: recording.bytes.length });
    const camera = await fixture.camera();
    const uuids: Ruuid[] = [];
    for (let i = 0; i < 4; i++) {
      uuids.push(await fixture.raise(camera));
      await fixture.clips.settled();
      fixture.clock.advance(1_000);
    }
    const saved = uuids[0]!;
    await fixture.savedClips.saveAlert(fixture.orgUuid, saved, {});
    fixture.clock.advance(SWEEP_SOON_MS);
    await expect.poll(() => existsSync(fixture.path(uuids[1]!, camera))).toBe(false);
    expect(await fixture.body(uuids[1]!)).not.toHaveProperty('clipLocation');
    expect(await fixture.body(uuids[1]!)).not.toHaveProperty('thumbnailLocation');
    expect(await fixture.delivered(uuids[1]!, camera)).toBeNull();
    expect(await fixture.body(uuids[3]!)).toMatchObject({ clipLocation: HERE });
    // What someone saved has other limits.
    expect(existsSync(fixture.path(saved, camera))).toBe(true);
  });
});

describe('an alert that is saved', () => {
  it('is a clip with the files of the alert, before and after they are made', async () => {
    const fixture = await Fixture.open();
    const camera = await fixture.camera();
    const early = await fixture.raise(camera);
    await fixture.savedClips.saveAlert(fixture.orgUuid, early, { title: 'Dock' });
    await fixture.clips.settled();
    const late = await fixture.raise(camera, { alertMonitoringThreatCaseUuid: newRuuid() });
    await fixture.clips.settled();
    await fixture.savedClips.saveAlert(fixture.orgUuid, late, {});
    for (const uuid of [early, late]) {
      const clip = () => fixture.savedClips.known(fixture.orgUuid, alertClipUuid(fixture.orgUuid, uuid));
      await expect.poll(async () => (await clip())?.body.status).toBe('COMPLETE');
      expect((await clip())!.body).toMatchObject({
        deviceUuidMap: { [camera]: HERE },
        sourceAlertUuid: uuid,
      });
      expect(await fixture.delivered((await clip())!.uuid, camera)).not.toBeNull();
    }
    // Alarm monitoring dealt with one of them.
    const search = {
      ...{ deviceUuids: [], locationUuids: [], fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, titlePart: '' },
      ...{ isBySaving: false, isOnlyPrivate: false, isWithoutMonitoring: true },
      ...{ order: 'newest-first' as const, kept: null },
    };
    const { clips } = await fixture.savedClips.search(fixture.orgUuid, search, null, 10, null);
    expect(clips.map(({ body }) => body.sourceAlertUuid)).toEqual([early]);
  });

  it('has the limits of other clips, and the alert stops listing it when they delete it', async () => {
    const fixture = await Fixture.open();
    const camera = await fixture.camera();
    const [saved, unsaved] = [await fixture.raise(camera), await fixture.raise(camera)];
    await fixture.clips.settled();
    await fixture.savedClips.saveAlert(fixture.orgUuid, saved, {});
    const listed = async () => {
      const bodies = [await fixture.body(saved), await fixture.body(unsaved)];
      return bodies.map((body) => 'clipLocation' in body);
    };
    for (const [days, expected] of [
      [2, [true, false]],
      [9, [false, false]],
    ] as const) {
      fixture.clock.advance(days * 86_400_000);
      await fixture.restart();
      await expect.poll(listed).toEqual(expected);
    }
    expect(await fixture.body(saved)).toMatchObject({ saved: false });
    await expect.poll(() => existsSync(fixture.path(saved, camera))).toBe(false);
  });

  it('keeps its clip when the saved clip is deleted', async () => {
    const fixture = await Fixture.open();
    const camera = await fixture.camera();
    const uuid = await fixture.raise(camera);
    await fixture.clips.settled();
    await fixture.savedClips.saveAlert(fixture.orgUuid, uuid, {});
    await fixture.savedClips.remove(fixture.orgUuid, alertClipUuid(fixture.orgUuid, uuid), null);
    await fixture.restart();
    expect(await fixture.body(uuid)).toMatchObject({ saved: false, clipLocation: HERE });
    expect(existsSync(fixture.path(uuid, camera))).toBe(true);
  });
});

describe('an alert of a camera that is not recorded', () => {
  const live = (takenAtEpochMs: number): LiveImage => ({ bytes: Buffer.from('live image'), takenAtEpochMs });

  it.each([
    ['not at all', null],
    ['only for shares', { ...RECORDING, reasons: ['shares'] as const }],
    ['not at this time', { ...RECORDING, state: 'standby', reasons: ['schedule'] as const } as const],
    ['not now, because the disk fails', { ...RECORDING, state: 'failed' } as const],
  ])('(%s) gets the live image', async (_how, state) => {
    const fixture = await Fixture.open();
    const camera = await fixture.camera(state);
    const nowMs = fixture.clock.epochMs();
    fixture.live.set(camera, live(nowMs - 500));
    const uuid = await fixture.raise(camera, {}, nowMs - 1_000);
    await fixture.clips.settled();
    const body = await fixture.body(uuid);
    expect(body).toMatchObject({ thumbnailLocation: HERE });
    expect(body).not.toHaveProperty('clipLocation');
    const { file } = (await fixture.delivered(uuid, camera))!;
    expect([file.isImageOnly, file.image?.byteLength]).toEqual([true, 10]);
    await fixture.restart();
    expect(existsSync(fixture.path(uuid, camera).replace('.mp4', '.jpeg'))).toBe(true);
  });

  it('on standby for events is recorded by its alert', async () => {
    const fixture = await Fixture.open();
    const camera = await fixture.camera({ ...RECORDING, state: 'standby', reasons: ['events'] });
    const uuid = await fixture.raise(camera);
    await fixture.clips.settled();
    expect(await fixture.body(uuid)).toMatchObject({ clipLocation: HERE });
  });

  it.each([
    ['the camera is not live', false, 0, 0],
    ['the alert is late', true, LIVE_IMAGE_MS + 1, 0],
    ['the image is of another moment', true, 0, LIVE_IMAGE_MS + 1],
  ])('gets nothing if %s', async (_why, isLive, alertAgeMs, imageAgeMs) => {
    const fixture = await Fixture.open();
    const camera = await fixture.camera(null);
    const nowMs = fixture.clock.epochMs();
    if (isLive) fixture.live.set(camera, live(nowMs - imageAgeMs));
    const uuid = await fixture.raise(camera, {}, nowMs - alertAgeMs);
    await fixture.clips.settled();
    expect(await fixture.body(uuid)).toEqual({});
    expect(await fixture.delivered(uuid, camera)).toBeNull();
  });
});
