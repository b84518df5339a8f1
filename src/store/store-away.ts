/** Which failures say nothing about what the store has. */

import { toGatewayError } from '../core/errors.ts';
import { STORE_ERRORS } from './errors.ts';

const CODES: ReadonlySet<string> = new Set(
  Object.values(STORE_ERRORS)
    .filter(({ kind }) => kind === 'unavailable')
    .map(({ code }) => code),
);

/** Whether the store did not answer: what it would have said is not known. */
export function isStoreAway(thrown: unknown): boolean {
  return CODES.has(toGatewayError(thrown).code);
}
