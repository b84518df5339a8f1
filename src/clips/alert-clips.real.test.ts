import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { frameHashes } from '../playback/range-mp4-fixture.ts';
import { AlertClipsFixture, AT_MS, HERE, START_MS, testRecording } from './alert-clips-fixture.ts';

describe('an alert of a camera that is recorded', () => {
  it('gets a clip with pre-roll and post-roll, and an image of its instant', async () => {
    const fixture = await AlertClipsFixture.open();
    const camera = await fixture.camera();
    const uuid = await fixture.raise(camera, { textDescription: 'Motion', durationSec: 1 });
    expect(await fixture.body(uuid)).not.toHaveProperty('clipLocation');
    await fixture.clips.settled();
    expect(await fixture.body(uuid)).toMatchObject({
      textDescription: 'Motion',
      durationSec: 1,
      clipLocation: HERE,
      clipLocationMap: { [camera]: HERE },
      thumbnailLocation: HERE,
    });
    const found = (await fixture.delivered(uuid, camera))!;
    expect(found.file).toMatchObject({ startEpochMs: START_MS + 1_000, durationMs: 4_000, isPlain: true });
    expect(fixture.images).toEqual([AT_MS]);
    expect(frameHashes(readFileSync(fixture.path(uuid, camera)))).toEqual(
      frameHashes((await testRecording()).bytes).slice(25, 125),
    );
    // Alerts are not saved clips.
    expect((await fixture.savedClips.page(fixture.orgUuid, null, 10, null)).clips).toEqual([]);
    expect(await fixture.clips.inProgress(fixture.orgUuid, newRuuid())).toEqual([]);
  });
});
