import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { eventually } from '../core/eventually-fixture.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { reportedClipUuid } from '../events/saved-clips.ts';
import { MAX_CLIP_JOBS } from './clip-orders.ts';
import { CLIP_JOBS } from './clip-records.ts';
import { SWEEP_INTERVAL_MS } from './clip-retention.ts';
import type { Clips } from './clips.ts';
import { ClipsFixture, START_MS, testRecording } from './clips-fixture.ts';
import { CLIP_ERRORS } from './errors.ts';
import { MAX_UPLOADED_JOBS, UploadedClips } from './uploaded-clips.ts';

const USER = newRuuid();

describe('a clip', () => {
  it('of several cameras has a file for each', async () => {
    const fixture = await ClipsFixture.open(2);
    const uuid = await fixture.splice({ devices: fixture.cameras, hasAudio: false });
    await fixture.clips.settled();
    const files = await fixture.clips.files(fixture.orgUuid, uuid);
    expect(files.map(({ cameraUuid }) => cameraUuid).toSorted()).toEqual(fixture.cameras.toSorted());
    for (const camera of fixture.cameras) expect(existsSync(fixture.path(uuid, camera))).toBe(true);
    const { body } = await fixture.find(uuid);
    expect(Object.keys((body as { deviceUuidMap: object }).deviceUuidMap)).toHaveLength(2);
    expect(body.sha256Hex).toBeUndefined();
  });

  it('is complete without an image, if none can be made', async () => {
    const fixture = await ClipsFixture.open();
    fixture.hasImages = false;
    const uuid = await fixture.splice();
    await fixture.clips.settled();
    const { body } = await fixture.find(uuid);
    expect([body.status, body.thumbnailLocation]).toEqual(['COMPLETE', undefined]);
  });

  it('survives its recording', async () => {
    const fixture = await ClipsFixture.open();
    const uuid = await fixture.splice();
    await fixture.clips.settled();
    fixture.recorded.clear();
    await fixture.restart();
    expect((await fixture.find(uuid)).body.status).toBe('COMPLETE');
    expect(existsSync(fixture.path(uuid))).toBe(true);
  });

  it('waits until its end is recorded', async () => {
    const recording = await testRecording();
    const fixture = await ClipsFixture.open();
    const [camera] = fixture.cameras;
    const { found } = recording;
    fixture.clock.stepWallClock(START_MS + 2_000 - fixture.clock.epochMs());
    fixture.recorded.set(camera!, [{ ...found, segments: found.segments.slice(0, 2) }]);
    const uuid = await fixture.splice({ startMs: START_MS + 1_000, durationSec: 3 });
    const status = async () => {
      fixture.clock.advance(1_000);
      return (await fixture.find(uuid)).body.status;
    };
    for (let sec = 0; sec < 20; sec++) expect(await status()).toBe('INITIATING');
    expect(fixture.thread.messages).toEqual([]);
    expect(await fixture.clips.inProgress(fixture.orgUuid, USER)).toHaveLength(1);
    fixture.recorded.set(camera!, [found]);
    await eventuallyEqual(status, 'COMPLETE');
    expect((await fixture.find(uuid)).body).toMatchObject({ status: 'COMPLETE', durationSec: 3 });
  });

  it('is made in time if the clock is set back an hour', async () => {
    const fixture = await ClipsFixture.open();
    // Its end is not recorded yet: nothing after it is.
    fixture.clock.stepWallClock(START_MS + 7_000 - fixture.clock.epochMs());
    const uuid = await fixture.splice({ startMs: START_MS + 2_000, durationSec: 5 });
    fixture.clock.stepWallClock(-3_600_000);
    await eventuallyEqual(async () => {
      fixture.clock.advance(1_000);
      return (await fixture.find(uuid)).body.status;
    }, 'COMPLETE');
    expect(fixture.clock.epochMs()).toBeLessThan(START_MS);
  });

  it('is deleted when it is too old', async () => {
    const fixture = await ClipsFixture.open();
    const uuid = await fixture.splice();
    await fixture.clips.settled();
    await fixture.restart();
    fixture.clock.advance(86_400_000);
    const young = await fixture.splice();
    await fixture.clips.settled();
    // The next look.
    fixture.clock.advance(3_600_000);
    await eventuallyEqual(() => existsSync(fixture.path(uuid)), false);
    expect(await fixture.savedClips.known(fixture.orgUuid, uuid)).toBeNull();
    expect((await fixture.find(young)).body.status).toBe('COMPLETE');
  });
});

describe('a clip that fails', () => {
  it('says so, and can be made again', async () => {
    const recording = await testRecording();
    const fixture = await ClipsFixture.open();
    const [camera] = fixture.cameras;
    fixture.recorded.delete(camera!);
    const uuid = await fixture.splice();
    await fixture.clips.settled();
    const clip = await fixture.find(uuid);
    expect(clip.body.status).toBe('FAILED');
    expect(await fixture.clips.progress(clip)).toMatchObject({
      status: 'FAILED',
      failureCode: 'RANGE_EMPTY',
    });
    await fixture.restart();
    expect((await fixture.find(uuid)).body.status).toBe('FAILED');
    fixture.recorded.set(camera!, [recording.found]);
    await fixture.clips.retry(fixture.orgUuid, uuid, USER);
    await fixture.clips.settled();
    expect((await fixture.find(uuid)).body.status).toBe('COMPLETE');
    await expect(fixture.clips.retry(fixture.orgUuid, uuid, USER)).rejects.toMatchObject({
      code: CLIP_ERRORS.CLIP_NOT_IN_PROGRESS.code,
    });
  });

  it('leaves nothing behind if one of its cameras has no recording', async () => {
    const fixture = await ClipsFixture.open(2);
    fixture.recorded.delete(fixture.cameras[1]!);
    const uuid = await fixture.splice({ devices: fixture.cameras });
    await fixture.clips.settled();
    expect((await fixture.find(uuid)).body.status).toBe('FAILED');
    await fixture.savedClips.remove(fixture.orgUuid, uuid, null);
    await eventuallyEqual(() => existsSync(fixture.path(uuid)), false);
  });
});

describe('a full disk', () => {
  it('is waited for, until recordings have made room', async () => {
    const fixture = await ClipsFixture.open();
    let free = 0;
    fixture.storage.freeBytes = async () => free;
    const uuid = await fixture.splice();
    await eventuallyEqual(() => fixture.thread.messages.length, 1);
    await eventuallyEqual(() => fixture.thread.failures, 1);
    expect(existsSync(fixture.path(uuid))).toBe(false);
    free = 1e9;
    const isOrderedAgain = () => {
      fixture.clock.advance(5_000);
      return fixture.thread.messages.length > 1;
    };
    await eventually('the copy is ordered again', isOrderedAgain);
    await fixture.clips.settled();
    expect((await fixture.find(uuid)).body.status).toBe('COMPLETE');
  });

  it('that stays so fails the clip, which names the disk, and can be made again', async () => {
    const fixture = await ClipsFixture.open();
    let free = 0;
    fixture.storage.freeBytes = async () => free;
    const uuid = await fixture.splice();
    const status = async () => {
      fixture.clock.advance(5_000);
      return (await fixture.find(uuid)).body.status;
    };
    await eventuallyEqual(status, 'FAILED');
    await fixture.clips.settled();
    expect(await fixture.clips.progress(await fixture.find(uuid))).toMatchObject({
      failureCode: 'RECORDING_DISK_FULL',
    });
    expect(existsSync(fixture.path(uuid))).toBe(false);
    free = 1e9;
    await fixture.clips.retry(fixture.orgUuid, uuid, USER);
    await fixture.clips.settled();
    expect((await fixture.find(uuid)).body.status).toBe('COMPLETE');
  });
});

describe('a gateway that ends while a clip is made', () => {
  it('goes on at its next start, and serves nothing half-written', async () => {
    const fixture = await ClipsFixture.open();
    fixture.thread.isHanging = true;
    const uuid = await fixture.splice();
    await eventuallyEqual(() => fixture.thread.messages.some(({ op }) => op === 'copy'), true);
    // A kill in the middle of the copy leaves this.
    mkdirSync(join(fixture.folder, 'clips', uuid), { recursive: true });
    writeFileSync(fixture.path(uuid), 'half');
    expect(await fixture.clips.files(fixture.orgUuid, uuid)).toEqual([]);
    fixture.thread.isHanging = false;
    await fixture.restart();
    await fixture.clips.settled();
    const { body } = await fixture.find(uuid);
    expect(body).toMatchObject({ status: 'COMPLETE', byteCount: readFileSync(fixture.path(uuid)).length });
  });

  it('deletes files that no clip names', async () => {
    const fixture = await ClipsFixture.open();
    const kept = await fixture.splice();
    await fixture.clips.settled();
    const gone = newRuuid();
    mkdirSync(join(fixture.folder, 'clips', gone), { recursive: true });
    writeFileSync(fixture.path(gone), 'old');
    await fixture.restart();
    expect(existsSync(fixture.path(gone))).toBe(false);
    expect(existsSync(fixture.path(kept))).toBe(true);
  });
});

describe('a gateway that was killed between two records', () => {
  const folders = (fixture: ClipsFixture) =>
    readdirSync(join(fixture.folder, 'clips')).filter(
      (uuid) => readdirSync(join(fixture.folder, 'clips', uuid)).length > 0,
    );

  it('makes no clip that it did not list', async () => {
    const fixture = await ClipsFixture.open();
    const kept = await fixture.splice();
    await fixture.clips.settled();
    const uuid = newRuuid();
    await fixture.store.resources.of(CLIP_JOBS).save({
      uuid,
      orgUuid: fixture.orgUuid,
      name: '',
      parentUuid: null,
      secret: null,
      createdAtMs: START_MS,
      updatedAtMs: START_MS,
      body: {
        devices: [{ device: fixture.cameras[0]!, cameraUuid: fixture.cameras[0]! }],
        fromMs: START_MS,
        toMs: START_MS + 2_000,
        hasAudio: true,
        failureCode: null,
      },
    });
    await fixture.restart();
    await fixture.clips.settled();
    expect(await fixture.store.resources.of(CLIP_JOBS).list(fixture.orgUuid)).toEqual([]);
    expect(folders(fixture)).toEqual([kept]);
  });

  it('deletes the files of a clip that it had deleted', async () => {
    const fixture = await ClipsFixture.open();
    const [kept, gone] = [await fixture.splice(), await fixture.splice()];
    await fixture.clips.settled();
    await fixture.clips.close();
    await fixture.savedClips.remove(fixture.orgUuid, gone, null);
    await fixture.restart();
    await fixture.clips.settled();
    expect(await fixture.clips.files(fixture.orgUuid, gone)).toEqual([]);
    expect(await fixture.clips.files(fixture.orgUuid, kept)).toHaveLength(1);
    expect(folders(fixture)).toEqual([kept]);
  });
});

describe('ending a clip', () => {
  it('by canceling it deletes everything of it', async () => {
    const fixture = await ClipsFixture.open();
    fixture.thread.isHanging = true;
    const uuid = await fixture.splice();
    await eventuallyEqual(() => fixture.thread.messages.some(({ op }) => op === 'copy'), true);
    fixture.thread.isHanging = false;
    const canceled = fixture.clips.cancel(fixture.orgUuid, uuid, USER);
    await eventuallyEqual(() => fixture.thread.messages.some(({ op }) => op === 'cancel'), true);
    fixture.thread.end(undefined);
    await canceled;
    await expect(fixture.find(uuid)).rejects.toMatchObject({ code: 'SAVED_CLIP_NOT_FOUND' });
    expect(await fixture.clips.inProgress(fixture.orgUuid, USER)).toEqual([]);
    await expect(fixture.clips.cancel(fixture.orgUuid, uuid, USER)).rejects.toMatchObject({
      code: CLIP_ERRORS.CLIP_NOT_IN_PROGRESS.code,
    });
  });

  it('that waits for others does not wait to end', async () => {
    const fixture = await ClipsFixture.open();
    fixture.thread.isHanging = true;
    for (let running = 1; running <= 2; running++) {
      await fixture.splice();
      const copies = () => fixture.thread.messages.filter(({ op }) => op === 'copy').length;
      await eventuallyEqual(copies, running);
    }
    const uuid = await fixture.splice();
    fixture.thread.isHanging = false;
    await fixture.clips.cancel(fixture.orgUuid, uuid, USER);
    await expect(fixture.find(uuid)).rejects.toMatchObject({ code: 'SAVED_CLIP_NOT_FOUND' });
    expect(await fixture.clips.inProgress(fixture.orgUuid, USER)).toHaveLength(2);
    fixture.thread.end(undefined);
  });

  it('by deleting the saved clip deletes its files', async () => {
    const fixture = await ClipsFixture.open();
    const uuid = await fixture.splice();
    await fixture.clips.settled();
    await fixture.savedClips.remove(fixture.orgUuid, uuid, null);
    await eventuallyEqual(() => readdirSync(join(fixture.folder, 'clips', uuid)), []);
    expect(await fixture.clips.files(fixture.orgUuid, uuid)).toEqual([]);
  });
});

describe('a camera that is removed', () => {
  const failureOf = async (fixture: ClipsFixture, uuid: Ruuid) =>
    fixture.clips.progress(await fixture.find(uuid));

  it('ends the clip that is being copied, and leaves nothing of it, nor of its other cameras', async () => {
    const fixture = await ClipsFixture.open(2);
    const [first, second] = fixture.cameras as [Ruuid, Ruuid];
    const copies = () => fixture.thread.messages.filter(({ op }) => op === 'copy').length;
    fixture.thread.onMessage = () => {
      fixture.thread.isHanging = copies() === 2;
    };
    const uuid = await fixture.splice({ devices: [first, second] });
    await eventuallyEqual(copies, 2);
    expect(await fixture.clips.files(fixture.orgUuid, uuid)).toHaveLength(1);
    await fixture.store.cameras.remove(fixture.orgUuid, second);
    await eventuallyEqual(() => fixture.thread.messages.some(({ op }) => op === 'cancel'), true);
    fixture.thread.onMessage = () => undefined;
    fixture.thread.isHanging = false;
    fixture.thread.end(undefined);
    await fixture.clips.settled();
    expect(await failureOf(fixture, uuid)).toMatchObject({
      status: 'FAILED',
      failureCode: 'CLIP_CAMERA_NOT_FOUND',
    });
    expect(await fixture.clips.files(fixture.orgUuid, uuid)).toEqual([]);
    expect(existsSync(fixture.path(uuid, first)) || existsSync(fixture.path(uuid, second))).toBe(false);
    // It would show the camera again.
    await fixture.clips.retry(fixture.orgUuid, uuid, USER);
    await fixture.clips.settled();
    expect(await failureOf(fixture, uuid)).toMatchObject({ failureCode: 'CLIP_CAMERA_NOT_FOUND' });
  });

  it('ends the clip that waits for its end to be recorded, at once and after a restart', async () => {
    const fixture = await ClipsFixture.open(2);
    const [first, second] = fixture.cameras as [Ruuid, Ruuid];
    fixture.clock.stepWallClock(START_MS + 7_000 - fixture.clock.epochMs());
    const waiting = { startMs: START_MS + 2_000, durationSec: 5 };
    const now = await fixture.splice({ ...waiting, devices: [first] });
    const later = await fixture.splice({ ...waiting, devices: [second] });
    await fixture.store.cameras.remove(fixture.orgUuid, first);
    await eventuallyEqual(async () => (await failureOf(fixture, now)).failureCode, 'CLIP_CAMERA_NOT_FOUND');
    expect(await failureOf(fixture, later)).toMatchObject({ failureCode: null });
    await fixture.clips.close();
    await fixture.store.cameras.remove(fixture.orgUuid, second);
    await fixture.restart();
    fixture.clock.advance(60_000);
    await fixture.clips.settled();
    expect(await failureOf(fixture, later)).toMatchObject({ failureCode: 'CLIP_CAMERA_NOT_FOUND' });
    expect(fixture.thread.messages.filter(({ op }) => op === 'copy')).toEqual([]);
  });

  it('leaves alone what was complete, and what was handed over', async () => {
    const fixture = await ClipsFixture.open();
    const [camera] = fixture.cameras as [Ruuid];
    const uuid = await fixture.splice();
    await fixture.clips.settled();
    fixture.thread.isHanging = true;
    const clips = new UploadedClips(fixture.store, fixture.clock, silentLog);
    const upload = { uuid: newRuuid(), orgUuid: fixture.orgUuid, cameraUuid: camera, title: '' };
    await clips.add({ ...upload, startMs: START_MS, durationMs: 6_000, recordingNumber: 0 });
    const copies = () => fixture.thread.messages.filter(({ op }) => op === 'copy').length;
    await eventuallyEqual(copies, 2);
    await fixture.store.cameras.remove(fixture.orgUuid, camera);
    fixture.thread.isHanging = false;
    await fixture.restart();
    await fixture.clips.settled();
    expect((await fixture.find(uuid)).body.status).toBe('COMPLETE');
    const handedOver = reportedClipUuid(fixture.orgUuid, `upload ${upload.uuid}`);
    expect((await fixture.find(handedOver)).body.status).toBe('COMPLETE');
    expect(existsSync(fixture.path(handedOver))).toBe(true);
  });
});

describe('orders that are refused', () => {
  it('name what is wrong', async () => {
    const fixture = await ClipsFixture.open();
    const refused = async (fields: Partial<Parameters<Clips['splice']>[1]>) =>
      fixture.splice(fields).then(
        () => 'accepted',
        ({ code }: { code: string }) => code,
      );
    expect(await refused({ devices: [] })).toBe('CLIP_WITHOUT_CAMERA');
    expect(await refused({ devices: [newRuuid()] })).toBe('CLIP_CAMERA_NOT_FOUND');
    expect(await refused({ durationSec: 3_601 })).toBe('CLIP_TOO_LONG');
    expect(await refused({ startMs: fixture.clock.epochMs() + 1 })).toBe('CLIP_AHEAD');
    fixture.recorded.clear();
    for (let i = 0; i < MAX_CLIP_JOBS; i++) await fixture.splice();
    await fixture.clips.settled();
    expect(await refused({})).toBe('CLIP_JOBS_FULL');
  });
});

describe('a clip that was handed over', () => {
  const uploadOf = (fixture: ClipsFixture, recordingNumber: number) => ({
    uuid: newRuuid(),
    orgUuid: fixture.orgUuid,
    cameraUuid: fixture.cameras[0]!,
    title: 'Gate',
    startMs: START_MS,
    durationMs: 6_000,
    recordingNumber,
  });

  it('is copied after a restart if no one was there to do it', async () => {
    const recording = await testRecording();
    const fixture = await ClipsFixture.open();
    await fixture.clips.close();
    const upload = uploadOf(fixture, recording.found.number);
    await new UploadedClips(fixture.store, fixture.clock, silentLog).add(upload);
    const uuid = reportedClipUuid(fixture.orgUuid, `upload ${upload.uuid}`);
    expect((await fixture.find(uuid)).body.status).toBe('INITIATING');
    await fixture.restart();
    await fixture.clips.settled();
    expect((await fixture.find(uuid)).body.status).toBe('COMPLETE');
  });

  it('is complete even if its copy was ordered long before it was listed', async () => {
    const recording = await testRecording();
    const fixture = await ClipsFixture.open();
    await fixture.clips.close();
    const upload = uploadOf(fixture, recording.found.number);
    const uploaded = new UploadedClips(fixture.store, fixture.clock, silentLog);
    await uploaded.add(upload);
    const uuid = reportedClipUuid(fixture.orgUuid, `upload ${upload.uuid}`);
    const listed = await fixture.find(uuid);
    // A kill between the two records leaves this.
    await fixture.savedClips.remove(fixture.orgUuid, uuid, null);
    await fixture.restart();
    await fixture.clips.settled();
    expect(await fixture.store.resources.of(CLIP_JOBS).list(fixture.orgUuid)).toHaveLength(1);
    await uploaded.add(upload);
    await eventuallyEqual(async () => (await fixture.find(uuid)).body.status, 'COMPLETE');
    expect(listed.body.status).toBe('INITIATING');
  });

  it('fails, and says so, if its recording is gone', async () => {
    const fixture = await ClipsFixture.open();
    const upload = uploadOf(fixture, 99);
    await new UploadedClips(fixture.store, fixture.clock, silentLog).add(upload);
    const uuid = reportedClipUuid(fixture.orgUuid, `upload ${upload.uuid}`);
    await eventuallyEqual(async () => (await fixture.find(uuid)).body.status, 'FAILED');
    expect((await fixture.clips.progress(await fixture.find(uuid))).failureCode).toBe('RANGE_EMPTY');
  });

  it('is listed without a copy when too many are waiting', async () => {
    const fixture = await ClipsFixture.open();
    await fixture.clips.close();
    const uploaded = new UploadedClips(fixture.store, fixture.clock, silentLog);
    for (let i = 0; i < MAX_UPLOADED_JOBS; i++) await uploaded.add(uploadOf(fixture, i));
    const upload = uploadOf(fixture, 0);
    await uploaded.add(upload);
    const { body } = await fixture.find(reportedClipUuid(fixture.orgUuid, `upload ${upload.uuid}`));
    expect([body.title, body.status]).toEqual(['Gate', undefined]);
  });
});

it('are deleted by their age although the files of one cannot be, and those when they can', async () => {
  const fixture = await ClipsFixture.open();
  const uuids: Ruuid[] = [];
  for (let i = 0; i < 3; i++) {
    uuids.push(await fixture.splice());
    await fixture.clips.settled();
    fixture.clock.advance(1_000);
  }
  const [stuck, ...others] = uuids;
  fixture.disk.isBad = (path) => path.includes(stuck!);
  fixture.clock.advance(fixture.limits.keepMs);
  await fixture.restart();
  await eventuallyEqual(() => others.map((uuid) => existsSync(fixture.path(uuid))), [false, false]);
  expect(existsSync(fixture.path(stuck!))).toBe(true);
  for (const uuid of uuids) await expect(fixture.find(uuid)).rejects.toMatchObject({ kind: 'not-found' });
  fixture.disk.isBad = () => false;
  await eventuallyEqual(() => {
    fixture.clock.advance(SWEEP_INTERVAL_MS);
    return existsSync(fixture.path(stuck!));
  }, false);
});

it('leave no file that no clip lists at a start, although one of them cannot be deleted', async () => {
  const fixture = await ClipsFixture.open();
  await fixture.splice();
  await fixture.clips.settled();
  const names = ['a', 'b', 'c'].map(() => newRuuid()).toSorted();
  const paths = names.map((name) => fixture.path(name));
  for (const [index, path] of paths.entries()) {
    mkdirSync(join(fixture.folder, 'clips', names[index]!), { recursive: true });
    writeFileSync(path, 'left behind');
  }
  fixture.disk.isBad = (path) => path === paths[0];
  await fixture.restart();
  await fixture.clips.settled();
  expect(paths.map((path) => existsSync(path))).toEqual([true, false, false]);
});
