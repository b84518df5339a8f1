/** The shards of `npm run long`, and their stored results. */

import type { FileReport } from './report.ts';

/** In the order in which they run. */
export const KINDS = [
  'real',
  'postgres',
  'e2e',
  'fuzz',
  'simulation',
  'schemathesis',
  'alone',
  'bench',
] as const;

export type Kind = (typeof KINDS)[number];

/** A unit of work that takes from seconds to a few minutes and has one result. */
export interface Shard {
  /** Path of its result and argument of `--shard`, for example `e2e/web/live-sign`. */
  readonly name: string;
  readonly kind: Kind;
  readonly work: Work;
  /** In addition to the environment of `npm run long`; undefined removes a variable. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A change reaches the shard if one of these files imports what changed. */
  readonly entries: readonly string[];
  /** It measures, or needs all cores: nothing else runs at the same time. */
  readonly isExclusive: boolean;
  /** Ends what hangs. */
  readonly limitMinutes: number;
}

export type Work =
  | {
      readonly type: 'vitest';
      readonly project: string;
      readonly files: readonly string[];
      /** Arguments of Vitest, in addition to files and project. */
      readonly args: readonly string[];
    }
  /** A program in Node.js. Its exit code is its result. */
  | { readonly type: 'node'; readonly args: readonly string[] };

/** `flake`: something failed once, and passed when it ran again alone. Nothing else failed. */
export type Status = 'passed' | 'failed' | 'flake';

/** A failed test or step, and how it went when it ran again alone. */
export interface Failure {
  /** Empty for failures outside of test files. */
  readonly file: string;
  readonly name: string;
  readonly reason: string;
  readonly alone: 'failed' | 'passed' | 'not run';
  /** The shell command that runs it alone. */
  readonly command: string;
}

export interface ShardResult {
  readonly shard: string;
  readonly kind: Kind;
  /** The commit, and for a dirty work tree a hash of its changes (`tree-key.ts`). */
  readonly tree: string;
  readonly status: Status;
  readonly counts: { readonly passed: number; readonly failed: number; readonly skipped: number };
  readonly failures: readonly Failure[];
  /** That it ran, with reruns, without waiting for its turn. */
  readonly seconds: number;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly node: string;
  /** Variables that change its behavior: seeds and factors. */
  readonly env: Readonly<Record<string, string>>;
  /** The path of its output. */
  readonly log: string;
  /** Files for the list of the most expensive tests. */
  readonly files: readonly FileReport[];
}
