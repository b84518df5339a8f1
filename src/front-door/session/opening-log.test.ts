import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../core/log.ts';
import { MERGE_LINES_MS } from '../../core/merged-lines.ts';
import type { Share } from '../../store/entities.ts';
import { type FrontDoorFixture, openFrontDoorFixture } from '../front-door-fixture.ts';
import { MAX_WARNED_PROXIES } from './opening-log.ts';

let door: FrontDoorFixture;
let lines: { message: string; fields: object }[];

async function openDoor(trustProxy: readonly string[] = []): Promise<void> {
  lines = [];
  const write = (fields: object, message: string) => void lines.push({ message, fields });
  const log = { ...silentLog, info: write, warn: write };
  door = await openFrontDoorFixture({ log, trustProxy, opensPerMinute: 2 });
}

beforeEach(() => openDoor());
afterEach(() => door.close());

const open = (share: Share, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
  door.inject({ method: 'POST', url: `/share/${door.shareToken(share)}/open`, headers, remoteAddress });

describe('a flood of openings', () => {
  it('gets 429 with Retry-After, and makes few log lines', async () => {
    const share = await door.share();
    for (let i = 0; i < 4; i++) expect((await open(share)).statusCode).toBe(200);
    const slowed = await open(share);
    expect(slowed.statusCode).toBe(429);
    expect(slowed.headers['retry-after']).toBe('30');
    expect(slowed.json()).toMatchObject({ reason: 'too-many-opens', retryAfterSec: 30 });
    const pulled = await door.get(`/live/${door.shareToken(share)}/file.m3u8`);
    expect([pulled.statusCode, pulled.headers['retry-after']]).toEqual([429, '30']);
    for (let i = 0; i < 50; i++) await open(share);
    expect(lines).toHaveLength(1);
    door.sharing.clock.advance(MERGE_LINES_MS);
    await open(share);
    const common = { share: share.uuid, reason: 'too-many-opens' };
    expect(lines.map(({ fields }) => fields)).toMatchObject([common, { ...common, merged: 51 }]);
  });
});

describe('X-Forwarded-For', () => {
  const warnings = () => lines.filter(({ message }) => message.startsWith('X-Forwarded-For'));
  const forwarded = { 'x-forwarded-for': '192.0.2.7' };

  it('from an untrusted proxy causes one warning per proxy', async () => {
    const share = await door.share();
    for (let i = 0; i < 3; i++) await open(share, forwarded, '198.51.100.1');
    await open(share, forwarded, '2001:db8::1');
    await open(share, forwarded, '2001:db8::2');
    await open(share, {}, '198.51.100.2');
    expect(warnings().map(({ fields }) => fields)).toEqual([
      { proxy: '198.51.100.1' },
      { proxy: '2001:db8:0:0::/64' },
    ]);
  });

  it('causes warnings for a limited number of addresses', async () => {
    const share = await door.share();
    for (let i = 0; i < 100; i++) await open(share, forwarded, `198.51.100.${i}`);
    expect(warnings()).toHaveLength(MAX_WARNED_PROXIES);
  });

  it('from a trusted proxy is used, and that from another causes a warning', async () => {
    await door.close();
    await openDoor(['127.0.0.1']);
    const share = await door.share();
    await open(share, forwarded);
    expect(warnings()).toEqual([]);
    await open(share, forwarded, '198.51.100.1');
    expect(warnings()).toHaveLength(1);
  });
});
