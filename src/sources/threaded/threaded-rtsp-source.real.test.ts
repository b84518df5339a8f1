import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { CredentialUrl } from '../../core/secret.ts';
import type { Source, SourceInstance } from '../../stream/source/source.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { closeAll, eventually, except, listen, noSocketLeft, Recorder } from '../direct/direct-fixture.ts';
import { type DirectObserver, DirectRtspSource } from '../direct/direct-rtsp-source.ts';
import { decentScript, FAKE_CAMERA_SDP, type FakeCamera, fakeKeyFrame } from '../direct/fake-camera.ts';
import { ANYWHERE } from '../network/camera-address.ts';
import { CameraHost } from './camera-host.ts';
import { CameraHostLink } from './camera-host-link.ts';
import { CAMERA_THREAD_ERRORS } from './errors.ts';
import type { CameraOrder, SlabNotice } from './host-messages.ts';
import { ThreadedRtspSource } from './threaded-rtsp-source.ts';
import { createRing, type RingMemory } from './unit-ring.ts';

const RING_BYTES = 64 * 1_024;
const G722 = 'm=audio 0 RTP/AVP 9\r\na=rtpmap:9 G722/8000\r\na=control:trackID=2\r\n';
const JPEG_ALONE = 'v=0\r\nm=video 0 RTP/AVP 26\r\na=control:trackID=1\r\n';

class LossRecorder extends Recorder {
  readonly lost: [frames: number, code: string][] = [];

  override onDropped(frames = 0, code = ''): void {
    this.lost.push([frames, code]);
  }
}

let isAsleep: boolean;
let paused: (() => void)[];
let host: CameraHost;
let link: CameraHostLink;
let ring: RingMemory;
let lines: { level: string; fields: object; message: string }[];
let localOpens: number;
let instances: SourceInstance[];

beforeEach(async () => {
  await noSocketLeft();
  [isAsleep, lines, localOpens, instances] = [false, [], 0, []];
  ring = createRing(RING_BYTES);
  paused = [];
  const notices: SlabNotice[] = [];
  host = new CameraHost({
    ring,
    clock: systemClock,
    onWake: () => unlessAsleep(() => link.wake()),
    onSlab: (notice) => void notices.push(notice),
  });
  const clock = {
    ...systemClock,
    after: (delayMs: number, fn: () => void) => systemClock.after(delayMs, () => unlessAsleep(fn)),
  };
  link = new CameraHostLink({
    ring,
    calls: host,
    clock,
    takeSlabNotice: () => notices.shift(),
  });
});
afterEach(async () => {
  await Promise.all(instances.map((instance) => instance.close()));
  await closeAll();
  expect([host.size, link.size]).toEqual([0, 0]);
});

/** The gateway's thread does nothing while it is asleep. */
function unlessAsleep(fn: () => void): void {
  if (isAsleep) paused.push(fn);
  else fn();
}

function awake(): void {
  isAsleep = false;
  for (const fn of paused.splice(0)) fn();
}

function logOf(): Log {
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  const [debug, info, warn, error] = ['debug', 'info', 'warn', 'error'].map(write);
  return { debug: debug!, info: info!, warn: warn!, error: error!, child: logOf };
}

function sourceOf(url: string, order: Partial<CameraOrder> = {}, observer: DirectObserver = {}): Source {
  const direct = new DirectRtspSource({
    url: new CredentialUrl(url),
    transport: 'auto',
    clock: systemClock,
    log: logOf(),
    observer,
  });
  const local: Source = {
    engine: 'direct',
    open(sink) {
      localOpens++;
      return direct.open(sink);
    },
  };
  const defaults = { transport: 'auto', tls: 'any', addressRule: ANYWHERE, timeouts: {} } as const;
  const more = {
    mayUseCameraTime: false,
    signingAnchors: null,
    isSilent: false,
    isAuto: false,
    hasSoundWorker: false,
  };
  return new ThreadedRtspSource({
    threads: { pick: () => link },
    local,
    observer,
    log: logOf(),
    order: { url, ...defaults, ...more, ...order },
  });
}

function open(source: Source): LossRecorder {
  const recorder = new LossRecorder();
  instances.push(source.open(new SourceSink(recorder)));
  return recorder;
}

function sendFrames(camera: FakeCamera, from: number, to: number): void {
  for (let index = from; index < to; index++) camera.connections.at(-1)!.sendFrame(0, fakeKeyFrame(index));
}

describe('a camera that a thread reads', () => {
  it('arrives as if it were read here, with the lines of its log, and without its password', async () => {
    const camera = await listen(decentScript(5));
    const recorder = open(sourceOf(camera.url('admin:hunter2@')));
    await eventually(() => expect(recorder.unitCount).toBeGreaterThan(3));
    expect(recorder.tracks[0]).toMatchObject([{ kind: 'video', codec: 'h264', widthPx: 16 }]);
    expect(recorder.keyCount).toBe(recorder.unitCount);
    expect(lines).toContainEqual({
      level: 'info',
      fields: { engine: 'direct', transport: 'tcp', codecs: [expect.stringMatching(/^avc1/)] },
      message: 'stream opened',
    });
    expect(JSON.stringify(lines)).not.toContain('hunter2');
    expect(localOpens).toBe(0);
  });

  it('ends with the error of its connection', async () => {
    const camera = await listen(except('DESCRIBE', (request, it) => it.reply(request, 404)));
    const error = await open(sourceOf(camera.url())).ended;
    expect(error).toBeInstanceOf(GatewayError);
    expect(error.code).toBe('RTSP_NOT_FOUND');
  });

  it('is left by both threads when it is closed', async () => {
    const camera = await listen(decentScript(5));
    const recorder = open(sourceOf(camera.url()));
    await eventually(() => expect(recorder.unitCount).toBeGreaterThan(0));
    await instances[0]!.close();
    expect([link.size, host.size]).toEqual([0, 0]);
    await eventually(() => expect(camera.openConnections).toBe(0));
    expect(recorder.errors).toEqual([]);
  });

  it('says once what it leaves out, however often it is opened', async () => {
    const camera = await listen(decentScript(2, FAKE_CAMERA_SDP + G722));
    const source = sourceOf(camera.url());
    for (let count = 1; count <= 2; count++) {
      const recorder = open(source);
      await eventually(() => expect(recorder.unitCount).toBeGreaterThan(0));
    }
    expect(lines.filter(({ message }) => message === 'camera tracks skipped')).toHaveLength(1);
  });
});

describe('a camera that needs a worker', () => {
  it.each([
    ['audio that browsers do not play', FAKE_CAMERA_SDP + G722],
    ['Motion JPEG', JPEG_ALONE],
  ])('for %s is read here, after its first connection has ended', async (_name, sdp) => {
    const camera = await listen(decentScript(2, sdp));
    const described: unknown[] = [];
    const observer = {
      onDescribed: (_description: unknown, selection: unknown) => described.push(selection),
    };
    const source = sourceOf(camera.url(), { isAuto: true, hasSoundWorker: true }, observer);
    open(source);
    await eventually(() => expect(described).toHaveLength(1));
    expect([localOpens, host.size, camera.connections.length]).toEqual([1, 0, 2]);
    await instances[0]!.close();
    open(source);
    await eventually(() => expect(described).toHaveLength(2));
    expect([localOpens, camera.connections.length]).toEqual([2, 3]);
  });

  it('is read by the thread if it is to be silent', async () => {
    const camera = await listen(decentScript(2, FAKE_CAMERA_SDP + G722));
    const wanted = { isAuto: true, hasSoundWorker: true, isSilent: true };
    const recorder = open(sourceOf(camera.url(), wanted));
    await eventually(() => expect(recorder.unitCount).toBeGreaterThan(0));
    expect(localOpens).toBe(0);
  });
});

describe('a thread', () => {
  it('that ends, ends its cameras, which it no longer has to release', async () => {
    const camera = await listen(decentScript(5));
    const recorder = open(sourceOf(camera.url()));
    await eventually(() => expect(recorder.unitCount).toBeGreaterThan(0));
    link.end(new GatewayError(CAMERA_THREAD_ERRORS.CAMERA_THREAD_FAILED));
    expect(recorder.errors).toMatchObject([{ code: 'CAMERA_THREAD_FAILED' }]);
    await instances[0]!.close();
    await host.closeAll();
  });

  it('that is being replaced takes no cameras', async () => {
    const source = new ThreadedRtspSource({
      threads: { pick: () => null },
      local: sourceOf('rtsp://127.0.0.1:9/'),
      log: logOf(),
      order: {} as CameraOrder,
    });
    expect(await open(source).ended).toMatchObject({ code: 'CAMERA_THREAD_FAILED' });
  });

  it('whose frames nobody takes loses them, and says how many', async () => {
    const camera = await listen(decentScript(2));
    const recorder = open(sourceOf(camera.url()));
    await eventually(() => expect(recorder.unitCount).toBeGreaterThan(0));
    isAsleep = true;
    const sent = RING_BYTES / 32;
    sendFrames(camera, 2, sent);
    camera.connections[0]!.socket.end();
    await eventually(() => expect(camera.openConnections).toBe(0));
    awake();
    expect(await recorder.ended).toMatchObject({ code: 'DIRECT_DISCONNECTED' });
    const [lost] = recorder.lost.map(([frames]) => frames);
    expect(recorder.lost).toEqual([[lost, 'CAMERA_THREAD_BEHIND']]);
    expect(lost).toBeGreaterThan(sent / 3);
    // The newest one waits for the packet after it.
    expect(recorder.unitCount + lost!).toBeGreaterThanOrEqual(sent - 1);
  });

  it('whose frames nobody took goes on with a key frame', async () => {
    const camera = await listen(decentScript(2));
    const recorder = open(sourceOf(camera.url()));
    await eventually(() => expect(recorder.unitCount).toBeGreaterThan(0));
    isAsleep = true;
    let next = 2;
    await eventually(() => {
      sendFrames(camera, next, next + 100);
      next += 100;
      expect(usedPart()).toBeGreaterThan(0.9);
    });
    awake();
    const seen = recorder.unitCount;
    await eventually(() => {
      sendFrames(camera, next, ++next);
      expect(recorder.unitCount).toBeGreaterThan(seen);
    });
    expect(recorder.errors).toEqual([]);
  });
});

function usedPart(): number {
  const [written, read] = new Uint32Array(ring.positions);
  return ((written! - read!) * 8) / RING_BYTES;
}
