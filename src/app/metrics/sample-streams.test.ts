import { expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { unpackStreamSamples } from '../../devices/stream-samples.ts';
import type { StreamHub } from '../../stream/hub.ts';
import { sampleStreams } from './sample-streams.ts';

const PROPERTIES = {
  peakBitsPerSec: 2,
  averageBitsPerSec: 1_000,
  codecs: ['avc1.640028'],
  widthPx: 640,
  heightPx: 360,
  frameRateHz: 12.5,
};

function profile(
  name: string,
  renditions: { codecs: string[] | null; dropped: number }[],
  hasWorker = false,
) {
  return {
    name,
    hasWorker,
    drops: { lostFrames: 4 },
    keys: { distanceMs: 2_000 },
    clockReading: { driftPpm: null },
    renditions: {
      named: () =>
        renditions.map(({ codecs, dropped }) => ({
          packager: {
            stats: () => ({ droppedFrames: dropped }),
            published: { properties: () => (codecs === null ? null : { ...PROPERTIES, codecs }) },
          },
        })),
    },
  };
}

function hubOf(cameras: readonly { uuid: string; profiles: readonly object[] }[]): Pick<StreamHub, 'all'> {
  const all = cameras.map(({ uuid, profiles }) => ({ uuid, profiles: () => profiles }));
  return { all: () => all } as unknown as Pick<StreamHub, 'all'>;
}

it('reads each open stream once, and what is known of it', async () => {
  const [open, closed] = [newRuuid(), newRuuid()];
  const both = [
    { codecs: ['avc1.640028'], dropped: 5 },
    { codecs: ['avc1.640028', 'mp4a.40.2'], dropped: 3 },
  ];
  const hub = hubOf([
    { uuid: open, profiles: [profile('main', both), profile('sub', []), profile('h264', both)] },
    { uuid: closed, profiles: [profile('main', [{ codecs: null, dropped: 0 }])] },
  ]);
  const sessions = {
    viewersByCamera: () =>
      new Map([
        [open, 3],
        [closed, 0],
      ]),
  };
  const samples = await unpackStreamSamples(await sampleStreams(hub, sessions));
  expect([...samples]).toEqual([
    [
      open,
      {
        viewers: 3,
        main: {
          codecs: ['avc1.640028', 'mp4a.40.2'],
          widthPx: 640,
          heightPx: 360,
          frameRateHz: 12.5,
          bitsPerSec: 1_000,
          keyFrameDistanceMs: 2_000,
          droppedFrames: 9,
          clockDriftPpm: null,
          hasWorker: false,
        },
        sub: null,
      },
    ],
  ]);
});

it('reads a thousand cameras in slices', async () => {
  const cameras = Array.from({ length: 1_000 }, () => ({
    uuid: newRuuid(),
    profiles: [profile('main', [{ codecs: ['avc1.640028'], dropped: 0 }], true)],
  }));
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const packed = await sampleStreams(hubOf(cameras), { viewersByCamera: () => new Map() });
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(Math.floor(1_000 / 64));
  const samples = await unpackStreamSamples(packed);
  expect(samples.size).toBe(1_000);
  expect(samples.get(cameras[999]!.uuid)?.main?.hasWorker).toBe(true);
});
