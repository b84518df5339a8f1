import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

let fixture: ApiFixture;
beforeAll(async () => {
  fixture = await openApiFixture();
});
afterAll(() => fixture.close());

const ask = (method: string, url: string) => fixture.api.inject({ method: method as 'GET', url });
const POST = { allow: 'POST', errorMsg: 'This endpoint accepts only POST with a JSON object as its body.' };
const GET = { allow: 'GET, HEAD', errorMsg: 'This path accepts only GET, HEAD.' };

describe('an unknown path', () => {
  it.each([
    ['/api/camera/getMinimalCameraStatList', '/api/camera/getMinimalCameraStateList'],
    ['/api/camera/getminimalcamerastatelist?x=1', '/api/camera/getMinimalCameraStateList'],
    ['/camera/getMinimalCameraStateList/', '/api/camera/getMinimalCameraStateList'],
    ['/api//camera/getFullCameraState', '/api/camera/getFullCameraState'],
    ['/api/schedules/getScheduls', '/api/schedule/getSchedules'],
    ['/api/v2/cameras/findAllSharedLiveVideoStreams', '/api/camera/findAllSharedLiveVideoStreams'],
    ['/api/oauth/tokens', '/api/oauth/token'],
  ])('%s: the nearest is suggested', async (path, nearest) => {
    const response = await ask('POST', path);
    expect(response.statusCode).toBe(404);
    expect(response.json().errorMsg).toBe(`There is no endpoint at this path. Did you mean ${nearest}?`);
  });

  it.each(['/x', '/api', '/api/', '/wp-login.php', '/api/camera/fly', `/api/camera/${'g'.repeat(10_000)}`])(
    'suggests nothing for %s',
    async (path) => {
      const response = await ask('POST', path);
      expect([response.statusCode, response.json().errorMsg]).toEqual([
        404,
        'There is no endpoint at this path.',
      ]);
    },
  );

  it.each([
    [{ 'content-type': '' }, ''],
    [{ 'content-type': 'text/html' }, '<p>'],
    [{ 'content-type': 'application/json' }, '{'],
  ])('is unknown whatever is sent to it: %j', async (headers, payload) => {
    const response = await fixture.api.inject({ method: 'POST', url: '/api/camera/fly', headers, payload });
    expect(response.statusCode).toBe(404);
  });

  it('repeats nothing from the path', async () => {
    const response = await ask('POST', '/api/camera/getFullCameraState%3Cscript%3E');
    expect(response.body).not.toContain('script');
  });
});

describe('a method that a path does not accept', () => {
  it.each([
    ['GET', '/api/camera/getMinimalCameraStateList', POST],
    ['HEAD', '/api/camera/getMinimalCameraStateList', POST],
    ['PUT', '/api/camera/getMinimalCameraStateList/?x=1', POST],
    ['DELETE', '/api/ingest/thresholdCrossings', POST],
    ['PATCH', '/api/accesscontrol/lockdownPlan/createLockdownRuleForLocation', POST],
    ['OPTIONS', '/api/oauth/token', POST],
    ['GET', '/api/oauth/token', POST],
    ['GET', '/api/oauth/revoke', POST],
    ['POST', '/api/oauth/authorize', { allow: 'GET', errorMsg: 'This path accepts only GET.' }],
    ['QUERY', '/api/oauth/token', POST],
    ['QUERY', '/api/oauth/authorize', { allow: 'GET', errorMsg: 'This path accepts only GET.' }],
    ['POST', '/.well-known/oauth-authorization-server', GET],
    ['POST', '/api/openapi/public.json', GET],
    ['DELETE', '/healthz', GET],
    ['POST', '/metrics', GET],
  ])('%s %s', async (method, path, { allow, errorMsg }) => {
    const response = await ask(method, path);
    expect([response.statusCode, response.headers.allow]).toEqual([405, allow]);
    if (method !== 'HEAD') expect(response.json()).toEqual({ error: true, errorMsg });
  });
});
