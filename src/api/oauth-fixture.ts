/** An application and the browser of the user who consents, for tests of OAuth. */

import type { LightMyRequestResponse } from 'fastify';
import { codeChallengeOf } from '../accounts/oauth-secret.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ApiFixture } from './api-fixture.ts';

export const REDIRECT_URI = 'https://desk.example/callback?from=sluice';
/** RFC 7636 Appendix B. */
export const CODE_VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

export interface TestClient {
  readonly clientId: Ruuid;
  readonly clientSecret: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly expires_in: number;
}

export class OAuthTester {
  readonly #fixture: ApiFixture;

  constructor(fixture: ApiFixture) {
    this.#fixture = fixture;
  }

  /** An application of the other organization: the organization that consents did not write it. */
  async register(redirectUri = REDIRECT_URI): Promise<TestClient> {
    const details = { name: 'Visitor desk', redirectUri };
    const headers = { 'x-auth-apikey': this.#fixture.foreign.apiKey };
    const response = await this.#fixture.call('/api/oauth/submitApplication', details, headers);
    return { clientId: response.clientId as Ruuid, clientSecret: response.clientSecret as string };
  }

  /** GET /api/oauth/authorize as `own`, with valid parameters unless `changes` says otherwise. */
  authorize(
    client: TestClient,
    changes: Record<string, string | undefined> = {},
    headers: Record<string, string> = { 'x-auth-apikey': this.#fixture.own.apiKey },
  ): Promise<LightMyRequestResponse> {
    const parameters = {
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: REDIRECT_URI,
      state: 'af0 &=',
      code_challenge: codeChallengeOf(CODE_VERIFIER),
      code_challenge_method: 'S256',
      consent_given: 'true',
      ...changes,
    };
    const given = Object.entries(parameters).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const query = new URLSearchParams(given).toString();
    return this.#fixture.api.inject({ method: 'GET', url: `/api/oauth/authorize?${query}`, headers });
  }

  /** The parameters that the application receives. */
  async redirected(
    client: TestClient,
    changes: Record<string, string | undefined> = {},
    headers?: Record<string, string>,
  ): Promise<Record<string, string>> {
    const { status, location } = (await this.authorize(client, changes, headers)).json();
    if (status !== 302) throw new Error(`status ${status} is not a redirect`);
    return Object.fromEntries(new URL(location).searchParams);
  }

  async code(client: TestClient, changes: Record<string, string | undefined> = {}): Promise<string> {
    return (await this.redirected(client, changes)).code!;
  }

  /** Sends a form to the token or revocation endpoint; the client authenticates with Basic. */
  form(
    path: 'token' | 'revoke',
    client: TestClient,
    parameters: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<LightMyRequestResponse> {
    const pair = `${client.clientId}:${encodeURIComponent(client.clientSecret)}`;
    return this.#fixture.api.inject({
      method: 'POST',
      url: `/api/oauth/${path}`,
      headers: {
        authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      payload: new URLSearchParams(parameters).toString(),
    });
  }

  exchange(client: TestClient, code: string, changes: Record<string, string> = {}) {
    return this.form('token', client, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: CODE_VERIFIER,
      ...changes,
    });
  }

  refresh(client: TestClient, refreshToken: string) {
    return this.form('token', client, { grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  /** Consent, code and exchange in one. */
  async tokens(client: TestClient): Promise<Tokens> {
    return (await this.exchange(client, await this.code(client))).json<Tokens>();
  }

  /** The status of a call with the access token. */
  async statusWith(accessToken: string, path = '/api/integrations/validateToken'): Promise<number> {
    const headers = {
      'x-auth-apikey': '',
      'x-auth-scheme': 'api-oauth-token',
      'x-auth-access-token': accessToken,
    };
    return (await this.#fixture.post(path, {}, headers)).statusCode;
  }
}
