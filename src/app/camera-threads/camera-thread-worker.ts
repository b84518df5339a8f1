/** The entry point of a camera thread. */

import { performance } from 'node:perf_hooks';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { mediaBlockBytes } from '../../cmaf/media-blocks.ts';
import { systemClock } from '../../core/clock.ts';
import { CameraHost } from '../../sources/threaded/camera-host.ts';
import { linkThreads } from '../../threads/thread-link.ts';
import type { CameraThreadCalls, CameraThreadData } from './camera-thread-calls.ts';
import { clockOf } from './shared-clock.ts';
import { ThreadReport } from './thread-report.ts';

const REPORT_MS = 500;

function serve(port: MessagePort, data: CameraThreadData): void {
  const { ring, slabs, wakes, monoMinusHrMs } = data;
  const clock = clockOf(systemClock, monoMinusHrMs);
  const host = new CameraHost({
    ring,
    clock,
    onWake: () => wakes.postMessage(null),
    onSlab: (notice) => slabs.postMessage(notice),
  });
  linkThreads<object, CameraThreadCalls>(port, {
    start: async () => tell(),
    open: (stream, order) => host.open(stream, order),
    close: (stream) => host.close(stream),
    package: (stream, rendition, order) => host.package(stream, rendition, order),
    unpackage: (stream, rendition) => host.unpackage(stream, rendition),
    passUnits: (stream, isWanted) => host.passUnits(stream, isWanted),
    stopPackaging: (stream) => host.stopPackaging(stream),
    startPackaging: (stream) => host.startPackaging(stream),
    packagingOrdered: (stream) => host.packagingOrdered(stream),
    release: (holds) => host.release(holds),
    closeAll: () => host.closeAll(),
  });
  const report = new ThreadReport(data.report);
  const tell = (): void => {
    const busySec = performance.eventLoopUtilization().active / 1_000;
    report.write({ atMonoMs: clock.monoMs(), busySec, blockBytes: mediaBlockBytes() });
    clock.after(REPORT_MS, tell);
  };
}

if (parentPort !== null) serve(parentPort, workerData as CameraThreadData);
