import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, addApiKey, openApiFixture } from '../api/api-fixture.ts';

const VALIDATE = '/api/integrations/validateToken';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture({
    limits: {
      requestsPerOrg: { burst: 4, perSec: 0.4 },
      failedAuthenticationsPerAddress: { burst: 1, perSec: 0.1 },
    },
  });
});
afterEach(() => fixture.close());

const quotaOf = async (body: unknown = {}, headers: Record<string, string> = {}) => {
  const response = await fixture.post(VALIDATE, body, headers);
  const { ratelimit, 'ratelimit-policy': policy, 'retry-after': retryAfter } = response.headers;
  return [response.statusCode, policy, ratelimit, retryAfter];
};

describe('quota headers', () => {
  it('say on every response to a key how much it has left, or its organization if that is less', async () => {
    const policy = '"credential";q=3;w=10';
    expect(await quotaOf()).toEqual([200, policy, '"credential";r=2;t=4', undefined]);
    expect(await quotaOf('[1]')).toEqual([200, policy, '"credential";r=1;t=7', undefined]);
    expect(await quotaOf('{broken')).toEqual([400, policy, '"credential";r=0;t=10', undefined]);
    expect(await quotaOf()).toEqual([429, policy, '"credential";r=0;t=10', '4']);
    const otherKey = await addApiKey(fixture.store, fixture.own.organization.uuid);
    const ofOrganization = '"organization";q=4;w=10';
    const withOtherKey = { 'x-auth-apikey': otherKey };
    expect(await quotaOf({}, withOtherKey)).toEqual([
      200,
      ofOrganization,
      '"organization";r=0;t=10',
      undefined,
    ]);
    expect(await quotaOf({}, withOtherKey)).toEqual([429, ofOrganization, '"organization";r=0;t=10', '3']);
    fixture.clock.advance(5_000);
    expect((await quotaOf({}, withOtherKey))[0]).toBe(200);
  });

  it('say without a key how often the address can still try', async () => {
    const nobody = { 'x-auth-apikey': 'nobody' };
    const policy = '"address";q=1;w=10';
    expect(await quotaOf({}, nobody)).toEqual([401, policy, '"address";r=0;t=10', undefined]);
    expect(await quotaOf({}, nobody)).toEqual([429, policy, '"address";r=0;t=10', '10']);
  });

  it('are also on responses of authorization', async () => {
    const headers = { 'x-auth-apikey': fixture.own.apiKey };
    const response = await fixture.api.inject({ method: 'GET', url: '/api/oauth/authorize', headers });
    expect(response.headers.ratelimit).toBe('"credential";r=2;t=4');
  });
});
