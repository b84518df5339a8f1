import { describe, expect, it } from 'vitest';
import { clipFile, h264With } from '../../test/support/clip-files.ts';
import { openUploadFixture } from './upload-fixture.ts';

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
});
