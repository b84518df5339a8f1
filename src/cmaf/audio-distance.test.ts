import { describe, expect, it } from 'vitest';
import { aacTrackOf, buildAudioSpecificConfig } from '../codec/aac/audio-specific-config.ts';
import { silentAacFrame } from '../codec/aac/silent-frame.ts';
import { FAKE_VIDEO, FakeCamera } from './fake-camera.ts';
import { readFragment } from './fake-player.ts';
import { VIDEO_TRACK_ID } from './packaged-tracks.ts';
import type { CmafPart } from './part.ts';
import { Segmenter } from './segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS } from './segmenter-limits.ts';
import { WallClock } from './wall-clock.ts';

const SAMPLES_PER_FRAME = 1_024;
const SEC = 30;
/** Earlier parts are from the time before anything is known about the audio's habits. */
const SETTLED_MS = 3_000;

interface Measured {
  /** Longest time between the ends, and between the beginnings, of audio and video in a part, in AAC frames. */
  readonly maxFramesApart: number;
  /** Longest time from the video frame after a part to the part's publication. */
  readonly maxWaitMs: number;
  readonly silentFrames: number;
  readonly realFrames: number;
}

/** Audio whose frames arrive `lateMs` after the time of their last sample, and video that arrives on time. */
function measure(sampleRateHz: number, frameRateHz: number, lateMs: number): Measured {
  const track = aacTrackOf(buildAudioSpecificConfig(sampleRateHz, 1))!;
  const silent = Buffer.from(silentAacFrame(track.audioSpecificConfig)!);
  const frameMs = (SAMPLES_PER_FRAME * 1_000) / sampleRateHz;
  const camera = new FakeCamera();
  let nowMs = 0;
  const published: { part: CmafPart; atMs: number }[] = [];
  const segmenter = new Segmenter({
    limits: DEFAULT_SEGMENTER_LIMITS,
    content: 'video-and-audio',
    wallClock: new WallClock(0),
    onPart: (part) => published.push({ part, atMs: nowMs }),
  });
  segmenter.setTracks([{ ...FAKE_VIDEO, nominalFrameRateHz: frameRateHz }, track]);
  const pictureTicks = 90_000 / frameRateHz;
  const units = [
    ...Array.from({ length: SEC * frameRateHz }, (_, index) => ({
      atMs: (index * 1_000) / frameRateHz,
      index,
      isPicture: true,
    })),
    ...Array.from({ length: Math.floor((SEC * 1_000) / frameMs) }, (_, index) => ({
      atMs: (index + 1) * frameMs + lateMs,
      index,
      isPicture: false,
    })),
  ].sort((left, right) => left.atMs - right.atMs);
  for (const { atMs, index, isPicture } of units) {
    nowMs = atMs;
    if (isPicture) {
      const isKey = index % (2 * frameRateHz) === 0;
      segmenter.push(camera.picture({ dtsTicks: index * pictureTicks, isKey, arrivalMonoMs: atMs }));
    } else segmenter.push({ ...camera.audio(index * SAMPLES_PER_FRAME), arrivalMonoMs: atMs });
  }
  return judge(published, track.timescaleHz, frameMs, silent);
}

function judge(
  published: { part: CmafPart; atMs: number }[],
  timescaleHz: number,
  frameMs: number,
  silent: Buffer,
): Measured {
  let [maxFramesApart, maxWaitMs, silentFrames, realFrames] = [0, 0, 0, 0];
  for (const { part, atMs } of published) {
    const startMs = part.startTicks / 90;
    if (startMs < SETTLED_MS) continue;
    const endMs = startMs + part.durationTicks / 90;
    maxWaitMs = Math.max(maxWaitMs, atMs - endMs);
    const { runs } = readFragment(part.bytes.join());
    expect(runs.map(({ trackId }) => trackId).at(0)).toBe(VIDEO_TRACK_ID);
    const audio = runs.find(({ trackId }) => trackId !== VIDEO_TRACK_ID);
    // A part shorter than a frame may have none.
    if (audio === undefined) {
      maxFramesApart = Math.max(maxFramesApart, (endMs - startMs) / frameMs);
      continue;
    }
    const audioStartMs = (audio.startTicks * 1_000) / timescaleHz;
    const audioMs = audio.samples.reduce(
      (sum, { durationTicks }) => sum + (durationTicks * 1_000) / timescaleHz,
      0,
    );
    const apartMs = Math.max(Math.abs(audioStartMs - startMs), Math.abs(audioStartMs + audioMs - endMs));
    maxFramesApart = Math.max(maxFramesApart, apartMs / frameMs);
    for (const { data } of audio.samples) Buffer.from(data).equals(silent) ? silentFrames++ : realFrames++;
  }
  return { maxFramesApart, maxWaitMs, silentFrames, realFrames };
}

describe('audio in a part', () => {
  const cases = [8_000, 16_000, 44_100, 48_000].flatMap((sampleRateHz) =>
    [5, 25, 30].flatMap((frameRateHz) =>
      [0, 50, 300, 900].map((lateMs) => [sampleRateHz, frameRateHz, lateMs] as const),
    ),
  );

  it.each(cases)(
    'of %i Hz is at most a frame away from its video, %i fps, when it arrives %i ms late',
    (sampleRateHz, frameRateHz, lateMs) => {
      const { maxFramesApart, maxWaitMs, silentFrames, realFrames } = measure(
        sampleRateHz,
        frameRateHz,
        lateMs,
      );
      expect(maxFramesApart).toBeLessThanOrEqual(1.01);
      expect(silentFrames).toBe(0);
      expect(realFrames).toBeGreaterThan(((SEC - SETTLED_MS / 1_000 - 4) * sampleRateHz) / SAMPLES_PER_FRAME);
      // The time that the audio takes to arrive, and no more: the frame that covers the end, its delay, and the next
      // frame, which is held.
      const frameMs = (SAMPLES_PER_FRAME * 1_000) / sampleRateHz;
      expect(maxWaitMs).toBeLessThanOrEqual(lateMs + frameMs + 1);
    },
  );
});
