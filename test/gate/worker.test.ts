/** A Motion JPEG camera through an ffmpeg worker: the worker is in its jail, and its output is whole and in order. */

import { readFileSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createJail } from '../../src/ffmpeg/jail.ts';
import { type Json, PATIENT, TestGateway } from '../support/gateway.ts';
import { type GstCamera, NUMBERED_FRAMES, NUMBERED_PICTURE, startGstCamera } from '../support/gst-camera.ts';
import { openShare } from '../support/hls.ts';
import { decodeErrors, probeStreams } from '../support/media-check.ts';
import { helpersOf, isAlive, workersOf } from '../support/processes.ts';
import { misplaced, SegmentCollector } from '../support/segment-collector.ts';
import { until } from '../support/until.ts';

const SEGMENTS = 4;
const WAIT_MS = 90_000;

let camera: GstCamera;
let gateway: TestGateway;

/** Ends all of it, the newest first, also what was started before something failed. */
const started = new AsyncDisposableStack();
afterAll(() => started.disposeAsync());

beforeAll(async () => {
  camera = started.adopt(await startGstCamera('mjpeg-numbered-pcmu'), (one) => one.stop());
  gateway = started.adopt(
    await TestGateway.start({
      sources: PATIENT,
      hls: { segmentTarget: '1s', partTarget: '200ms', idleStop: '5m' },
      cameras: [{ name: 'Yard', rtsp: camera.url, engine: 'ffmpeg' }],
    }),
    (one) => one.dispose(),
  );
});

/** The gateway's newest log line with this message. */
function logged(message: string): Json | null {
  const line = gateway.child.lines.findLast((each) => each.includes(`"msg":"${message}"`));
  return line === undefined ? null : JSON.parse(line);
}

it('transcodes every picture in order, locked in, and is gone with its gateway', async () => {
  const share = await gateway.share('Yard');
  const playlistUrl = await until('the camera to play', () => openShare(share.m3u8Url), WAIT_MS);
  const collector = new SegmentCollector(() => playlistUrl);
  started.defer(() => collector.stop());
  await until('segments', () => collector.msns.length >= SEGMENTS, WAIT_MS);
  await collector.stop();
  expect(collector.failures).toEqual([]);
  expect(collector.runs).toHaveLength(1);
  const { media } = collector.runs[0]!;
  expect(await decodeErrors(media, ['-err_detect', 'explode'])).toBe('');
  expect(await probeStreams(media)).toMatchObject([{ codec_name: 'h264' }, { codec_name: 'aac' }]);
  const numbers = await collector.frameNumbers(NUMBERED_PICTURE);
  expect(numbers.length).toBeGreaterThan(2 * 25);
  expect(misplaced(numbers, NUMBERED_FRAMES)).toEqual([]);

  expect(logged('stream opened')).toMatchObject({
    name: 'Yard',
    engine: 'ffmpeg',
    plan: { video: 'encode', audio: 'encode' },
  });
  const gatewayPid = gateway.child.process.pid!;
  const workers = workersOf(gatewayPid);
  expect(workers).toHaveLength(1);
  await expectJailed(workers[0]!);

  const helpers = helpersOf(gatewayPid, 'ffmpeg');
  await gateway.end('SIGKILL');
  await until('the workers to be gone', () => !helpers.some(isAlive), WAIT_MS);
});

/** What the kernel says about the worker. */
async function expectJailed(pid: number): Promise<void> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => new RegExp(`^${name}:\\s+(.+)$`, 'm').exec(status)?.[1]?.split(/\s+/);
  expect([field('NoNewPrivs'), field('Seccomp')]).toEqual([['1'], ['2']]);
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) expect(Number(`0x${field(set)}`)).toBe(0);
  const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
  expect(limits).toMatch(/^Max file size +0 +0 /m);
  expect(limits).toMatch(/^Max core file size +0 +0 /m);
  expect(limits).toMatch(/^Max open files +64 +64 /m);
  // What this kernel has besides.
  const { protections } = (await createJail()).describe();
  expect(protections).toMatchObject({ parentDeath: true, seccomp: true, limits: true, capabilities: true });
  const networkOf = (who: number | 'self') => readlinkSync(`/proc/${who}/ns/net`);
  expect(networkOf(pid) !== networkOf('self')).toBe(protections.networkNamespace);
  if (protections.unprivilegedUser) expect(field('Uid')).toEqual(['65534', '65534', '65534', '65534']);
}
