/**
 * `delays`: what viewers wait for. How soon a view ends after its share was revoked, hidden, or expired, or its viewer was
 * ended; how soon there is a first picture; how far pictures in real time are behind the camera; how soon another node has
 * parts of a camera whose node was killed, and learns of a revocation; how long viewers' video is frozen while all nodes
 * restart; and how much of it a page in Chromium shows. Each delay is compared with a reference that the same run measures
 * on the same machine, next to it: how long an undisturbed viewer waits for a part, how long ffmpeg needs to read the
 * camera without a gateway, how long a page needs that shows no video, how much viewers feel of the restart of an unrelated
 * gateway.
 */

import type { BenchOptions, BenchResult, Row } from '../report.ts';
import { measureAccess } from './delays/access.ts';
import { measureFailOver } from './delays/fail-over.ts';
import { measureFirstPicture } from './delays/first-picture.ts';
import { measureRollingRestart } from './delays/rolling-restart.ts';

/** Results of one part of the benchmark. */
export interface MeasuredDelays {
  readonly rows: readonly Row[];
  readonly figures: Readonly<Record<string, number>>;
}

/** Checked with the types of browsers, by test/web/tsconfig.json. */
const IN_BROWSERS: string = './delays/pages.ts';

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const rounds = isShort ? 3 : 15;
  const pages = (await import(IN_BROWSERS)) as {
    measurePages(rounds: number): Promise<MeasuredDelays>;
  };
  const parts = [
    await measureAccess(rounds),
    await measureFirstPicture(rounds),
    await measureFailOver(isShort ? 2 : 6),
    await measureRollingRestart(isShort ? 30 : 199),
    await pages.measurePages(rounds),
  ];
  return {
    name: 'delays',
    rows: parts.flatMap(({ rows }) => rows),
    figures: Object.assign({}, ...parts.map(({ figures }) => figures)) as Record<string, number>,
  };
}
