/** A browser in which someone signs in at a provider, through the routes. */

import type { ApiFixture } from './api-fixture.ts';

/** It keeps cookies, as far as these tests need them. */
export class SignInBrowser {
  readonly #fixture: ApiFixture;
  readonly cookies = new Map<string, string>();

  constructor(fixture: ApiFixture) {
    this.#fixture = fixture;
  }

  /** Without following where it leads. `isElsewhere`: from another site, so cookies stay at home. */
  async visit(url: string, form: Readonly<Record<string, string>> | null = null) {
    const { pathname, search } = new URL(url, 'http://api.example');
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { statusCode, headers, body } = await this.#fixture.api.inject({
      url: `${pathname}${search}`,
      method: form === null ? 'GET' : 'POST',
      // A form comes from the provider's site: SameSite=Lax keeps cookies back.
      headers:
        form === null
          ? { cookie }
          : { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://login.example' },
      ...(form === null ? {} : { payload: new URLSearchParams(form).toString() }),
    });
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const [pair = ''] = line.split(';');
      const equals = pair.indexOf('=');
      const value = pair.slice(equals + 1);
      if (value === '') this.cookies.delete(pair.slice(0, equals));
      else this.cookies.set(pair.slice(0, equals), value);
    }
    return { status: statusCode, location: (headers.location as string | undefined) ?? '', body, headers };
  }

  /** The person who is signed in; null: no one. */
  async person(): Promise<{
    readonly personUuid: string;
    readonly role: string;
    readonly [field: string]: unknown;
  } | null> {
    const session = await this.call('console/getSession');
    return (session.person as never) ?? null;
  }

  /** Calls the API as a page of the console does. */
  async call(operation: string, body: object = {}): Promise<Record<string, unknown>> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, 'x-auth-scheme': 'console', origin: 'http://api.example' };
    const response = await this.#fixture.api.inject({
      url: `/api/${operation}`,
      method: 'POST',
      headers,
      payload: body,
    });
    return response.json();
  }
}
