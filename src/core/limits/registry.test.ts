import { describe, expect, it } from 'vitest';
import { MEMORY_LIMITS } from './memory-limits.ts';
import { POOL_LIMITS } from './pool-limits.ts';
import { RATE_LIMITS } from './rate-limits.ts';
import { LIMITS } from './registry.ts';
import { ROW_LIMITS } from './row-limits.ts';

describe('the registry of limits', () => {
  it('has each name once, because a second one would replace the first', () => {
    const names = [RATE_LIMITS, POOL_LIMITS, MEMORY_LIMITS, ROW_LIMITS].flatMap((limits) =>
      Object.keys(limits),
    );
    expect(Object.keys(LIMITS)).toHaveLength(names.length);
  });
});
