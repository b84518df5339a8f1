import type { TestReport } from './long/report.ts';

export interface ExpensiveRow {
  readonly title: string;
  readonly ms: number;
  /** Share of all files, 0 to 1. */
  readonly share: number;
}

export interface ExpensiveTests {
  readonly totalMs: number;
  readonly files: readonly (ExpensiveRow & { readonly importMs: number })[];
  readonly tests: readonly ExpensiveRow[];
}

/** Reports in these folders and files. Fails if a path does not exist. */
export function readReports(paths: readonly string[]): TestReport[];
/** The most expensive files and tests, `count` each (20). */
export function expensiveTests(reports: readonly Pick<TestReport, 'files'>[], count?: number): ExpensiveTests;
/** Two tables for people; empty if nothing ran. */
export function expensiveText(tests: ExpensiveTests): string;
