/**
 * `node bench/micro/packager.ts`: what packaging costs per frame and per part, at the sizes of a 4 Mbit/s 1080p25
 * camera with a GOP of two seconds, plus AAC. Several cameras in turn, so that their buffers do not stay in the
 * processor's caches; whole windows, so that memory comes and goes as it does in the gateway. The reference is the
 * minimum work for these frames: copying every byte twice, the second time into new memory.
 */

import { FAKE_AUDIO, FAKE_VIDEO, FakeCamera } from '../../src/cmaf/fake-camera.ts';
import { systemClock } from '../../src/core/clock.ts';
import { Packager } from '../../src/stream/packaging/packager.ts';
import { type BenchOptions, type BenchResult, median, printTable } from '../report.ts';

const CAMERAS = 20;
const FRAME_RATE_HZ = 25;
const GOP_FRAMES = 50;
const KEY_FRAME_BYTES = 150_000;
const DELTA_FRAME_BYTES = 17_350;
const AUDIO_FRAME_BYTES = 170;
const VIDEO_FRAME_TICKS = 3_600;
const AUDIO_FRAME_TICKS = 1_024;
const AUDIO_TICKS_PER_VIDEO_FRAME = 48_000 / FRAME_RATE_HZ;
const ROUNDS = 5;
/** Longer than segments are kept: rounds measure the steady state. */
const WARM_UP_SEC = 40;

interface Camera {
  readonly packager: Packager;
  frame: number;
  audioTicks: number;
}

const fake = new FakeCamera();
const keyFrame = Buffer.alloc(KEY_FRAME_BYTES, 0x65);
const deltaFrame = Buffer.alloc(DELTA_FRAME_BYTES, 0x41);
const audioFrame = Buffer.alloc(AUDIO_FRAME_BYTES, 0x21);

export async function run(options: BenchOptions): Promise<BenchResult> {
  const seconds = options.isShort ? 2 : 10;
  const cameras = Array.from({ length: CAMERAS }, openCamera);
  deliver(cameras, WARM_UP_SEC);
  const cpuMs: number[] = [];
  const partsBefore = countParts(cameras);
  for (let round = 0; round < ROUNDS; round++) cpuMs.push(measure(() => deliver(cameras, seconds)));
  const frames = CAMERAS * FRAME_RATE_HZ * seconds;
  const parts = (countParts(cameras) - partsBefore) / ROUNDS;
  const copyMs = measure(() => copyTwice(frames));
  const packagingMs = median(cpuMs);
  const perSecond = packagingMs / seconds;
  return {
    name: 'packager',
    rows: [
      { case: 'packager', 'µs/frame': (packagingMs * 1e3) / frames, 'µs/part': (packagingMs * 1e3) / parts },
      { case: 'copy twice', 'µs/frame': (copyMs * 1e3) / frames, 'µs/part': (copyMs * 1e3) / parts },
    ],
    figures: {
      percentOfCoreFor100Cameras: (perSecond / 10) * (100 / CAMERAS),
      overCopyTwice: packagingMs / copyMs,
    },
  };
}

function openCamera(): Camera {
  const packager = new Packager({
    clock: systemClock,
    content: 'video-and-audio',
    numbering: { nextMediaSequenceNumber: 0, nextDiscontinuitySequence: 0, initFingerprint: null },
    isContinuation: false,
    onNumbering: () => undefined,
    onPlayable: () => undefined,
  });
  packager.setTracks([FAKE_VIDEO, FAKE_AUDIO]);
  return { packager, frame: 0, audioTicks: 0 };
}

/** Camera by camera within each frame interval, as their frames arrive. */
function deliver(cameras: readonly Camera[], seconds: number): void {
  for (let i = 0; i < seconds * FRAME_RATE_HZ; i++) for (const camera of cameras) deliverFrame(camera);
}

function deliverFrame(camera: Camera): void {
  const { packager } = camera;
  const audioUntilTicks = camera.frame * AUDIO_TICKS_PER_VIDEO_FRAME;
  for (; camera.audioTicks <= audioUntilTicks; camera.audioTicks += AUDIO_FRAME_TICKS) {
    packager.push(fake.audio(camera.audioTicks, { data: audioFrame }));
  }
  const isKey = camera.frame % GOP_FRAMES === 0;
  const dtsTicks = camera.frame * VIDEO_FRAME_TICKS;
  packager.push(fake.picture({ dtsTicks, isKey, data: isKey ? keyFrame : deltaFrame }));
  camera.frame++;
}

/** Every byte once into a reused buffer and once into a new one, as parts of eight frames. */
function copyTwice(frames: number): void {
  const scratch = Buffer.alloc(KEY_FRAME_BYTES * 8);
  const kept: Buffer[] = [];
  let position = 0;
  for (let frame = 0; frame < frames; frame++) {
    const data = frame % GOP_FRAMES === 0 ? keyFrame : deltaFrame;
    scratch.set(data, position);
    position += data.length;
    if (frame % 8 !== 7) continue;
    const part = Buffer.allocUnsafeSlow(position);
    part.set(scratch.subarray(0, position));
    kept[(frame >> 3) % 4_096] = part;
    position = 0;
  }
}

function countParts(cameras: readonly Camera[]): number {
  return cameras.reduce((sum, { packager }) => sum + packager.stats().parts, 0);
}

/** CPU time of this process, all threads, in milliseconds. */
function measure(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1_000;
}

if (import.meta.main) printTable(await run({ isShort: process.argv.includes('--short') }));
