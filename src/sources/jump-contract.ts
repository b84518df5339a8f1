/**
 * What must happen when a camera's clock jumps, whatever the source's engine: media time continues as real time passed,
 * in video and audio. The adapters' test runs it, like src/sources/source-contract.ts.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CredentialUrl } from '../core/secret.ts';
import type { Source, SourceInstance } from '../stream/source/source.ts';
import { SourceSink } from '../stream/source/source-sink.ts';
import type { CameraFaults } from '../synthetic-camera/faults.ts';
import type { SyntheticCamera } from '../synthetic-camera/synthetic-camera.ts';
import { eventually, Recording, realTimeDriftSec, type SeenUnit, seconds } from './source-contract.ts';

export interface JumpContractSubject {
  source(url: CredentialUrl): Source;
  /** A camera with audio and a key frame every second. */
  startCamera(options: { readonly faults: CameraFaults }): Promise<SyntheticCamera>;
  /** Faults after which this adapter may end instead of continuing; soon, and with FFMPEG_CLOCK_LOST. */
  readonly mayEndAfter?: readonly string[];
  /** Faults that this adapter is not tested with. */
  readonly omit?: readonly string[];
}

const AT_MS = 2_000;
const AFTER_SEC = 3;
/** Video and audio frames may be dropped around the jump, up to the next key frame. */
const MAX_STEP_SEC = 1.2;
/** Difference between media time and real time, and between audio and video. */
const MAX_DRIFT_SEC = 0.5;
const MAX_END_SEC = 4;

const jump = (byMs: number, track?: 'video' | 'audio'): CameraFaults => ({
  timestampJump: { afterMs: AT_MS, byMs, ...(track === undefined ? {} : { track }) },
});

export const JUMPS: Readonly<Record<string, CameraFaults>> = {
  'a minute back': jump(-60_000),
  'half a minute ahead': jump(30_000),
  'an hour ahead': jump(3_600_000),
  'an hour ahead, of the video only': jump(3_600_000, 'video'),
  'a minute back, of the audio only': jump(-60_000, 'audio'),
  'a restart of the encoder': { encoderRestartAfterMs: AT_MS },
};

interface Run {
  readonly camera: SyntheticCamera;
  readonly recording: Recording;
  readonly instance: SourceInstance;
}

/** Runs all subjects and all jumps concurrently, because most of the time is waiting. */
export function describeJumpContract(subjects: Readonly<Record<string, JumpContractSubject>>): void {
  const runs = new Map<string, Map<string, Run>>();

  describe("jumps of the camera's clock", () => {
    beforeAll(async () => {
      for (const [name, subject] of Object.entries(subjects)) runs.set(name, await startRuns(subject));
      const recordings = [...runs.values()].flatMap((ofSubject) =>
        Array.from(ofSubject.values(), ({ recording }) => recording),
      );
      await Promise.all(recordings.map((recording) => eventually(() => isOver(recording))));
    });
    afterAll(async () => {
      for (const ofSubject of runs.values()) {
        for (const { camera, instance } of ofSubject.values()) {
          await instance.close();
          await camera.close();
        }
      }
    });

    describe.each(Object.entries(subjects))('%s', (name, subject) => {
      it.each(casesOf(subject).map(([title]) => title))('%s', (title) => {
        const { recording } = runs.get(name)!.get(title)!;
        if (recording.errors.length > 0 && subject.mayEndAfter?.includes(title)) {
          expect(recording.errors[0]!.code).toBe('FFMPEG_CLOCK_LOST');
          expect(passedSec(recording.of('video'))).toBeLessThan(AT_MS / 1_000 + MAX_END_SEC);
          return;
        }
        expect(recording.errors).toEqual([]);
        for (const kind of ['video', 'audio'] as const) expectRealTime(kind, recording.of(kind));
        const [video, audio] = [recording.of('video').at(-1)!, recording.of('audio').at(-1)!];
        const arrivalSec = (video.arrivalMonoMs - audio.arrivalMonoMs) / 1_000;
        expect(Math.abs(seconds(video) - seconds(audio) - arrivalSec)).toBeLessThan(MAX_DRIFT_SEC);
      });
    });
  });
}

function casesOf(subject: JumpContractSubject): [title: string, faults: CameraFaults][] {
  return Object.entries(JUMPS).filter(([title]) => !subject.omit?.includes(title));
}

/** By case. */
async function startRuns(subject: JumpContractSubject): Promise<Map<string, Run>> {
  const runs = new Map<string, Run>();
  for (const [title, faults] of casesOf(subject)) {
    const camera = await subject.startCamera({ faults });
    const recording = new Recording();
    const instance = subject.source(new CredentialUrl(camera.url)).open(new SourceSink(recording));
    runs.set(title, { camera, recording, instance });
  }
  return runs;
}

/** Throws until the instance has ended, or continued for long enough. */
function isOver(recording: Recording): void {
  if (recording.errors.length === 0)
    expect(passedSec(recording.of('video'))).toBeGreaterThan(AT_MS / 1_000 + AFTER_SEC);
}

function passedSec(units: readonly SeenUnit[]): number {
  return units.length === 0 ? 0 : (units.at(-1)!.arrivalMonoMs - units[0]!.arrivalMonoMs) / 1_000;
}

/** No step is long or backward, and the total equals the real time. */
function expectRealTime(kind: string, units: readonly SeenUnit[]): void {
  for (const [index, unit] of units.entries()) {
    const before = units[index - 1];
    const stepSec = before === undefined ? 0.01 : seconds(unit) - seconds(before);
    // Real time also passes while a machine is frozen around the jump.
    const waitedSec = before === undefined ? 0 : (unit.arrivalMonoMs - before.arrivalMonoMs) / 1_000;
    expect(stepSec, `${kind} ${index}, after ${waitedSec} s`).toBeGreaterThan(0);
    expect(stepSec, `${kind} ${index}, after ${waitedSec} s`).toBeLessThan(
      Math.max(MAX_STEP_SEC, waitedSec + 0.2),
    );
  }
  expect(Math.abs(realTimeDriftSec(units)), kind).toBeLessThan(MAX_DRIFT_SEC);
}
