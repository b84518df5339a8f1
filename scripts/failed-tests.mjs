/**
 * A reporter of Vitest beside the default one: writes what failed to the file that `FAILED_TESTS_FILE` names, a line
 * each. `npm test` ends with these lines, because of a long output people often see the end alone.
 */

import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/** In characters: one line of a terminal or of a report. */
const MAX_LINE = 240;

export default class FailedTests {
  onTestRunEnd(modules, unhandled) {
    const file = process.env.FAILED_TESTS_FILE;
    if (file === undefined) return;
    const lines = modules.flatMap(failuresOf);
    for (const error of unhandled) lines.push(line('outside a test', '', [error]));
    writeFileSync(file, lines.map((text) => `${text}\n`).join(''));
  }
}

function failuresOf(module) {
  const path = relative(process.cwd(), module.moduleId);
  const failed = [...module.children.allTests('failed')].map((test) =>
    line(path, test.fullName, test.result().errors ?? []),
  );
  const groups = [module, ...module.children.allSuites()].filter((group) => group.errors().length > 0);
  return [...groups.map((group) => line(path, group.fullName ?? '', group.errors())), ...failed];
}

function line(path, name, errors) {
  const reasons = errors.map(({ name: kind, message, stacks }) => {
    const [frame] = stacks ?? [];
    const place = frame === undefined ? '' : ` (${relative(process.cwd(), frame.file)}:${frame.line})`;
    return `${kind}: ${String(message).split('\n')[0]}${place}`;
  });
  return `${path}${name === '' ? '' : ` > ${name}`}: ${reasons.join('; ')}`.slice(0, MAX_LINE);
}
