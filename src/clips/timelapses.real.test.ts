import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventuallyEqual } from '../core/eventually-equal-fixture.ts';
import { newRuuid } from '../core/ruuid.ts';
import { FPS, frameHashes, probe } from '../playback/range-mp4-fixture.ts';
import { ClipLibrary } from './clip-library.ts';
import { START_MS, testRecording } from './clips-fixture.ts';
import { READER, TimelapsesFixture } from './timelapses-fixture.ts';

async function keyFrames(): Promise<string[]> {
  return frameHashes((await testRecording()).bytes).filter((_, index) => index % FPS === 0);
}

describe('a timelapse', () => {
  it('is a movie of key frames, as long as it was asked for, with an image', async () => {
    const fixture = await TimelapsesFixture.open();
    const { base } = fixture;
    const uuid = await fixture.made({ title: 'Roof' });
    expect(await fixture.listed(uuid)).toMatchObject({
      state: 'COMPLETE',
      percent: 100,
      timelapse: { body: { durationSec: 2, title: 'Roof' } },
    });
    const bytes = readFileSync(base.path(uuid));
    expect(frameHashes(bytes)).toEqual(await keyFrames());
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
    // It is not a saved clip, and not a clip in progress.
    expect(await base.savedClips.known(base.orgUuid, uuid)).toBeNull();
    expect(await base.clips.inProgress(base.orgUuid, READER)).toEqual([]);
  });

  it('shows what is in the time alone, and one of several cameras has a file for each', async () => {
    const fixture = await TimelapsesFixture.open(2);
    const { base } = fixture;
    const uuid = await fixture.made({
      devices: base.cameras,
      startMs: START_MS + 500,
      stopMs: START_MS + 4_500,
      durationSec: 1,
    });
    for (const camera of base.cameras) {
      expect(frameHashes(readFileSync(base.path(uuid, camera)))).toEqual((await keyFrames()).slice(1, 5));
    }
  });

  it('is as long as what was recorded, if that is less than was asked for', async () => {
    const fixture = await TimelapsesFixture.open();
    const uuid = await fixture.made({ stopMs: START_MS + 3_000_000, durationSec: 120 });
    expect((await fixture.listed(uuid))!.timelapse.body.durationSec).toBe(6);
    expect(Number(probe(readFileSync(fixture.base.path(uuid))).format.duration)).toBeCloseTo(6, 2);
  });

  it('goes on after a restart in the middle', async () => {
    const fixture = await TimelapsesFixture.open();
    const { base } = fixture;
    base.thread.isHanging = true;
    const uuid = await fixture.generate();
    await eventuallyEqual(() => base.thread.messages.some(({ op }) => op === 'copy'), true);
    mkdirSync(join(base.folder, 'clips', uuid), { recursive: true });
    writeFileSync(base.path(uuid), 'half');
    const library = new ClipLibrary(base.store.resources);
    expect(await library.find(base.orgUuid, uuid, base.cameras[0]!, READER)).toBeNull();
    base.thread.isHanging = false;
    await base.restart();
    await base.clips.settled();
    expect(await fixture.stateOf(uuid)).toEqual(['COMPLETE', 100]);
    expect(frameHashes(readFileSync(base.path(uuid)))).toEqual(await keyFrames());
  });
});
