import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../core/clock.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { type CameraScript, decentScript, FakeCamera } from '../../sources/direct/fake-camera.ts';
import { probeCamera } from '../../sources/probe.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';

const DISCOVER = '/api/relay/manualDiscoverCamera';
const TIMEOUT_MS = 10_000;

let fixture: ApiFixture;
let camera: FakeCamera;
/** Clock of the probe whose camera does not respond. */
let clock: FakeClock;
beforeEach(async () => {
  fixture = await openApiFixture();
  clock = new FakeClock();
  probe(systemClock);
});
afterEach(async () => {
  await Promise.all([fixture.close(), camera.close()]);
});

function probe(by: Clock): void {
  const options = { transport: 'auto', timeoutMs: TIMEOUT_MS, clock: by } as const;
  fixture.rtspCameras.network = (url) => probeCamera(url, options);
}

describe('cameras on a network', () => {
  it.each<[string, CameraScript]>([
    ['GOOD', decentScript(3)],
    [
      'NOT_AUTHENTICATED',
      (request, connection) => connection.reply(request, 401, [['WWW-Authenticate', 'Basic realm="x"']]),
    ],
    ['NOT_SUPPORTED', decentScript(0, 'm=video 0 RTP/AVP 96\r\na=rtpmap:96 VP9/90000\r\n')],
    ['UNKNOWN', () => clock.advance(TIMEOUT_MS)],
  ])('are found to be %s', async (status, script) => {
    if (status === 'UNKNOWN') probe(clock);
    camera = await FakeCamera.listen(script);
    const response = await fixture.call(DISCOVER, { rtspUrl: camera.url() });
    expect(response).toMatchObject({ error: false, rtspUrlStatus: status });
    expect(response.result === undefined).toBe(status === 'UNKNOWN');
  });

  it('are found to be NOT_REACHABLE if nothing listens', async () => {
    camera = await FakeCamera.listen(decentScript(0));
    const rtspUrl = camera.url();
    await camera.close();
    expect(await fixture.call(DISCOVER, { rtspUrl })).toEqual({
      error: false,
      rtspUrlStatus: 'NOT_REACHABLE',
    });
  });
});
