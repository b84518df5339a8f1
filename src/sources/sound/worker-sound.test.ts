import { spawnSync } from 'node:child_process';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../core/clock.ts';
import { systemClock } from '../../core/clock.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { type FfmpegBinary, findFfmpeg } from '../../ffmpeg/find-ffmpeg.ts';
import { createJail, type Jail } from '../../ffmpeg/jail.ts';
import { WorkerPool } from '../../ffmpeg/worker-pool.ts';
import type { MediaFormat } from '../../sdp/session-description.ts';
import { codedSoundOf } from './coded-sound.ts';
import type { SoundPath } from './sound-path.ts';
import { WorkerSoundPaths } from './worker-sound.ts';

const BEEP_AT_SEC = 1;
const LENGTH_SEC = 3;
/** Time of the first payload, on the timeline. */
const START_SEC = 7;
const MAX_OFF_MS = 30;
const BEEP = `0.5*sin(2*PI*880*t)*gte(t\\,${BEEP_AT_SEC})*lt(t\\,${BEEP_AT_SEC + 0.2})`;

/** Limit for waits on processes. */
function until(_what: string, isSo: () => boolean): Promise<unknown> {
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
function beep(output: readonly string[], channels = 1): Buffer {
  const source = `aevalsrc=${Array(channels).fill(BEEP).join('|')}:s=48000:d=${LENGTH_SEC}`;
  return run(['-f', 'lavfi', '-i', source, ...output, 'pipe:1']);
}

function sliced(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
}

/** Packets of an Ogg stream with one packet a page, without the two headers. */
function oggPackets(file: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  for (let at = 0; at < file.length; ) {
    const segments = file[at + 26]!;
    const bytes = file.subarray(at + 27, at + 27 + segments).reduce((sum, lacing) => sum + lacing, 0);
    packets.push(file.subarray(at + 27 + segments, at + 27 + segments + bytes));
    at += 27 + segments + bytes;
  }
  return packets.slice(2);
}

function format(encoding: string, clockRateHz: number, channelCount = 1): MediaFormat {
  return { payloadType: 97, encoding, clockRateHz, channelCount, fmtp: new Map() };
}

interface Case {
  readonly title: string;
  readonly format: MediaFormat;
  readonly payloads: () => Buffer[];
}

const CASES: readonly Case[] = [
  {
    title: 'PCMU',
    format: format('pcmu', 8_000),
    payloads: () => sliced(beep(['-ar', '8000', '-f', 'mulaw']), 160),
  },
  {
    title: 'PCMA at 16 kHz in stereo',
    format: format('pcma', 16_000, 2),
    payloads: () => sliced(beep(['-ar', '16000', '-ac', '2', '-f', 'alaw'], 2), 640),
  },
  {
    title: 'L16',
    format: format('l16', 16_000),
    payloads: () => sliced(beep(['-ar', '16000', '-f', 's16be']), 640),
  },
  {
    title: 'L8',
    format: format('l8', 8_000),
    payloads: () => sliced(beep(['-ar', '8000', '-f', 'u8']), 160),
  },
  {
    title: 'G.722, with the wrong clock from the RFC',
    format: format('g722', 8_000),
    payloads: () => sliced(beep(['-ar', '16000', '-c:a', 'g722', '-f', 'g722']), 160),
  },
  ...[16, 24, 32, 40].map((rate) => ({
    title: `G.726 of ${rate} kbit/s`,
    format: format(`g726-${rate}`, 8_000),
    payloads: () =>
      sliced(beep(['-ar', '8000', '-c:a', 'g726le', '-b:a', `${rate}k`, '-f', 'g726le']), (20 * rate) / 8),
  })),
  {
    title: 'Opus',
    format: format('opus', 48_000, 2),
    payloads: () => oggPackets(beep(['-c:a', 'libopus', '-f', 'ogg', '-page_duration', '20000'], 2)),
  },
  {
    title: 'MPEG audio, layer II',
    format: format('mpa', 90_000),
    payloads: () =>
      sliced(beep(['-ar', '48000', '-c:a', 'mp2', '-b:a', '64k', '-f', 'mp2']), 192).map((frame) =>
        Buffer.concat([Buffer.alloc(4), frame]),
      ),
  },
];

interface Unit {
  readonly ticks: number;
  readonly data: Buffer;
}

/** When the beep begins in the output. */
function beepSec(units: readonly Unit[], channels: number): number {
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

describe('WorkerSoundPaths', () => {
  let binary: FfmpegBinary;
  let jail: Jail;
  const open: { pool: WorkerPool; path: SoundPath }[] = [];

  beforeAll(async () => {
    binary = await findFfmpeg();
    jail = await createJail();
  });

  afterEach(async () => {
    for (const { pool, path } of open.splice(0)) {
      await path.close();
      await pool.close();
      expect(pool.counts).toEqual({ running: 0, waiting: 0 });
    }
  });

  /** A path and everything that comes out of it. */
  function start(of: MediaFormat, clock: Clock = systemClock, ffmpeg: FfmpegBinary = binary) {
    const pool = new WorkerPool({ maxWorkers: 1, waitTimeoutMs: 1_000, jail, clock });
    const units: Unit[] = [];
    const waiting: boolean[] = [];
    let wanted = { ticks: Number.POSITIVE_INFINITY, resolve: () => {} };
    const paths = new WorkerSoundPaths({ pool, binary: ffmpeg, clock, log: silentLog, random: () => 0 });
    const path = paths.open(of, {
      onUnit: (ticks, data) => {
        units.push({ ticks, data: Buffer.from(data) });
        if (ticks >= wanted.ticks) wanted.resolve();
      },
      onWaiting: (isWaiting) => waiting.push(isWaiting),
    });
    open.push({ pool, path });
    const soundUntil = (sec: number) =>
      new Promise<void>((resolve) => {
        wanted = { ticks: sec * 48_000, resolve };
      });
    return { path, pool, units, waiting, soundUntil };
  }

  /** Feeds payloads like a camera whose first one is at START_SEC; `gapSec` passes before the second half. */
  function feed(path: SoundPath, of: MediaFormat, payloads: readonly Buffer[], gapSec = 0): void {
    const coded = codedSoundOf(of)!;
    let sec = START_SEC;
    payloads.forEach((payload, index) => {
      if (index === payloads.length >> 1) sec += gapSec;
      path.push(payload, 0, payload.length, Math.round(sec * of.clockRateHz));
      sec += coded.samples(payload, 0, payload.length) / coded.sampleRateHz;
    });
  }

  /** Resolves when a worker takes payloads: earlier ones are lost. */
  async function started(path: SoundPath, pool: WorkerPool): Promise<void> {
    path.push(new Uint8Array(0), 0, 0, 0);
    await Promise.resolve();
    await Promise.resolve();
    expect(pool.counts.running).toBe(1);
  }

  it.each(CASES)('keeps the time of $title', async ({ format: of, payloads }) => {
    const { path, pool, units, soundUntil } = start(of);
    await started(path, pool);
    const done = soundUntil(START_SEC + LENGTH_SEC - 1);
    feed(path, of, payloads());
    await done;
    expect(path.track.channelCount).toBe(of.channelCount);
    for (const [i, { ticks }] of units.slice(1).entries()) expect(ticks - units[i]!.ticks).toBe(1_024);
    const offMs = (beepSec(units, of.channelCount) - START_SEC - BEEP_AT_SEC) * 1_000;
    expect(Math.abs(offMs)).toBeLessThan(MAX_OFF_MS);
  });

  it('recognizes a pause of the microphone: the audio after it has its own time', async () => {
    const of = CASES[0]!.format;
    const { path, pool, units, soundUntil } = start(of);
    await started(path, pool);
    const done = soundUntil(START_SEC + LENGTH_SEC + 9);
    feed(path, of, CASES[0]!.payloads(), 10);
    await done;
    const steps = units.slice(1).map(({ ticks }, i) => ticks - units[i]!.ticks);
    expect(steps.filter((step) => step !== 1_024)).toHaveLength(1);
    expect(Math.max(...steps) / 48_000).toBeCloseTo(10, 1);
  });

  it('waits indefinitely for a slot, reports that, and transcodes when there is one', async () => {
    const of = CASES[0]!.format;
    const { path, pool, units, waiting } = start(of);
    const other = await pool.start(
      { ffmpegPath: '/bin/cat', line: { args: [], stdin: null }, network: null, extraFd: null },
      new AbortController().signal,
    );
    const payload = Buffer.alloc(160, 0xff);
    let sec = 0;
    const timer = setInterval(() => {
      path.push(payload, 0, payload.length, Math.round(sec * 8_000));
      sec += 0.02;
    }, 5);
    try {
      await until('it waits', () => waiting.length === 1);
      expect([pool.counts, units]).toEqual([{ running: 1, waiting: 1 }, []]);
      await other.kill();
      await until('sound', () => units.length > 0);
      expect(waiting).toEqual([true, false]);
      const stolen = await pool.start(
        { ffmpegPath: '/bin/cat', line: { args: [], stdin: null }, network: null, extraFd: null },
        new AbortController().signal,
      );
      await until('it waits again', () => waiting.length === 3);
      await stolen.kill();
      const before = units.length;
      await until('sound again', () => units.length > before && waiting.length === 4);
      for (const [i, { ticks }] of units.slice(1).entries()) expect(ticks).toBeGreaterThan(units[i]!.ticks);
    } finally {
      clearInterval(timer);
    }
  });

  it('replaces a worker that ends on its own, each time after a longer pause', async () => {
    const clock = new FakeClock();
    const { path, pool } = start(CASES[0]!.format, clock, { ...binary, path: '/bin/false' });
    const payload = Buffer.alloc(160, 0xff);
    const startsAtMs: number[] = [];
    for (let ms = 0; ms < 20_000; ms += 100) {
      const before = pool.counts.running;
      path.push(payload, 0, payload.length, ms * 8);
      await Promise.resolve();
      if (pool.counts.running > before) startsAtMs.push(ms);
      await until('the worker to end', () => pool.counts.running === 0);
      await new Promise(setImmediate);
      clock.advance(100);
    }
    expect(startsAtMs.length).toBeGreaterThanOrEqual(4);
    const pausesMs = startsAtMs.slice(1).map((ms, i) => ms - startsAtMs[i]!);
    expect(pausesMs.slice(0, 4)).toEqual(pausesMs.slice(0, 4).toSorted((a, b) => a - b));
    expect(pausesMs.at(-1)).toBeGreaterThan(2 * pausesMs[0]!);
  });

  it('releases its slot when no payload arrives', async () => {
    const clock = new FakeClock();
    const { path, pool } = start(CASES[0]!.format, clock);
    await started(path, pool);
    clock.advance(31_000);
    await until('the slot', () => pool.counts.running === 0);
  });
});
