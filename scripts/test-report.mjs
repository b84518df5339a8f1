/**
 * A Vitest reporter: writes the results of a run, and how long each part took, as `<process>.json` into the folder that
 * `TEST_REPORT_FOLDER` names. `scripts/expensive-tests.mjs` and `npm run long` read it; `scripts/long/report.ts` has its
 * types.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { failuresOf } from './failed-tests.mjs';

export default class TestReport {
  onTestRunEnd(modules, unhandled) {
    const folder = process.env.TEST_REPORT_FOLDER;
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    const report = { files: modules.map(fileOf), failures: failuresOf(modules, unhandled) };
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(report));
  }
}

function fileOf(module) {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
    module.diagnostic();
  return {
    file: relative(process.cwd(), module.moduleId),
    project: module.project.name,
    importMs: Math.round(environmentSetupDuration + prepareDuration + collectDuration + setupDuration),
    testsMs: Math.round(duration),
    tests: [...module.children.allTests()].map((test) => ({
      name: test.fullName,
      state: test.result().state,
      ms: Math.round(test.diagnostic()?.duration ?? 0),
    })),
  };
}
