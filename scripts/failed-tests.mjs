/**
 * A Vitest reporter that runs next to the default one. It appends each failure as one line to the file that
 * `FAILED_TESTS_FILE` names, and `npm test` ends with these lines, because people often see only the end of a long output.
 *
 * A test that passed only when Vitest repeated it counts as a failure and fails the run: no retry turns red into green.
 */

import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';

/** In characters: one line of a terminal or of a report. */
const MAX_LINE = 240;

export default class FailedTests {
  onTestRunEnd(modules, unhandled) {
    const failures = failuresOf(modules, unhandled);
    if (failures.some(({ kind }) => kind === 'retried')) process.exitCode = 1;
    const file = process.env.FAILED_TESTS_FILE;
    if (file === undefined) return;
    // Appended: one run of `npm test` starts Vitest several times.
    appendFileSync(file, failures.map((failure) => `${lineOf(failure)}\n`).join(''));
  }
}

/**
 * Failures of a run, as `{ kind, file, project, name, reason }`: a `test`, a `group` (a hook or an import), a test that was
 * `retried` or is `unfinished`, or an error `outside` of tests, for which `file` and `name` are empty.
 */
export function failuresOf(modules, unhandled) {
  const failures = modules.flatMap(failuresOfModule);
  for (const error of unhandled)
    failures.push({ kind: 'outside', file: '', project: '', name: '', reason: reasonOf([error]) });
  return failures;
}

/** One line for people. */
export function lineOf({ kind, file, name, reason }) {
  const title = kind === 'outside' ? 'outside of tests' : `${file}${name === '' ? '' : ` > ${name}`}`;
  return `${title}: ${reason}`.slice(0, MAX_LINE);
}

function failuresOfModule(module) {
  const file = relative(process.cwd(), module.moduleId);
  const project = module.project.name;
  const groups = [module, ...module.children.allSuites()].filter((group) => group.errors().length > 0);
  const failures = groups.map((group) => ({
    kind: 'group',
    file,
    project,
    name: group.type === 'module' ? '' : group.fullName,
    reason: reasonOf(group.errors()),
  }));
  for (const test of module.children.allTests()) {
    const failure = failureOf(test);
    if (failure !== null) failures.push({ ...failure, file, project, name: test.fullName });
  }
  return failures;
}

/** Null if the test passed at its first attempt, or was skipped. */
function failureOf(test) {
  const { state, errors } = test.result();
  if (state === 'failed') return { kind: 'test', reason: reasonOf(errors ?? []) };
  // Its process ended, or the run was canceled.
  if (state === 'pending') return { kind: 'unfinished', reason: 'did not finish' };
  if (!test.diagnostic()?.flaky) return null;
  return { kind: 'retried', reason: `passed only when it was repeated; before: ${reasonOf(errors ?? [])}` };
}

function reasonOf(errors) {
  const reasons = errors.map(({ name, message, stacks }) => {
    const [frame] = stacks ?? [];
    const place = frame === undefined ? '' : ` (${relative(process.cwd(), frame.file)}:${frame.line})`;
    return `${name}: ${String(message).split('\n')[0]}${place}`;
  });
  return reasons.join('; ');
}
