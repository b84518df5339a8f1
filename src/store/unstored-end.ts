/** The common part of services when the store does not take a change that ends access. */

import { type ErrorDefinition, GatewayError, toGatewayError } from '../core/errors.ts';
import type { EndOutcome } from './access-end.ts';
import { noteNotStored } from './storing-notes.ts';

export interface UnstoredEndErrors {
  readonly notKept: ErrorDefinition;
  readonly full: ErrorDefinition;
}

/** The record as it is in force; null: it is gone. Fails with `thrown` if nothing was ended, or with one of `errors`. */
export function acceptedEnd(outcome: EndOutcome, thrown: unknown, errors: UnstoredEndErrors): object | null {
  const context = { cause: toGatewayError(thrown).code };
  if (outcome === 'full')
    throw new GatewayError(errors.full, { ...context, boundOf: 'organization' }, thrown);
  if (typeof outcome === 'string') throw thrown;
  if (!outcome.isKept) throw new GatewayError(errors.notKept, context, thrown);
  noteNotStored(outcome);
  return outcome.record;
}
