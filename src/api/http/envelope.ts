/** The response envelope (spec, "Response envelope"): the fields that every JSON answer of the API carries. */

import { Type } from 'typebox';
import { flag, nullable, plainText } from '../fields/field-types.ts';

export interface Envelope {
  readonly error: boolean;
  readonly errorMsg: string | null;
  readonly warningMsg: string | null;
}

/** What a 401 carries besides the envelope; existing clients branch on it. */
export interface AuthenticationFailure extends Envelope {
  readonly authenticationFailed: true;
}

export const ENVELOPE_PROPERTIES = {
  error: flag('True when the operation failed; then only the envelope is meaningful.'),
  errorMsg: nullable(plainText('The reason for a failure, a sentence for people.')),
  warningMsg: nullable(plainText('Something to know about although the operation succeeded.')),
};

export const ENVELOPE_SCHEMA = Type.Object(ENVELOPE_PROPERTIES, { title: 'Envelope' });

export const AUTHENTICATION_FAILURE_SCHEMA = Type.Object(
  { ...ENVELOPE_PROPERTIES, authenticationFailed: flag('Always true.') },
  { title: 'AuthenticationFailure' },
);

export function successEnvelope(warningMsg: string | null): Envelope {
  return { error: false, errorMsg: null, warningMsg };
}

export function failureEnvelope(errorMsg: string, warningMsg: string | null = null): Envelope {
  return { error: true, errorMsg, warningMsg };
}
