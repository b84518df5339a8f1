/** The response envelope (docs/spec/conventions.md#response-envelope): the fields of every JSON response of the API. */

import { Type } from 'typebox';
import { flag, plainText } from './fields/field-types.ts';

export interface Envelope {
  readonly error: boolean;
  /** Absent on success. */
  readonly errorMsg?: string | undefined;
  /** Absent if there is none. */
  readonly warningMsg?: string | undefined;
}

/** The fields of a 401 in addition to the envelope; existing clients check them. */
export interface AuthenticationFailure extends Envelope {
  readonly authenticationFailed: true;
}

export const ENVELOPE_PROPERTIES = {
  error: flag('True if the operation failed: then only the envelope is meaningful.'),
  errorMsg: Type.Optional(plainText('Why the operation failed, in a sentence; absent on success.')),
  warningMsg: Type.Optional(plainText('What you should know although the operation succeeded.')),
};

export const ENVELOPE_SCHEMA = Type.Object(ENVELOPE_PROPERTIES, { title: 'Envelope' });

export const AUTHENTICATION_FAILURE_SCHEMA = Type.Object(
  { ...ENVELOPE_PROPERTIES, authenticationFailed: flag('Always true.') },
  { title: 'AuthenticationFailure' },
);

export function successEnvelope(warningMsg: string | null): Envelope {
  return { error: false, errorMsg: undefined, warningMsg: warningMsg ?? undefined };
}

export function failureEnvelope(errorMsg: string, warningMsg: string | null = null): Envelope {
  return { error: true, errorMsg, warningMsg: warningMsg ?? undefined };
}
