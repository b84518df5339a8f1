/**
 * Declares flags that an endpoint cannot do justice to and must not ignore. Left out like an unknown field, with a mere
 * warning, such a flag would make callers rely on what is not so. Wrap the result in `Type.Optional`.
 */

import { type TUnsafe, Type } from 'typebox';

/** The keyword of a schema: the sentence for a caller who sends anything else than what it allows. */
export const REFUSAL = 'x-sluice-refusal';

/** `refusal`: why it cannot be true and what to do instead, to stand after the name of the field. */
export function onlyFalse(description: string, refusal: string): TUnsafe<false> {
  return Type.Unsafe<false>({ type: 'boolean', enum: [false], description, [REFUSAL]: refusal });
}
