import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Clock } from '../../core/clock.ts';
import { systemClock } from '../../core/clock.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { type FfmpegBinary, findFfmpeg } from '../../ffmpeg/find-ffmpeg.ts';
import { createJail, type Jail } from '../../ffmpeg/jail.ts';
import { WorkerPool } from '../../ffmpeg/worker-pool.ts';
import type { MediaFormat } from '../../rtsp/sdp/session-description.ts';
import {
  beep,
  expectItsTime,
  expectLongerPauses,
  expectTimeAfterPause,
  format,
  g726,
  L8,
  oggPackets,
  openSound,
  PCMU,
  type SoundCase,
  STEREO_PCMA,
  sliced,
  until,
} from './sound-fixture.ts';
import type { SoundPath } from './sound-path.ts';
import { WorkerSoundPaths } from './worker-sound.ts';

const CAT = { ffmpegPath: '/bin/cat', line: { args: [], stdin: null }, network: null, extraFd: null };
const never = new AbortController().signal;

const CASES: readonly SoundCase[] = [
  PCMU,
  STEREO_PCMA,
  {
    title: 'L16',
    format: format('l16', 16_000),
    payloads: () => sliced(beep(['-ar', '16000', '-f', 's16be']), 640),
  },
  L8,
  {
    title: 'G.722, with the wrong clock from the RFC',
    format: format('g722', 8_000),
    payloads: () => sliced(beep(['-ar', '16000', '-c:a', 'g722', '-f', 'g722']), 160),
  },
  ...[16, 24, 32, 40].map(g726),
  {
    title: 'AAL2-G726-32, packed the other way around',
    format: format('aal2-g726-32', 8_000),
    payloads: () => sliced(beep(['-ar', '8000', '-c:a', 'g726', '-b:a', '32k', '-f', 'g726']), 80),
  },
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

  function start(of: MediaFormat, clock: Clock = systemClock, ffmpeg: FfmpegBinary = binary) {
    const pool = new WorkerPool({ maxWorkers: 1, waitTimeoutMs: 1_000, jail, clock });
    const paths = new WorkerSoundPaths({ pool, binary: ffmpeg, clock, log: silentLog, random: () => 0 });
    const sound = openSound(paths, of);
    open.push({ pool, path: sound.path });
    return { pool, sound, ...sound };
  }

  /** Resolves when a worker takes payloads: earlier ones are lost. */
  async function started(path: SoundPath, pool: WorkerPool): Promise<void> {
    path.push(new Uint8Array(0), 0, 0, 0);
    // The pool spawns it without waiting for anything but promises.
    await setImmediate();
    expect(pool.counts.running).toBe(1);
  }

  it.each(CASES)('keeps the time of $title', async (of) => {
    const { path, pool, sound } = start(of.format);
    await started(path, pool);
    await expectItsTime(sound, of);
  });

  it('recognizes a pause of the microphone: the audio after it has its own time', async () => {
    const { path, pool, sound } = start(PCMU.format);
    await started(path, pool);
    await expectTimeAfterPause(sound);
  });

  it('waits indefinitely for a slot, reports that, and transcodes when there is one', async () => {
    const { path, pool, units, waiting } = start(PCMU.format);
    const other = await pool.start(CAT, never);
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
      const stolen = await pool.start(CAT, never);
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
    const { pool, sound } = start(PCMU.format, clock, { ...binary, path: '/bin/false' });
    await expectLongerPauses(sound, clock, pool);
  });

  it('releases its slot when no payload arrives', async () => {
    const clock = new FakeClock();
    const { path, pool } = start(PCMU.format, clock);
    await started(path, pool);
    clock.advance(31_000);
    await until('the slot', () => pool.counts.running === 0);
  });
});
