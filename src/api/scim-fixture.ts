/** A directory: sends SCIM requests with a token of an organization. */

import type { LightMyRequestResponse } from 'fastify';
import type { ApiFixture, FixtureOrg } from './api-fixture.ts';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const BULK_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A resource as tests read it. */
export type ScimResource = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly meta: { readonly version: string; readonly location: string };
};

export class ScimTester {
  readonly #fixture: ApiFixture;
  readonly token: string;

  constructor(fixture: ApiFixture, token: string) {
    this.#fixture = fixture;
    this.token = token;
  }

  /** With a new token of the organization. */
  static async open(fixture: ApiFixture, org: FixtureOrg, name = 'Entra'): Promise<ScimTester> {
    const headers = { 'x-auth-apikey': org.apiKey };
    const { token } = await fixture.call('/api/console/createScimToken', { name }, headers);
    return new ScimTester(fixture, String(token));
  }

  send(
    method: Method,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<LightMyRequestResponse> {
    const sent = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body);
    return this.#fixture.api.inject({
      method,
      url: `/scim/v2${path}`,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(sent === undefined ? {} : { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { payload: sent }),
    });
  }

  get(path: string, headers?: Record<string, string>): Promise<LightMyRequestResponse> {
    return this.send('GET', path, undefined, headers);
  }

  post(path: string, body: unknown): Promise<LightMyRequestResponse> {
    return this.send('POST', path, body);
  }

  patch(
    path: string,
    operations: readonly object[],
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse> {
    return this.send('PATCH', path, { schemas: [PATCH_SCHEMA], Operations: operations }, headers);
  }

  remove(path: string, headers?: Record<string, string>): Promise<LightMyRequestResponse> {
    return this.send('DELETE', path, undefined, headers);
  }

  /** A new user, who must be created. */
  async user(userName: string, more: object = {}): Promise<ScimResource> {
    return created(await this.post('/Users', { schemas: [USER_SCHEMA], userName, ...more }));
  }

  /** A new group, which must be created. */
  async group(
    displayName: string,
    members: readonly string[] = [],
    more: object = {},
  ): Promise<ScimResource> {
    const body = {
      schemas: [GROUP_SCHEMA],
      displayName,
      members: members.map((value) => ({ value })),
      ...more,
    };
    return created(await this.post('/Groups', body));
  }
}

function created(response: LightMyRequestResponse): ScimResource {
  if (response.statusCode !== 201) throw new Error(`not created: ${response.statusCode} ${response.body}`);
  return response.json<ScimResource>();
}
