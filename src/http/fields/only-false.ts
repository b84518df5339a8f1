/**
 * Declares flags that an endpoint cannot support and must not ignore. If such a flag were left out like an unknown field, with a mere
 * warning, callers would rely on a guarantee that the gateway does not give. Wrap the result in `Type.Optional`.
 */

import { type TUnsafe, Type } from 'typebox';

/** The keyword of a schema: the sentence for a caller who sends any other than the allowed value. */
export const REFUSAL = 'x-sluice-refusal';

/** `refusal`: why it cannot be true and what to do instead, to stand after the name of the field. */
export function onlyFalse(description: string, refusal: string): TUnsafe<false> {
  return Type.Unsafe<false>({ type: 'boolean', enum: [false], description, [REFUSAL]: refusal });
}
