/**
 * The keys in Redis, and the scripts that change them. All keys carry the hash tag `{counts}`: in a cluster they share one slot,
 * so that a share moves between devices in one atomic step.
 *
 * - `sluice:{counts}:shares`            hash: share → the devices that it counts toward, separated by a space
 * - `sluice:{counts}:device:<device>`   sorted set: share by the epoch second of its expiration, +inf for none
 * - `sluice:{counts}:viewers:<share>`   sorted set: viewer by the epoch millisecond it was last seen; expires on its own
 *
 * Expired shares stop counting because only scores above now are counted. Now is the gateway's clock, which also decides
 * when shares are refused. Nodes that share a Redis synchronize their clocks with NTP.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { CountedShare } from './counters.ts';

const PREFIX = 'sluice:{counts}:';
const DEVICE_PREFIX = `${PREFIX}device:`;

export const SHARES_KEY = `${PREFIX}shares`;

export function deviceKey(deviceUuid: Ruuid): string {
  return `${DEVICE_PREFIX}${deviceUuid}`;
}

export function viewersKey(shareUuid: Ruuid): string {
  return `${PREFIX}viewers:${shareUuid}`;
}

/**
 * Brings shares to a given state, regardless of their earlier state. KEYS: the shares' hash. ARGV: the prefix of device
 * keys, then for each share its uuid, its expiration and its devices; no devices: the share is removed.
 */
export const SYNC_SHARES_SCRIPT = `
local prefix = ARGV[1]
for i = 2, #ARGV, 3 do
  local share, expiry, devices = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local before = redis.call('HGET', KEYS[1], share)
  if before then
    for device in string.gmatch(before, '%S+') do
      redis.call('ZREM', prefix .. device, share)
    end
  end
  if devices == '' then
    redis.call('HDEL', KEYS[1], share)
  else
    for device in string.gmatch(devices, '%S+') do
      redis.call('ZADD', prefix .. device, expiry, share)
    end
    redis.call('HSET', KEYS[1], share, devices)
  end
end
return true
`;

/** The first argument of the script, before those of the shares. */
export const SYNC_SHARES_PREFIX = DEVICE_PREFIX;

/** Appends one share to the script's arguments; `share` undefined: remove it. */
export function appendSyncArguments(args: string[], uuid: string, share: CountedShare | undefined): void {
  if (share === undefined) {
    args.push(uuid, '0', '');
    return;
  }
  const devices = share.nvrUuid === null ? share.cameraUuid : `${share.cameraUuid} ${share.nvrUuid}`;
  args.push(uuid, share.expiresAtSec === null ? '+inf' : String(share.expiresAtSec), devices);
}
