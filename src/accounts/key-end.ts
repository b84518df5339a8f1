/** When API keys end. */

import type { ApiKey } from '../store/entities.ts';

/** First millisecond at which the key no longer works. */
export function keyEndMs({ expiresAtMs }: Pick<ApiKey, 'expiresAtMs'>): number {
  return expiresAtMs ?? Number.POSITIVE_INFINITY;
}

/** Whether the key works: neither revoked nor expired. */
export function isKeyWorking(key: Pick<ApiKey, 'revokedAtMs' | 'expiresAtMs'>, nowEpochMs: number): boolean {
  return key.revokedAtMs === null && nowEpochMs < keyEndMs(key);
}
