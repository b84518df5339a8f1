import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../core/fake-clock.ts';
import { hashApiKey, makeApiKey } from '../../store/api-key-hash.ts';
import { sampleApiKey } from '../../store/sample-entities-fixture.ts';
import type { Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store-fixture.ts';
import { applyConfig } from './apply-config.ts';
import { ensureBootstrapKeys } from './bootstrap-keys.ts';
import { DEFAULT_ORG_UUID, DEFAULT_PARTNER_ORG_UUID } from './default-organizations.ts';
import { parseConfig } from './load-config.ts';

describe('ensureBootstrapKeys', () => {
  const clock = new FakeClock();
  let store: Store;

  beforeEach(async () => {
    store = await openTestStore(clock);
    await applyConfig(store, parseConfig('', 'none', {}), clock);
  });
  afterEach(() => store.close());

  const ensure = (env: Record<string, string> = {}) =>
    ensureBootstrapKeys(store, parseConfig('', 'none', env), clock);

  it('creates both keys at the first start, shows them once, and stores only their hashes', async () => {
    const { apiKey, partnerApiKey } = await ensure();
    expect(apiKey?.reveal()).toMatch(/^slc_[A-Za-z0-9_-]{43}$/);
    expect(await store.apiKeys.findByHash(hashApiKey(apiKey?.reveal() ?? ''))).toMatchObject({
      orgUuid: DEFAULT_ORG_UUID,
      scheme: 'api',
    });
    expect(await store.apiKeys.findByHash(hashApiKey(partnerApiKey?.reveal() ?? ''))).toMatchObject({
      orgUuid: DEFAULT_PARTNER_ORG_UUID,
      scheme: 'partner-api',
    });
    expect(await ensure()).toEqual({ apiKey: null, partnerApiKey: null });
    expect(await store.apiKeys.listEverywhere()).toHaveLength(2);
  });

  it('stores configured keys, shows nothing, and replaces one that changed', async () => {
    const [first, second] = [makeApiKey().reveal(), makeApiKey().reveal()];
    const partner = makeApiKey().reveal();
    const env = { SLUICE_BOOTSTRAP_PARTNER_API_KEY: partner };
    expect(await ensure({ ...env, SLUICE_BOOTSTRAP_API_KEY: first })).toEqual({
      apiKey: null,
      partnerApiKey: null,
    });
    await ensure({ ...env, SLUICE_BOOTSTRAP_API_KEY: second });
    expect(await store.apiKeys.findByHash(hashApiKey(first))).toBeNull();
    expect(await store.apiKeys.findByHash(hashApiKey(second))).not.toBeNull();
    expect(await store.apiKeys.findByHash(hashApiKey(partner))).not.toBeNull();
  });

  it('creates none if others exist, and leaves a revoked one revoked', async () => {
    await store.apiKeys.save(sampleApiKey(DEFAULT_ORG_UUID));
    expect((await ensure()).apiKey).toBeNull();
    const key = makeApiKey().reveal();
    const env = { SLUICE_BOOTSTRAP_API_KEY: key };
    await ensure(env);
    const stored = (await store.apiKeys.findByHash(hashApiKey(key)))!;
    await store.apiKeys.save({ ...stored, revokedAtMs: 5 });
    await ensure(env);
    expect((await store.apiKeys.findByHash(hashApiKey(key)))?.revokedAtMs).toBe(5);
  });
});
