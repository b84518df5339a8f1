import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../core/clock.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { silentLog } from '../../core/log.ts';
import { createJail, type Jail } from '../../ffmpeg/jail.ts';
import { findSoundServer } from '../../ffmpeg/sound-server.ts';
import { WorkerPool } from '../../ffmpeg/worker-pool.ts';
import { forkStarter, type ProcessStarter } from '../../ffmpeg/worker-process.ts';
import type { MediaFormat } from '../../rtsp/sdp/session-description.ts';
import type { Urgency } from '../../stream/media/urgency.ts';
import { PooledSoundPaths } from './pooled-sound.ts';
import {
  BEEP_AT_SEC,
  beep,
  beepSec,
  expectItsTime,
  expectLongerPauses,
  expectTimeAfterPause,
  format,
  g726,
  L8,
  LENGTH_SEC,
  type OpenSound,
  openSound,
  PCMU,
  type SoundCase,
  START_SEC,
  STEREO_PCMA,
  sliced,
  until,
} from './sound-fixture.ts';
import type { SoundPath, SoundPaths } from './sound-path.ts';
import { SoundServers } from './sound-servers.ts';

const CASES: readonly SoundCase[] = [
  PCMU,
  STEREO_PCMA,
  {
    title: 'L16 at 44.1 kHz, in payloads that are longer than a slice',
    format: format('l16', 44_100),
    payloads: () => sliced(beep(['-ar', '44100', '-f', 's16be']), 4_410),
  },
  {
    title: 'L16 at 48 kHz in stereo, which needs no resampling',
    format: format('l16', 48_000, 2),
    payloads: () => sliced(beep(['-ac', '2', '-f', 's16be'], 2), 1_920),
  },
  L8,
  g726(32),
];
/** Silence in µ-law. */
const SILENCE = Buffer.alloc(160, 0xff);

const CAT = { ffmpegPath: '/bin/cat', line: { args: [], stdin: null }, network: null, extraFd: null };
const never = new AbortController().signal;

/** Takes the formats that are not samples. */
const WORKER: SoundPaths = { carries: () => true, open: () => 'worker' as unknown as SoundPath };

describe('PooledSoundPaths', () => {
  let jail: Jail;
  let serverPath: string;
  const pools: WorkerPool[] = [];
  /** The IDs of the started processes. */
  const pids: number[] = [];
  const starter: ProcessStarter = {
    start: async (...args) => {
      const started = await forkStarter.start(...args);
      pids.push(started.pid);
      return started;
    },
  };
  const sounds: OpenSound[] = [];

  beforeAll(async () => {
    const found = await findSoundServer();
    if (found === null)
      throw new Error('run node native/build.mjs with libavcodec-dev and libswresample-dev');
    serverPath = found;
    jail = await createJail();
  });

  afterEach(async () => {
    await Promise.all(sounds.splice(0).map(({ path }) => path.close()));
    for (const pool of pools.splice(0)) {
      expect(pool.counts).toEqual({ running: 0, waiting: 0 });
      await pool.close();
    }
  });

  /** One gateway. */
  function gateway({ clock = systemClock as Clock, path = serverPath, maxWorkers = 2, maxCores = 2 } = {}) {
    const pool = new WorkerPool({ maxWorkers, maxCores, waitTimeoutMs: 10_000, jail, clock, starter });
    pools.push(pool);
    const paths = new PooledSoundPaths(
      new SoundServers({ path, pool, clock, log: silentLog, random: () => 0 }),
      WORKER,
      'organization',
      silentLog,
    );
    const open = (of: MediaFormat, urgency?: () => Urgency): OpenSound => {
      sounds.push(openSound(paths, of, urgency));
      return sounds.at(-1)!;
    };
    return { pool, paths, open };
  }

  /** Resolves when there is a server: payloads before that are lost. */
  async function started({ path }: OpenSound, pool: WorkerPool): Promise<void> {
    path.push(SILENCE, 0, SILENCE.length, 0);
    await until('a server', () => pool.counts.running === 1);
    await new Promise(setImmediate);
  }

  /** Pushes silence like a camera, as long as it takes. */
  async function playUntil(what: string, playing: readonly OpenSound[], isSo: () => boolean): Promise<void> {
    let ticks = playing[0]!.units.length * 1_000;
    await until(what, () => {
      for (const { path } of playing) path.push(SILENCE, 0, SILENCE.length, ticks);
      ticks += SILENCE.length;
      return isSo();
    });
  }

  it.each(CASES)('keeps the time of $title', async (of) => {
    const { pool, open } = gateway();
    const sound = open(of.format);
    await started(sound, pool);
    await expectItsTime(sound, of);
  });

  it('recognizes a pause of the microphone: the audio after it has its own time', async () => {
    const { pool, open } = gateway();
    const sound = open(PCMU.format);
    await started(sound, pool);
    await expectTimeAfterPause(sound);
  });

  it('serves two cameras with one process; the end of one leaves the other playing', async () => {
    const { pool, open } = gateway();
    const [one, other] = [open(PCMU.format), open(PCMU.format)];
    await started(one, pool);
    await playUntil('both', [one, other], () => one.units.length > 0 && other.units.length > 0);
    expect(pool.sample).toMatchObject({ running: 1, admitted: 1, cores: 0.01 });
    await one.path.close();
    expect(pool.sample).toMatchObject({ running: 1, cores: 0.005 });
    const [ofOne, ofOther] = [one.units.length, other.units.length];
    await playUntil('more of the other', [one, other], () => other.units.length > ofOther + 10);
    expect(one.units).toHaveLength(ofOne);
    expect(pool.sample).toMatchObject({ running: 1, admitted: 1 });
    await other.path.close();
    expect(pool.counts.running).toBe(0);
  });

  it('gives each camera its own sound', async () => {
    const { pool, open } = gateway();
    const [loud, silent] = [open(PCMU.format), open(PCMU.format)];
    await started(loud, pool);
    const payloads = PCMU.payloads();
    for (const [index, payload] of payloads.entries()) {
      loud.path.push(payload, 0, payload.length, START_SEC * 8_000 + index * 160);
      silent.path.push(SILENCE, 0, SILENCE.length, START_SEC * 8_000 + index * 160);
    }
    const end = (START_SEC + LENGTH_SEC - 1) * 48_000;
    await until('both', () => [loud, silent].every(({ units }) => (units.at(-1)?.ticks ?? 0) >= end));
    expect(beepSec(loud.units, 1)).toBeCloseTo(START_SEC + BEEP_AT_SEC, 1);
    expect(beepSec(silent.units, 1)).toBeNaN();
  });

  it('goes on in all cameras after the process was killed, later than before', async () => {
    const clock = new FakeClock();
    const { pool, open } = gateway({ clock });
    const playing = [open(PCMU.format), open(PCMU.format)];
    const [first] = playing;
    await started(first!, pool);
    await playUntil('both', playing, () => playing.every(({ units }) => units.length > 0));
    await killWorkers(pool);
    for (const { path } of playing) path.push(SILENCE, 0, SILENCE.length, 800_000);
    expect(pool.counts).toEqual({ running: 0, waiting: 0 }); // the pause
    clock.advance(1_000);
    expect(playing.map(({ waiting }) => waiting)).toEqual([[true], [true]]);
    const before = playing.map(({ units }) => units.length);
    let ticks = 1_600_000;
    await until('both again', () => {
      for (const { path } of playing) path.push(SILENCE, 0, SILENCE.length, ticks);
      ticks += SILENCE.length;
      clock.advance(20);
      return playing.every(({ units }, i) => units.length > before[i]!);
    });
    expect(playing.map(({ waiting }) => waiting)).toEqual([
      [true, false],
      [true, false],
    ]);
    for (const { units } of playing) {
      for (const [i, unit] of units.slice(1).entries()) expect(unit.ticks).toBeGreaterThan(units[i]!.ticks);
      expect(units.at(-1)!.ticks).toBeGreaterThan(1_600_000 * 6 - 10_000);
    }
  });

  it('replaces a server that cannot run, each time after a longer pause', async () => {
    const clock = new FakeClock();
    const { pool, open } = gateway({ clock, path: '/bin/false' });
    await expectLongerPauses(open(PCMU.format), clock, pool);
  });

  it('holds its worker for several cameras against the video of one, unless that is more urgent', async () => {
    const { pool, open } = gateway();
    const start = (urgency: Urgency) => pool.start(CAT, never, { urgency: () => urgency });
    let watchedBy: Urgency = 'alarm';
    const playing = [open(PCMU.format), open(PCMU.format, () => watchedBy)];
    const isEach = (count: number) => () => playing.every(({ waiting }) => waiting.length === count);
    await playUntil('sound', playing, () => playing.every(({ units }) => units.length > 0));
    const video = await start('viewer');
    const first = start('alarm');
    expect(pool.counts).toEqual({ running: 2, waiting: 1 });
    const more = playing.map(({ units }) => units.length + 10);
    await playUntil('more sound', playing, () => playing.every(({ units }, i) => units.length > more[i]!));
    expect([pool.counts, isEach(0)()]).toEqual([{ running: 2, waiting: 1 }, true]);
    watchedBy = 'viewer';
    const second = start('alarm');
    await playUntil('they wait', playing, isEach(1));
    await Promise.all([video.kill(), (await first).kill()]);
    const last = await second;
    await playUntil('sound again', playing, isEach(2));
    await last.kill();
  });

  it('waits for a worker, reports that, and yields to all video if there is no other worker', async () => {
    const { pool, open } = gateway({ maxWorkers: 1 });
    const video = await pool.start(CAT, never);
    const playing = [open(PCMU.format), open(PCMU.format)];
    await playUntil('they wait', playing, () => playing.every(({ waiting }) => waiting.length === 1));
    expect([pool.counts, playing[0]!.units]).toEqual([{ running: 1, waiting: 1 }, []]);
    await video.kill();
    await playUntil('sound', playing, () => playing.every(({ units }) => units.length > 0));
    const another = await pool.start(CAT, never);
    await playUntil('they wait again', playing, () => playing.every(({ waiting }) => waiting.length === 3));
    await another.kill();
    await playUntil('sound again', playing, () => playing.every(({ waiting }) => waiting.length === 4));
    expect(playing[0]!.waiting).toEqual([true, false, true, false]);
  });

  it('admits as many streams as there are cores for, and another when one ends', async () => {
    const { pool, open } = gateway({ maxWorkers: 2, maxCores: 0.0151 });
    const other = await pool.start(CAT, never, { cores: 0.005 });
    const playing = Array.from({ length: 3 }, () => open(PCMU.format));
    playing[0]!.path.push(SILENCE, 0, SILENCE.length, 0);
    await until('a server', () => pool.counts.running === 2);
    await playUntil('two', playing, () => playing.filter(({ units }) => units.length > 0).length === 2);
    await playUntil('the third to wait', playing, () => playing.some(({ waiting }) => waiting.length === 1));
    const waits = playing.find(({ units }) => units.length === 0)!;
    const plays = playing.filter((each) => each !== waits);
    await plays[0]!.path.close();
    await playUntil('the third', [waits, plays[1]!], () => waits.units.length > 0);
    expect(pool.sample).toMatchObject({ running: 2 });
    await other.kill();
  });

  it('takes payloads of any size and content, and only as many as time allows', async () => {
    const clock = new FakeClock();
    const { pool, open } = gateway({ clock });
    const [hostile, other] = [open(format('l16', 8_000, 2)), open(PCMU.format)];
    await started(other, pool);
    for (const size of [0, 1, 2, 3, 5, 961, 1_439, 65_535]) {
      const payload = Buffer.alloc(size, 0x80 + size);
      hostile.path.push(payload, 0, payload.length, 2 ** 40 * size);
    }
    const flood = Buffer.alloc(60_000, 1);
    for (let i = 0; i < 10_000; i++) hostile.path.push(flood, 0, flood.length, i % 2 === 0 ? -i : i);
    await playUntil('the other', [other], () => other.units.length > 5);
    // 16 s of samples, in frames of 21 ms.
    await until('all of it', () => hostile.units.length > 700);
    expect(hostile.units.length).toBeLessThan(16 * 47 + 2);
    expect(pool.sample).toMatchObject({ running: 1, admitted: 1 });
  });

  it('releases its worker when no payload arrives, and takes one again', async () => {
    const clock = new FakeClock();
    const { pool, open } = gateway({ clock });
    const sound = open(PCMU.format);
    await started(sound, pool);
    await playUntil('sound', [sound], () => sound.units.length > 0);
    for (let sec = 0; sec < 65; sec++) clock.advance(1_000);
    await until('the slot', () => pool.counts.running === 0);
    const before = sound.units.length;
    await playUntil('sound again', [sound], () => {
      clock.advance(20);
      return sound.units.length > before;
    });
    expect(sound.waiting).toEqual([]);
  });

  it('leaves to a worker of its own what only C can decode, or more than two channels', () => {
    const { paths } = gateway();
    for (const of of [format('g722', 8_000), format('mpa', 90_000), format('l16', 48_000, 6)]) {
      expect(paths.open(of, { onUnit: () => undefined, onWaiting: () => undefined })).toBe('worker');
    }
  });

  async function killWorkers(pool: WorkerPool): Promise<void> {
    process.kill(pids.at(-1)!, 'SIGKILL');
    await until('the end', () => pool.counts.running === 0);
    await new Promise(setImmediate);
  }
});
