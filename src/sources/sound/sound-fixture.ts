/** Sound for tests: a beep in any codec, cut into payloads as a camera sends them, and when it is heard again. */

import { spawnSync } from 'node:child_process';
import { expect, vi } from 'vitest';
import type { FakeClock } from '../../core/fake-clock.ts';
import type { WorkerPool } from '../../ffmpeg/worker-pool.ts';
import type { MediaFormat } from '../../rtsp/sdp/session-description.ts';
import type { Urgency } from '../../stream/media/urgency.ts';
import { codedSoundOf } from './coded-sound.ts';
import { OggOpusWriter } from './ogg-opus.ts';
import type { SoundPath, SoundPaths } from './sound-path.ts';

export const BEEP_AT_SEC = 1;
export const LENGTH_SEC = 3;
/** Time of the first payload, on the timeline. */
export const START_SEC = 7;
export const MAX_OFF_MS = 30;
const BEEP = `0.5*sin(2*PI*880*t)*gte(t\\,${BEEP_AT_SEC})*lt(t\\,${BEEP_AT_SEC + 0.2})`;

/** Limit for waits on processes. */
export function until(_what: string, isSo: () => boolean): Promise<unknown> {
  return vi.waitUntil(isSo, { timeout: 10_000, interval: 10 });
}

function run(args: readonly string[], input?: Buffer): Buffer {
  const { stdout, stderr, status } = spawnSync('ffmpeg', ['-loglevel', 'error', '-nostdin', ...args], {
    ...(input === undefined ? {} : { input }),
    maxBuffer: 1e8,
  });
  if (status !== 0) throw new Error(stderr.toString());
  return stdout;
}

/** Three seconds with a beep in them. */
export function beep(output: readonly string[], channels = 1): Buffer {
  const source = `aevalsrc=${Array(channels).fill(BEEP).join('|')}:s=48000:d=${LENGTH_SEC}`;
  return run(['-f', 'lavfi', '-i', source, ...output, 'pipe:1']);
}

export function sliced(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
}

/** Packets of an Ogg stream with one packet a page, without the two headers. */
export function oggPackets(file: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  for (let at = 0; at < file.length; ) {
    const segments = file[at + 26]!;
    const bytes = file.subarray(at + 27, at + 27 + segments).reduce((sum, lacing) => sum + lacing, 0);
    packets.push(file.subarray(at + 27 + segments, at + 27 + segments + bytes));
    at += 27 + segments + bytes;
  }
  return packets.slice(2);
}

export function format(encoding: string, clockRateHz: number, channelCount = 1): MediaFormat {
  return { payloadType: 97, encoding, clockRateHz, channelCount, fmtp: new Map() };
}

/** Sound as a camera sends it. */
export interface SoundCase {
  readonly title: string;
  readonly format: MediaFormat;
  readonly payloads: () => Buffer[];
}

export const PCMU: SoundCase = {
  title: 'PCMU',
  format: format('pcmu', 8_000),
  payloads: () => sliced(beep(['-ar', '8000', '-f', 'mulaw']), 160),
};
export const STEREO_PCMA: SoundCase = {
  title: 'PCMA at 16 kHz in stereo',
  format: format('pcma', 16_000, 2),
  payloads: () => sliced(beep(['-ar', '16000', '-ac', '2', '-f', 'alaw'], 2), 640),
};
export const L8: SoundCase = {
  title: 'L8',
  format: format('l8', 8_000),
  payloads: () => sliced(beep(['-ar', '8000', '-f', 'u8']), 160),
};
export function g726(kilobitsPerSec: number): SoundCase {
  const args = ['-ar', '8000', '-c:a', 'g726le', '-b:a', `${kilobitsPerSec}k`, '-f', 'g726le'];
  return {
    title: `G.726 of ${kilobitsPerSec} kbit/s`,
    format: format(`g726-${kilobitsPerSec}`, 8_000),
    payloads: () => sliced(beep(args), (20 * kilobitsPerSec) / 8),
  };
}

export interface Unit {
  readonly ticks: number;
  readonly data: Buffer;
}

/** A path that is open, and everything that has come out of it. */
export interface OpenSound {
  readonly path: SoundPath;
  readonly units: Unit[];
  readonly waiting: boolean[];
}

/** `urgency`: whom the camera is open for. */
export function openSound(
  paths: SoundPaths,
  of: MediaFormat,
  urgency: () => Urgency = () => 'viewer',
): OpenSound {
  const [units, waiting]: [Unit[], boolean[]] = [[], []];
  const path = paths.open(of, {
    onUnit: (ticks, data) => units.push({ ticks, data: Buffer.from(data) }),
    onWaiting: (isWaiting) => waiting.push(isWaiting),
    urgency,
  });
  return { path, units, waiting };
}

/** Resolves when sound of that time on the timeline, or later, has come out. */
export async function soundUntil(units: readonly Unit[], sec: number): Promise<void> {
  await until(`the sound until ${sec} s`, () => (units.at(-1)?.ticks ?? 0) >= sec * 48_000);
}

/** The path has a worker. Its sound comes out as AAC without a hole, and its beep at its time. */
export async function expectItsTime(sound: OpenSound, { format: of, payloads }: SoundCase): Promise<void> {
  const { path, units } = sound;
  feed(path, of, payloads());
  await soundUntil(units, START_SEC + LENGTH_SEC - 1);
  const { channelCount } = of;
  expect(path.track).toMatchObject({ codec: 'aac', sampleRateHz: 48_000, channelCount });
  for (const [i, { ticks }] of units.slice(1).entries()) expect(ticks - units[i]!.ticks).toBe(1_024);
  const offMs = (beepSec(units, channelCount) - START_SEC - BEEP_AT_SEC) * 1_000;
  expect(Math.abs(offMs)).toBeLessThan(MAX_OFF_MS);
}

/** The path has a worker. The sound after a pause of the microphone has its own time. */
export async function expectTimeAfterPause({ path, units }: OpenSound): Promise<void> {
  const pauseSec = 10;
  feed(path, PCMU.format, PCMU.payloads(), pauseSec);
  await soundUntil(units, START_SEC + LENGTH_SEC + pauseSec - 1);
  const steps = units.slice(1).map(({ ticks }, i) => ticks - units[i]!.ticks);
  expect(steps.filter((step) => step !== 1_024)).toHaveLength(1);
  expect(Math.max(...steps) / 48_000).toBeCloseTo(pauseSec, 1);
}

/** Expects that a worker that cannot run was started at these times, in 20 s of payloads: each time after a longer pause. */
export async function expectLongerPauses(
  { path }: OpenSound,
  clock: FakeClock,
  pool: WorkerPool,
): Promise<void> {
  const payload = Buffer.alloc(160, 0xff);
  const startsAtMs: number[] = [];
  for (let ms = 0; ms < 20_000; ms += 100) {
    const before = pool.sample.admitted;
    path.push(payload, 0, payload.length, ms * 8);
    if (pool.sample.admitted > before) startsAtMs.push(ms);
    await until('the worker to end', () => pool.counts.running === 0);
    await new Promise(setImmediate);
    clock.advance(100);
  }
  expect(startsAtMs.length).toBeGreaterThanOrEqual(4);
  const pausesMs = startsAtMs.slice(1).map((ms, i) => ms - startsAtMs[i]!);
  expect(pausesMs).toEqual(pausesMs.toSorted((a, b) => a - b));
  expect(pausesMs.at(-1)).toBeGreaterThan(2 * pausesMs[0]!);
}

/** When the beep begins in the output. */
export function beepSec(units: readonly Unit[], channels: number): number {
  const adts = units.map(({ data }) => {
    const bytes = data.length + 7;
    const [low, mid, high] = [((bytes & 7) << 5) | 0x1f, (bytes >> 3) & 0xff, bytes >> 11];
    return Buffer.concat([Buffer.from([0xff, 0xf1, 0x4c, (channels << 6) | high, mid, low, 0xfc]), data]);
  });
  const pcm = run(['-f', 'aac', '-i', 'pipe:0', '-ac', '1', '-f', 's16le', 'pipe:1'], Buffer.concat(adts));
  for (let at = 0; at + 2 <= pcm.length; at += 2) {
    if (Math.abs(pcm.readInt16LE(at)) > 4_000) return units[0]!.ticks / 48_000 + at / 2 / 48_000;
  }
  return Number.NaN;
}

/** Feeds payloads like a camera whose first one is at START_SEC; `gapSec` passes before the second half. */
export function feed(path: SoundPath, of: MediaFormat, payloads: readonly Buffer[], gapSec = 0): void {
  const coded = codedSoundOf(of)!;
  let sec = START_SEC;
  payloads.forEach((payload, index) => {
    if (index === payloads.length >> 1) sec += gapSec;
    path.push(payload, 0, payload.length, Math.round(sec * of.clockRateHz));
    sec += coded.samples(payload, 0, payload.length) / coded.sampleRateHz;
  });
}

/** When the beep begins in Opus packets that follow each other, in seconds of their times. */
export function opusBeepSec(packets: readonly { readonly ms: number; readonly packet: Buffer }[]): number {
  const writer = new OggOpusWriter(1);
  const file = Buffer.concat(packets.map(({ packet }) => writer.write(packet, 0, packet.length)));
  const pcm = run(['-i', 'pipe:0', '-ac', '1', '-ar', '48000', '-f', 's16le', 'pipe:1'], file);
  for (let at = 0; at + 2 <= pcm.length; at += 2) {
    if (Math.abs(pcm.readInt16LE(at)) > 4_000) return packets[0]!.ms / 1_000 + at / 2 / 48_000;
  }
  return Number.NaN;
}
