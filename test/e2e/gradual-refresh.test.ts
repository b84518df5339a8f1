/**
 * A camera that sends one IDR picture and then refreshes its pictures gradually (x264 with intra refresh), through a whole gateway:
 * viewers get each picture once, in one timeline, for longer than the segment that its only key frame would begin.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { decodedFrameNumbers } from '../support/frame-numbers.ts';
import { TestGateway } from '../support/gateway.ts';
import { type GstCamera, NUMBERED_FRAMES, NUMBERED_PICTURE, startGstCamera } from '../support/gst-camera.ts';
import { openShare } from '../support/hls.ts';
import { misplaced, SegmentCollector } from '../support/segment-collector.ts';
import { until } from '../support/until.ts';

/** Of two seconds each: more than the longest segment takes. */
const SEGMENTS = 12;
const SEGMENT_FRAMES = 50;
const THREADS = [0, 1];

const cameras: GstCamera[] = [];
const gateways: TestGateway[] = [];

beforeAll(async () => {
  for (const threads of THREADS) {
    const camera = await startGstCamera('h264-refresh-stated-only');
    cameras.push(camera);
    gateways.push(
      await TestGateway.start({
        threads: { cameras: threads },
        hls: { segmentTarget: '1s', window: '60s', idleStop: '5m' },
        cameras: [{ name: 'Yard', rtsp: camera.url }],
      }),
    );
  }
});

afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.dispose()));
  await Promise.all(cameras.map((camera) => camera.stop()));
});

it.concurrent.each(THREADS.map((threads, index) => ({ threads, index })))(
  'is seen without a jump and without a lost picture, with $threads camera threads',
  async ({ index }) => {
    const { m3u8Url } = await gateways[index]!.share('Yard');
    const url = await until('Yard playing', () => openShare(m3u8Url));
    const viewer = new SegmentCollector(() => url);
    try {
      await viewer.more(SEGMENTS);
    } finally {
      await viewer.stop();
    }
    expect([viewer.failures, viewer.runs.length]).toEqual([[], 1]);
    expect(viewer.msns).toEqual(viewer.msns.map((_, at) => viewer.msns[0]! + at));
    const numbers = await decodedFrameNumbers(viewer.runs[0]!.media, NUMBERED_PICTURE);
    expect(numbers.length).toBeGreaterThan((SEGMENTS - 1) * SEGMENT_FRAMES);
    expect(misplaced(numbers, NUMBERED_FRAMES)).toEqual([]);
  },
);
