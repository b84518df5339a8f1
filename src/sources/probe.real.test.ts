import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { CredentialUrl } from '../core/secret.ts';
import {
  type CameraScript,
  decentScript,
  FAKE_CAMERA_SDP,
  FakeCamera,
  measurableScript,
} from './direct/fake-camera.ts';
import { type ProbeOptions, probeCamera } from './probe.ts';

const cameras: FakeCamera[] = [];

async function probe(script: CameraScript, timeoutMs = 5_000, more: Partial<ProbeOptions> = {}) {
  const camera = await FakeCamera.listen(script);
  cameras.push(camera);
  const options = { transport: 'auto', timeoutMs, clock: systemClock, ...more } as const;
  return probeCamera(new CredentialUrl(camera.url()), options);
}

afterEach(async () => {
  await Promise.all(cameras.splice(0).map((camera) => camera.close()));
});

describe('probeCamera', () => {
  it('finds a good camera and measures it', async () => {
    const sdp = `${FAKE_CAMERA_SDP}m=audio 0 RTP/AVP 8\r\n`;
    const result = await probe(measurableScript(systemClock.epochMs() + 90_000, sdp));
    expect(result).toMatchObject({ status: 'GOOD', error: null, gopMs: 40, frameRateHz: 25 });
    expect(Math.round(result.clockOffsetMs! / 10_000)).toBe(9);
    expect(result.offered).toEqual([
      { kind: 'video', encodings: ['h264'] },
      { kind: 'audio', encodings: ['pcma'] },
    ]);
    expect(result.tracks).toMatchObject([{ codec: 'h264', widthPx: 16, heightPx: 16 }]);
  });

  it('ends with the first key frame if it need not measure', async () => {
    const result = await probe(decentScript(2), 1_000, {
      clock: new FakeClock(),
      isBrief: true,
      keepsKeyFrame: true,
    });
    expect(result).toMatchObject({ status: 'GOOD', frameRateHz: null, keyFrame: { widthPx: 16 } });
  });

  it('accepts a camera whose next key frame is far away', async () => {
    const result = await probe(decentScript(3), 300);
    expect(result).toMatchObject({ status: 'GOOD', error: null, frameRateHz: null });
  });

  it.each<[string, CameraScript, string, string]>([
    [
      'asks for credentials',
      (request, connection) => connection.reply(request, 401, [['WWW-Authenticate', 'Basic realm="x"']]),
      'NOT_AUTHENTICATED',
      'RTSP_AUTH_FAILED',
    ],
    [
      'has only Motion JPEG',
      decentScript(0, 'm=video 0 RTP/AVP 26\r\n'),
      'NOT_SUPPORTED',
      'RTSP_NO_SUPPORTED_VIDEO',
    ],
    ['talks nonsense', (_, connection) => connection.socket.write('?'), 'UNKNOWN', 'RTSP_FRAMING'],
    ['plays and sends nothing', decentScript(0), 'UNKNOWN', 'DIRECT_SILENT'],
  ])('reports when the camera %s', async (_, script, status, code) => {
    expect(await probe(script, 300)).toMatchObject({ status, error: { code }, tracks: [] });
  });

  it('reports when nothing is there', async () => {
    const camera = await FakeCamera.listen(decentScript());
    const url = new CredentialUrl(camera.url());
    await camera.close();
    const result = await probeCamera(url, { transport: 'auto', timeoutMs: 5_000, clock: systemClock });
    expect(result).toMatchObject({
      status: 'NOT_REACHABLE',
      error: { code: 'DIRECT_UNREACHABLE' },
      offered: [],
    });
  });
});
