/**
 * Links that sign someone in to the console once, for the person at the terminal. The code is in the fragment, which
 * browsers send to no server and proxies do not log.
 */

import { ConsoleCodes } from '../../accounts/console-codes.ts';
import type { Clock } from '../../core/clock.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { Secret } from '../../core/secret.ts';
import { withoutTrailingSlashes } from '../../core/trailing-slashes.ts';
import type { Store } from '../../store/store.ts';
import { DEFAULT_ORG_UUID } from '../config/default-organizations.ts';

interface LinkParts {
  readonly store: Store;
  readonly clock: Clock;
  /** The base address at which the API is reached. */
  readonly apiUrl: string;
}

/** Until someone has signed in, every start has a link; null: there are people. */
export async function firstConsoleLink(parts: LinkParts): Promise<Secret | null> {
  const people = await parts.store.people.list(DEFAULT_ORG_UUID);
  return people.length > 0 ? null : newConsoleLink(parts, null);
}

/** `personUuid`: who signs in with it; null: the first admin. */
export async function newConsoleLink(
  { store, clock, apiUrl }: LinkParts,
  personUuid: Ruuid | null,
): Promise<Secret> {
  const code = await new ConsoleCodes({ store, clock }).create(DEFAULT_ORG_UUID, personUuid);
  return new Secret(`${withoutTrailingSlashes(apiUrl)}/console/#code=${code.reveal()}`);
}
