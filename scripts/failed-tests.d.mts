import type { TestFailure } from './long/report.ts';

/** Modules and errors as Vitest gives them to reporters. */
export function failuresOf(
  modules: readonly import('vitest/node').TestModule[],
  unhandled: readonly import('vitest').SerializedError[],
): TestFailure[];
/** One line for people. */
export function lineOf(failure: TestFailure): string;
