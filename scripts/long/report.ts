/** The report of `scripts/test-report.mjs` about one run of Vitest. */

export interface TestReport {
  readonly files: readonly FileReport[];
  readonly failures: readonly TestFailure[];
}

export interface FileReport {
  /** Path from the root of the repository. */
  readonly file: string;
  readonly project: string;
  readonly importMs: number;
  /** Tests and their hooks. */
  readonly testsMs: number;
  readonly tests: readonly {
    /** With the names of its groups. */
    readonly name: string;
    readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
    readonly ms: number;
  }[];
}

export interface TestFailure {
  /** `group`: a hook or an import. `retried`: passed only when Vitest repeated it. `outside`: an error outside of tests. */
  readonly kind: 'test' | 'group' | 'retried' | 'unfinished' | 'outside';
  /** Empty for `outside`. */
  readonly file: string;
  readonly project: string;
  /** Empty for a file as a whole. */
  readonly name: string;
  readonly reason: string;
}
