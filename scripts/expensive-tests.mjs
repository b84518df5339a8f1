/**
 * `node scripts/expensive-tests.mjs PATH…`: the twenty most expensive test files and tests of the runs whose reports are in
 * these folders (or files). `scripts/test-report.mjs` writes the reports: a run of your own is
 * `TEST_REPORT_FOLDER=/tmp/report npx vitest run --reporter=default --reporter=./scripts/test-report.mjs src/rtp`.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COUNT = 20;

/** Reports in these folders and files. Fails if a path does not exist. */
export function readReports(paths) {
  const files = paths.flatMap((path) =>
    statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path],
  );
  return files.sort().map((file) => JSON.parse(readFileSync(file, 'utf8')));
}

/**
 * The most expensive files, as `{ title, ms, importMs, share }`, and tests, as `{ title, ms, share }`, `count` each. `share` is
 * that of all files (0 to 1). A file that ran in several projects has a row for each.
 */
export function expensiveTests(reports, count = COUNT) {
  const ran = reports.flatMap(({ files }) => files);
  const totalMs = ran.reduce((sum, { importMs, testsMs }) => sum + importMs + testsMs, 0);
  const dearest = (rows) =>
    rows
      .toSorted((a, b) => b.ms - a.ms || a.title.localeCompare(b.title))
      .slice(0, count)
      .map((row) => ({ ...row, share: totalMs === 0 ? 0 : row.ms / totalMs }));
  const files = ran.map(({ file, project, importMs, testsMs }) => ({
    title: `${file} (${project})`,
    ms: importMs + testsMs,
    importMs,
  }));
  const tests = ran.flatMap(({ file, tests }) =>
    tests.map(({ name, ms }) => ({ title: `${file} > ${name}`, ms })),
  );
  return { totalMs, files: dearest(files), tests: dearest(tests) };
}

/** Two tables for people; empty if nothing ran. */
export function expensiveText({ totalMs, files, tests }) {
  if (files.length === 0) return '';
  const seconds = (ms) => `${(ms / 1_000).toFixed(1).padStart(7)} s`;
  const percent = (share) => `${(share * 100).toFixed(1).padStart(5)} %`;
  return [
    `Most expensive files (of ${(totalMs / 1_000).toFixed(0)} s; share; time to import)`,
    ...files.map(
      ({ title, ms, importMs, share }) => `${seconds(ms)} ${percent(share)} ${seconds(importMs)}  ${title}`,
    ),
    'Most expensive tests',
    ...tests.map(({ title, ms, share }) => `${seconds(ms)} ${percent(share)}  ${title}`),
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(expensiveText(expensiveTests(readReports(process.argv.slice(2)))));
