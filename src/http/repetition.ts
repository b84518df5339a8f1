/** The effect of sending a call again because the client lost the response: each endpoint decides it (docs/design/idempotency.md). */

/**
 * `once`: a second call would create, order or move something again, so the endpoint honors `Idempotency-Key`. `reads`: it changes nothing.
 * `same-outcome`: it sets, replaces, ends or deletes, so a second call has the same result. `own-ids`: the stored objects have IDs that the
 * caller chose. `expires`: it creates only objects that expire soon, or nothing. `single-use`: it uses up a code, an invitation or a
 * challenge, so a second call is refused.
 */
export type Repetition = 'once' | 'reads' | 'same-outcome' | 'own-ids' | 'expires' | 'single-use';

/** Why a call needs no key, for clients that send one. */
const REASONS: Readonly<Record<Exclude<Repetition, 'once'>, string>> = {
  reads: 'this call changes nothing.',
  'same-outcome': 'a second call leaves everything as the first one left it.',
  'own-ids': 'rows have IDs of their own, so nothing is stored twice.',
  expires: 'this call creates nothing that lasts.',
  'single-use': 'what this call uses up works only once.',
};

/** The sentence for clients that send an `Idempotency-Key` where none is honored. */
export function ignoredKeySentence(repetition: Exclude<Repetition, 'once'>): string {
  return `Idempotency-Key is ignored: ${REASONS[repetition]}`;
}
