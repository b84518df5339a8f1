/** A beep in FLAC or AAC, as a camera's units, is heard in the Opus at its time. */

import { afterEach, beforeAll, expect, it } from 'vitest';
import { readAdts } from '../../codec/aac/adts.ts';
import { AAC_SAMPLE_RATES_HZ, aacTrackOf } from '../../codec/aac/audio-specific-config.ts';
import { opusSamples } from '../../codec/opus/opus-packet.ts';
import type { AccessUnit, AudioTrack } from '../../codec/track.ts';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { type FfmpegBinary, findFfmpeg } from '../../ffmpeg/find-ffmpeg.ts';
import { createJail, type Jail } from '../../ffmpeg/jail.ts';
import { findSoundServer } from '../../ffmpeg/sound-server.ts';
import { WorkerPool } from '../../ffmpeg/worker-pool.ts';
import type { SoundCoder, SoundCoderEvents } from '../../stream/sounds/sound-feed.ts';
import { FlacSound } from './flac-sound.ts';
import { OpusEncoder } from './opus-encoder.ts';
import { pcmFormatOf } from './pcm-format.ts';
import {
  BEEP_AT_SEC,
  beep,
  feed,
  LENGTH_SEC,
  opusBeepSec,
  PCMU,
  START_SEC,
  STEREO_PCMA,
  until,
} from './sound-fixture.ts';
import { SoundServers } from './sound-servers.ts';

/** Half of what the picture and its sound may be apart. */
const MAX_OFF_MS = 20;

interface Units {
  readonly track: AudioTrack;
  readonly units: readonly AccessUnit[];
}

function unitOf(dtsTicks: number, data: Uint8Array): AccessUnit {
  return { trackIndex: 0, dtsTicks, ptsTicks: dtsTicks, isKey: true, data, arrivalMonoMs: 0 };
}

function flac({ format, payloads }: typeof PCMU): Units {
  const units: AccessUnit[] = [];
  const sound = new FlacSound(pcmFormatOf(format)!, systemClock, {
    onUnit: (ticks, data) => units.push(unitOf(ticks, Uint8Array.from(data))),
    onWaiting: () => undefined,
  });
  feed(sound, format, payloads());
  return { track: sound.track, units };
}

function aac(sampleRateHz: number, channels: number): Units {
  const file = beep(
    ['-ar', String(sampleRateHz), '-ac', String(channels), '-c:a', 'aac', '-f', 'adts'],
    channels,
  );
  const { frames, audioSpecificConfig } = readAdts(file)!;
  expect(AAC_SAMPLE_RATES_HZ).toContain(sampleRateHz);
  const startTicks = START_SEC * sampleRateHz;
  // The encoder's priming is a frame.
  const units = frames.map((data, index) => unitOf(startTicks + (index - 1) * 1_024, data));
  return { track: aacTrackOf(audioSpecificConfig)!, units };
}

let serverPath: string;
let jail: Jail;
let binary: FfmpegBinary;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  serverPath = (await findSoundServer())!;
  jail = await createJail();
  binary = await findFfmpeg({});
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function openEncoder() {
  const clock = systemClock;
  const pool = new WorkerPool({ maxWorkers: 2, maxCores: 2, waitTimeoutMs: 10_000, jail, clock });
  const servers = new SoundServers({ path: serverPath, pool, clock, log: silentLog });
  const encoder = new OpusEncoder({
    servers,
    organization: 'organization',
    pool,
    binary,
    clock,
    log: silentLog,
  });
  ends.push(() => pool.close());
  return { pool, encoder };
}

it.each<[string, () => Units]>([
  ['G.711', () => flac(PCMU)],
  ['G.711 in stereo', () => flac(STEREO_PCMA)],
  ['AAC', () => aac(48_000, 2)],
  ['AAC at 16 kHz', () => aac(16_000, 1)],
])('%s', async (_title, make) => {
  const { pool, encoder } = openEncoder();
  const { track, units } = make();
  const packets: { ms: number; packet: Buffer }[] = [];
  const coder: SoundCoder = encoder.open(track, {
    onPacket: (ms, packet) => packets.push({ ms, packet: Buffer.from(packet) }),
    urgency: () => 'viewer',
  })!;
  // What comes before there is a worker is lost.
  await until('a worker', () => coder.push(units[0]!));
  for (const unit of units.slice(1)) coder.push(unit);
  const endMs = (START_SEC + LENGTH_SEC - 0.5) * 1_000;
  await until('the packets', () => (packets.at(-1)?.ms ?? 0) >= endMs);
  const own = packets.filter(({ ms }) => ms >= START_SEC * 1_000);
  for (const { packet } of own) expect(opusSamples(packet, 0, packet.length)).toBe(960);
  for (const [index, { ms }] of own.slice(1).entries()) expect(ms - own[index]!.ms).toBeCloseTo(20, 1);
  const offMs = (opusBeepSec(own) - START_SEC - BEEP_AT_SEC) * 1_000;
  expect(offMs).toBeGreaterThan(-MAX_OFF_MS);
  expect(offMs).toBeLessThan(MAX_OFF_MS);
  coder.close();
  await until('the worker’s end', () => pool.counts.running === 0);
});

it('makes nothing of what it cannot decode', () => {
  const { encoder } = openEncoder();
  const events: SoundCoderEvents = { onPacket: () => undefined, urgency: () => 'viewer' };
  const { track } = flac(PCMU);
  expect(encoder.open({ ...track, channelCount: 6 } as AudioTrack, events)).toBeNull();
  expect(encoder.open({ ...track, sampleRateHz: 96_000 } as AudioTrack, events)).toBeNull();
});
