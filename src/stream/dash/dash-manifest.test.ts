import { parseXml, type XmlDocument, XmlElement } from '@rgrove/parse-xml';
import { describe, expect, it } from 'vitest';
import { FAKE_AUDIO, FAKE_VIDEO, FakeCamera } from '../../cmaf/fake-camera.ts';
import type { PackagedContent } from '../../cmaf/packaged-tracks.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { Packager } from '../packaging/packager.ts';
import { DashManifest } from './dash-manifest.ts';

const FRAME_MS = 40;
const AUDIO_TICKS = 1_024;
const SUB_WAIT_MS = 3_000;

interface Segment {
  readonly number: number;
  /** On the presentation timeline, seconds. */
  readonly startSec: number;
  readonly endSec: number;
}

/** Video of 25 Hz and audio of 48 kHz, each frame on time, into as many packagers as there are. */
class Bench {
  readonly clock = new FakeClock();
  readonly camera = new FakeCamera();
  readonly startMonoMs = this.clock.monoMs();
  readonly epochMinusMonoMs = this.clock.epochMs() - this.startMonoMs;
  main: Packager | null = null;
  sub: Packager | null = null;
  audio: Packager | null = null;
  isSubExpected = false;
  /** Source time of the next frame; a restart begins another. */
  #frame = 0;
  #audioFrame = 0;
  readonly #withAudio: boolean;
  readonly manifest: DashManifest;
  keyFrames = 50;
  /** The camera's clock against the gateway's. */
  pace = 1;

  constructor({ withAudio = true, wantsAudio = true } = {}) {
    this.#withAudio = withAudio;
    this.main = this.open('video');
    if (wantsAudio) this.audio = this.open('audio');
    this.manifest = new DashManifest({
      clock: this.clock,
      sources: () => ({
        mainId: 'main',
        main: this.main?.published ?? null,
        sub: this.sub?.published ?? null,
        audio: this.audio?.published ?? null,
        wantsAudio,
      }),
      isSubExpected: () => this.isSubExpected,
      subWaitMs: SUB_WAIT_MS,
      told: () => null,
    });
  }

  get #tracks() {
    return this.#withAudio ? [FAKE_VIDEO, FAKE_AUDIO] : [FAKE_VIDEO];
  }

  open(content: PackagedContent): Packager {
    const packager = new Packager({
      clock: this.clock,
      content,
      numbering: { nextMediaSequenceNumber: 1, nextDiscontinuitySequence: 0, initFingerprint: null },
      isContinuation: false,
      onNumbering: () => undefined,
      onPlayable: () => undefined,
      originMonoMs: this.startMonoMs,
      epochMinusMonoMs: this.epochMinusMonoMs,
    });
    packager.setTracks(this.#tracks);
    return packager;
  }

  play(seconds: number): this {
    for (let left = Math.round((seconds * 1_000) / FRAME_MS); left > 0; left--) this.#step();
    return this;
  }

  /** The camera is offline for `seconds`, and its next instance counts from zero. */
  outage(seconds: number): this {
    this.clock.advance(seconds * 1_000);
    for (const packager of this.#fed()) packager.discontinuity();
    for (const packager of this.#fed()) packager.setTracks(this.#tracks);
    this.#frame = 0;
    this.#audioFrame = 0;
    return this;
  }

  text(latency: 'normal' | 'low' = 'normal'): string {
    const text = this.manifest.text(latency);
    if (text === null) throw new Error('no manifest yet');
    return text.text;
  }

  /** Wall time of the camera's start, in the seconds of the presentation. */
  get originSec(): number {
    return (this.startMonoMs + this.epochMinusMonoMs) / 1_000;
  }

  #fed(): Packager[] {
    return [this.main, this.sub, this.audio].filter((packager) => packager !== null);
  }

  #step(): void {
    const arrivalMonoMs = this.clock.monoMs();
    const dtsTicks = this.#frame * 3_600;
    const isKey = this.#frame % this.keyFrames === 0;
    for (const packager of this.#fed()) {
      packager.push(this.camera.picture({ dtsTicks, ptsTicks: dtsTicks, isKey, arrivalMonoMs }));
    }
    this.#frame++;
    while (
      this.#withAudio &&
      (this.#audioFrame + 1) * AUDIO_TICKS <= (this.#frame * FRAME_MS * 48_000) / 1_000
    ) {
      const audioTicks = this.#audioFrame++ * AUDIO_TICKS;
      for (const packager of this.#fed()) packager.push(this.camera.audio(audioTicks, { arrivalMonoMs }));
    }
    this.clock.advance(FRAME_MS * this.pace);
  }
}

function elements(parent: XmlElement | XmlDocument, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  for (const child of parent.children) {
    if (!(child instanceof XmlElement)) continue;
    if (child.name === name) found.push(child);
    found.push(...elements(child, name));
  }
  return found;
}

function numberOf(element: XmlElement, name: string): number {
  return Number(element.attributes[name] ?? 0);
}

/** Segments of each Period by representation, read as a player does. */
function periodsOf(text: string): Record<string, Segment[]>[] {
  return elements(parseXml(text), 'Period').map((period) => {
    const startSec = Number(/^PT([\d.]+)S$/.exec(period.attributes.start!)![1]);
    const representations = elements(period, 'Representation').map((representation) => {
      const template = elements(representation, 'SegmentTemplate')[0]!;
      const timescaleHz = numberOf(template, 'timescale');
      const offset = numberOf(template, 'presentationTimeOffset');
      let number = numberOf(template, 'startNumber');
      let ticks = 0;
      const segments: Segment[] = [];
      for (const s of elements(template, 'S')) {
        if (s.attributes.t !== undefined) ticks = numberOf(s, 't');
        for (let i = 0; i <= numberOf(s, 'r'); i++) {
          const at = startSec + (ticks - offset) / timescaleHz;
          ticks += numberOf(s, 'd');
          segments.push({ number: number++, startSec: at, endSec: at + numberOf(s, 'd') / timescaleHz });
        }
      }
      return [representation.attributes.id!, segments];
    });
    return Object.fromEntries(representations) as Record<string, Segment[]>;
  });
}

const FRAME_SEC = AUDIO_TICKS / 48_000;

describe('a manifest', () => {
  it('exists once there is a second of every stream, long before the next key frame', () => {
    const bench = new Bench();
    bench.keyFrames = 250;
    bench.play(1);
    expect(bench.manifest.text('normal')).toBeNull();
    bench.play(1);
    const [period] = periodsOf(bench.text());
    expect(Object.keys(period!)).toEqual(['main', 'audio']);
    expect(period!.main).toHaveLength(1);
    expect(period!.audio).toHaveLength(1);
  });

  it('lists the open segment from its start on, with an end that stays until it is complete', () => {
    const bench = new Bench();
    bench.keyFrames = 250;
    bench.play(2);
    const early = bench.text();
    const [first] = periodsOf(early);
    expect(first!.main!.at(-1)!.endSec - bench.originSec).toBeCloseTo(2.2, 3);
    expect(early).toContain('availabilityTimeOffset="2.200" availabilityTimeComplete="false"');
    expect(periodsOf(bench.play(6).text())[0]!.main).toEqual(first!.main);
    const [later] = periodsOf(bench.play(3).text());
    expect(later!.main!.map(({ endSec }) => Math.round(endSec - bench.originSec))).toEqual([10, 21]);
  });

  it('knows from the last opening how long the segments of a camera are', () => {
    const bench = new Bench();
    bench.keyFrames = 250;
    bench.play(12).text();
    bench.main = bench.open('video');
    bench.audio = bench.open('audio');
    const [period] = periodsOf(bench.play(10).text());
    const [segment] = period!.main!;
    expect(segment!.endSec - segment!.startSec).toBeCloseTo(11, 3);
  });

  it('asks for no longer delay than there is to play, and lists the open segment until there is enough without', () => {
    const bench = new Bench().play(1.5);
    const delayMs = () => Number(/<Latency target="(\d+)"/.exec(bench.text())?.[1] ?? 0);
    expect(delayMs()).toBeLessThan(1_400);
    bench.play(3.7);
    expect(delayMs()).toBe(4_000);
    bench.play(4);
    expect(bench.text()).not.toMatch(/availabilityTimeOffset|Latency/);
    expect(bench.text()).toContain('suggestedPresentationDelay="PT6.0');
  });

  it('places video and audio on the wall clock, together', () => {
    const bench = new Bench().play(13);
    const periods = periodsOf(bench.text());
    expect(periods).toHaveLength(1);
    const { main, audio } = periods[0]!;
    expect(main!.length).toBeGreaterThan(4);
    expect(audio).toHaveLength(main!.length);
    for (const [index, segment] of main!.entries()) {
      expect(segment.startSec - bench.originSec).toBeCloseTo(index * 2, 3);
      const apartSec = audio![index]!.startSec - segment.startSec;
      expect(Math.abs(apartSec)).toBeLessThanOrEqual(FRAME_SEC + 0.001);
    }
  });

  it('is the same object until there is another part', () => {
    const bench = new Bench().play(5);
    const first = bench.manifest.text('normal');
    expect(bench.manifest.text('normal')).toBe(first);
    bench.play(2);
    expect(bench.manifest.text('normal')).not.toBe(first);
  });

  it('keeps its Period, and what is said of it, when its first segments have left the list', () => {
    const bench = new Bench().play(9);
    const head = /<Period [^>]*>/.exec(bench.text())![0];
    const offset = /presentationTimeOffset="\d+"/.exec(bench.text())![0];
    bench.play(60);
    expect(bench.text()).toContain(head);
    expect(bench.text()).toContain(offset);
    expect(periodsOf(bench.text())[0]!.main![0]!.number).toBeGreaterThan(5);
  });

  it('has no audio where the viewer may not hear it, or the camera has none', () => {
    const deaf = new Bench({ wantsAudio: false }).play(5);
    const mute = new Bench({ withAudio: false }).play(5);
    for (const bench of [deaf, mute]) expect(Object.keys(periodsOf(bench.text())[0]!)).toEqual(['main']);
  });

  it('leaves out the time of an outage: another Period begins at its own wall time', () => {
    const bench = new Bench().play(9);
    const [before] = periodsOf(bench.text());
    const complete = before!.main!.slice(0, -1);
    bench.outage(30).play(5);
    const text = bench.text();
    const [first, second] = periodsOf(text);
    expect(first!.main!.slice(0, complete.length)).toEqual(complete);
    expect(first!.main!.at(-1)!.endSec - bench.originSec).toBeCloseTo(9, 1);
    expect(second!.main![0]!.startSec - bench.originSec).toBeCloseTo(39, 1);
    expect(Math.abs(second!.audio![0]!.startSec - second!.main![0]!.startSec)).toBeLessThan(
      FRAME_SEC + 0.001,
    );
    expect(text).toMatch(/<Period id="p\d+" start="[^"]+" duration="PT(9|8\.9)/);
    expect(second!.main![0]!.number).toBe(first!.main!.at(-1)!.number + 1);
  });

  it('lists the open segment after an outage too, until there is enough without: the time before cannot be played again', () => {
    const bench = new Bench().play(13);
    expect(bench.text()).not.toContain('availabilityTimeOffset');
    bench.outage(30).play(1.5);
    const [, second] = periodsOf(bench.text());
    expect(second!.main).toHaveLength(1);
    expect(Number(/<Latency target="(\d+)"/.exec(bench.text())![1])).toBeLessThan(1_400);
    bench.play(3);
    expect(bench.text()).toContain('availabilityTimeOffset');
    bench.play(5);
    expect(bench.text()).not.toContain('availabilityTimeOffset');
    expect(periodsOf(bench.text())).toHaveLength(2);
  });

  it('has audio that was packaged later, from where it begins, at its time to the tick', () => {
    const bench = new Bench({ wantsAudio: true });
    bench.audio = null;
    bench.play(7);
    // After an outage the times of both renditions differ by it.
    bench.outage(20).play(5);
    bench.audio = bench.open('audio');
    bench.play(9);
    const periods = periodsOf(bench.text());
    expect(periods).toHaveLength(1);
    const { main, audio } = periods[0]!;
    expect(main![0]!.startSec).toBeGreaterThan(bench.originSec + 31);
    for (const [index, segment] of main!.entries()) {
      const apartSec = audio![index]!.startSec - segment.startSec;
      expect(Math.abs(apartSec)).toBeLessThanOrEqual(FRAME_SEC + 0.001);
    }
  });

  it('waits a little for a substream that is about to begin', () => {
    const bench = new Bench();
    bench.isSubExpected = true;
    bench.play(4);
    expect(bench.manifest.text('normal')).toBeNull();
    expect(bench.manifest.subWaitLeftMs()).toBe(SUB_WAIT_MS);
    bench.sub = bench.open('video');
    bench.play(5);
    expect(Object.keys(periodsOf(bench.text())[0]!)).toEqual(['main', 'sub', 'audio']);
  });

  it('does without a substream that is late, and gets it with a Period of its own', () => {
    const bench = new Bench();
    bench.isSubExpected = true;
    bench.play(3);
    expect(bench.manifest.text('normal')).toBeNull();
    bench.play(SUB_WAIT_MS / 1_000);
    expect(Object.keys(periodsOf(bench.text())[0]!)).toEqual(['main', 'audio']);
    bench.sub = bench.open('video');
    bench.play(8);
    const [first, second] = periodsOf(bench.text());
    expect(first!.sub).toBeUndefined();
    const { main, sub } = second!;
    expect(main![0]!.startSec).toBeCloseTo(first!.main!.at(-1)!.endSec, 5);
    for (const segment of sub!.filter(({ startSec }) => startSec > main![0]!.startSec - 0.002)) {
      expect(main!.some(({ startSec }) => Math.abs(startSec - segment.startSec) < 0.002)).toBe(true);
    }
    expect(sub!.length).toBeGreaterThan(2);
  });

  it('lists a substream from the start of its Period on, and always', () => {
    const bench = new Bench();
    bench.sub = bench.open('video');
    bench.play(5).text();
    for (let i = 0; i < 100; i++) {
      bench.play(0.4);
      for (const latency of ['normal', 'low'] as const) {
        for (const period of periodsOf(bench.text(latency))) expect(Object.keys(period)).toContain('sub');
      }
    }
  });

  it('lists the segment that is being made where the player asks for low latency', () => {
    const bench = new Bench().play(9.5);
    const [normal] = periodsOf(bench.text());
    const text = bench.text('low');
    const [low] = periodsOf(text);
    expect(low!.main!.length).toBe(normal!.main!.length + 1);
    expect(low!.main!.at(-1)!.endSec - low!.main!.at(-1)!.startSec).toBeCloseTo(2.2, 3);
    expect(low!.audio!.length).toBe(normal!.audio!.length + 1);
    expect(text).toContain('availabilityTimeOffset="2.200" availabilityTimeComplete="false"');
    expect(text).toContain(
      '<Latency target="2500" min="1500" max="6000"/><PlaybackRate min="0.95" max="1.05"/>',
    );
    expect(bench.text()).not.toMatch(/availabilityTimeOffset|Latency/);
  });

  it('lists it for everyone where key frames are far apart, without asking to catch up', () => {
    const bench = new Bench();
    bench.keyFrames = 250;
    const text = bench.play(45).text();
    expect(periodsOf(text)[0]!.main).toHaveLength(4);
    expect(text).toContain(
      '<Latency target="4000" min="300" max="60000"/><PlaybackRate min="1.0" max="1.0"/>',
    );
  });

  it('begins a Period when the camera’s clock has drifted a second from the wall clock', () => {
    const bench = new Bench();
    bench.pace = 1.0004;
    bench.play(8);
    const firstId = /<Period id="(p\d+)"/.exec(bench.text())![1];
    for (let i = 0; i < 350; i++) {
      bench.play(8);
      bench.text();
    }
    const text = bench.text();
    expect(text).not.toContain(`"${firstId}"`);
    const last = periodsOf(text).at(-1)!.main!.at(-1)!;
    const nowSec = (bench.clock.monoMs() + bench.epochMinusMonoMs) / 1_000;
    expect(nowSec - last.endSec).toBeGreaterThan(-1.1);
    expect(nowSec - last.endSec).toBeLessThan(3.5);
  });
});
