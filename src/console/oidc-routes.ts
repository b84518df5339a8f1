/** The routes of the OpenID Connect provider that the configuration has for the whole gateway. */

import type { FastifyInstance } from 'fastify';
import type { OidcSignIn } from '../accounts/oidc-sign-in.ts';
import type { ProviderSignOut } from '../accounts/provider-sign-out.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { OidcClient } from '../oidc/oidc-client.ts';
import type { OidcSettings } from '../oidc/oidc-settings.ts';
import { type OidcVisitOptions, oidcVisitRoutes } from './oidc-visits.ts';

const PATH = '/console/oidc';
export const OIDC_CALLBACK_PATH = `${PATH}/callback`;

/** The sign-in provider of the console. */
export interface ConsoleSso {
  readonly settings: OidcSettings;
  readonly sealingKey: Uint8Array;
  readonly orgUuid: Ruuid;
}

export interface OidcRoutesOptions extends OidcVisitOptions {
  readonly client: OidcClient;
  readonly signIn: OidcSignIn;
  readonly signOut: ProviderSignOut;
  readonly orgUuid: Ruuid;
}

export async function oidcRoutes(
  api: FastifyInstance,
  { client, signIn, signOut, orgUuid, ...options }: OidcRoutesOptions,
): Promise<void> {
  await oidcVisitRoutes(api, {
    ...options,
    visits: {
      path: PATH,
      begin: (_request, returnTo) => client.begin(returnTo),
      async enter({ ip }, query, sealed, browser) {
        const { identity, returnTo } = await client.finish(query, sealed, ip);
        return { begun: await signIn.enter(identity, browser), returnTo };
      },
      endSessionUrl: (_request, returnUri) => client.endSessionUrl(returnUri),
      logOut: ({ ip }, token, end) =>
        client.logOut(token, ip, (logout) => end(() => signOut.end(orgUuid, logout))),
    },
  });
}
