import { expect, it } from 'vitest';
import { LIMITS } from '../../core/limits/registry.ts';
import { openApiFixture } from '../api-fixture.ts';
import { ScimTester } from '../scim-fixture.ts';

it('a token that floods leaves room for another, and for the neighbor organization', async () => {
  const fixture = await openApiFixture({
    limits: { requestsPerOrg: LIMITS.apiRequests.levels.organization },
  });
  const scim = await ScimTester.open(fixture, fixture.own);
  const other = await ScimTester.open(fixture, fixture.own, 'Okta');
  const neighbor = await ScimTester.open(fixture, fixture.foreign);
  const { burst } = LIMITS.scimRequests.levels.credential;
  const statuses: number[] = [];
  for (let request = 0; request <= burst; request += 1) {
    statuses.push((await scim.get('/ServiceProviderConfig')).statusCode);
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(burst);
  const refused = await scim.get('/Users');
  expect(refused.statusCode).toBe(429);
  expect(refused.headers['retry-after']).toMatch(/^\d+$/);
  expect(refused.json()).toMatchObject({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '429',
  });
  expect((await other.get('/Users')).statusCode).toBe(200);
  expect((await neighbor.get('/Users')).statusCode).toBe(200);
  await fixture.close();
});
