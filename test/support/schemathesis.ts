/** Schemathesis against a running gateway: requests made from the OpenAPI document, answers judged by it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { API_KEY, TestGateway } from './gateway.ts';

const FOLDER = resolve(import.meta.dirname, '../schemathesis');
/** Where scripts/setup.mjs installs it. */
const PROGRAM = resolve(import.meta.dirname, '../../.cache/schemathesis/bin/schemathesis');
const PARTNER_KEY = 'partner-key-0123456789abcdefghijklmnopqrstuvwxyz';
/** Nobody who runs it is to be slowed down, and it guesses keys all the time. */
const LIFTED_LIMITS = { rateLimit: 1_000_000, authenticationAttempts: 1_000_000 };
/** `Test cases:` and below it `  194 generated, 1 found 1 unique failure, 5 skipped`. */
const CASES = /^Test cases:\n\s+([\d,]+) generated/m;

export interface SchemathesisOptions {
  /** As its `--phases` takes them: examples, coverage, fuzzing. */
  readonly phases: readonly string[];
  /** Cases of each operation in the fuzzing phase. */
  readonly casesPerOperation: number;
  readonly seed: number;
  /** Operations that are tried at the same time. */
  readonly workers: number;
  /** Gets its output as it is written. */
  readonly onOutput?: (text: string) => void;
}

export interface SchemathesisOutcome {
  readonly cases: number;
  /** Whether every answer was as the document says. */
  readonly isClean: boolean;
  /** Its findings, as it writes them. */
  readonly output: string;
}

/** A gateway that lets one address fail as often as it likes. */
export function startFuzzedGateway(): Promise<TestGateway> {
  const cameras = [{ name: 'Dock', rtsp: 'rtsp://127.0.0.1:9/' }];
  return TestGateway.start({
    demo: false,
    cameras,
    api: LIFTED_LIMITS,
    bootstrap: { apiKey: API_KEY, partnerApiKey: PARTNER_KEY },
    log: { level: 'info', format: 'json' },
  });
}

/** Fails when Schemathesis cannot run, or tells no number of cases. */
export async function runSchemathesis(
  gateway: TestGateway,
  { phases, casesPerOperation, seed, workers, onOutput = () => undefined }: SchemathesisOptions,
): Promise<SchemathesisOutcome> {
  const args = ['run', `${gateway.apiUrl}/api/openapi/public.json`, '--no-color'];
  args.push('--phases', phases.join(','), '-n', String(casesPerOperation), '--seed', String(seed));
  args.push('--workers', String(workers));
  const env = { ...process.env, SLUICE_API_KEY: API_KEY, SLUICE_PARTNER_KEY: PARTNER_KEY };
  const child = spawn(PROGRAM, args, { cwd: FOLDER, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const hear = (chunk: Buffer) => {
    output += chunk;
    onOutput(String(chunk));
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const [code] = (await once(child, 'close')) as [number | null];
  const count = CASES.exec(output)?.[1];
  if (count === undefined) throw new Error(`Schemathesis ran no case:\n${output}`);
  return { cases: Number(count.replaceAll(',', '')), isClean: code === 0, output };
}
