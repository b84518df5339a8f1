import { describe, expect, it } from 'vitest';
import { clipFile, h264With, withPause } from '../../test/support/clip-files.ts';
import type { StreamPlaces } from '../playback/recorded-places.ts';
import { wholePast } from '../playback/whole-past.ts';
import { RECORDED_RENDITION } from '../recording/recorded-cameras.ts';
import { NOW_MS, openUploadFixture } from './upload-fixture.ts';

describe('an upload', () => {
  it('is one file, however its segments differ in size', async () => {
    const fixture = await openUploadFixture();
    // Two seconds, and one: another segment like the first would not fit.
    const large = clipFile({ seconds: 3, size: '1280x720', codecs: h264With('-qp 1') });
    await fixture.handOver(large);
    expect(await fixture.recordings()).toEqual([0]);
    expect(await fixture.storage.list(`${fixture.cameraUuid}/uploaded`)).toHaveLength(1);
    expect(fixture.files()).toEqual([]);
  });

  it('leaves the pause in it to other recordings', async () => {
    const fixture = await openUploadFixture();
    const startMs = NOW_MS - 3_600_000;
    await fixture.handOver(clipFile(withPause(120)), { clipId: 'on motion', startMs });
    await fixture.handOver(clipFile({ seconds: 2 }), { clipId: 'meanwhile', startMs: startMs + 60_000 });
    const stream = { cameraUuid: fixture.cameraUuid, rendition: RECORDED_RENDITION };
    const places = wholePast(fixture.catalog as unknown as StreamPlaces, fixture.clock);
    const found = await places.segments(stream, 0, NOW_MS);
    const runs = found.flatMap(({ segments }) =>
      segments.map(({ epochMs, isDiscontinuity }) => [epochMs - startMs, isDiscontinuity]),
    );
    expect(runs).toEqual([
      [0, true],
      [60_000, true],
      [122_000, true],
    ]);
  });
});
