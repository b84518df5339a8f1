import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mediaBlockBytes } from '../../cmaf/media-blocks.ts';
import { systemClock } from '../../core/clock.ts';
import type { GatewayError } from '../../core/errors.ts';
import { silentLog } from '../../core/log.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { closeAll, eventually, listen, Recorder } from '../../sources/direct/direct-fixture.ts';
import { DirectRtspSource } from '../../sources/direct/direct-rtsp-source.ts';
import { decentScript } from '../../sources/direct/fake-camera.ts';
import { ANYWHERE } from '../../sources/network/camera-address.ts';
import { ThreadedRtspSource } from '../../sources/threaded/threaded-rtsp-source.ts';
import { Packager } from '../../stream/packaging/packager.ts';
import type { PackagingHost } from '../../stream/packaging/packaging-host.ts';
import type { SourceInstance } from '../../stream/source/source.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { CameraThreads } from './camera-threads.ts';

let threads: CameraThreads;
let workers: Worker[];
let logged: string[];
let replaced: number;
let instances: SourceInstance[];
/** How far the clocks of the threads lag behind this one's, at the least: they begin when their thread does. */
let lagMs: number;

const keep = (worker: Worker): void => void workers.push(worker);

beforeEach(async () => {
  [workers, logged, replaced, instances] = [[], [], 0, []];
  process.on('worker', keep);
  lagMs = systemClock.monoMs();
  threads = new CameraThreads({
    count: 2,
    clock: systemClock,
    log: { ...silentLog, error: (_fields, message) => void logged.push(message) },
    onReplaced: () => {
      replaced++;
    },
  });
  await threads.start();
});
afterEach(async () => {
  process.off('worker', keep);
  await Promise.all(instances.map((instance) => instance.close()));
  await threads.close();
  await closeAll();
});

class TimedRecorder extends Recorder {
  arrivalMonoMs = Number.NaN;

  override onAccessUnit(unit: Parameters<Recorder['onAccessUnit']>[0]): void {
    super.onAccessUnit(unit);
    this.arrivalMonoMs = unit.arrivalMonoMs;
  }
}

function open(url: string, recorder = new TimedRecorder()): TimedRecorder {
  const options = { transport: 'tcp', tls: 'any', addressRule: ANYWHERE } as const;
  const local = new DirectRtspSource({
    ...options,
    url: new CredentialUrl(url),
    clock: systemClock,
    log: silentLog,
  });
  const more = {
    timeouts: {},
    mayUseCameraTime: false,
    signingAnchors: null,
    isSilent: false,
    isAuto: false,
    hasSoundWorker: false,
  };
  const source = new ThreadedRtspSource({
    threads,
    local,
    log: silentLog,
    order: { url, ...options, ...more },
  });
  instances.push(source.open(new SourceSink(recorder)));
  return recorder;
}

describe('camera threads', () => {
  it('read cameras, each thread as many, and date what arrives by the clock of this one', async () => {
    const camera = await listen(decentScript(3));
    const beforeMonoMs = systemClock.monoMs();
    const recorders = Array.from({ length: 4 }, () => open(camera.url()));
    expect(threads.state().streams).toBe(4);
    await eventually(() => expect(recorders.every(({ unitCount }) => unitCount > 0)).toBe(true));
    for (const { arrivalMonoMs } of recorders) {
      // Two clocks are read one after the other, so they are not compared exactly.
      expect(arrivalMonoMs).toBeGreaterThan(beforeMonoMs - lagMs / 2);
      expect(arrivalMonoMs).toBeLessThan(systemClock.monoMs() + lagMs / 2);
    }
    await Promise.all(instances.map((instance) => instance.close()));
    await eventually(() => expect(camera.openConnections).toBe(0));
    expect(threads.state().streams).toBe(0);
  });

  it('say how they are without a message', async () => {
    let messages = 0;
    for (const worker of workers) worker.on('message', () => void messages++);
    const camera = await listen(decentScript(3));
    open(camera.url());
    for (let reports = 0; reports < 3; reports++) {
      const { busySec } = threads.state();
      await eventually(() => expect(threads.state().busySec).toBeGreaterThan(busySec));
    }
    expect(messages).toBe(0);
  });

  it('that end lose their own cameras alone, and are replaced', async () => {
    const camera = await listen(decentScript(3));
    const recorders = Array.from({ length: 4 }, () => open(camera.url()));
    await eventually(() => expect(recorders.every(({ unitCount }) => unitCount > 0)).toBe(true));
    await workers[0]!.terminate();
    await eventually(() => expect(replaced).toBe(1));
    expect(recorders.map(({ errors }) => errors[0]?.code)).toEqual([
      'CAMERA_THREAD_FAILED',
      undefined,
      'CAMERA_THREAD_FAILED',
      undefined,
    ]);
    expect(logged).toEqual(['camera thread failed, restarting']);
    expect(threads.state()).toMatchObject({ starts: 3, streams: 2 });
    await eventually(() => expect(camera.openConnections).toBe(2));
    const again = open(camera.url());
    await eventually(() => expect(again.unitCount).toBeGreaterThan(0));
  });
});

describe('what camera threads package', () => {
  it('lies in their memory, is read here, and outlives the thread', async () => {
    const usedHere = mediaBlockBytes().used;
    const camera = await listen(decentScript(100));
    const packager = new Packager({
      clock: systemClock,
      content: 'video',
      isContinuation: false,
      numbering: { nextMediaSequenceNumber: 1, nextDiscontinuitySequence: 0, initFingerprint: null },
      onNumbering: () => undefined,
      onPlayable: () => undefined,
    });
    class Consumer extends TimedRecorder {
      onHost(host: PackagingHost): void {
        packager.setHost(host);
        host?.passUnits(false);
      }
      override onEnded(error: GatewayError): void {
        super.onEnded(error);
        packager.setHost(null);
      }
    }
    const recorder = open(camera.url(), new Consumer());
    await eventually(() => expect(packager.published.partRevision).toBeGreaterThan(4));
    await eventually(() => expect(threads.state().blockBytes.used).toBeGreaterThan(0));
    expect(recorder.unitCount).toBe(0);
    expect(mediaBlockBytes().used).toBe(usedHere);
    await workers[0]!.terminate();
    await eventually(() => expect(recorder.errors).toMatchObject([{ code: 'CAMERA_THREAD_FAILED' }]));
    const part = packager.published.window.part(packager.published.window.listedSegments()[0]!.msn, 0);
    if (typeof part === 'string') throw new Error(part);
    expect(part.bytes.includes('moof')).toBe(true);
    part.release();
    packager.close();
  });
});
