/** Checks how much of the neighbors' capacity one organization's device key can use up. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../core/limits/registry.ts';
import { newRuuid } from '../../core/ruuid.ts';
import { type ApiFixture, addApiKey, openApiFixture } from '../api-fixture.ts';

const HEALTH = '/api/ingest/deviceHealth';
const REQUESTS = 1_000_000;
const EVER = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

let fixture: ApiFixture;
/** A key of the neighbor that can only report. */
let greedyKey: Record<string, string>;

beforeEach(async () => {
  fixture = await openApiFixture({ limits: { requestsPerOrg: { burst: REQUESTS, perSec: REQUESTS } } });
  greedyKey = await deviceKey();
});
afterEach(() => fixture.close());

async function deviceKey(): Promise<Record<string, string>> {
  const apiKey = await addApiKey(fixture.store, fixture.foreign.organization.uuid, { scheme: 'device' });
  return { 'x-auth-scheme': 'device', 'x-auth-apikey': apiKey };
}

/** Rows that are refused cost the same as others, and store nothing. */
const rows = () => new Array(1_000).fill(0);

/** Reports until it is refused; returns how many rows were read. */
async function flood(headers: Record<string, string>): Promise<number> {
  for (let read = 0; ; read += 1_000) {
    const response = await fixture.post(HEALTH, { rows: rows() }, headers);
    if (response.statusCode === 429) {
      expect(response.headers['retry-after']).toBe('1');
      expect(response.json().errorMsg).toContain('`ingestRows`');
      return read;
    }
    expect(response.statusCode).toBe(200);
  }
}

describe('a device key that reports all it can', () => {
  it('is refused at its own rate, then its organization is, and no one else is', async () => {
    const { credential, organization } = LIMITS.ingestRows.levels;
    expect(await flood(greedyKey)).toBe(credential.burst);
    expect(await flood(await deviceKey())).toBe(organization.burst - credential.burst);
    expect(await flood(await deviceKey())).toBe(0);
    const row = { id: 'a', deviceUuid: newRuuid(), timestampMs: 1 };
    expect(await fixture.call(HEALTH, { rows: [row] })).toMatchObject({ acceptedCount: 1 });
    fixture.clock.advance(1_000);
    expect((await fixture.post(HEALTH, { rows: rows() }, greedyKey)).statusCode).toBe(200);
  });
});

it('a batch that would fill the reserve of the disk is refused', async () => {
  await fixture.close();
  fixture = await openApiFixture({ overrides: { diskRoom: { hasRoom: async () => false } } });
  const response = await fixture.post(HEALTH, {
    rows: [{ id: 'a', deviceUuid: newRuuid(), timestampMs: 1 }],
  });
  expect(response.statusCode).toBe(503);
  expect(response.headers['retry-after']).toBe('30');
  expect(response.json().errorMsg).toContain('nearly full');
  expect(
    await fixture.store.events.count(fixture.own.organization.uuid, { ...EVER, kind: 'deviceHealth' }),
  ).toBe(0);
});
