/** Live video that is signed (C2PA 2.4, verifiable segment info), through whole gateways and their threads. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkInit, checkSegment, type LiveSigner } from '../../src/c2pa/check-live.ts';
import { runCli } from '../support/cli.ts';
import { TestGateway, type TestShare } from '../support/gateway.ts';
import { type GstCamera, startGstCamera } from '../support/gst-camera.ts';
import { fetchOk, fetchPlaylist, msnOf, openShare, type TestSegment } from '../support/hls.ts';
import { decodeErrors, probeStreams } from '../support/media-check.ts';
import { until } from '../support/until.ts';

const SEGMENTS = 4;
const PLAY_TIMEOUT_MS = 60_000;
const THREADS = [
  ['one thread', { cameras: 0, viewers: 0 }],
  ['threads for cameras and viewers', { cameras: 1, viewers: 1 }],
] as const;

describe.each(THREADS)('signed live video with %s', (_name, threads) => {
  let camera: GstCamera;
  let gateway: TestGateway;
  let share: TestShare;
  let url: string;
  let segments: readonly TestSegment[];
  let signer: LiveSigner;

  beforeAll(async () => {
    camera = await startGstCamera('h264-aac');
    gateway = await TestGateway.start({
      evidence: { signLive: true },
      threads,
      hls: { segmentTarget: '1s', partTarget: '200ms', window: '60s' },
      cameras: [{ name: 'Gate', rtsp: camera.url, recording: 'always' }],
    });
    share = await gateway.share('Gate');
    url = (await openShare(share.m3u8Url)).replace('stream.m3u8', 'file.m3u8');
    segments = await until('segments', async () => {
      const playlist = await fetchPlaylist(url);
      const whole = playlist.segments.filter(({ duration, uri }) => duration > 0 && uri.startsWith('seg_'));
      return whole.length >= SEGMENTS ? whole : null;
    });
    const finding = await checkInit(await bytesOf(segments[0]!.map.uri));
    if (finding.state !== 'signed') throw new Error(JSON.stringify(finding));
    ({ signer } = finding);
  });
  afterAll(async () => {
    await gateway?.dispose();
    await camera?.stop();
  });

  const bytesOf = (uri: string): Promise<Buffer> => fetchOk(new URL(uri, url).href);

  it('has a signature in each segment', async () => {
    for (const { uri } of segments) {
      expect(await checkSegment(await bytesOf(uri), signer, msnOf(uri))).toMatchObject({ state: 'signed' });
    }
    const [first, second] = segments.map(({ uri }) => uri);
    const exchanged = await checkSegment(await bytesOf(second!), signer, msnOf(first!));
    expect(exchanged).toEqual({ state: 'broken', problem: 'number' });
  });

  it('has it in the last part', async () => {
    const { parts, uri } = segments.findLast((segment) => (segment.parts ?? []).length > 1)!;
    const bytes = await Promise.all(parts!.map((part) => bytesOf(part.uri)));
    expect(await checkSegment(Buffer.concat(bytes), signer, msnOf(uri))).toMatchObject({ state: 'signed' });
    expect(await checkSegment(Buffer.concat(bytes.slice(0, -1)), signer, null)).toEqual({
      state: 'unsigned',
    });
  });

  it('plays in ffmpeg, and has the same tracks', async () => {
    const init = await bytesOf(segments[0]!.map.uri);
    const media = [init, ...(await Promise.all(segments.map(({ uri }) => bytesOf(uri))))];
    expect(await decodeErrors(media)).toBe('');
    const streams = await probeStreams(media);
    expect(streams.map(({ codec_name }) => codec_name).sort()).toEqual(['aac', 'h264']);
    const play = ['-v', 'error', '-xerror', '-i', share.m3u8Url, '-t', '2', '-f', 'null', '-'];
    expect((await promisify(execFile)('ffmpeg', play, { timeout: PLAY_TIMEOUT_MS })).stderr).toBe('');
  });

  it('is checked by a command, with the certificate that the gateway shows', async () => {
    const { certificates } = await gateway.call('evidence/getSigningCertificates');
    const { fingerprint } = certificates.at(-1)!;
    const { code, stdout } = await runCli('verify', share.m3u8Url, '--fingerprint', fingerprint);
    expect(stdout).toContain('Everything is as the gateway published it.');
    expect(code).toBe(0);
    expect(signer.fingerprint).toBe(fingerprint);
  });
});
