/** AAC of a device whose sound card runs fast or slow, from its RTMP messages to parts: when viewers hear a frame. */

import { describe, expect, it } from 'vitest';
import { FAKE_VIDEO } from '../../cmaf/fake-camera.ts';
import {
  FRAME_SAMPLES,
  type HeardFrame,
  HeardSound,
  numberedAacFrame,
} from '../../cmaf/heard-sound-fixture.ts';
import type { AccessUnit } from '../../codec/track.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import { PushedMedia } from './pushed-media.ts';

const PICTURE_MS = 40;
const SETTLED_MS = 60_000;
const MAX_OFF_MS = 100;
/** AAC at this rate and size, whatever else the byte says. */
const AAC = 0xaf;

/** How a device stamps its sound: by the samples that it has counted, or by the clock that stamps its pictures. */
type Stamps = 'counted' | 'measured';

interface Device {
  /** By how much its sound card is fast. */
  readonly rate: number;
  readonly stamps: Stamps;
  readonly sampleRateHz?: number;
  readonly seconds?: number;
  /** How late sound arrives that was sent at `atMs`. */
  readonly lateMs?: (atMs: number) => number;
  readonly isBlind?: (atMs: number) => boolean;
  /** By how much the pictures' timestamps are too early. */
  readonly stillMs?: (atMs: number) => number;
}

function lengthPrefixed(nalus: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    nalus.flatMap((nalu) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(nalu.length);
      return [length, nalu];
    }),
  );
}

function picture(isKey: boolean): Buffer {
  const nalus = isKey
    ? [...FAKE_VIDEO.sps, ...FAKE_VIDEO.pps, Buffer.of(0x65, 0x88, 0x84)]
    : [Buffer.of(0x41, 0x9a, 0x02)];
  return Buffer.concat([Buffer.of(isKey ? 0x17 : 0x27, 1, 0, 0, 0), lengthPrefixed(nalus)]);
}

interface Message {
  readonly kind: 'video' | 'audio';
  readonly atMs: number;
  readonly stampMs: number;
  readonly payload: Buffer;
}

/** In the order in which it sends them. */
function messagesOf(device: Device): Message[] {
  const { rate, stamps, sampleRateHz = 48_000, seconds = 150, isBlind, stillMs = () => 0 } = device;
  const messages: Message[] = [];
  for (let atMs = 0; atMs < seconds * 1_000; atMs += PICTURE_MS) {
    if (isBlind?.(atMs) === true) continue;
    messages.push({
      kind: 'video',
      atMs,
      stampMs: atMs - stillMs(atMs),
      payload: picture(atMs % 1_000 === 0),
    });
  }
  const frameMs = (FRAME_SAMPLES * 1_000) / (sampleRateHz * (1 + rate));
  const stampedFrameMs = stamps === 'measured' ? frameMs : (FRAME_SAMPLES * 1_000) / sampleRateHz;
  for (let frame = 0; (frame + 1) * frameMs < seconds * 1_000; frame++) {
    const payload = Buffer.concat([Buffer.of(AAC, 1), numberedAacFrame(frame)]);
    const stampMs = Math.round(frame * stampedFrameMs);
    messages.push({ kind: 'audio', atMs: (frame + 1) * frameMs, stampMs, payload });
  }
  return messages.sort((left, right) => left.atMs - right.atMs);
}

function listen(device: Device, onUnit = (_unit: AccessUnit) => {}): HeardFrame[] {
  const { lateMs = () => 0 } = device;
  const sound = new HeardSound(device.sampleRateHz ?? 48_000);
  const media = new PushedMedia({ carries: () => false, open: () => expect.unreachable() }, new FakeClock());
  media.attach(
    new SourceSink({
      onTracks: (tracks) => sound.segmenter.setTracks(tracks),
      onAccessUnit: (unit) => {
        sound.segmenter.push(unit);
        onUnit(unit);
      },
      onDropped: () => undefined,
      onEnded: (error) => expect.unreachable(error.code),
    }),
  );
  media.audio(0, Buffer.concat([Buffer.of(AAC, 0), sound.config]), 0);
  let newestMonoMs = 0;
  for (const { kind, atMs, stampMs, payload } of messagesOf(device)) {
    newestMonoMs = Math.max(newestMonoMs, atMs + lateMs(atMs));
    media[kind](stampMs, payload, newestMonoMs);
  }
  return sound.heard();
}

/** How far frames are from where the microphone recorded them, once that is settled. */
function offsMs(device: Device, fromMs = SETTLED_MS): number[] {
  const { rate, sampleRateHz = 48_000 } = device;
  const frameMs = (FRAME_SAMPLES * 1_000) / (sampleRateHz * (1 + rate));
  const heard = listen(device).filter(({ startMs, frame }) => startMs > fromMs && frame !== null);
  expect(heard.length).toBeGreaterThan(300);
  return heard.map(({ startMs, frame }) => startMs - frame! * frameMs);
}

function worstMs(device: Device, fromMs?: number): number {
  return Math.max(...offsMs(device, fromMs).map(Math.abs));
}

const RATES = [-0.02, -0.008, -0.0023, 0.008, 0.01, 0.02];

describe.each(['counted', 'measured'] as const)('AAC over RTMP whose timestamps are %s', (stamps) => {
  it.each(RATES)('is heard with its picture at %d', (rate) => {
    expect(worstMs({ rate, stamps })).toBeLessThan(MAX_OFF_MS);
  });

  it.each([-0.02, 0.02])('is heard with its picture at 8 kHz, at %d', (rate) => {
    // A frame takes 128 ms: as much ahead or behind as the lane waits for a quiet moment.
    expect(worstMs({ rate, stamps, sampleRateHz: 8_000 })).toBeLessThan(MAX_OFF_MS + 28);
  });

  it.each(RATES)('costs as many frames as it must, and no silence, at %d', (rate) => {
    const heard = listen({ rate, stamps }).filter(({ startMs }) => startMs > SETTLED_MS);
    expect(heard.filter(({ frame }) => frame === null)).toEqual([]);
    const steps = heard.slice(1).map(({ frame }, index) => frame! - heard[index]!.frame!);
    const changed = steps.filter((step) => step !== 1);
    expect(new Set(changed)).toEqual(new Set([rate < 0 ? 0 : 2]));
    const needed = Math.abs(rate) * heard.length;
    expect(Math.abs(changed.length - needed)).toBeLessThan(needed * 0.1 + 2);
  });
});

describe('sound over RTMP whose clock is right', () => {
  const LATE: Readonly<Record<string, (atMs: number) => number>> = {
    'a network that stops for a second now and then': (atMs) =>
      atMs % 17_000 > 16_000 ? 17_000 - (atMs % 17_000) : 0,
    'a server that begins with the pictures of five seconds': (atMs) => Math.max(0, 5_000 - atMs),
    'a network that gets ever slower': (atMs) => atMs * 0.02,
  };

  it.each(Object.entries(LATE))('is not moved by %s', (_title, lateMs) => {
    const heard = listen({ rate: 0, stamps: 'counted', lateMs });
    const steps = heard
      .slice(1)
      .map(({ frame }, index) => (frame ?? Number.NaN) - (heard[index]!.frame ?? Number.NaN));
    expect(steps.length).toBeGreaterThan(6_000);
    expect(steps.filter((step) => step !== 1)).toEqual([]);
  });
});

describe('pictures over RTMP that stop for a while', () => {
  const STOP_MS = 30_000;
  const FOR_MS = 2_000;
  const isBlind = (atMs: number) => atMs >= STOP_MS && atMs < STOP_MS + FOR_MS;

  it.each([
    ['stood still', FOR_MS],
    ['went on', 0],
  ])('have their sound again if their clock %s', (_title, backMs) => {
    const stillMs = (atMs: number) => (atMs >= STOP_MS ? backMs : 0);
    const device: Device = { rate: 0, stamps: 'counted', seconds: 60, isBlind, stillMs };
    const endsMs = [0, 0];
    listen(device, ({ trackIndex, dtsTicks }) => {
      endsMs[trackIndex] = (dtsTicks * 1_000) / (trackIndex === 0 ? 90_000 : 48_000);
    });
    // The last picture, and the last frame of sound, which was recorded before it arrived.
    expect(endsMs[0]).toBeGreaterThan(59_900);
    expect(Math.abs(endsMs[0]! - endsMs[1]!)).toBeLessThan(MAX_OFF_MS);
  });
});
