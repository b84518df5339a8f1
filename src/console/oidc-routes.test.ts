import { fastify } from 'fastify';
import { expect, it, vi } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { silentLog } from '../core/log.ts';
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
    publicApiUrl: 'https://api.example/',
    log: silentLog,
  } as unknown as OidcRoutesOptions);
  const { statusCode, headers } = await api.inject('/console/oidc/callback?code=x&state=y');
  expect([statusCode, headers.location]).toEqual([302, `/console/?signIn=${error.code}`]);
  expect(take).toHaveBeenCalledTimes(guesses);
  await api.close();
});
