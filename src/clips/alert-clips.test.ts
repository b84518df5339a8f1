import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { TokenBuckets } from '../core/token-buckets.ts';
import { alertClipUuid } from '../events/saved-clips.ts';
import { ALERT_BURST, LIVE_IMAGE_MS, type LiveImage, MAX_ALERT_JOBS } from './alert-clips.ts';
import { AlertClipsFixture, AT_MS, HERE, RECORDING, START_MS, testRecording } from './alert-clips-fixture.ts';
import { CLIP_JOBS } from './clip-records.ts';
import { SWEEP_SOON_MS } from './clip-retention.ts';

describe('an alert of a camera that is recorded', () => {
  it('gets one clip, however often its event is seen', async () => {
    const fixture = await AlertClipsFixture.open();
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
    const fixture = await AlertClipsFixture.open();
    const camera = await fixture.camera();
    fixture.thread.isHanging = true;
    const uuid = await fixture.raise(camera);
    await eventuallyEqual(() => fixture.thread.messages.some(({ op }) => op === 'copy'), true);
    fixture.thread.isHanging = false;
    await fixture.restart();
    await fixture.clips.settled();
    expect(await fixture.body(uuid)).toMatchObject({ clipLocation: HERE });
  });

  it('shows all cameras of its door that have a recording', async () => {
    const fixture = await AlertClipsFixture.open();
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
    const fixture = await AlertClipsFixture.open();
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
    const fixture = await AlertClipsFixture.open();
    await fixture.raise(await fixture.camera(), fields, atMs);
    expect(await fixture.store.resources.of(CLIP_JOBS).list(fixture.orgUuid)).toEqual([]);
  });

  it('does not undo what else is changed about it', async () => {
    const fixture = await AlertClipsFixture.open();
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
    const fixture = await AlertClipsFixture.open({ perHour: 60 });
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
    await eventuallyEqual(
      async () => (await jobs()).some(({ uuid }) => uuid === alertClipUuid(fixture.orgUuid, later.uuid)),
      true,
    );
  });

  it('of one camera are counted in the buckets that nodes share', async () => {
    const refill = { tokens: 60, perMs: 3_600_000 };
    const buckets = new TokenBuckets({ clock: new FakeClock(), burst: ALERT_BURST, refill });
    const fixture = await AlertClipsFixture.open({ perHour: 60, shared: () => buckets });
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
    const fixture = await AlertClipsFixture.open();
    const cameras: Ruuid[] = [];
    for (let i = 0; i < MAX_ALERT_JOBS / ALERT_BURST + 2; i++) cameras.push(await fixture.camera());
    fixture.thread.isHanging = true;
    for (const camera of cameras) for (let i = 0; i < ALERT_BURST; i++) await fixture.raise(camera);
    const jobs = await fixture.store.resources.of(CLIP_JOBS).list(fixture.orgUuid);
    expect(jobs).toHaveLength(MAX_ALERT_JOBS);
    const wanted = { devices: [cameras[0]!], startMs: START_MS, durationSec: 1, hasAudio: true };
    await expect(fixture.clips.splice(fixture.orgUuid, wanted)).resolves.toBeTruthy();
  });

  it('do not fill the disk: the oldest clips go, and their alerts no longer list them', async () => {
    const fixture = await AlertClipsFixture.open({ maxBytes: (await testRecording()).bytes.length });
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
    await eventuallyEqual(() => existsSync(fixture.path(uuids[1]!, camera)), false);
    expect(await fixture.body(uuids[1]!)).not.toHaveProperty('clipLocation');
    expect(await fixture.body(uuids[1]!)).not.toHaveProperty('thumbnailLocation');
    expect(await fixture.delivered(uuids[1]!, camera)).toBeNull();
    expect(await fixture.body(uuids[3]!)).toMatchObject({ clipLocation: HERE });
    // A clip that a person saved has other limits.
    expect(existsSync(fixture.path(saved, camera))).toBe(true);
  });
});

describe('an alert that is saved', () => {
  it('is a clip with the files of the alert, before and after they are made', async () => {
    const fixture = await AlertClipsFixture.open();
    const camera = await fixture.camera();
    const early = await fixture.raise(camera);
    await fixture.savedClips.saveAlert(fixture.orgUuid, early, { title: 'Dock' });
    await fixture.clips.settled();
    const late = await fixture.raise(camera, { alertMonitoringThreatCaseUuid: newRuuid() });
    await fixture.clips.settled();
    await fixture.savedClips.saveAlert(fixture.orgUuid, late, {});
    for (const uuid of [early, late]) {
      const clip = () => fixture.savedClips.known(fixture.orgUuid, alertClipUuid(fixture.orgUuid, uuid));
      await eventuallyEqual(async () => (await clip())?.body.status, 'COMPLETE');
      expect((await clip())!.body).toMatchObject({
        deviceUuidMap: { [camera]: HERE },
        sourceAlertUuid: uuid,
      });
      expect(await fixture.delivered((await clip())!.uuid, camera)).not.toBeNull();
    }
    // Alarm monitoring dealt with one of them.
    const search = {
      deviceUuids: [],
      locationUuids: [],
      fromMs: 0,
      toMs: Number.MAX_SAFE_INTEGER,
      titlePart: '',
      isBySaving: false,
      isOnlyPrivate: false,
      isWithoutMonitoring: true,
      order: 'newest-first' as const,
      kept: null,
    };
    const { clips } = await fixture.savedClips.search(fixture.orgUuid, search, null, 10, null);
    expect(clips.map(({ body }) => body.sourceAlertUuid)).toEqual([early]);
  });

  it('has the limits of other clips, and the alert stops listing it when they delete it', async () => {
    const fixture = await AlertClipsFixture.open();
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
      await eventuallyEqual(listed, expected);
    }
    expect(await fixture.body(saved)).toMatchObject({ saved: false });
    await eventuallyEqual(() => existsSync(fixture.path(saved, camera)), false);
  });

  it('keeps its clip when the saved clip is deleted', async () => {
    const fixture = await AlertClipsFixture.open();
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
    const fixture = await AlertClipsFixture.open();
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
    const fixture = await AlertClipsFixture.open();
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
    const fixture = await AlertClipsFixture.open();
    const camera = await fixture.camera(null);
    const nowMs = fixture.clock.epochMs();
    if (isLive) fixture.live.set(camera, live(nowMs - imageAgeMs));
    const uuid = await fixture.raise(camera, {}, nowMs - alertAgeMs);
    await fixture.clips.settled();
    expect(await fixture.body(uuid)).toEqual({});
    expect(await fixture.delivered(uuid, camera)).toBeNull();
  });
});
