import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { type ApiFixture, addApiKey, openApiFixture } from './api-fixture.ts';
import { OAuthTester, type Tokens } from './oauth-fixture.ts';

const VALIDATE = '/api/integrations/validateToken';
const CAMERAS = '/api/camera/getMinimalCameraStateList';
const BURST = 3;

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture({
    limits: { failedAuthenticationsPerAddress: { burst: BURST, perSec: 0.1 } },
  });
});
afterEach(() => fixture.close());

const statusOf = async (path: string, headers: Record<string, string>) =>
  (await fixture.post(path, {}, headers)).statusCode;

/** Until the address reaches its limit. */
async function guess(headerOf: () => Record<string, string>): Promise<void> {
  for (let i = 0; i < BURST; i++) expect(await statusOf(VALIDATE, headerOf())).toBe(401);
  expect(await statusOf(VALIDATE, headerOf())).toBe(429);
}

const guessedKey = () => ({ 'x-auth-apikey': newRuuid() });
const guessedToken = () => ({ 'x-auth-apikey': '', authorization: `Bearer slo_at_${newRuuid()}` });
const guessedSession = () => ({
  'x-auth-apikey': '',
  'x-auth-scheme': 'federated-token',
  'x-auth-ft': newRuuid(),
});

describe('the limit of failed attempts', () => {
  it.each([
    ['keys', guessedKey],
    ['access tokens', guessedToken],
    ['sessions', guessedSession],
  ])(
    'of an address that guesses %s does not block a valid key that it never saw',
    async (_what, headerOf) => {
      await guess(headerOf);
      const apiKey = await addApiKey(fixture.store, fixture.own.organization.uuid);
      expect(await statusOf(VALIDATE, { 'x-auth-apikey': apiKey })).toBe(200);
      expect(await statusOf(VALIDATE, headerOf())).toBe(429);
    },
  );

  it('blocks neither a new access token nor a new session', async () => {
    const oauth = new OAuthTester(fixture);
    const client = await oauth.register();
    const tokens = (await oauth.exchange(client, await oauth.code(client))).json<Tokens>();
    const session = await fixture.call('/api/org/generateFederatedSessionToken', { durationSec: 900 });
    await guess(guessedKey);
    expect(
      await statusOf(VALIDATE, { 'x-auth-apikey': '', authorization: `Bearer ${tokens.access_token}` }),
    ).toBe(200);
    const headers = {
      'x-auth-apikey': '',
      'x-auth-scheme': 'federated-token',
      'x-auth-ft': String(session.federatedSessionToken),
    };
    expect(await statusOf(CAMERAS, headers)).toBe(200);
  });

  it('gives the same response to unknown keys, revoked keys and keys of another scheme', async () => {
    const revoked = await addApiKey(fixture.store, fixture.own.organization.uuid, { revokedAtMs: 1 });
    const device = await addApiKey(fixture.store, fixture.own.organization.uuid, { scheme: 'device' });
    const bodies = new Set<string>();
    for (const key of [newRuuid(), revoked, device]) {
      const response = await fixture.post(VALIDATE, {}, { 'x-auth-apikey': key });
      bodies.add(`${response.statusCode} ${response.body}`);
    }
    expect([...bodies]).toEqual([expect.stringMatching(/^401 /)]);
    for (const key of [newRuuid(), revoked, device]) {
      const response = await fixture.post(VALIDATE, {}, { 'x-auth-apikey': key });
      bodies.add(`${response.statusCode} ${response.body}`);
    }
    expect([...bodies][1]).toMatch(/^429 /);
    expect(bodies.size).toBe(2);
  });

  it('holds against a thousand guesses at once, while a valid key still works', async () => {
    await guess(guessedKey);
    const apiKey = await addApiKey(fixture.store, fixture.own.organization.uuid);
    let underWay = 0;
    let mostUnderWay = 0;
    const { apiKeys } = fixture.store;
    const findByHash = apiKeys.findByHash.bind(apiKeys);
    apiKeys.findByHash = async (hash) => {
      underWay += 1;
      mostUnderWay = Math.max(mostUnderWay, underWay);
      try {
        return await findByHash(hash);
      } finally {
        underWay -= 1;
      }
    };
    const guesses = Array.from({ length: 1_000 }, () => statusOf(VALIDATE, guessedKey()));
    expect(await statusOf(VALIDATE, { 'x-auth-apikey': apiKey })).toBe(200);
    expect(new Set(await Promise.all(guesses))).toEqual(new Set([429]));
    expect(mostUnderWay).toBe(4);
  });
});
