/**
 * `npm test`: installs what is missing and runs everything: formatting and lint, types, stale documents, unit
 * tests, lint of the OpenAPI document, end-to-end tests with real peers, and the short front-door benchmark with its
 * budget. Ends at the first group of steps in which one fails. `npm run unit` is the quick loop beside it, `npm run long` the long one.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installAcmeServer, installApiTools, installNewerFfmpeg, installS3Server } from './api-tools.mjs';
import { expensiveTests, expensiveText, readReports } from './expensive-tests.mjs';
import {
  ensureDebianPackages,
  ensureJail,
  ensureNodeModules,
  nodeBinary,
  ROOT,
  toolEnvironment,
} from './setup.mjs';

ensureNodeModules();
ensureDebianPackages('test');
ensureJail();

// Installed while the first steps run, and awaited before the step that needs them.
const apiTools = installApiTools().catch((error) => error);
const servers = Promise.all([installS3Server(), installAcmeServer()]).then(
  () => undefined,
  (error) => error,
);
const newerFfmpeg = installNewerFfmpeg().then(
  () => undefined,
  (error) => error,
);
const node = nodeBinary();
/** By the Node.js that runs Sluice: the tests start gateways with the one that runs them. */
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
  [['unit tests', ...vitest('unit'), servers]],
  [['store, reports and the API over PostgreSQL', ...vitest('postgres')]],
  [['OpenAPI document', node, ['scripts/lint-openapi.ts'], apiTools]],
  [['end-to-end tests', ...vitest('e2e', 'steady', 'alone'), newerFfmpeg]],
  [['front-door budget', node, ['bench/run.ts', 'front-door', '--short', '--check']]],
];

const seconds = (sinceMs) => `${((performance.now() - sinceMs) / 1_000).toFixed(0).padStart(4)} s`;
const startedMs = performance.now();
const summary = [];
const failed = [];
const outputFolder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
/** Written by scripts/failed-tests.mjs and scripts/test-report.mjs. */
const failedTestsFile = join(outputFolder, 'failed');
const reportFolder = join(outputFolder, 'reports');

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
