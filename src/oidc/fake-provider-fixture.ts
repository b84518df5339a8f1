/** An OpenID provider that answers as a test wants: what real providers do wrong. */

import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderFetch } from './provider-keys.ts';

export const CLIENT_ID = 'sluice';
export const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

type Claims = Record<string, unknown>;

interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Making one takes a tenth of a second, so providers share them. */
const KEYS: KeyPair[] = [];

function keyNumber(index: number): KeyPair {
  KEYS[index] ??= generateKeyPairSync('rsa', { modulusLength: 2048 });
  return KEYS[index];
}

/** A provider that is made when someone first asks it: keys take their time. */
export function lateProviderFetch(issuer: string): ProviderFetch {
  let provider: FakeProvider | null = null;
  return (url, init) => {
    provider ??= FakeProvider.inMemory(issuer);
    return provider.fetch(url, init);
  };
}

export class FakeProvider {
  issuer = '';
  /** Replace or add claims of the ID token. */
  claims: Claims = {};
  /** The error of the token endpoint in place of tokens. */
  tokenError: string | null = null;
  algorithm: 'RS256' | 'none' = 'RS256';
  /** The issuer that discovery names; null: its own. */
  namedIssuer: string | null = null;
  keyId = 'first';
  /** The key that signs; the published one belongs to it unless `isForged`. */
  #key = keyNumber(0);
  #keys = 1;
  isForged = false;
  /** The nonce of the browser's authorization request. */
  nonce = '';
  tokenRequests: URLSearchParams[] = [];
  hasEndSessionPage = true;
  /** Whether `fetch` succeeds. */
  isReachable = true;
  /** How often someone read the keys. */
  keyReads = 0;
  /** null: it is reached with `fetch`. */
  #server: Server | null = null;

  /** Reached with `fetch` alone. */
  static inMemory(issuer = 'https://provider.example'): FakeProvider {
    const provider = new FakeProvider();
    provider.issuer = issuer;
    return provider;
  }

  /** Listens on the loopback interface. */
  static async start(): Promise<FakeProvider> {
    const server = createServer();
    const provider = new FakeProvider();
    provider.#server = server;
    server.on('request', async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const [status, answer] = provider.#respond(new URL(request.url!, provider.issuer).pathname, body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return provider;
  }

  readonly fetch: ProviderFetch = async (url, { body } = {}) => {
    const { origin, pathname } = new URL(url);
    if (!this.isReachable || origin !== new URL(this.issuer).origin) throw new TypeError('fetch failed');
    const [status, answer] = this.#respond(pathname, String(body ?? ''));
    return Response.json(answer, { status });
  };

  #newKey(): KeyPair {
    return keyNumber(this.#keys++);
  }

  /** `keyId`: the new key's name. */
  rotate(keyId = `${this.keyId}-next`): void {
    this.#key = this.#newKey();
    this.keyId = keyId;
  }

  /** `claims` replace or, if undefined, remove its own; `header` likewise. */
  logoutToken(claims: Claims = {}, header: Claims = {}): string {
    const nowSec = Math.floor(Date.now() / 1_000);
    return this.#signed(
      {
        iss: this.issuer,
        aud: CLIENT_ID,
        iat: nowSec,
        exp: nowSec + 120,
        jti: randomUUID(),
        sub: 'ada',
        sid: 'one',
        events: { [LOGOUT_EVENT]: {} },
        ...claims,
      },
      { typ: 'logout+jwt', ...header },
    );
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
    if (this.#server !== null) await once(this.#server, 'close');
  }

  #respond(path: string, body: string): readonly [number, object] {
    const issuer = this.issuer.replace(/\/$/, '');
    const folder = new URL(`${issuer}/`).pathname.slice(0, -1);
    if (path === `${folder}/.well-known/openid-configuration`) {
      return [
        200,
        {
          issuer: this.namedIssuer ?? this.issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          ...(this.hasEndSessionPage ? { end_session_endpoint: `${issuer}/end?theme=dark` } : {}),
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        },
      ];
    }
    if (path === `${folder}/jwks`) {
      this.keyReads++;
      const { publicKey } = this.isForged ? this.#newKey() : this.#key;
      return [
        200,
        { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: this.keyId, alg: 'RS256', use: 'sig' }] },
      ];
    }
    this.tokenRequests.push(new URLSearchParams(body));
    if (this.tokenError !== null) return [400, { error: this.tokenError, error_description: 'secret-text' }];
    return [200, { access_token: 'access', token_type: 'Bearer', id_token: this.#idToken() }];
  }

  #idToken(): string {
    const nowSec = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: this.issuer,
      sub: 'ada',
      aud: CLIENT_ID,
      iat: nowSec,
      exp: nowSec + 300,
      nonce: this.nonce,
      email: 'ada@example.com',
      email_verified: true,
      name: 'Ada',
      ...this.claims,
    };
    return this.#signed(claims, {});
  }

  #signed(claims: Claims, header: Claims): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${part({ alg: this.algorithm, kid: this.keyId, ...header })}.${part(claims)}`;
    if (this.algorithm === 'none') return `${signed}.`;
    return `${signed}.${sign('sha256', Buffer.from(signed), this.#key.privateKey).toString('base64url')}`;
  }
}
