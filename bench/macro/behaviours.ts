/**
 * `behaviours`: many cameras, each with its own behavior, on one running gateway, some at a time. Every case declares
 * what its viewers must get. A steady camera, to which nothing happens, plays next to them all the time. BENCH_CASES
 * takes only the cases whose title contains it, or one of several texts between bars.
 */

import type { BenchOptions, BenchResult, Row } from '../report.ts';
import { chosenCases } from '../support/chosen-cases.ts';
import { isFailure } from '../support/logged-failure.ts';
import { type Behaviour, plays } from './behaviours/behaviour.ts';
import { camera } from './behaviours/cameras.ts';
import { Stage, type SteadyVerdict, titleOf, type Verdict } from './behaviours/stage.ts';
import { BEHAVIOURS } from './behaviours/table.ts';

const SHORT_EVERY = 12;
/** Number at a time. Processors are the limit: a worker's start takes one for a second. */
const MAX_CASES = 12;
const MAX_WORKER_CASES = 6;
/** Cases that deviate run once more, with little next to them: on a busy machine, time passes between two fetches. */
const MAX_AGAIN = 3;

const CONFIG = {
  hls: { segmentTarget: '1s', partTarget: '200ms', window: '16s', idleStop: '6s' },
  sources: { connectTimeout: '17s', silenceTimeout: '5s', backoffMin: '200ms', backoffMax: '2s' },
  ffmpeg: { maxWorkers: 24 },
  api: { rateLimit: 1_000_000 },
  log: { level: 'info', format: 'json' },
};
const MAX_QUOTED_CHARS = 400;

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const behaviours = chosenCases(BEHAVIOURS, titleOf, { isShort, shortEvery: SHORT_EVERY });
  await makeClips(behaviours);
  const steadyCase = plays({ group: 'steady', name: 'undisturbed', reading: 'tcp', start: camera() });
  const stage = await Stage.start(CONFIG, steadyCase);
  try {
    const first = await runAll(stage, behaviours, MAX_CASES);
    const doubtful = first.filter((verdict) => !isExpected(verdict)).map(({ behaviour }) => behaviour);
    const again = await runAll(stage, doubtful, MAX_AGAIN);
    const verdicts = first.map(
      (verdict) => again.find(({ behaviour }) => behaviour === verdict.behaviour) ?? verdict,
    );
    const steady = await stage.judgeSteady();
    const failures = stage.gateway.child.lines.filter(isFailure);
    for (const line of failures) process.stdout.write(`    log: ${line.slice(0, MAX_QUOTED_CHARS)}\n`);
    return report(verdicts, steady, { failuresLogged: failures.length, ranTwice: doubtful.length });
  } finally {
    await stage.dispose();
  }
}

/**
 * Each camera is started once beforehand: drawing frames takes the processor for seconds, which no viewer should
 * notice.
 */
async function makeClips(behaviours: readonly Behaviour[]): Promise<void> {
  for (const behaviour of behaviours) {
    const started = await behaviour.start();
    await started.close();
  }
}

/** In order, as many at a time as the machine can handle. */
async function runAll(stage: Stage, behaviours: readonly Behaviour[], width: number): Promise<Verdict[]> {
  const waiting = [...behaviours];
  const verdicts: Verdict[] = [];
  let workers = 0;
  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const next = waiting.findIndex(({ takesWorker }) => !takesWorker || workers < MAX_WORKER_CASES);
      if (next < 0) return;
      const [behaviour] = waiting.splice(next, 1);
      if (behaviour!.takesWorker) workers += 1;
      const verdict = await stage.run(behaviour!);
      if (behaviour!.takesWorker) workers -= 1;
      verdicts.push(verdict);
      if (!isExpected(verdict)) tell(verdict);
    }
  };
  // A worker's case that ends lets the next one in, so one line of work for each of them runs to the end.
  await Promise.all(Array.from({ length: width }, work));
  return verdicts.toSorted(
    (left, right) => behaviours.indexOf(left.behaviour) - behaviours.indexOf(right.behaviour),
  );
}

function tell({ behaviour, deviations }: Verdict): void {
  process.stdout.write(`    ${titleOf(behaviour)}: ${deviations.join('; ')}\n`);
}

function report(
  verdicts: readonly Verdict[],
  steady: SteadyVerdict,
  counts: { readonly failuresLogged: number; readonly ranTwice: number },
): BenchResult {
  const rows: Row[] = [];
  for (const group of new Set(verdicts.map(({ behaviour }) => behaviour.group))) {
    const of = verdicts.filter(({ behaviour }) => behaviour.group === group);
    rows.push({ case: group, cases: of.length, 'as expected': of.filter(isExpected).length });
  }
  const unexpected = verdicts.filter((verdict) => !isExpected(verdict));
  for (const { behaviour, deviations } of unexpected)
    rows.push({ case: titleOf(behaviour), deviation: deviations.join('; ') });
  if (steady.deviations.length > 0)
    rows.push({ case: 'undisturbed camera', deviation: steady.deviations.join('; ') });
  return {
    name: 'behaviours',
    rows,
    figures: {
      cases: verdicts.length,
      asExpected: verdicts.length - unexpected.length,
      unexpected: unexpected.length,
      undisturbedSec: Math.round((steady.watched.endMs - (steady.watched.firstAtMs ?? 0)) / 1_000),
      undisturbedPictures: steady.pictures,
      undisturbedBroken: steady.deviations.length,
      ...counts,
    },
  };
}

function isExpected({ deviations }: Verdict): boolean {
  return deviations.length === 0;
}
