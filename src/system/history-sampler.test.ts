import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid } from '../core/ruuid.ts';
import { CounterHistory, SAMPLE_INTERVAL_MS } from './counter-history.ts';
import { HistorySampler, type StreamReading, type SystemReading } from './history-sampler.ts';

const READING: SystemReading = {
  viewers: 2,
  bytesOut: 0,
  playlists: 0,
  recordedBytes: 0,
  cpuMs: 0,
  rssBytes: 1e8,
  eventLoopDelayP99Ms: 1.5,
  workersRunning: 1,
  workersWaiting: 3,
};
const STREAM: StreamReading = {
  profile: 'main',
  opening: {},
  frames: 0,
  pictures: 0,
  droppedFrames: 0,
  bytes: 0,
  keyFrameDistanceMs: 2_000,
  clockDriftPpm: 12,
};

let stop: () => Promise<void>;
afterEach(() => stop());

function begin() {
  const clock = new FakeClock();
  const history = new CounterHistory(clock);
  const camera = { uuid: newRuuid(), streams: [] as StreamReading[], isStreaming: true };
  const others: { uuid: ReturnType<typeof newRuuid>; isOffline: boolean }[] = [];
  const state = { reading: READING, isRemoved: false, isFailing: false };
  const errors: string[] = [];
  const sampler = new HistorySampler({
    history,
    clock,
    log: { ...silentLog, error: (_fields, message) => void errors.push(message) },
    sources: {
      system: () => {
        if (state.isFailing) throw new Error('no descriptors');
        return state.reading;
      },
      cameras: () => [
        ...(state.isRemoved
          ? []
          : [
              {
                uuid: camera.uuid,
                isStreaming: () => camera.isStreaming,
                isOffline: () => false,
                streams: () => camera.streams,
              },
            ]),
        ...others.map(({ uuid, isOffline }) => ({
          uuid,
          isStreaming: () => false,
          isOffline: () => isOffline,
          streams: () => [],
        })),
      ],
      viewersByCamera: () => new Map([[camera.uuid, 7]]),
    },
  });
  stop = () => sampler.stop();
  return {
    clock,
    history,
    camera,
    others,
    state,
    errors,
    sampler,
    async tick(forMs = SAMPLE_INTERVAL_MS) {
      clock.advance(forMs);
      await sampler.settled();
    },
    /** All values of a counter of the gateway. */
    ofSystem: (name: string) => Array.from(history.read({ stream: null, sinceEpochMs: null }).columns[name]!),
    ofStream: (name: string) => {
      const stream = { cameraUuid: camera.uuid, profile: 'main' };
      return Array.from(history.read({ stream, sinceEpochMs: null }).columns[name]!);
    },
  };
}

describe('HistorySampler', () => {
  it('counts cameras, and turns totals into rates', async () => {
    const { tick, state, others, ofSystem } = begin();
    others.push({ uuid: newRuuid(), isOffline: true }, { uuid: newRuuid(), isOffline: false });
    await tick();
    const more = { bytesOut: 50_000, playlists: 200, recordedBytes: 1_000, cpuMs: 15_000 };
    state.reading = { ...READING, ...more, rssBytes: null };
    await tick();
    expect(ofSystem('camerasConfigured')).toEqual([3, 3]);
    expect(ofSystem('camerasStreaming')).toEqual([1, 1]);
    expect(ofSystem('camerasOffline')).toEqual([1, 1]);
    expect(ofSystem('bytesOutPerSec')).toEqual([Number.NaN, 5_000]);
    expect(ofSystem('playlistsPerSec')).toEqual([Number.NaN, 20]);
    expect(ofSystem('recordedBytesPerSec')).toEqual([Number.NaN, 100]);
    expect(ofSystem('cpuPercent')).toEqual([Number.NaN, 150]);
    expect(ofSystem('rssBytes')).toEqual([1e8, Number.NaN]);
    expect(ofSystem('eventLoopDelayP99Ms')).toEqual([1.5, 1.5]);
    expect([ofSystem('viewers'), ofSystem('workersRunning'), ofSystem('workersWaiting')]).toEqual([
      [2, 2],
      [1, 1],
      [3, 3],
    ]);
  });

  it('measures an open stream, and has a gap where it was opened anew', async () => {
    const { tick, camera, ofStream, ofSystem } = begin();
    camera.streams = [STREAM];
    await tick();
    camera.streams = [{ ...STREAM, frames: 720, pictures: 250, bytes: 1_250_000, droppedFrames: 4 }];
    await tick();
    camera.streams = [{ ...STREAM, opening: {}, frames: 1_000, pictures: 400, bytes: 2_000_000 }];
    await tick();
    camera.streams = [];
    await tick();
    const unknown = Number.NaN;
    // 25 of the video and 47 of the audio.
    expect(ofStream('framesPerSec')).toEqual([unknown, 72, unknown, unknown]);
    expect(ofStream('videoFramesPerSec')).toEqual([unknown, 25, unknown, unknown]);
    expect(ofStream('bitsPerSec')).toEqual([unknown, 1_000_000, unknown, unknown]);
    expect(ofStream('droppedFrames')).toEqual([unknown, 4, unknown, unknown]);
    expect(ofStream('keyFrameDistanceMs')).toEqual([2_000, 2_000, 2_000, unknown]);
    expect(ofStream('clockDriftPpm')).toEqual([12, 12, 12, unknown]);
    expect(ofStream('viewers')).toEqual([7, 7, 7, unknown]);
    expect(ofSystem('bytesInPerSec')).toEqual([unknown, 125_000, 0, 0]);
  });

  it('does not repeat the key frame distance of a stream that stands still', async () => {
    const { tick, camera, ofStream } = begin();
    camera.streams = [{ ...STREAM, frames: 10 }];
    await tick();
    await tick();
    expect(ofStream('keyFrameDistanceMs')).toEqual([2_000, Number.NaN]);
    expect(ofStream('framesPerSec')).toEqual([Number.NaN, 0]);
  });

  it('forgets a camera that was removed', async () => {
    const { tick, camera, state, history, ofStream } = begin();
    const empty = history.byteLength;
    camera.streams = [STREAM];
    await tick();
    expect(history.byteLength).toBeGreaterThan(empty);
    state.isRemoved = true;
    await tick();
    expect(history.byteLength).toBe(empty);
    expect(ofStream('viewers')).toEqual([Number.NaN, Number.NaN]);
  });

  it('leaves a gap for what it could not sample, and goes on', async () => {
    const { tick, state, errors, ofSystem } = begin();
    await tick();
    state.isFailing = true;
    await tick();
    state.isFailing = false;
    await tick();
    expect(ofSystem('viewers')).toEqual([2, Number.NaN, 2]);
    expect(errors).toEqual(['counters not sampled']);
  });

  it('lets others work between the cameras of one sample', async () => {
    const { clock, sampler, others, ofSystem } = begin();
    for (let i = 0; i < 1_000; i++) others.push({ uuid: newRuuid(), isOffline: false });
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    clock.advance(SAMPLE_INTERVAL_MS);
    await sampler.settled();
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(15);
    expect(ofSystem('camerasConfigured')).toEqual([1_001]);
  });
});
