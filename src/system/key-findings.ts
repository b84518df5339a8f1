/** API keys that are used, and end soon or have just ended. */

import { isKeyWorking } from '../accounts/key-end.ts';
import type { ApiKey, NotedKeyUses } from '../store/entities.ts';
import type { SystemFinding } from './system-state.ts';

const DAY_MS = 86_400_000;
const SOON_MS = 7 * DAY_MS;
/** A key for a few days is not about to end from its first day on. */
const SOON_SHARE = 1 / 5;
/** A key that was not used for longer will hardly be missed. */
const IN_USE_MS = 30 * DAY_MS;
/** For how long a key that ended is worth a finding. */
const ENDED_MS = 7 * DAY_MS;
const MAX_NAMES = 3;

export interface KeyEnds {
  /** Of one organization, revoked ones included. */
  readonly keys: readonly ApiKey[];
  readonly uses: NotedKeyUses;
}

/** Whether the end of a working key is near. */
export function endsSoon({ expiresAtMs, createdAtMs }: ApiKey, nowEpochMs: number): boolean {
  if (expiresAtMs === null || expiresAtMs <= nowEpochMs) return false;
  return expiresAtMs - nowEpochMs < Math.min(SOON_MS, (expiresAtMs - createdAtMs) * SOON_SHARE);
}

export function keyFindings({ keys, uses }: KeyEnds, nowEpochMs: number): SystemFinding[] {
  const usedUntilEnd = keys.filter(({ uuid, revokedAtMs, expiresAtMs }) => {
    const lastUsedMs = uses.lastMs.get(uuid);
    if (revokedAtMs !== null || expiresAtMs === null || lastUsedMs === undefined) return false;
    return lastUsedMs > Math.min(nowEpochMs, expiresAtMs) - IN_USE_MS;
  });
  const ended = usedUntilEnd.filter(
    (key) => !isKeyWorking(key, nowEpochMs) && nowEpochMs - key.expiresAtMs! < ENDED_MS,
  );
  const ending = usedUntilEnd.filter((key) => endsSoon(key, nowEpochMs));
  const findings: SystemFinding[] = [];
  if (ended.length > 0) {
    findings.push({
      code: 'API_KEYS_EXPIRED',
      severity: 'error',
      sentence: `${named(ended)} ended while in use. The gateway refuses what uses ${ended.length === 1 ? 'it' : 'them'}.`,
      whatToDo: 'Move the end on the page Keys, or revoke what is no longer needed.',
    });
  }
  if (ending.length > 0) {
    const first = Math.min(...ending.map(({ expiresAtMs }) => expiresAtMs!));
    findings.push({
      code: 'API_KEYS_EXPIRE_SOON',
      severity: 'warning',
      sentence: `${named(ending)} ${
        ending.length === 1 ? 'is in use and ends soon,' : 'are in use and end soon, the first'
      } on ${new Date(first).toISOString().slice(0, 10)}.`,
      whatToDo: 'Give the programs new keys, or move the end on the page Keys.',
    });
  }
  return findings;
}

function named(keys: readonly ApiKey[]): string {
  const names = keys.slice(0, MAX_NAMES).map(({ name }) => `“${name}”`);
  const more = keys.length - names.length;
  return `${keys.length === 1 ? 'The API key' : 'The API keys'} ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
