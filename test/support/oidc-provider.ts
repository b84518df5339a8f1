/** A real OpenID provider on loopback. Tests type the names of accounts into its sign-in form. */

import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

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
  /** Requests that it sent because a session had ended. */
  readonly logouts: URLSearchParams[] = [];
  readonly #server: Server;
  #client: object;

  private constructor(issuer: string, server: Server, client: object) {
    this.issuer = issuer;
    this.#server = server;
    this.#client = client;
  }

  static async start(
    redirectUris: readonly string[],
    signedOutUris: readonly string[] = [],
    /** Where it says that a session has ended; null: nowhere. */
    logoutUri: string | null = null,
  ): Promise<TestProvider> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const test = new TestProvider(issuer, server, clientWith(redirectUris, signedOutUris, logoutUri));
    test.rotateKeys();
    return test;
  }

  /** Knows the gateway under these addresses from now on, as `start` takes them. */
  register(
    redirectUris: readonly string[],
    signedOutUris: readonly string[],
    logoutUri: string | null,
  ): void {
    this.#client = clientWith(redirectUris, signedOutUris, logoutUri);
    this.rotateKeys();
  }

  /** Signs with a new key from now on, and publishes only that one. Sessions stay: they are in the module's memory. */
  rotateKeys(): void {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const provider = new Provider(this.issuer, {
      clients: [this.#client],
      jwks: {
        keys: [{ ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' }],
      },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      pkce: { required: () => true },
      cookies: { keys: ['only-for-tests'] },
      features: { backchannelLogout: { enabled: true } },
      // Its own refuses loopback addresses.
      fetch: (url: URL, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) => {
        if (options.body instanceof URLSearchParams) this.logouts.push(options.body);
        return fetch(url, options);
      },
      findAccount: (_context: unknown, sub: string) => ({
        accountId: sub,
        claims: () => ({ sub, ...this.accounts.get(sub) }),
      }),
    });
    this.#server.removeAllListeners('request').on('request', provider.callback());
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function clientWith(
  redirectUris: readonly string[],
  signedOutUris: readonly string[],
  logoutUri: string | null,
): object {
  return {
    client_id: CLIENT.clientId,
    client_secret: CLIENT.clientSecret,
    redirect_uris: [...redirectUris],
    post_logout_redirect_uris: [...signedOutUris],
    ...(logoutUri === null
      ? {}
      : { backchannel_logout_uri: logoutUri, backchannel_logout_session_required: true }),
  };
}
