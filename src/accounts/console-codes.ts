/**
 * One-time codes for signing in to the console, printed on the command line: for the first person, and for people who
 * lost their password. A code works once, for 24 hours; its hash is stored.
 */

import type { Clock } from '../core/clock.ts';
import { deriveRuuid, newRuuid, type Ruuid } from '../core/ruuid.ts';
import type { Secret } from '../core/secret.ts';
import { hashApiKey } from '../store/api-key-hash.ts';
import type { Person } from '../store/person.ts';
import { type Resource, type ResourceKind, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { newConsoleToken } from './console-token.ts';

export const CONSOLE_CODE_MS = 24 * 3_600_000;
/** Per organization; a further one replaces the oldest. */
export const MAX_CONSOLE_CODES = 10;
/** The name of the first person until they choose one. */
export const FIRST_PERSON_NAME = 'Administrator';

interface ConsoleCodeBody {
  /** The person who signs in with it; null: the first admin, who is added if there is none. */
  readonly personUuid: Ruuid | null;
  readonly expiresAtMs: number;
}

/** The code is not stored: the uuid is derived from its hash. */
const CONSOLE_CODES: ResourceKind<ConsoleCodeBody> = resourceKind('consoleCode');

export interface ConsoleCodesOptions {
  readonly store: Pick<Store, 'resources' | 'people'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class ConsoleCodes {
  readonly #store: ConsoleCodesOptions['store'];
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor({ store, clock }: ConsoleCodesOptions) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A new code. `personUuid`: as in the body. */
  async create(orgUuid: Ruuid, personUuid: Ruuid | null): Promise<Secret> {
    const codes = this.#store.resources.of(CONSOLE_CODES);
    const nowMs = this.#clock.epochMs();
    const known = await codes.list(orgUuid);
    const working = known.filter(({ body }) => nowMs < body.expiresAtMs);
    const replaced = working.slice(0, Math.max(0, working.length - MAX_CONSOLE_CODES + 1));
    for (const { uuid } of known.filter((code) => replaced.includes(code) || !working.includes(code))) {
      await codes.remove(orgUuid, uuid);
    }
    const { token, hash } = newConsoleToken('slk_');
    const code: Resource<ConsoleCodeBody> = {
      uuid: uuidOf(hash),
      orgUuid,
      name: '',
      parentUuid: null,
      secret: null,
      body: { personUuid, expiresAtMs: nowMs + CONSOLE_CODE_MS },
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    await codes.save(code);
    return token;
  }

  /** Uses up a code. Resolves with the person who signs in by it; null: it does not work, or they may not. */
  async redeem(code: string): Promise<Person | null> {
    const codes = this.#store.resources.of(CONSOLE_CODES);
    const found = await codes.findEverywhere(uuidOf(hashApiKey(code)));
    if (found === null) return null;
    // If the code arrives twice at the same time, one of the changes finds nothing.
    const { before } = await codes.change(found.orgUuid, found.uuid, () => 'removed');
    if (before === null || this.#clock.epochMs() >= before.body.expiresAtMs) return null;
    const { orgUuid, body } = before;
    const person =
      body.personUuid === null
        ? await this.#firstAdmin(orgUuid)
        : await this.#store.people.find(orgUuid, body.personUuid);
    return person === null || person.disabled ? null : person;
  }

  async #firstAdmin(orgUuid: Ruuid): Promise<Person> {
    const people = await this.#store.people.list(orgUuid);
    const admin = people.find(({ role, disabled }) => role === 'admin' && !disabled);
    if (admin !== undefined) return admin;
    const first: Person = {
      uuid: newRuuid(),
      orgUuid,
      name: FIRST_PERSON_NAME,
      email: null,
      role: 'admin',
      scope: null,
      passwordHash: null,
      disabled: false,
      createdAtMs: this.#clock.epochMs(),
      lastSignInAtMs: null,
    };
    await this.#store.people.save(first);
    return first;
  }
}

function uuidOf(hash: string): Ruuid {
  return deriveRuuid('console code', hash);
}
