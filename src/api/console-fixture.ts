/** Someone with a browser: sends the console's requests with its cookie and the headers that browsers add. */

import type { LightMyRequestResponse } from 'fastify';
import { Passwords } from '../sharing/password.ts';
import type { Person, Role } from '../store/person.ts';
import { samplePerson } from '../store/sample-entities-fixture.ts';
import type { Answer, ApiFixture, FixtureOrg } from './api-fixture.ts';

/** Passwords are not what these tests are about: they cost little. */
const CHEAP = new Passwords({ log2N: 4, r: 1, p: 1 });
export const PASSWORD = 'correct horse battery';

export class ConsoleTester {
  readonly #fixture: ApiFixture;
  /** As the browser has it; null: none. */
  cookie: string | null = null;
  /** Origin of its page. */
  origin = 'http://api.example';
  /** Cookie for the challenges of passkeys; null: none. */
  passkeyCookie: string | null = null;
  /** Cookie that proves an earlier sign-in in this browser; null: none. */
  knownCookie: string | null = null;

  constructor(fixture: ApiFixture) {
    this.#fixture = fixture;
  }

  /** POST as a page of the console does. `headers` replace its own. */
  async post(
    operation: string,
    body: object = {},
    headers: Record<string, string> = {},
  ): Promise<LightMyRequestResponse> {
    const path = operation.startsWith('/') ? operation : `/api/console/${operation}`;
    const cookies = [this.cookie, this.passkeyCookie, this.knownCookie]
      .filter((cookie) => cookie !== null)
      .join('; ');
    const response = await this.#fixture.post(path, body, {
      'x-auth-apikey': '',
      'x-auth-scheme': 'console',
      origin: this.origin,
      'sec-fetch-site': 'same-origin',
      ...(cookies === '' ? {} : { cookie: cookies }),
      ...headers,
    });
    for (const set of [response.headers['set-cookie'] ?? []].flat()) {
      const [pair] = set.split(';') as [string];
      if (/^(?:__Host-)?sluice_passkey=/.test(pair)) this.passkeyCookie = pair;
      else if (/^(?:__Host-)?sluice_known=/.test(pair)) this.knownCookie = pair;
      else this.cookie = pair;
    }
    return response;
  }

  /** The parsed response, which must have status 200. */
  async call(operation: string, body: object = {}): Promise<Answer> {
    const response = await this.post(operation, body);
    if (response.statusCode !== 200)
      throw new Error(`${operation} answered ${response.statusCode}: ${response.body}`);
    return response.json<Answer>();
  }
}

/** A person with PASSWORD, in the store. */
export async function addPerson(
  { store }: ApiFixture,
  { organization }: FixtureOrg,
  role: Role,
  overrides: Partial<Person> = {},
): Promise<Person> {
  const passwordHash = await CHEAP.hash(PASSWORD);
  const person = samplePerson(organization.uuid, { role, passwordHash, name: role, ...overrides });
  await store.people.save(person);
  return person;
}

/** Someone of the organization, signed in. */
export async function signedIn(
  fixture: ApiFixture,
  org: FixtureOrg,
  role: Role,
  overrides: Partial<Person> = {},
  console = new ConsoleTester(fixture),
): Promise<{ readonly console: ConsoleTester; readonly person: Person }> {
  const person = await addPerson(fixture, org, role, overrides);
  const { email } = person;
  const response = await console.post('signIn', { email, password: PASSWORD });
  if (response.statusCode !== 200 || response.json<Answer>().error)
    throw new Error(`not signed in: ${response.body}`);
  return { console, person };
}
