import { describe, expect, it } from 'vitest';
import { isTalkControl, talkSamples } from '../src/front-door/sounds/talk-message.ts';
import { FRAME_SAMPLES, loudness, TALK_CONTROL, TalkFrames } from './talk-frames.ts';

const BLOCK = 512;
const TONE_HZ = 1_000;

/** A second of a tone, half as loud as possible. */
function tone(rateHz: number): Float32Array {
  return Float32Array.from(
    { length: rateHz },
    (_, at) => Math.sin((2 * Math.PI * TONE_HZ * at) / rateHz) / 2,
  );
}

function framesOf(samples: Float32Array, rateHz: number, block = BLOCK): Int16Array[] {
  const frames = new TalkFrames(rateHz);
  const made: Int16Array[] = [];
  for (let at = 0; at < samples.length; at += block) {
    const whole = frames.push(samples.subarray(at, at + block));
    made.push(...whole.map((frame) => talkSamples(Buffer.from(frame))!));
  }
  return made;
}

const flat = (frames: readonly Int16Array[]) => frames.flatMap((frame) => [...frame]);

describe('talk frames', () => {
  it('begin with the control message that the gateway knows', () => {
    expect(isTalkControl(TALK_CONTROL)).toBe(true);
  });

  it('carry samples of 48 kHz as they are', () => {
    const samples = tone(48_000);
    const frames = framesOf(samples, 48_000);
    expect(frames).toHaveLength(48_000 / FRAME_SAMPLES);
    expect(flat(frames)).toEqual([...Int16Array.from(samples, (sample) => Math.round(sample * 32_767))]);
  });

  it.each([8_000, 16_000, 44_100, 96_000])('keep the tone of %i Hz', (rateHz) => {
    const sent = flat(framesOf(tone(rateHz), rateHz));
    expect(sent.length).toBeGreaterThan(48_000 - 2 * FRAME_SAMPLES);
    const crossings = sent.filter((sample, at) => at > 0 && sample > 0 && sent[at - 1]! <= 0).length;
    expect(Math.abs(crossings - (TONE_HZ * sent.length) / 48_000)).toBeLessThan(3);
    const peak = Math.max(...sent);
    expect(peak).toBeGreaterThan(0.47 * 32_767);
    expect(peak).toBeLessThanOrEqual(Math.round(0.5 * 32_767));
  });

  it.each([44_100, 48_000, 96_000])('do not depend on how %i Hz come in blocks', (rateHz) => {
    const whole = flat(framesOf(tone(rateHz), rateHz, rateHz));
    const apart = flat(framesOf(tone(rateHz), rateHz, 127));
    const count = Math.min(whole.length, apart.length);
    expect(apart.slice(0, count)).toEqual(whole.slice(0, count));
  });

  it('clip what is too loud', () => {
    const [frame] = framesOf(new Float32Array(FRAME_SAMPLES).fill(-3), 48_000);
    expect(new Set(frame)).toEqual(new Set([-32_767]));
  });
});

describe('the level', () => {
  it('is empty for silence, full for the loudest, and between for speech', () => {
    expect(loudness(new Float32Array(BLOCK))).toBe(0);
    expect(loudness(new Float32Array(0))).toBe(0);
    expect(loudness(new Float32Array(BLOCK).fill(1))).toBe(1);
    expect(loudness(tone(48_000).map((sample) => sample / 5))).toBeCloseTo(0.54, 1);
  });
});
