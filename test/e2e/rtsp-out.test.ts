/** Live video by RTSP from a whole gateway, as programs that nobody here wrote read it. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MadeCertificates } from '../../src/connections/certificate-fixture.ts';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { Child } from '../support/child.ts';
import { type Json, TestGateway, type TestShare } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { decodeErrors, probeStreams } from '../support/media-check.ts';
import { freePort } from '../support/ports.ts';
import { RtspReaders } from '../support/rtsp-readers.ts';
import { makeClip, startCamera } from '../support/synthetic.ts';
import { until } from '../support/until.ts';

const CLIP_SEC = 64;

let readers: RtspReaders;
let camera: SyntheticCamera;
let hevc: GstCamera;
let opus: GstCamera;
let certificates: MadeCertificates;
let port: number;
let securePort: number;
let udpPort: number;
let gateway: TestGateway;

beforeAll(async () => {
  const clip = await makeClip(320, 180, { durationSec: CLIP_SEC });
  readers = new RtspReaders(clip);
  camera = await startCamera(0, { clip });
  [hevc, opus] = await Promise.all([startGstCamera('h265-small-pcmu'), startGstCamera('h264-opus')]);
  certificates = new MadeCertificates();
  [port, securePort] = [await freePort(), await freePort()];
  udpPort = (await freePort()) & ~1;
  gateway = await TestGateway.start(configWith([]));
});

afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
  await Promise.all([hevc, opus].map((each) => each?.stop()));
  certificates?.remove();
  readers?.remove();
});

function configWith(cameras: readonly Json[]) {
  return {
    rtsp: { listen: `127.0.0.1:${port}`, udpPort, secureListen: `127.0.0.1:${securePort}` },
    tls: { media: certificates.make('media') },
    cameras: [
      { name: 'Dock', rtsp: camera.url },
      { name: 'Door', rtsp: hevc.url },
      { name: 'Hall', rtsp: opus.url },
      ...cameras,
    ],
  };
}

/** `rtsp://` in place of the address that HTTP clients use. */
function rtspUrl({ m3u8Url }: TestShare, userInfo = ''): string {
  return `rtsp://${userInfo}127.0.0.1:${port}${new URL(m3u8Url).pathname.replace('/file.m3u8', '')}`;
}

function secureUrl(share: TestShare): string {
  return rtspUrl(share).replace('rtsp:', 'rtsps:').replace(`:${port}/`, `:${securePort}/`);
}

describe('a link by RTSP', () => {
  it('gives ffmpeg each frame and all sound, as the camera sends them', async () => {
    const media = await readers.ffmpeg(rtspUrl(await gateway.share('Dock', { includeAudio: true })));
    await readers.expectAllFrames(media);
    await readers.expectAllSound(media);
  });

  it.each(['udp', 'http'])('gives ffmpeg the same by %s', async (transport) => {
    const url = rtspUrl(await gateway.share('Dock', { includeAudio: true }));
    const media = await readers.ffmpeg(url, transport);
    await readers.expectAllFrames(media);
    await readers.expectAllSound(media);
  });

  it('gives ffmpeg the same with TLS', async () => {
    const media = await readers.ffmpeg(secureUrl(await gateway.share('Dock', { includeAudio: true })));
    await readers.expectAllFrames(media);
    await readers.expectAllSound(media);
  });

  it.each([
    ['rtsp', 'udp'],
    ['rtsph', 'tcp+http'],
  ])('gives GStreamer each frame by %s and %s', async (scheme, protocols) => {
    const url = rtspUrl(await gateway.share('Dock', { includeAudio: true })).replace('rtsp', scheme);
    await readers.expectAllFrames(await readers.gstreamer(url, protocols));
  });

  it('gives GStreamer each frame with TLS', async () => {
    await readers.expectAllFrames(
      await readers.gstreamer(secureUrl(await gateway.share('Dock', { includeAudio: true }))),
    );
  });

  it.each([
    ['Door', ['hevc', 'pcm_mulaw']],
    ['Hall', ['h264', 'opus']],
  ])('of %s has the formats of the camera, and decodes without a complaint', async (name, formats) => {
    const media = await readers.ffmpeg(rtspUrl(await gateway.share(name, { includeAudio: true })));
    const streams = await probeStreams([media]);
    expect(streams.map(({ codec_name }) => codec_name)).toEqual(formats);
    expect(await decodeErrors([media])).toBe('');
  });

  it('gives GStreamer each frame, and sound', async () => {
    const media = await readers.gstreamer(rtspUrl(await gateway.share('Dock', { includeAudio: true })));
    await readers.expectAllFrames(media);
  });

  it('is a camera for another gateway, and for one behind that', async () => {
    const once = rtspUrl(await gateway.share('Dock', { includeAudio: true }));
    await gateway.configure(configWith([{ name: 'Once', rtsp: once }]));
    gateway.child.process.kill('SIGHUP');
    await gateway.child.line(/configuration reloaded/);
    const twice = rtspUrl(await gateway.share('Once', { includeAudio: true }));
    await gateway.configure(
      configWith([
        { name: 'Once', rtsp: once },
        { name: 'Twice', rtsp: twice },
      ]),
    );
    gateway.child.process.kill('SIGHUP');
    await until('the second camera', async () => {
      const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
      return cameraStates.some(({ name }: Json) => name === 'Twice');
    });
    const url = rtspUrl(await gateway.share('Twice', { includeAudio: true }));
    const media = await readers.ffmpeg(url);
    await readers.expectAllFrames(media);
    await readers.expectAllSound(media);
  });

  it('needs its password, and is over when the share is', async () => {
    const share = await gateway.share('Dock', { password: 'sesame street' });
    await expect(readers.ffmpeg(rtspUrl(share))).rejects.toThrow('401');
    const reader = new Child('ffmpeg', [
      ...['-nostdin', '-v', 'info', '-rtsp_transport', 'tcp'],
      ...['-i', rtspUrl(share, 'x:sesame%20street@'), '-c', 'copy', '-f', 'null', '-'],
    ]);
    await reader.line(/Output #0/);
    await gateway.revoke(share);
    await reader.exited;
    await expect(readers.ffmpeg(rtspUrl(share, 'x:sesame%20street@'))).rejects.toThrow(/40[34]/);
  });
});
