import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { decentScript, FakeCamera } from '../../sources/direct/fake-camera.ts';
import { probeCamera } from '../../sources/probe.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const PROBE = '/api/camera/probeCamera';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

describe('probeCamera', () => {
  it('measures what a camera sends', async () => {
    const camera = await FakeCamera.listen(decentScript(30));
    try {
      const options = { transport: 'auto', timeoutMs: 10_000, clock: systemClock } as const;
      fixture.rtspCameras.network = (url) => probeCamera(url, { ...options, keepsKeyFrame: true });
      const { main } = await fixture.call(PROBE, { mainUrl: camera.url() });
      expect(main).toMatchObject({
        works: true,
        transport: 'tcp',
        videoCodec: expect.stringMatching(/^avc1\./),
      });
      expect((main as { bitsPerSec: number }).bitsPerSec).toBeGreaterThan(0);
      expect((main as { firstKeyFrameMs: number }).firstKeyFrameMs).toBeGreaterThanOrEqual(0);
    } finally {
      await camera.close();
    }
  });
});
