/** What a process of tier-rounds.ts is to do, and what it reports, line by line. */

export interface TierTask {
  readonly folder: string;
  readonly endpoint: string;
  readonly localMs: number;
  readonly cameras: readonly string[];
  /** Names by what earlier processes acknowledged last. */
  readonly sealed: readonly string[];
  readonly deleting: readonly string[];
  readonly deleted: readonly string[];
  /** S3 cannot be reached. */
  readonly isAway: boolean;
  /** True: it ends when everything has moved. */
  readonly isLast: boolean;
}

export type TierLine =
  | { readonly what: 'started'; readonly checked: number; readonly faults: readonly string[] }
  | { readonly what: 'sealed' | 'deleting' | 'deleted'; readonly name: string };

export const BUCKET = 'tiers';
