import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { anyText } from '../../core/any-text-fixture.ts';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { CODE_VERIFIER, OAuthTester, REDIRECT_URI, type TestClient } from '../oauth-fixture.ts';

const RUNS = randomRuns(50);

let fixture: ApiFixture;
let oauth: OAuthTester;
let client: TestClient;
beforeAll(async () => {
  const plenty = { burst: 1e9, perSec: 1e6 };
  const limits = { requestsPerOrg: plenty, failedAuthenticationsPerAddress: plenty };
  fixture = await openApiFixture({ limits });
  oauth = new OAuthTester(fixture);
  client = await oauth.register();
});
afterAll(() => fixture.close());

const word = (...usual: string[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: anyText({ maxLength: 60 }) },
  );

/** RFC 6749 §5.2: 401 if the client is not accepted, 400 for everything else. */
function statusOf(error: unknown): number {
  return error === 'invalid_client' ? 401 : 400;
}

describe('random authorization requests', () => {
  it('lead only to the application, and give a code only if everything is valid', async () => {
    const query = fc.record(
      {
        response_type: word('code', 'token'),
        clientId: word(client.clientId),
        redirect_uri: word(REDIRECT_URI, 'https://evil.example/', `${REDIRECT_URI}/..`),
        redirectUri: word(REDIRECT_URI),
        state: word('x'),
        code_challenge: word('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'),
        code_challenge_method: word('S256', 'plain'),
        consentGiven: word('true', 'false'),
        resource: word('http://api.example', 'https://evil.example'),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(query, async (changes) => {
        const response = await oauth.authorize(client, changes);
        expect(response.statusCode).toBe(200);
        const { error, location } = response.json();
        expect(typeof error).toBe('boolean');
        if (typeof location !== 'string') return;
        expect(location.startsWith(`${REDIRECT_URI}&`)).toBe(true);
        const { searchParams } = new URL(location);
        expect(searchParams.has('code') === searchParams.has('error')).toBe(false);
      }),
      RUNS,
    );
  });
});

describe('random token requests', () => {
  it('get responses as OAuth defines them, and no tokens for what was not issued', async () => {
    const form = fc.record(
      {
        grant_type: word('authorization_code', 'refresh_token'),
        code: word('slo_ac_guess'),
        refresh_token: word('slo_rt_guess'),
        redirect_uri: word(REDIRECT_URI),
        code_verifier: word(CODE_VERIFIER),
        client_id: word(client.clientId),
        client_secret: word(client.clientSecret),
      },
      { requiredKeys: [] },
    );
    const contentType = fc.constantFrom(
      'application/x-www-form-urlencoded',
      'application/json',
      'text/plain',
    );
    await fc.assert(
      fc.asyncProperty(form, contentType, fc.boolean(), async (fields, type, isForm) => {
        const payload = isForm ? new URLSearchParams(fields).toString() : JSON.stringify(fields);
        const headers = { 'content-type': type };
        const response = await fixture.api.inject({
          method: 'POST',
          url: '/api/oauth/token',
          headers,
          payload,
        });
        const { error, error_description } = response.json();
        expect([typeof error, typeof error_description]).toEqual(['string', 'string']);
        expect(response.statusCode).toBe(statusOf(error));
      }),
      RUNS,
    );
  });

  it('can be any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.string({ maxLength: 40 }),
        async (bytes, basic) => {
          const authorization = `Basic ${Buffer.from(basic).toString('base64')}`;
          const payload = Buffer.from(bytes);
          const headers = { authorization };
          const response = await fixture.api.inject({
            method: 'POST',
            url: '/api/oauth/revoke',
            headers,
            payload,
          });
          expect(response.statusCode).toBe(statusOf(response.json().error));
        },
      ),
      RUNS,
    );
  });
});
