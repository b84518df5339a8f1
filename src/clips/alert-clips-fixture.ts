/** Clips of alerts over a store and a storage of their own: what cameras recorded is one file of 6 s. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { CreateTokenSource } from '../core/token-buckets.ts';
import { PolicyAlerts } from '../events/policy-alerts.ts';
import { alertClipUuid, SavedClips } from '../events/saved-clips.ts';
import { FakeMovieThread } from '../playback/fake-movie-thread.ts';
import { MovieMaker } from '../playback/movie-maker.ts';
import { keptRecording, type TestRecording } from '../playback/range-mp4-fixture.ts';
import { FakeDisk } from '../recording/fake-disk.ts';
import { FileStorage } from '../recording/file-storage.ts';
import { testFolder } from '../recording/recording-fixture.ts';
import { endEpochMs, type RecordedStream } from '../recording/segment-index.ts';
import type { StoredEvent } from '../store/event.ts';
import { sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import type { RecordingState } from '../stream/media/recording-state.ts';
import type { LiveImage } from './alert-clips.ts';
import { ClipLibrary } from './clip-library.ts';
import { Clips } from './clips.ts';

/** What cameras signed is read of real recordings: clips do without it. */
const notReadHere = (): Promise<Buffer> => Promise.reject(new Error('not a recording'));

export const START_MS = 1_700_000_000_000;
/** Well before the end of the recording. */
export const AT_MS = START_MS + 3_000;
export const NAME = 'recording.mp4';
export const RECORDING: RecordingState = {
  state: 'recording',
  code: null,
  reasons: ['always'],
  isForbidden: false,
};
export const HERE = { region: 'local' };

export let recorded: TestRecording | null = null;

/** Read once. */
export async function testRecording(): Promise<TestRecording> {
  recorded ??= await keptRecording(NAME, START_MS);
  return recorded;
}

export class AlertClipsFixture {
  readonly clock = new FakeClock(START_MS + 10_000);
  readonly folder = testFolder();
  readonly orgUuid = newRuuid();
  readonly thread = new FakeMovieThread(new FileStorage(this.folder, new FakeDisk()));
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
  readonly #recording: TestRecording;
  maxBytes = 1e9;
  perHour = 3_600;
  shared: CreateTokenSource | null = null;
  clips: Clips;
  maker: MovieMaker;

  constructor(store: Store, recording: TestRecording) {
    this.store = store;
    this.#recording = recording;
    writeFileSync(join(this.folder, NAME), recording.bytes);
    this.alerts = new PolicyAlerts(store);
    this.savedClips = new SavedClips({ store, alerts: this.alerts, clock: this.clock });
    this.maker = this.#newMaker();
    this.clips = this.#newClips();
  }

  static async open(
    settings: Partial<Pick<AlertClipsFixture, 'maxBytes' | 'perHour' | 'shared'>> = {},
  ): Promise<AlertClipsFixture> {
    const store = await openTestStore(new FakeClock());
    const fixture = new AlertClipsFixture(store, await testRecording());
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
    const { found } = this.#recording;
    const segments = async ({ cameraUuid }: RecordedStream, fromMs: number, toMs: number) => {
      if (!this.recorded.has(cameraUuid)) return [];
      const inRange = found.segments.filter((each) => each.epochMs < toMs && endEpochMs(each) > fromMs);
      return inRange.length === 0 ? [] : [{ ...found, segments: inRange }];
    };
    // Everything until now is recorded.
    const seek = async () => ({ ...found, segment: found.segments.at(-1)! });
    return new Clips({
      store,
      maker,
      clock,
      log: silentLog,
      media: { segments, seek, read: notReadHere },
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
