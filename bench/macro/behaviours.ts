/**
 * `behaviours`: many cameras, each with a behaviour of its own, at one running gateway, in batches side by side. Every case
 * declares what its viewers must get. Beside each batch plays a camera that nothing happens to.
 */

import { TestGateway } from '../../test/support/gateway.ts';
import type { BenchOptions, BenchResult, Row } from '../report.ts';
import { runBatch, type Stage, type Verdict } from './behaviours/batch.ts';
import { type Behaviour, plays } from './behaviours/behaviour.ts';
import { camera } from './behaviours/cameras.ts';
import { cases as login } from './behaviours/cases/login.ts';
import { cases as well } from './behaviours/cases/well.ts';

const GROUPS: readonly (readonly Behaviour[])[] = [well, login];

const SHORT_EVERY = 8;
/** Processors are what limits them: those with a worker take one for some seconds. */
const BATCH_CASES = 14;
const BATCH_WORKERS = 6;

const CONFIG = {
  hls: { segmentTarget: '1s', partTarget: '200ms', window: '16s', idleStop: '2s' },
  sources: { connectTimeout: '4s', silenceTimeout: '3s', backoffMin: '200ms', backoffMax: '2s' },
  ffmpeg: { maxWorkers: 24 },
  api: { rateLimit: 1_000_000 },
  log: { level: 'info', format: 'json' },
};
const WARN = 40;

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const behaviours = GROUPS.flat().filter((_, index) => !isShort || index % SHORT_EVERY === 0);
  const steadyCase = plays({ group: 'steady', name: 'undisturbed', reading: 'tcp', start: camera() });
  const steadyCamera = await steadyCase.start();
  const gateway = await TestGateway.start({
    ...CONFIG,
    cameras: [{ name: 'Steady', rtsp: steadyCamera.url }],
  });
  const stage: Stage = { gateway, config: CONFIG, steadyUrl: steadyCamera.url };
  const verdicts: Verdict[] = [];
  const steady: Verdict[] = [];
  try {
    const batches = batchesOf(behaviours);
    for (const [index, batch] of batches.entries()) {
      const result = await runBatch(stage, batch, steadyCase);
      verdicts.push(...result.verdicts);
      steady.push(result.steady);
      tell(`batch ${index + 1} of ${batches.length}`, [...result.verdicts, result.steady]);
    }
    const failures = gateway.child.lines.filter(isFailure);
    for (const line of failures) process.stdout.write(`    log: ${line.slice(0, 400)}\n`);
    return report(verdicts, steady, failures.length);
  } finally {
    await gateway.dispose();
    await steadyCamera.close();
  }
}

/** Cases in their order, those with a worker spread over the batches. */
function batchesOf(behaviours: readonly Behaviour[]): Behaviour[][] {
  const batches: Behaviour[][] = [];
  for (const behaviour of behaviours) {
    const fitting = batches.find(
      (batch) =>
        batch.length < BATCH_CASES &&
        (!behaviour.takesWorker || batch.filter(({ takesWorker }) => takesWorker).length < BATCH_WORKERS),
    );
    if (fitting === undefined) batches.push([behaviour]);
    else fitting.push(behaviour);
  }
  return batches;
}

function tell(title: string, verdicts: readonly Verdict[]): void {
  const bad = verdicts.filter(({ deviations }) => deviations.length > 0);
  process.stdout.write(`    ${title}: ${verdicts.length - bad.length} of ${verdicts.length} as expected\n`);
  for (const { behaviour, deviations } of bad) {
    const { group, name, reading } = behaviour;
    process.stdout.write(`      ${group}: ${name} (${reading}): ${deviations.join('; ')}\n`);
  }
}

/** A line that says something failed inside the gateway, and not that a camera did. */
function isFailure(line: string): boolean {
  if (/^\s+at |Unhandled|DeprecationWarning/.test(line)) return true;
  const level = /"level":(\d+)/.exec(line)?.[1];
  return level !== undefined && Number(level) > WARN;
}

function report(verdicts: readonly Verdict[], steady: readonly Verdict[], failures: number): BenchResult {
  const rows: Row[] = [];
  for (const group of new Set(verdicts.map(({ behaviour }) => behaviour.group))) {
    const of = verdicts.filter(({ behaviour }) => behaviour.group === group);
    rows.push({ case: group, cases: of.length, 'as expected': of.filter(isExpected).length });
  }
  rows.push({ case: 'undisturbed', cases: steady.length, 'as expected': steady.filter(isExpected).length });
  for (const { behaviour, deviations } of [...verdicts, ...steady].filter(
    (verdict) => !isExpected(verdict),
  )) {
    const { group, name, reading } = behaviour;
    rows.push({ case: `${group}: ${name} (${reading})`, deviation: deviations.join('; ') });
  }
  return {
    name: 'behaviours',
    rows,
    figures: {
      cases: verdicts.length,
      asExpected: verdicts.filter(isExpected).length,
      unexpected: verdicts.filter((verdict) => !isExpected(verdict)).length,
      undisturbedBroken: steady.filter((verdict) => !isExpected(verdict)).length,
      failuresLogged: failures,
    },
  };
}

function isExpected({ deviations }: Verdict): boolean {
  return deviations.length === 0;
}
