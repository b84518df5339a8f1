import { describe, expect, it } from 'vitest';
import { buildAudioSpecificConfig } from '../codec/aac/audio-specific-config.ts';
import { silentAacFrame } from '../codec/aac/silent-frame.ts';
import type { AacTrack } from '../codec/track.ts';
import { MAX_WAITING_FRAMES } from './audio-lane.ts';
import { FAKE_AUDIO, FAKE_VIDEO, FakeCamera } from './fake-camera.ts';
import { readFragment } from './fake-player.ts';
import type { CmafPart } from './part.ts';
import { Segmenter } from './segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS } from './segmenter-limits.ts';
import { WallClock } from './wall-clock.ts';

const PICTURE_TICKS = 3_600;
const AAC_TICKS = 1_024;
const AUDIO_HZ = 48_000;

/** One frame of the packaged audio. */
interface Heard {
  readonly startMs: number;
  readonly durationMs: number;
  readonly isSilence: boolean;
  readonly data: Buffer;
}

/** A camera with 25 fps and AAC, whose microphone behaves as `isOn` and `lateMs` say. */
class Stage {
  readonly parts: CmafPart[] = [];
  readonly segmenter: Segmenter;
  /** Frames of audio. */
  readonly sent: Buffer[] = [];
  readonly #camera = new FakeCamera();
  readonly #silence: Buffer;
  readonly #audio: AacTrack;
  #picture = 0;
  #frame = 0;

  constructor(audio: AacTrack = FAKE_AUDIO) {
    this.#audio = audio;
    this.#silence = Buffer.from(silentAacFrame(audio.audioSpecificConfig)!);
    this.segmenter = new Segmenter({
      limits: DEFAULT_SEGMENTER_LIMITS,
      content: 'video-and-audio',
      wallClock: new WallClock(0),
      onPart: (part) => this.parts.push(part),
    });
    this.segmenter.setTracks([FAKE_VIDEO, audio]);
  }

  /**
   * Plays up to `untilSec`. Audio whose time is `isOn` arrives `lateMs` after the video of its time, and is stamped
   * `stampedLateMs` less than that time. `slowPpm`: of the clock for its timestamps, relative to the duration of its
   * samples.
   */
  play(
    untilSec: number,
    {
      isOn = true,
      lateMs = 0,
      stampedLateMs = 0,
      isLost = () => false,
      jitterTicks = () => 0,
      slowPpm = 0,
    }: {
      isOn?: boolean;
      lateMs?: number;
      stampedLateMs?: number;
      isLost?: (frame: number) => boolean;
      jitterTicks?: (frame: number) => number;
      slowPpm?: number;
    } = {},
  ): this {
    for (; this.#picture < untilSec * 25; this.#picture++) {
      const nowMs = this.#picture * 40;
      const stretch = 1 + slowPpm / 1_000_000;
      for (; this.#frameMs(this.#frame + 1) * stretch + lateMs <= nowMs; this.#frame++) {
        const lateTicks = Math.round((stampedLateMs * this.#audio.timescaleHz) / 1_000);
        const dueTicks = Math.round(this.#frame * AAC_TICKS * stretch);
        const ticks = dueTicks - lateTicks + jitterTicks(this.#frame);
        if (!isOn || isLost(this.#frame)) continue;
        const unit = this.#camera.audio(ticks);
        this.sent.push(Buffer.from(unit.data));
        this.segmenter.push(unit);
      }
      const isKey = this.#picture % 50 === 0;
      this.segmenter.push(this.#camera.picture({ dtsTicks: this.#picture * PICTURE_TICKS, isKey }));
    }
    return this;
  }

  get drops(): Record<string, number> {
    const counts = Object.entries(this.segmenter.drops.byReason());
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  /** How far audio ends behind the video after each part. */
  lagsMs(): number[] {
    let coveredMs = 0;
    return this.parts.map((part) => {
      const run = readFragment(part.bytes.join()).runs[1];
      if (run !== undefined) coveredMs = (run.endTicks * 1_000) / this.#audio.timescaleHz;
      return (part.startTicks + part.durationTicks) / 90 - coveredMs;
    });
  }

  heard(): Heard[] {
    const heard: Heard[] = [];
    for (const part of this.parts) {
      const run = readFragment(part.bytes.join()).runs[1];
      let ticks = run?.startTicks ?? 0;
      for (const { durationTicks, data } of run?.samples ?? []) {
        const toMs = 1_000 / this.#audio.timescaleHz;
        const isSilence = this.#silence.equals(data);
        heard.push({ startMs: ticks * toMs, durationMs: durationTicks * toMs, isSilence, data });
        ticks += durationTicks;
      }
    }
    return heard;
  }

  #frameMs(frame: number): number {
    return (frame * AAC_TICKS * 1_000) / this.#audio.timescaleHz;
  }
}

/**
 * Frames follow each other without a hole or an overlap, and each lasts as long as a decoder's output for it: ffprobe
 * and decoders rely on that, whatever the sample's duration says.
 */
function expectSeamless(heard: readonly Heard[]): void {
  const frameMs = (AAC_TICKS * 1_000) / AUDIO_HZ;
  for (const [index, { startMs, durationMs }] of heard.entries()) {
    expect(durationMs).toBeCloseTo(frameMs, 6);
    if (index === 0) expect(startMs).toBe(0);
    else expect(startMs).toBeCloseTo(heard[index - 1]!.startMs + heard[index - 1]!.durationMs, 6);
  }
}

const PART_MS = 320;
const realOf = (heard: readonly Heard[]) => heard.filter(({ isSilence }) => !isSilence);
const silenceOf = (heard: readonly Heard[]) => heard.filter(({ isSilence }) => isSilence);

describe('announced audio', () => {
  it('that never arrives is silence, from the first part to the end of each', () => {
    const stage = new Stage().play(20, { isOn: false });
    expect(Math.max(...stage.lagsMs())).toBeLessThanOrEqual(0);
    expect(realOf(stage.heard())).toEqual([]);
    expectSeamless(stage.heard());
    expect(stage.drops).toEqual({});
  });

  it('that starts 8 s late is silence until then, and joins in its place', () => {
    const stage = new Stage().play(8, { isOn: false }).play(20);
    expectSeamless(stage.heard());
    const [first] = realOf(stage.heard());
    expect(first!.startMs).toBeGreaterThanOrEqual(8_000 - 2 * PART_MS);
    expect(first!.startMs).toBeLessThan(8_000 + PART_MS);
    expect(first!.startMs % (AAC_TICKS / 48)).toBeCloseTo(0, 6);
    expect(Math.max(...stage.lagsMs())).toBeLessThan(50);
    expect(stage.drops).toEqual({});
  });

  it('that stops for 10 s and returns keeps its time, and delays the video by less than half a part', () => {
    const stage = new Stage().play(10).play(20, { isOn: false }).play(40);
    expectSeamless(stage.heard());
    expect(Math.max(...stage.lagsMs())).toBeLessThan(PART_MS / 2);
    const silence = silenceOf(stage.heard());
    expect(silence[0]!.startMs).toBeGreaterThan(9_900);
    expect(silence.at(-1)!.startMs).toBeLessThan(20_000 + PART_MS);
    for (const { startMs } of realOf(stage.heard())) {
      expect(Math.abs(startMs - Math.round((startMs * 48) / AAC_TICKS) * (AAC_TICKS / 48))).toBeLessThan(0.1);
    }
  });

  it('that stops delays parts by as long as it was late before, and 100 ms more', () => {
    const stage = new Stage().play(20, { lateMs: 700 });
    const published = () => stage.parts.reduce((sum, part) => sum + part.durationTicks / 90, 0);
    let mostHeldMs = 0;
    for (let at = 20; at < 30; at += 0.04) {
      stage.play(at, { isOn: false });
      mostHeldMs = Math.max(mostHeldMs, at * 1_000 - published());
    }
    // The open part and the one that waits for its audio.
    expect(mostHeldMs).toBeGreaterThan(700);
    expect(mostHeldMs).toBeLessThan(700 + 100 + 2 * PART_MS);
    expect(30_000 - published()).toBeLessThan(2 * PART_MS);
    const frameMs = AAC_TICKS / 48;
    expect(Math.max(...stage.lagsMs().slice(10))).toBeLessThanOrEqual(frameMs + 0.01);
  });

  it('that stops and returns a hundred times does not drift and loses no more than a part each time', () => {
    const stage = new Stage();
    for (let at = 0; at < 200; at += 2) stage.play(at + 1).play(at + 2, { isOn: false });
    expectSeamless(stage.heard());
    const last = realOf(stage.heard()).at(-1)!;
    expect(
      Math.abs(last.startMs - Math.round((last.startMs * 48) / AAC_TICKS) * (AAC_TICKS / 48)),
    ).toBeLessThan(0.1);
    expect(realOf(stage.heard()).length).toBeGreaterThan(100 * ((1_000 - PART_MS) / 22));
    expect(stage.drops).toEqual({});
  });

  it.each([3, 7, 11, 15, 19])(
    'joins without a hole when its frames are %i ms off the silent ones',
    (offMs) => {
      const stage = new Stage();
      for (let at = 2; at < 20; at += 4)
        stage.play(at, { isOn: false }).play(at + 2, { stampedLateMs: offMs });
      expectSeamless(stage.heard());
    },
  );

  it.each([
    ['one frame in ten', (frame: number) => frame % 10 === 5],
    ['every second frame', (frame: number) => frame % 2 === 1],
    ['two frames in a row', (frame: number) => frame % 20 > 17],
  ])('that loses %s has silence instead, and no frame lasts longer than its samples', (_title, isLost) => {
    const heard = new Stage().play(20, { isLost }).heard();
    expectSeamless(heard);
    expect(heard.map(({ isSilence }) => isSilence)).toEqual(heard.map((_, frame) => isLost(frame)));
  });

  it.each([200, -200])('whose clock is off by %i ppm stays in sync with its video', (slowPpm) => {
    const stage = new Stage().play(600, { slowPpm });
    expectSeamless(stage.heard());
    const corrections = (600 * Math.abs(slowPpm)) / 1e6 / (AAC_TICKS / AUDIO_HZ);
    let [sent, twice, leftOut] = [-1, 0, 0];
    for (const { data } of stage.heard()) {
      if (stage.sent[sent]?.equals(data) === true) twice++;
      else {
        const next = stage.sent.findIndex((frame, index) => index > sent && frame.equals(data));
        leftOut += next - sent - 1;
        sent = next;
      }
    }
    expect(slowPpm > 0 ? leftOut : twice).toBe(0);
    expect(Math.abs(twice + leftOut - corrections)).toBeLessThanOrEqual(2);
    expect(stage.drops).toEqual({});
    expect(Math.abs(stage.lagsMs().at(-1)!)).toBeLessThan(70);
  });

  it.each([
    ['to and fro', (frame: number) => (frame % 2 === 0 ? 0.3 : -0.3)],
    ['by a frame, once', (frame: number) => (frame === 100 ? 0.9 : 0)],
  ])('whose timestamps jump %s is heard completely', (_title, jitter) => {
    const jitterTicks = (frame: number) => Math.round(jitter(frame) * AAC_TICKS);
    const stage = new Stage().play(1).play(20, { jitterTicks });
    expect(silenceOf(stage.heard()).length).toBeLessThanOrEqual(1);
    expect(stage.drops).toEqual({});
    for (const [index, { startMs, durationMs }] of stage.heard().entries())
      if (index > 0) expect(startMs).toBeCloseTo(index * durationMs + stage.heard()[0]!.startMs, 6);
  });

  it('is not filled if it is only late: parts wait for it, and nothing after the start is lost', () => {
    const stage = new Stage().play(20, { lateMs: 700 });
    expectSeamless(stage.heard());
    expect(silenceOf(stage.heard()).every(({ startMs }) => startMs < 1_000)).toBe(true);
    expect(stage.drops).toEqual({});
  });

  it('is not filled if jitter makes a frame late, once it is known how late they may be', () => {
    const stage = new Stage();
    for (let at = 1; at < 30; at++) stage.play(at, { lateMs: at % 2 === 0 ? 250 : 0 });
    expect(silenceOf(stage.heard()).every(({ startMs }) => startMs < 2_000)).toBe(true);
    expect(
      new Stage()
        .play(20, { lateMs: 90 })
        .heard()
        .filter(({ isSilence }) => isSilence),
    ).toEqual([]);
  });

  it.each([
    ['5 s behind its video', 5_000],
    ['5 minutes behind', 300_000],
    ['an hour ahead', -3_600_000],
  ])('that is stamped %s is heard after a second, and does not delay the video', (_title, stampedLateMs) => {
    const stage = new Stage().play(20, { stampedLateMs });
    expectSeamless(stage.heard());
    const heardMs = realOf(stage.heard()).filter(({ startMs }) => startMs > 2_000).length * (AAC_TICKS / 48);
    expect(heardMs).toBeGreaterThan(17_000);
    expect(Math.max(...stage.lagsMs())).toBeLessThan(PART_MS / 2);
    expect(Object.keys(stage.drops)).toEqual(['bad-timestamp']);
  });

  it('whose timestamps diverge from the video’s in mid-stream does not stop the video, and comes back', () => {
    const stage = new Stage().play(10).play(30, { stampedLateMs: 4_000 });
    expectSeamless(stage.heard());
    expect(Math.max(...stage.lagsMs())).toBeLessThan(PART_MS / 2);
    const after = realOf(stage.heard()).filter(({ startMs }) => startMs > 12_000);
    expect(after.length * (AAC_TICKS / 48)).toBeGreaterThan(17_000);
  });

  it('is covered in low sampling rates, whose frames are longer, too', () => {
    const audioSpecificConfig = buildAudioSpecificConfig(8_000, 1);
    const rate = { timescaleHz: 8_000, sampleRateHz: 8_000, channelCount: 1 };
    const stage = new Stage({ ...FAKE_AUDIO, ...rate, audioSpecificConfig });
    stage.play(5, { isOn: false }).play(10).play(15, { isOn: false });
    expect(Math.max(...stage.lagsMs())).toBeLessThan(PART_MS);
    expect(realOf(stage.heard()).length).toBeGreaterThan(30);
  });

  it('is filled over a timeline that ends and another that begins', () => {
    const stage = new Stage().play(3, { isOn: false });
    stage.segmenter.discontinuity();
    const endMs = (part: CmafPart) => (part.startTicks + part.durationTicks) / 90;
    const last = stage.heard().at(-1)!;
    expect(last.startMs + last.durationMs).toBeGreaterThanOrEqual(endMs(stage.parts.at(-1)!));
    stage.play(6, { isOn: false });
    expect(Math.max(...stage.lagsMs())).toBeLessThanOrEqual(0);
    expectSeamless(stage.heard());
  });

  it('far ahead of the video costs a limited number of silent frames', () => {
    const stage = new Stage().play(1, { isOn: false }).play(2, { stampedLateMs: -9_500 });
    stage.segmenter.discontinuity();
    expect(stage.heard().length).toBeLessThan(MAX_WAITING_FRAMES);
    expectSeamless(stage.heard());
  });
});

describe('audio without a silent frame', () => {
  it('is not announced', () => {
    const stage = new Stage();
    stage.segmenter.setTracks([FAKE_VIDEO, { ...FAKE_AUDIO, audioSpecificConfig: Uint8Array.of(0xf8) }]);
    stage.play(3);
    expect(stage.parts.map((part) => part.tracks.audio)).toEqual(stage.parts.map(() => null));
  });
});
