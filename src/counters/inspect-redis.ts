/** Inspects a Redis server for `sluice check`. */

import { Redis } from 'ioredis';
import { GatewayError } from '../core/errors.ts';
import type { CredentialUrl } from '../core/secret.ts';
import { COUNTERS_ERRORS } from './errors.ts';

const TIMEOUT_MS = 5_000;

export interface InspectedRedis {
  readonly version: string;
  /** `maxmemory-policy`: which keys it removes when its memory is full. */
  readonly evictionPolicy: string;
}

/** Runs what nodes of a cluster run: INFO in a script. Changes nothing. Fails COUNTERS_REDIS_UNUSABLE. */
export async function inspectRedis(url: CredentialUrl): Promise<InspectedRedis> {
  const client = new Redis(url.reveal(), {
    lazyConnect: true,
    protocol: 2,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
  });
  let cause: unknown = null;
  client.on('error', (error) => {
    cause = error;
  });
  // A server that accepts connections and says nothing: connecting would never end.
  const deadline = setTimeout(() => client.disconnect(), TIMEOUT_MS);
  try {
    await client.connect();
    const info = String(await client.eval("return redis.call('INFO')", 0));
    return { version: fieldOf(info, 'redis_version'), evictionPolicy: fieldOf(info, 'maxmemory_policy') };
  } catch (thrown) {
    // The error event has the reason; the rejection may only say that the connection is closed. Only the message: errors of
    // Redis carry the command that failed, which may have been AUTH.
    const { message: reason } = (cause ?? thrown) as Error;
    throw new GatewayError(COUNTERS_ERRORS.COUNTERS_REDIS_UNUSABLE, { redis: String(url), reason });
  } finally {
    clearTimeout(deadline);
    client.disconnect();
  }
}

function fieldOf(info: string, name: string): string {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? 'unknown';
}
