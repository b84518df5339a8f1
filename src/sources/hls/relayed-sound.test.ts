/** AAC of a camera whose sound card runs fast or slow, from the fMP4 segments of its playlist to parts: when viewers hear a frame. */

import { describe, expect, it } from 'vitest';
import {
  FRAME_SAMPLES,
  type HeardFrame,
  HeardSound,
  numberedAacFrame,
} from '../../cmaf/heard-sound-fixture.ts';
import { aacTrackOf } from '../../codec/aac/audio-specific-config.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { BoxWriter } from '../../isobmff/box-writer.ts';
import { styp } from '../../isobmff/file-boxes.ts';
import { mdatHeader, moof, type TrackRun } from '../../isobmff/fragment-boxes.ts';
import { writeInitSegment } from '../../isobmff/init-segment.ts';
import { FragmentRelay } from './fragment-relay.ts';
import { FRAME_TICKS, listed, VIDEO } from './hls-fixture.ts';
import { readInitSection } from './init-section.ts';
import { PacedRelease } from './paced-release.ts';

const HZ = 48_000;
const SECONDS = 150;
const FRAMES_PER_SEC = 25;
const SETTLED_MS = 60_000;
const MAX_OFF_MS = 100;

/** How a server stamps its sound, and which frames it puts into a segment: those that were recorded during it, or stamped. */
type Server = 'counts, in the order of recording' | 'measures' | 'counts, sorted';

function run(
  trackId: number,
  startTicks: number,
  durationTicks: number,
  samples: readonly Uint8Array[],
): TrackRun {
  return {
    trackId,
    startTicks,
    sampleCount: samples.length,
    samples: {
      sizesBytes: Uint32Array.from(samples, ({ length }) => length),
      durationsTicks: Uint32Array.from(samples, () => durationTicks),
      compositionOffsetsTicks: Uint32Array.from(samples, () => 0),
      keys: Uint8Array.from(samples, (_, index) => (trackId === 2 || index === 0 ? 1 : 0)),
    },
    dataBytes: samples.reduce((sum, { length }) => sum + length, 0),
  };
}

function picture(isKey: boolean): Uint8Array {
  return Buffer.of(0, 0, 0, 4, isKey ? 0x65 : 0x41, 0x88, 0x84, 0);
}

/** The second `second` of video, with the frames of sound from `first` to `end`. */
function segment(second: number, first: number, end: number, stampOf: (frame: number) => number): Buffer {
  const pictures = Array.from({ length: FRAMES_PER_SEC }, (_, index) => picture(index === 0));
  const sounds = Array.from({ length: end - first }, (_, index) => numberedAacFrame(first + index));
  const step = Math.round((stampOf(end) - stampOf(first)) / Math.max(1, end - first));
  const runs = [
    run(1, second * FRAMES_PER_SEC * FRAME_TICKS, FRAME_TICKS, pictures),
    run(2, Math.round(stampOf(first)), step, sounds),
  ];
  const writer = new BoxWriter(Buffer.alloc(8_000));
  styp(writer, 1);
  moof(writer, second + 1, runs);
  mdatHeader(
    writer,
    runs.reduce((sum, { dataBytes }) => sum + dataBytes, 0),
  );
  for (const sample of [...pictures, ...sounds]) writer.put(sample);
  return Buffer.from(writer.bytes.subarray(0, writer.position));
}

/** Plays a camera whose sound card is fast by `rate`. `lateMs`: of its sound at the end of a segment. */
function listen(rate: number, server: Server, lateMs = (_second: number) => 0): HeardFrame[] {
  const sound = new HeardSound(HZ);
  const clock = new FakeClock();
  const release = new PacedRelease(
    {
      onTracks: (tracks) => sound.segmenter.setTracks(tracks),
      onAccessUnit: (unit) => sound.segmenter.push(unit),
    },
    clock,
    () => 4_000,
  );
  const init = readInitSection(writeInitSegment([VIDEO, aacTrackOf(sound.config)!]));
  const relay = new FragmentRelay(init, 'muxed', { onDropped: () => undefined }, release);
  const recordedMs = (FRAME_SAMPLES * 1_000) / (HZ * (1 + rate));
  const stampOf = (frame: number): number =>
    frame * (server === 'measures' ? (recordedMs * HZ) / 1_000 : FRAME_SAMPLES);
  const isIn = (frame: number, untilMs: number): boolean =>
    server === 'counts, sorted'
      ? (stampOf(frame) * 1_000) / HZ < untilMs
      : (frame + 1) * recordedMs <= untilMs;
  let first = 0;
  for (let second = 0; second < SECONDS; second++) {
    let end = first;
    while (isIn(end, (second + 1) * 1_000 - lateMs(second))) end++;
    relay.push(segment(second, first, end, stampOf), listed(second));
    first = end;
    clock.advance(1_000);
  }
  return sound.heard().filter(({ startMs }) => startMs > SETTLED_MS);
}

function worstMs(heard: readonly HeardFrame[], frameMs: number): number {
  const offs = heard
    .filter(({ frame }) => frame !== null)
    .map(({ startMs, frame }) => startMs - frame! * frameMs);
  expect(offs.length).toBeGreaterThan(3_000);
  return Math.max(...offs.map(Math.abs));
}

const RATES = [-0.02, -0.008, 0.008, 0.02];
const recordedFrameMs = (rate: number): number => (FRAME_SAMPLES * 1_000) / (HZ * (1 + rate));

describe('AAC in fMP4 segments', () => {
  it.each(RATES)('is heard with its picture if its timestamps count samples, at %d', (rate) => {
    const heard = listen(rate, 'counts, in the order of recording');
    expect(worstMs(heard, recordedFrameMs(rate))).toBeLessThan(MAX_OFF_MS);
  });

  it.each(RATES)('is heard where its timestamps say if they are those of a right clock, at %d', (rate) => {
    const heard = listen(rate, 'measures');
    expect(worstMs(heard, recordedFrameMs(rate))).toBeLessThan(MAX_OFF_MS);
    expect(heard.filter(({ frame }) => frame === null)).toEqual([]);
  });

  it.each(RATES)('is not moved where the server has sorted it by its timestamps, at %d', (rate) => {
    expectUntouched(listen(rate, 'counts, sorted'));
  });

  it('is not moved if it comes into its segments up to 150 ms late, by chance', () => {
    expectUntouched(listen(0, 'counts, in the order of recording', (second) => ((second * 37) % 7) * 25));
  });
});

/** Every frame is heard, as far from its timestamp as the first one. */
function expectUntouched(heard: readonly HeardFrame[]): void {
  const offs = heard.map(
    ({ startMs, frame }) => startMs - ((frame ?? Number.NaN) * FRAME_SAMPLES * 1_000) / HZ,
  );
  expect(offs.length).toBeGreaterThan(3_000);
  expect(Math.max(...offs) - Math.min(...offs)).toBeLessThan(0.01);
}
