/** Who sees to an alert: a field specific to Sluice, next to those of the API family. */

import type { Static } from 'typebox';
import { int64, namedType, plainText, ruuid } from '../../http/fields/field-types.ts';
import type { Acknowledgement } from '../../store/event.ts';

export const ACKNOWLEDGEMENT_SCHEMA = namedType('PolicyAlertAcknowledgement', {
  timestampMs: int64('When, in epoch milliseconds.'),
  actorUuid: ruuid('The person or the API key.'),
  actorName: plainText('Their name at that time.'),
  note: plainText('What was found or done; empty: no note.'),
});

export function acknowledgementAnswer({
  atMs,
  ...who
}: Acknowledgement): Static<typeof ACKNOWLEDGEMENT_SCHEMA> {
  return { timestampMs: atMs, ...who };
}
