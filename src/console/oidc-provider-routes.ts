/** The routes of the OpenID Connect providers of organizations. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ConsoleSessions } from '../accounts/console-sessions.ts';
import type { ProviderSignOut } from '../accounts/provider-sign-out.ts';
import type { StoredOidcSignIn } from '../accounts/stored-oidc-sign-in.ts';
import { GatewayError } from '../core/errors.ts';
import { isRuuid } from '../core/ruuid.ts';
import { consoleTokenIn } from '../http/console-cookie.ts';
import { OIDC_ERRORS } from '../oidc/errors.ts';
import type { OidcClient } from '../oidc/oidc-client.ts';
import type { OidcClients } from '../oidc/oidc-clients.ts';
import type { OidcProvider, OidcProviders } from '../oidc/oidc-providers.ts';
import { type OidcVisitOptions, oidcVisitRoutes } from './oidc-visits.ts';

export interface OidcProviderRoutesOptions extends OidcVisitOptions {
  readonly providers: Pick<OidcProviders, 'findWorking'>;
  readonly clients: Pick<OidcClients, 'visit'>;
  readonly signIn: Pick<StoredOidcSignIn, 'enter'>;
  readonly signOut: Pick<ProviderSignOut, 'end'>;
  readonly sessions: Pick<ConsoleSessions, 'findByToken'>;
}

export async function oidcProviderRoutes(
  api: FastifyInstance,
  { providers, clients, signIn, signOut, sessions, ...options }: OidcProviderRoutesOptions,
): Promise<void> {
  /** Fails OIDC_NOT_SET_UP, OIDC_BUSY, and like `work`. */
  const visit = async <T>(
    request: FastifyRequest,
    work: (client: OidcClient, provider: OidcProvider) => Promise<T>,
  ): Promise<T> => {
    const { providerUuid } = request.params as { readonly providerUuid: string };
    if (!isRuuid(providerUuid)) throw new GatewayError(OIDC_ERRORS.OIDC_NOT_SET_UP);
    const provider = await providers.findWorking(providerUuid);
    return clients.visit(provider, request.ip, (client) => work(client, provider));
  };
  await oidcVisitRoutes(api, {
    ...options,
    visits: {
      path: '/console/oidc/:providerUuid',
      async begin(request, returnTo) {
        const token = consoleTokenIn(request.headers, options.publicApiUrl);
        const session = token === null ? null : await sessions.findByToken(token);
        return visit(request, (client) => client.begin(returnTo, session?.personUuid ?? null));
      },
      enter: (request, query, sealed, browser) =>
        visit(request, async (client, provider) => {
          const { identity, returnTo, personUuid } = await client.finish(query, sealed, request.ip);
          return { begun: await signIn.enter(provider, identity, personUuid, browser), returnTo };
        }),
      endSessionUrl: (request, returnUri) => visit(request, (client) => client.endSessionUrl(returnUri)),
      logOut: (request, token, end) =>
        visit(request, (client, { orgUuid }) =>
          client.logOut(token, request.ip, (logout) => end(() => signOut.end(orgUuid, logout))),
        ),
    },
  });
}
