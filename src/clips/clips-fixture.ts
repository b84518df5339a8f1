/** Clips over a store and a storage of their own: what cameras recorded is one file of 6 s. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { PolicyAlerts } from '../events/policy-alerts.ts';
import { SavedClips } from '../events/saved-clips.ts';
import { FakeMovieThread } from '../playback/fake-movie-thread.ts';
import { MovieMaker } from '../playback/movie-maker.ts';
import { keptRecording, type TestRecording } from '../playback/range-mp4-fixture.ts';
import { FakeDisk } from '../recording/fake-disk.ts';
import { FileStorage } from '../recording/file-storage.ts';
import type { FoundFile } from '../recording/recording-finder.ts';
import { testFolder } from '../recording/recording-fixture.ts';
import { endEpochMs, type RecordedStream } from '../recording/segment-index.ts';
import { sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../store/test-store-fixture.ts';
import { Clips } from './clips.ts';

/** Start of the recording. */
/** What cameras signed is read of real recordings: clips do without it. */
const notReadHere = (): Promise<Buffer> => Promise.reject(new Error('not a recording'));

export const START_MS = 1_700_000_000_000;
const NAME = 'recording.mp4';

let recorded: TestRecording | null = null;

/** Read once. */
export async function testRecording(): Promise<TestRecording> {
  recorded ??= await keptRecording(NAME, START_MS);
  return recorded;
}

export class ClipsFixture {
  readonly clock = new FakeClock(START_MS + 3_600_000);
  readonly folder = testFolder();
  readonly orgUuid = newRuuid();
  readonly disk = new FakeDisk();
  readonly storage = new FileStorage(this.folder, this.disk);
  readonly thread = new FakeMovieThread(this.storage);
  /** Files of each camera in the catalog. */
  readonly recorded = new Map<Ruuid, FoundFile[]>();
  readonly store: Store;
  readonly cameras: Ruuid[] = [];
  hasImages = true;
  limits = { keepMs: 86_400_000, maxBytes: null };
  maker: MovieMaker;
  savedClips: SavedClips;
  clips: Clips;

  constructor(store: Store, recording: TestRecording) {
    this.store = store;
    writeFileSync(join(this.folder, NAME), recording.bytes);
    const alerts = new PolicyAlerts(store);
    this.savedClips = new SavedClips({ store, alerts, clock: this.clock });
    this.maker = this.#newMaker();
    this.clips = this.#newClips();
  }

  static async open(cameras = 1): Promise<ClipsFixture> {
    const clock = new FakeClock();
    const store = await openTestStore(clock);
    const fixture = new ClipsFixture(store, await testRecording());
    onTestFinished(async () => {
      await fixture.clips.close();
      fixture.maker.close();
      await store.close();
    });
    await store.organizations.save(sampleOrganization({ uuid: fixture.orgUuid }));
    for (let i = 0; i < cameras; i++) {
      const camera = { ...sampleCamera(fixture.orgUuid), locationUuid: null };
      await store.cameras.save(camera);
      fixture.cameras.push(camera.uuid);
      fixture.recorded.set(camera.uuid, [(await testRecording()).found]);
    }
    return fixture;
  }

  /** As after a restart of the gateway: its memory is lost. */
  async restart(): Promise<void> {
    this.maker.close();
    await this.clips.close();
    this.maker = this.#newMaker();
    this.clips = this.#newClips();
    await this.clips.begin();
  }

  splice(fields: Partial<Parameters<Clips['splice']>[1]> = {}): Promise<Ruuid> {
    return this.clips.splice(this.orgUuid, {
      devices: [`${this.cameras[0]}.v0`],
      startMs: START_MS + 1_480,
      durationSec: 3,
      hasAudio: true,
      ...fields,
    });
  }

  find(uuid: Ruuid) {
    return this.savedClips.find(this.orgUuid, uuid, null);
  }

  path(uuid: Ruuid, camera = this.cameras[0]!): string {
    return join(this.folder, 'clips', uuid, `${camera}.mp4`);
  }

  #newMaker(): MovieMaker {
    return new MovieMaker({ launch: this.thread.launch, clock: this.clock, log: silentLog });
  }

  #newClips(): Clips {
    const { store, maker, clock } = this;
    const segments = async ({ cameraUuid }: RecordedStream, fromMs: number, toMs: number) =>
      (this.recorded.get(cameraUuid) ?? [])
        .map((file) => ({
          ...file,
          segments: file.segments.filter((each) => each.epochMs < toMs && endEpochMs(each) > fromMs),
        }))
        .filter((file) => file.segments.length > 0);
    const seek = async ({ cameraUuid }: RecordedStream, atMs: number) => {
      for (const { name, number, segments: all } of this.recorded.get(cameraUuid) ?? []) {
        const segment = all.find((each) => endEpochMs(each) > atMs);
        if (segment !== undefined) return { name, number, segment };
      }
      return null;
    };
    const { limits } = this;
    const takeImage = async (_camera: Ruuid, atEpochMs: number) => {
      if (!this.hasImages) throw new Error('no decoder');
      return Buffer.from(`image at ${atEpochMs}`);
    };
    return new Clips({
      limits,
      store,
      media: { segments, seek, read: notReadHere },
      maker,
      takeImage,
      clock,
      log: silentLog,
    });
  }
}
