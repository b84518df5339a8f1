import { fastify } from 'fastify';
import { describe, expect, it, vi } from 'vitest';
import { actingPrincipal } from '../audit/acting-principal.ts';
import { systemClock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { silentLog } from '../core/log.ts';
import { MemoryRateLimiter } from '../counters/rate-limiter.ts';
import { OIDC_ERRORS } from '../oidc/errors.ts';
import { type OidcRoutesOptions, oidcRoutes } from './oidc-routes.ts';

it.each([
  [OIDC_ERRORS.OIDC_UNAVAILABLE, 0],
  [OIDC_ERRORS.OIDC_BUSY, 0],
  [OIDC_ERRORS.OIDC_CLOCK, 0],
  [OIDC_ERRORS.OIDC_REFUSED, 1],
  [OIDC_ERRORS.OIDC_ATTEMPT_INVALID, 1],
])('counts a failed sign-in as a guess only if the person may be at fault: $code', async (error, guesses) => {
  const take = vi.fn(async () => ({ isAllowed: true, retryAfterSec: 0 }));
  const fail = () => Promise.reject(new GatewayError(error));
  const api = fastify();
  await oidcRoutes(api, {
    client: { begin: fail, finish: fail },
    failures: { peek: async () => ({ isAllowed: true, retryAfterSec: 0 }), take },
    browsers: { find: () => null },
    publicApiUrl: 'https://api.example/',
    log: silentLog,
  } as unknown as OidcRoutesOptions);
  const { statusCode, headers } = await api.inject('/console/oidc/callback?code=x&state=y');
  expect([statusCode, headers.location]).toEqual([302, `/console/?signIn=${error.code}`]);
  expect(take).toHaveBeenCalledTimes(guesses);
  await api.close();
});

it.each([
  [
    'to the provider',
    async () => 'https://login.example/end?client_id=x',
    'https://login.example/end?client_id=x',
  ],
  ['back, if there is no such page', async () => null, '/sluice/console/'],
  [
    'back with a word, if the provider cannot be asked',
    () => Promise.reject(new GatewayError(OIDC_ERRORS.OIDC_UNAVAILABLE)),
    '/sluice/console/?signIn=SIGNED_OUT_HERE',
  ],
])('leads %s', async (_name, endSessionUrl, location) => {
  const api = fastify();
  const requested = vi.fn(endSessionUrl);
  const failures = new MemoryRateLimiter({ burst: 2, perSec: 1 }, systemClock);
  await oidcRoutes(api, {
    client: { endSessionUrl: requested },
    failures,
    log: silentLog,
    browsers: { find: () => null },
    publicApiUrl: 'https://api.example/sluice/',
  } as unknown as OidcRoutesOptions);
  const { statusCode, headers } = await api.inject('/console/oidc/end?returnTo=https://evil.example');
  expect([statusCode, headers.location]).toEqual([302, location]);
  expect(requested).toHaveBeenCalledWith('https://api.example/sluice/console/');
  await api.close();
});

describe('POST /console/oidc/logout', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const logout = { ended: [], issuedAtSec: 1, jti: 'x' };

  /** `outcome`: null if the token is one of the provider. */
  async function openLogout(outcome: GatewayError | null = null) {
    const failures = new MemoryRateLimiter({ burst: 2, perSec: 0.001 }, systemClock);
    const logOut = vi.fn(
      async (_token: string, _from: string, end: (said: typeof logout) => Promise<void>) => {
        if (outcome !== null) throw outcome;
        await end(logout);
      },
    );
    const end = vi.fn(async () => void by.push(actingPrincipal().name));
    const by: string[] = [];
    const api = fastify();
    const client = { begin: fail, finish: fail, logOut };
    await oidcRoutes(api, {
      client,
      signOut: { end },
      orgUuid: 'org',
      failures,
      publicApiUrl: 'https://api.example/',
      log: silentLog,
    } as unknown as OidcRoutesOptions);
    const post = (payload: string, headers: Record<string, string> = form) =>
      api.inject({ method: 'POST', url: '/console/oidc/logout', payload, headers });
    return { api, post, logOut, end, by, failures };
  }
  const fail = () => Promise.reject(new GatewayError(OIDC_ERRORS.OIDC_UNAVAILABLE));

  it('passes the token on, and says nothing', async () => {
    const { api, post, logOut, end, by } = await openLogout();
    const response = await post('logout_token=a.b.c&state=x', {
      ...form,
      'content-type': `${form['content-type']}; charset=utf-8`,
    });
    expect([response.statusCode, response.body]).toEqual([200, '']);
    expect(logOut).toHaveBeenCalledWith('a.b.c', '127.0.0.1', expect.any(Function));
    expect(end).toHaveBeenCalledWith('org', logout);
    expect(by).toEqual(['Sign-in provider']);
    await api.close();
  });

  it.each<[string, string, Record<string, string>?]>([
    ['no token', ''],
    ['an empty token', 'logout_token='],
    ['two tokens', 'logout_token=a&logout_token=b'],
    ['JSON', '{"logout_token":"a"}', { 'content-type': 'application/json' }],
    ['no form', 'logout_token=a', { 'content-type': 'application/x-www-form-urlencoded-too' }],
    ['too much', `logout_token=${'a'.repeat(20_000)}`],
  ])('refuses %s without a word about why', async (_name, payload, headers = form) => {
    const { api, post, logOut } = await openLogout();
    const response = await post(payload, headers);
    expect([response.statusCode, response.json()]).toEqual([400, { error: 'invalid_request' }]);
    expect(logOut).not.toHaveBeenCalled();
    await api.close();
  });

  it('has one answer for all that can be wrong', async () => {
    for (const code of [
      'OIDC_LOGOUT_INVALID',
      'OIDC_UNAVAILABLE',
      'OIDC_BUSY',
      'OIDC_TOO_MANY_LOGOUTS',
    ] as const) {
      const { api, post, failures } = await openLogout(new GatewayError(OIDC_ERRORS[code]));
      const response = await post('logout_token=a');
      expect([response.statusCode, response.json()]).toEqual([400, { error: 'invalid_request' }]);
      const { remaining } = await failures.peek('logout 127.0.0.1');
      expect(remaining).toBe(code === 'OIDC_LOGOUT_INVALID' ? 1 : 2);
      await api.close();
    }
  });

  it('limits who sends others, apart from failed sign-ins', async () => {
    const refused = new GatewayError(OIDC_ERRORS.OIDC_LOGOUT_INVALID);
    const { api, post, logOut, failures } = await openLogout(refused);
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await post('logout_token=a')).statusCode);
    expect(statuses).toEqual([400, 400, 429, 429]);
    expect(logOut).toHaveBeenCalledTimes(2);
    expect((await failures.peek('127.0.0.1')).isAllowed).toBe(true);
    await api.close();
  });
});

it('counts failures of a browser in which someone has signed in apart from those of its address', async () => {
  const api = fastify();
  const error = new GatewayError(OIDC_ERRORS.OIDC_ATTEMPT_INVALID);
  const failures = new MemoryRateLimiter({ burst: 2, perSec: 0.001 }, systemClock);
  await oidcRoutes(api, {
    client: { begin: () => Promise.reject(error), finish: () => Promise.reject(error) },
    browsers: {
      find: (proof: string | null) => (proof === 'known' ? { name: 'browser', isOf: () => true } : null),
    },
    failures,
    log: silentLog,
    publicApiUrl: 'http://api.example/',
  } as unknown as OidcRoutesOptions);
  const visit = async (cookie: string) => {
    const { headers } = await api.inject({
      url: '/console/oidc/callback?code=x&state=y',
      headers: { cookie },
    });
    return String(headers.location).split('=').at(-1);
  };
  const strangers = [await visit('a=b'), await visit('sluice_known=x'), await visit('a=b')];
  expect(strangers).toEqual([error.code, error.code, 'SIGN_IN_LIMITED']);
  expect(await visit('sluice_known=known')).toBe(error.code);
  await api.close();
});
