/**
 * `npm test`, the gate: installs its tools and runs the checks that every change must pass: types, lint, generated
 * documents, unit tests, the contract suites over both databases, the simulation, lint of the OpenAPI document, and one
 * thread through each promise of the product. Ends after the first group of steps in which one fails. CONTRIBUTING.md
 * describes which test goes where; `npm run long` runs everything else.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installLinters, installS3Server } from './api-tools.mjs';
import { expensiveTests, expensiveText, readReports } from './expensive-tests.mjs';
import {
  ensureDebianPackages,
  ensureJail,
  ensureNodeModules,
  nodeBinary,
  ROOT,
  toolEnvironment,
} from './setup.mjs';

await ensureNodeModules('test');
ensureDebianPackages('test');
ensureJail();

// Installed while the first steps run, and awaited before the step that needs them.
const linters = failureOf(installLinters());
const s3Server = failureOf(installS3Server());
const node = nodeBinary();
/** By the Node.js that runs Sluice: the tests start gateways with the Node.js that runs them. */
const vitest = (...projects) => [
  node,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    // A test marked `.only` would hide all others of its file.
    '--allowOnly=false',
    '--reporter=default',
    '--reporter=./scripts/failed-tests.mjs',
    '--reporter=./scripts/test-report.mjs',
    ...projects.flatMap((project) => ['--project', project]),
  ],
];
/** Steps of one group run side by side. */
const groups = [
  [
    ['types', 'tsc', ['--noEmit']],
    ['lint and format', 'biome', ['check', '.']],
    ['types of the viewer page', 'tsc', ['--noEmit', '-p', 'web']],
    ['types of the console', 'tsc', ['--noEmit', '-p', 'web/console']],
    ["types of the viewer page's tests", 'tsc', ['--noEmit', '-p', 'test/web']],
    ['generated documents', node, ['scripts/generate-docs.ts', '--check']],
  ],
  [['unit tests', ...vitest('unit', 'unit-web')]],
  [
    ['contracts', ...vitest('contracts'), s3Server],
    ['simulation', ...vitest('simulation')],
    ['OpenAPI document', node, ['scripts/lint-openapi.ts'], linters],
  ],
  [['one thread through each promise', ...vitest('gate')]],
];

const seconds = (sinceMs) => `${((performance.now() - sinceMs) / 1_000).toFixed(0).padStart(4)} s`;
const startedMs = performance.now();
const summary = [];
const failed = [];
const outputFolder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
/** Written by scripts/failed-tests.mjs and scripts/test-report.mjs. */
const failedTestsFile = join(outputFolder, 'failed');
const reportFolder = join(outputFolder, 'reports');

/** The error of an installation; undefined if it succeeded. */
function failureOf(installation) {
  return installation.then(
    () => undefined,
    (error) => error,
  );
}

async function runStep([title, command, args, needs], isAlone) {
  if (isAlone) process.stdout.write(`\n── ${title}\n`);
  const stepMs = performance.now();
  const missing = await needs;
  const { isPassed, output } =
    missing === undefined ? await run(command, args, isAlone) : { isPassed: false, output: missing.message };
  process.stdout.write(isAlone ? output : `\n── ${title}\n${output}`);
  summary.push(`${isPassed ? 'passed' : 'FAILED'} ${seconds(stepMs)}  ${title}`);
  if (!isPassed) failed.push(title);
}

/** Side by side, what each prints is held back until it ends. */
async function run(command, args, isAlone) {
  const stdio = isAlone ? 'inherit' : ['ignore', 'pipe', 'pipe'];
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...toolEnvironment(), FAILED_TESTS_FILE: failedTestsFile, TEST_REPORT_FOLDER: reportFolder },
    stdio,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (output += text));
  const [status] = await once(child, 'close');
  return { isPassed: status === 0, output };
}

for (const group of groups) {
  if (failed.length > 0) for (const [title] of group) summary.push(`not run         ${title}`);
  else await Promise.all(group.map((step) => runStep(step, group.length === 1)));
}
if (existsSync(reportFolder))
  process.stdout.write(`\n${expensiveText(expensiveTests(readReports([reportFolder])))}`);
process.stdout.write(`\n${summary.join('\n')}\n`);
const outcome = failed.length === 0 ? 'All steps passed' : `Failed: ${failed.join(', ')}`;
process.stdout.write(`\n${outcome} after ${seconds(startedMs).trim()}\n`);
if (existsSync(failedTestsFile)) process.stdout.write(readFileSync(failedTestsFile));
process.exit(failed.length === 0 ? 0 : 1);
