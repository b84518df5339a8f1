/** A real OpenID provider on loopback. Accounts are what one types into its sign-in form. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import Provider from 'oidc-provider';
import { freePort } from './ports.ts';

export const CLIENT = { clientId: 'sluice', clientSecret: 'a-client-secret-of-the-tests-0123456789' };

export interface TestAccount {
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string;
  readonly groups?: readonly string[];
}

export class TestProvider {
  readonly issuer: string;
  /** By the name that one signs in with. */
  readonly accounts = new Map<string, TestAccount>();
  readonly #server: Server;

  private constructor(issuer: string, server: Server) {
    this.issuer = issuer;
    this.#server = server;
  }

  static async start(
    redirectUris: readonly string[],
    signedOutUris: readonly string[] = [],
  ): Promise<TestProvider> {
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    const server = createServer();
    const test = new TestProvider(issuer, server);
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.clientId,
          client_secret: CLIENT.clientSecret,
          redirect_uris: [...redirectUris],
          post_logout_redirect_uris: [...signedOutUris],
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      pkce: { required: () => true },
      cookies: { keys: ['only-for-tests'] },
      findAccount: (_context: unknown, sub: string) => ({
        accountId: sub,
        claims: () => ({ sub, ...test.accounts.get(sub) }),
      }),
    });
    server.on('request', provider.callback());
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return test;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
