/** One organization orders all the clips that it can; another one's are made meanwhile. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { PolicyAlerts } from '../events/policy-alerts.ts';
import type { MovieMessage } from '../playback/movie-protocol.ts';
import { sampleCamera, sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { Store } from '../store/store.ts';
import { ALERT_BURST, type LiveImage } from './alert-clips.ts';
import { AlertClipsFixture, AT_MS, RECORDING } from './alert-clips-fixture.ts';
import { MAX_CLIP_JOBS } from './clip-orders.ts';
import { ClipsFixture, START_MS, testRecording } from './clips-fixture.ts';
import { MAX_UPLOADED_JOBS, UploadedClips } from './uploaded-clips.ts';

/** Another organization with a camera. */
async function neighbor({ organizations, cameras }: Store): Promise<{ orgUuid: Ruuid; camera: Ruuid }> {
  const orgUuid = newRuuid();
  await organizations.save(sampleOrganization({ uuid: orgUuid }));
  const camera = { ...sampleCamera(orgUuid), locationUuid: null };
  await cameras.save(camera);
  return { orgUuid, camera: camera.uuid };
}

/** Whether the movie thread is to copy something of this camera: those messages are not done. */
function copies(message: MovieMessage, cameras: ReadonlySet<Ruuid>): boolean {
  return message.op === 'copy' && [...cameras].some((camera) => message.name.includes(camera));
}

describe('clips that someone ordered', () => {
  it.each(['spliced', 'handed over'] as const)(
    'are made while those of another organization, %s, take forever',
    async (kind) => {
      const fixture = await ClipsFixture.open();
      onTestFinished(() => fixture.maker.close());
      const { store, clips } = fixture;
      const greedy = await neighbor(store);
      fixture.recorded.set(greedy.camera, [(await testRecording()).found]);
      const hanging = new Set([greedy.camera]);
      fixture.thread.onMessage = (message) => {
        fixture.thread.isHanging = copies(message, hanging);
      };
      const uploaded = new UploadedClips(store, fixture.clock, silentLog);
      for (let count = 0; count < MAX_CLIP_JOBS; count++) {
        if (kind === 'spliced') {
          const wanted = {
            devices: [greedy.camera],
            startMs: START_MS + 1_480,
            durationSec: 3,
            hasAudio: true,
          };
          await clips.splice(greedy.orgUuid, wanted);
        } else {
          await uploaded.add({
            uuid: newRuuid(),
            ...greedy,
            cameraUuid: greedy.camera,
            title: '',
            startMs: START_MS + 1_480,
            durationMs: 3_000,
            recordingNumber: 0,
          });
        }
      }
      if (kind === 'handed over') await fixture.clips.begin();
      await eventuallyEqual(() => fixture.thread.messages.some((message) => copies(message, hanging)), true);
      const uuid = await fixture.splice();
      await eventuallyEqual(async () => (await fixture.find(uuid)).body.status, 'COMPLETE');
      expect(existsSync(fixture.path(uuid))).toBe(true);
    },
  );
});

describe('clips of alerts', () => {
  /** Alerts of an organization that are there; they take effect. */
  async function raise(fixture: AlertClipsFixture, orgUuid: Ruuid, camera: Ruuid): Promise<Ruuid> {
    const uuid = newRuuid();
    const alerts = new PolicyAlerts(fixture.store);
    await alerts.report(orgUuid, [{ uuid, deviceUuid: camera, timestampMs: AT_MS }]);
    await fixture.clips.onEvents([await alerts.find(orgUuid, uuid)]);
    return uuid;
  }

  it('are made while those of another organization take forever', async () => {
    const fixture = await AlertClipsFixture.open();
    const { store, thread } = fixture;
    const greedy = await neighbor(store);
    fixture.states.set(greedy.camera, RECORDING);
    fixture.recorded.add(greedy.camera);
    const hanging = new Set([greedy.camera]);
    thread.onMessage = (message) => {
      thread.isHanging = copies(message, hanging);
    };
    for (let count = 0; count < ALERT_BURST; count++) await raise(fixture, greedy.orgUuid, greedy.camera);
    await eventuallyEqual(() => thread.messages.some((message) => copies(message, hanging)), true);
    const camera = await fixture.camera();
    const alert = await fixture.raise(camera);
    await eventuallyEqual(async () => 'clipLocation' in (await fixture.body(alert)), true);
    expect(existsSync(fixture.path(alert, camera))).toBe(true);
  });

  it('are made however many clips another organization has handed over', async () => {
    const fixture = await AlertClipsFixture.open();
    const { store, thread, clock } = fixture;
    const greedy = await neighbor(store);
    const hanging = new Set([greedy.camera]);
    thread.onMessage = (message) => {
      thread.isHanging = copies(message, hanging);
    };
    const uploaded = new UploadedClips(store, clock, silentLog);
    for (let count = 0; count < MAX_UPLOADED_JOBS; count++) {
      await uploaded.add({
        uuid: newRuuid(),
        orgUuid: greedy.orgUuid,
        cameraUuid: greedy.camera,
        title: '',
        startMs: START_MS,
        durationMs: 3_000,
        recordingNumber: 0,
      });
    }
    await fixture.clips.begin();
    const alert = await fixture.raise(await fixture.camera());
    await eventuallyEqual(async () => 'clipLocation' in (await fixture.body(alert)), true);
  });

  it('have a live image while cameras of another organization do not answer', async () => {
    const fixture = await AlertClipsFixture.open();
    const greedy = await neighbor(fixture.store);
    const { promise: silent, reject } = Promise.withResolvers<LiveImage>();
    onTestFinished(() => reject(new Error('the test is over')));
    const images = new Map<Ruuid, Promise<LiveImage>>([[greedy.camera, silent]]);
    const { get } = fixture.live;
    fixture.live.get = (camera) =>
      (images.get(camera) as LiveImage | undefined) ?? get.call(fixture.live, camera);
    fixture.live.has = () => true;
    for (let count = 0; count < ALERT_BURST; count++) await raise(fixture, greedy.orgUuid, greedy.camera);
    const camera = await fixture.camera(null);
    fixture.live.set(camera, { bytes: Buffer.from('live image'), takenAtEpochMs: AT_MS });
    const alert = await fixture.raise(camera);
    await eventuallyEqual(async () => 'thumbnailLocation' in (await fixture.body(alert)), true);
    expect(existsSync(join(fixture.folder, 'clips'))).toBe(true);
  });
});
