import { describe, expect, it } from 'vitest';
import { FlvTimeline } from './flv-timeline.ts';

const FRAME_MS = 40;

/** Times of 100 video and audio frames; from the 50th on, timestamps are off by `jumpMs`. */
function run(jumpMs: { readonly video?: number; readonly audio?: number }, start = 1_000) {
  const timeline = new FlvTimeline();
  const video: number[] = [];
  const audio: number[] = [];
  for (let i = 0; i < 100; i++) {
    const isAfter = i >= 50;
    const at = i * FRAME_MS;
    const stamp = (offset = 0) => (start + at + (isAfter ? offset : 0)) >>> 0;
    video.push(timeline.videoMs(stamp(jumpMs.video), at));
    audio.push(timeline.audioMs(stamp(jumpMs.audio) + 5, at + 10));
  }
  return { video, audio, jumps: timeline.jumps };
}

const HOUR_MS = 3_600_000;

describe('FlvTimeline', () => {
  it('begins with 0 and keeps tracks as far apart as their timestamps', () => {
    const { video, audio, jumps } = run({});
    expect([video[0], video.at(-1), audio[0], jumps]).toEqual([0, 99 * FRAME_MS, 5, 0]);
  });

  it('passes the end of 32 bits', () => {
    const { video, audio, jumps } = run({}, 2 ** 32 - 1_000);
    expect([video.at(-1), audio.at(-1), jumps]).toEqual([99 * FRAME_MS, 99 * FRAME_MS + 5, 0]);
  });

  it.each([
    ['an hour ahead', HOUR_MS],
    ['a minute back', -60_000],
    ['a restart at 0', -1_000 - 50 * FRAME_MS - 500_000],
  ])('bridges a jump of both tracks, which stay exactly as far apart: %s', (_title, byMs) => {
    const { video, audio, jumps } = run({ video: byMs, audio: byMs }, 600_000);
    expect(jumps).toBe(2);
    expect(video.at(-1)).toBe(99 * FRAME_MS);
    expect(audio.map((ms, i) => ms - video[i]!)).toEqual(Array(100).fill(5));
  });

  it.each([
    ['video', { video: HOUR_MS }],
    ['audio', { audio: -60_000 }],
  ])('bridges a jump of one track by the time that passed: %s', (_title, jump) => {
    const { video, audio, jumps } = run(jump, 600_000);
    expect(jumps).toBe(1);
    expect(Math.abs(video.at(-1)! - 99 * FRAME_MS)).toBeLessThanOrEqual(10);
    expect(Math.abs(audio.at(-1)! - 99 * FRAME_MS)).toBeLessThanOrEqual(15);
  });

  it('leaves a pause that took as long as its timestamps say', () => {
    const timeline = new FlvTimeline();
    timeline.videoMs(0, 0);
    expect([timeline.videoMs(30_000, 30_000), timeline.jumps]).toEqual([30_000, 0]);
  });

  it('starts a track whose timestamps have nothing to do with the other one by arrival', () => {
    const timeline = new FlvTimeline();
    timeline.videoMs(3_000_000, 0);
    expect(timeline.audioMs(0, 100)).toBe(100);
    expect(timeline.audioMs(20, 120)).toBe(120);
  });
});
