/** Bounds on what organizations share. Code takes from them by name; `docs/reference/limits.md` is generated from them. */

import { MEMORY_LIMITS } from './memory-limits.ts';
import { POOL_LIMITS } from './pool-limits.ts';
import { RATE_LIMITS } from './rate-limits.ts';
import { ROW_LIMITS } from './row-limits.ts';
import type { SharedLimit } from './shared-limit.ts';

export const LIMITS = {
  ...RATE_LIMITS,
  ...POOL_LIMITS,
  ...MEMORY_LIMITS,
  ...ROW_LIMITS,
} as const satisfies Readonly<Record<string, SharedLimit>>;

export type LimitName = keyof typeof LIMITS;
