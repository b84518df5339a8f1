/** A recording on a disk of its own, of which movies are made. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '../recording/recording-fixture.ts';
import type { MovieSource } from './movie-protocol.ts';
import { keptRecording, type TestRecording } from './range-mp4-fixture.ts';

export const START_MS = 1_700_000_000_000;
export const NAME = 'recording.mp4';

export const never = new AbortController().signal;
export const ignore = (): void => undefined;

export interface RecordedMovieSource {
  readonly recording: TestRecording;
  readonly folder: string;
  /** Two seconds. */
  readonly source: MovieSource;
}

export async function recordedMovieSource(): Promise<RecordedMovieSource> {
  const recording = await keptRecording(NAME, START_MS);
  const folder = testFolder();
  writeFileSync(join(folder, NAME), recording.bytes);
  const wanted = { fromMs: START_MS + 480, toMs: START_MS + 2_480, hasAudio: true };
  return { recording, folder, source: { files: [recording.found], wanted } };
}

export function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'resolved',
    ({ code }: { code: string }) => code,
  );
}
