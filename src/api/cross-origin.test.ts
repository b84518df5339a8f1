import { afterEach, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

const PATH = '/api/camera/getMinimalCameraStateList';
const ORIGIN = 'https://wall.example';

let fixture: ApiFixture;
afterEach(() => fixture.close());

function preflight(origin: string) {
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-auth-apikey,x-auth-scheme,content-type',
  };
  return fixture.api.inject({ method: 'OPTIONS', url: PATH, headers });
}

describe('pages of other origins', () => {
  it('cannot read anything unless the configuration names them', async () => {
    fixture = await openApiFixture();
    const response = await fixture.post(PATH, {}, { origin: ORIGIN });
    expect((await preflight(ORIGIN)).headers['access-control-allow-origin']).toBeUndefined();
    expect(response.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('can call the API if they are named, and only those can', async () => {
    fixture = await openApiFixture({ overrides: { corsOrigins: [ORIGIN] } });
    const requested = await preflight(ORIGIN);
    expect([requested.statusCode, requested.headers['access-control-allow-origin']]).toEqual([204, ORIGIN]);
    expect(requested.headers['access-control-allow-headers']).toContain('x-auth-apikey');
    expect(requested.headers['access-control-allow-credentials']).toBeUndefined();
    const response = await fixture.post(PATH, {}, { origin: ORIGIN });
    expect(response.headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(response.headers['access-control-expose-headers']).toContain('Retry-After');
    const other = await fixture.post(PATH, {}, { origin: 'https://other.example' });
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('are all allowed by *', async () => {
    fixture = await openApiFixture({ overrides: { corsOrigins: ['*'] } });
    expect((await preflight('https://any.example')).headers['access-control-allow-origin']).toBe('*');
  });
});

describe('the address of a caller', () => {
  /** Status of wrong keys from these addresses behind a proxy. Each address can guess once. */
  async function guessFrom(addresses: readonly string[], trustProxy: readonly string[]): Promise<number[]> {
    fixture = await openApiFixture({
      limits: { failedAuthenticationsPerAddress: { burst: 1, perSec: 0.001 } },
      overrides: { trustProxy },
    });
    const statuses: number[] = [];
    for (const address of addresses) {
      const headers = { 'x-auth-apikey': 'wrong', 'x-forwarded-for': address };
      statuses.push((await fixture.post(PATH, {}, headers)).statusCode);
    }
    return statuses;
  }

  const TWO_CALLERS = ['203.0.113.7', '203.0.113.7', '203.0.113.8'];

  it('is what a trusted proxy reports', async () => {
    expect(await guessFrom(TWO_CALLERS, ['127.0.0.1'])).toEqual([401, 429, 401]);
  });

  it.each([
    ['2001:db8::1', '2001:DB8:0:0:9::2', '2001:db8:0:1::1'],
    ['203.0.113.7', '::ffff:203.0.113.7', '::ffff:203.0.113.8'],
  ])('counts as one subscriber, %s as %s and not %s', async (...addresses) => {
    expect(await guessFrom(addresses, ['127.0.0.1'])).toEqual([401, 429, 401]);
  });

  it("is otherwise the connection's", async () => {
    expect(await guessFrom(TWO_CALLERS, [])).toEqual([401, 429, 429]);
  });
});
