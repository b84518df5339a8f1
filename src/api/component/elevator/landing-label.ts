/** The label of an elevator landing as callers give it. */

import { invalidField } from '../../base/request-body.ts';

/** Fails INVALID_FIELD. */
export function landingLabel(given: string): string {
  const label = given.trim();
  if (label === '') throw invalidField('label must not be blank.');
  return label;
}
