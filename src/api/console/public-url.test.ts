import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from '../api-fixture.ts';
import { signedIn } from '../console-fixture.ts';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const validate = () => fixture.call('/api/console/validatePublicUrl');

it('works if the gateway’s own request came back to it', async () => {
  expect(await validate()).toMatchObject({
    error: false,
    publicUrl: 'https://media.example/video',
    reach: 'everyone',
    result: 'works',
    status: 200,
    addresses: ['203.0.113.80'],
    detail: '',
    arrival: {
      address: '203.0.113.80',
      peerAddress: '127.0.0.1',
      proxyHeaders: ['x-forwarded-for'],
    },
  });
});

it('is another gateway if our page came, but not from here', async () => {
  fixture.systemCalls.arrives = false;
  const response = await validate();
  expect(response).toMatchObject({ result: 'other-gateway' });
  expect(Object.keys(response)).not.toContain('arrival');
});

it('says what went wrong', async () => {
  fixture.systemCalls.arrives = false;
  fixture.systemCalls.publicUrlResponse = {
    addresses: ['192.168.1.2'],
    reach: 'own-network',
    outcome: { kind: 'fault', fault: 'tls-name', detail: 'ERR_TLS_CERT_ALTNAME_INVALID', status: null },
  };
  expect(await validate()).toMatchObject({
    reach: 'own-network',
    result: 'tls-name',
    detail: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
});

it('tells from where the address of a check was opened', async () => {
  const { checkId, pageUrl } = await fixture.call('/api/console/createPublicUrlCheck');
  expect(pageUrl).toBe(`https://media.example/video/reach/${checkId}`);
  const visits = () => fixture.call('/api/console/getPublicUrlVisits', { checkId });
  expect(await visits()).toMatchObject({ visits: [] });
  fixture.systemCalls.visits.visited(String(checkId), {
    address: '192.168.1.20',
    peerAddress: '192.168.1.20',
    proxyHeaders: [],
  });
  expect(await visits()).toMatchObject({ visits: [{ address: '192.168.1.20', reach: 'own-network' }] });
});

it('knows no other check, and tells nothing to people of another organization', async () => {
  const other = { checkId: 'AAAAAAAAAAAAAAAAAAAAAA' };
  expect(await fixture.call('/api/console/getPublicUrlVisits', other)).toMatchObject({ error: true });
  const { checkId } = await fixture.call('/api/console/createPublicUrlCheck');
  const { console: stranger } = await signedIn(fixture, fixture.foreign, 'admin', { email: 'x@example.com' });
  const { console: viewer } = await signedIn(fixture, fixture.own, 'viewer', { email: 'v@example.com' });
  for (const person of [stranger, viewer]) {
    const response = await person.post('/api/console/getPublicUrlVisits', { checkId });
    expect(response.json()).toMatchObject({ error: true });
  }
});

it('does not ask again while too many requests wait', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { systemCalls } = fixture;
  const request = systemCalls.requestPublicUrl.bind(systemCalls);
  systemCalls.requestPublicUrl = async (url) => {
    await promise;
    return request(url);
  };
  const refused = Promise.withResolvers<void>();
  let refusals = 0;
  const responses = Array.from({ length: 6 }, async () => {
    const { statusCode } = await fixture.post('/api/console/validatePublicUrl', {});
    // One runs and two wait: all others are refused immediately.
    if (statusCode === 503 && ++refusals === 3) refused.resolve();
    return statusCode;
  });
  await refused.promise;
  resolve();
  expect((await Promise.all(responses)).sort()).toEqual([200, 200, 200, 503, 503, 503]);
});
