import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { reportedClipUuid } from '../events/saved-clips.ts';
import { frameHashes, makeRecording } from '../playback/range-mp4-fixture.ts';
import { ClipsFixture, START_MS, testRecording } from './clips-fixture.ts';
import { UploadedClips } from './uploaded-clips.ts';

const USER = newRuuid();

describe('a clip', () => {
  it('is a copy of exactly the time, with size and hash', async () => {
    const recording = await testRecording();
    const fixture = await ClipsFixture.open();
    const uuid = await fixture.splice({ title: 'Dock', description: 'A delivery' });
    expect((await fixture.find(uuid)).body).toMatchObject({ status: 'INITIATING', title: 'Dock' });
    await fixture.clips.settled();
    const clip = await fixture.find(uuid);
    const bytes = readFileSync(fixture.path(uuid));
    expect(clip.body).toMatchObject({
      status: 'COMPLETE',
      byteCount: bytes.length,
      durationSec: 3,
      timestampMs: START_MS + 1_480,
      sha256Hex: createHash('sha256').update(bytes).digest('hex'),
      videoResolution: { width: 160, height: 90 },
    });
    const image = readFileSync(fixture.path(uuid).replace('.mp4', '.jpeg'), 'utf8');
    expect(image).toBe(`image at ${START_MS + 1_480}`);
    expect(clip.body.thumbnailLocation).toEqual({ region: 'local' });
    expect(frameHashes(bytes)).toEqual(frameHashes(recording.bytes).slice(37, 112));
    expect(await fixture.clips.inProgress(fixture.orgUuid, USER)).toEqual([]);
    expect(await fixture.clips.progress(clip)).toEqual({ status: null, percent: null, failureCode: null });
    expect(await fixture.clips.files(fixture.orgUuid, uuid)).toHaveLength(1);
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

  it('gets a copy of its recording alone, and an image', async () => {
    const recording = await testRecording();
    const fixture = await ClipsFixture.open();
    const other = await makeRecording('other.mp4', { seconds: 2, epochMs: START_MS + 1_000 });
    writeFileSync(join(fixture.folder, 'other.mp4'), other.bytes);
    fixture.recorded.set(fixture.cameras[0]!, [
      { ...other.found, number: 3 },
      { ...recording.found, number: 4 },
    ]);
    const uploaded = new UploadedClips(fixture.store, fixture.clock, silentLog);
    const upload = uploadOf(fixture, 4);
    await uploaded.add(upload);
    await uploaded.add(upload);
    const uuid = reportedClipUuid(fixture.orgUuid, `upload ${upload.uuid}`);
    await eventuallyEqual(async () => (await fixture.find(uuid)).body.status, 'COMPLETE');
    await fixture.clips.settled();
    const { body } = await fixture.find(uuid);
    const bytes = readFileSync(fixture.path(uuid));
    expect(body).toMatchObject({
      title: 'Gate',
      durationSec: 6,
      byteCount: bytes.length,
      timestampMs: START_MS,
    });
    expect(frameHashes(bytes)).toEqual(frameHashes(recording.bytes));
    expect((await fixture.clips.files(fixture.orgUuid, uuid))[0]?.image).not.toBeNull();
    expect(await fixture.clips.inProgress(fixture.orgUuid, USER)).toEqual([]);
    await uploaded.add(upload);
    expect((await fixture.find(uuid)).body.status).toBe('COMPLETE');
  });
});
