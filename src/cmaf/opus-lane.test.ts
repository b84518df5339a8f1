/** Opus packets state how long they last, and may change it: packaged sound covers the video without a hole anyway. */

import { describe, expect, it } from 'vitest';
import { opusTrackOf } from '../codec/opus/opus-track.ts';
import { FAKE_VIDEO, FakeCamera } from './fake-camera.ts';
import { readFragment } from './fake-player.ts';
import type { CmafPart } from './part.ts';
import { Segmenter } from './segmenter.ts';
import { DEFAULT_SEGMENTER_LIMITS } from './segmenter-limits.ts';
import { WallClock } from './wall-clock.ts';

const PICTURE_TICKS = 3_600;
const PACKETS: readonly (readonly [toc: number, samples: number])[] = [
  [0xf0, 480], // 10 ms
  [0xf8, 960], // 20 ms
  [0x10, 1_920], // 40 ms of SILK
  [0x18, 2_880], // 60 ms of SILK
];

describe('Opus in parts', () => {
  it.each([
    ['one duration', () => 1],
    ['40 ms', () => 2],
    ['a duration that changes every second', (sec: number) => Math.floor(sec) % PACKETS.length],
    ['a duration that changes with every packet', (_sec: number, index: number) => index % PACKETS.length],
  ])('%s: each packet lasts as long as it says, at its time', (_title, kindAt) => {
    const parts: CmafPart[] = [];
    const camera = new FakeCamera();
    const segmenter = new Segmenter({
      limits: DEFAULT_SEGMENTER_LIMITS,
      content: 'video-and-audio',
      wallClock: new WallClock(0),
      onPart: (part) => parts.push(part),
    });
    segmenter.setTracks([FAKE_VIDEO, opusTrackOf(2, 0)]);
    let soundTicks = 0;
    let packets = 0;
    const sent: number[] = [];
    for (let picture = 0; picture < 250; picture++) {
      segmenter.push(camera.picture({ dtsTicks: picture * PICTURE_TICKS, isKey: picture % 25 === 0 }));
      while (soundTicks / 48_000 < (picture + 1) / 25) {
        const [toc, samples] = PACKETS[kindAt(soundTicks / 48_000, packets)]!;
        segmenter.push(camera.audio(soundTicks, { data: Uint8Array.of(toc, packets & 0xff, packets >> 8) }));
        sent.push(samples);
        packets += 1;
        soundTicks += samples;
      }
    }
    const heard = parts.flatMap(
      (part) => readFragment(part.bytes.join()).runs.find(({ trackId }) => trackId === 2)?.samples ?? [],
    );
    expect(heard.length).toBeGreaterThan(150);
    heard.forEach(({ data, durationTicks }, index) => {
      expect(data[1]! + data[2]! * 256).toBe(index);
      expect(durationTicks).toBe(sent[index]);
    });
  });
});
