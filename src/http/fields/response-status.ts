/** `responseStatus` of the endpoints that remove devices. */

import { oneOf } from './field-types.ts';

const RESPONSE_STATUSES = [
  'BASIC_AUTH_FAILED',
  'PASSWORD_MISMATCH',
  'SAME_PASSWORD',
  'USER_EXISTS',
  'USER_NOT_FOUND',
  'DEVICE_NOT_FOUND',
  'POLICY_NOT_FOUND',
  'LOCATION_NOT_FOUND',
  'ORG_NOT_FOUND',
  'BAD_INPUT',
  'SUCCESS',
  'PASSWORD_TOO_SHORT',
] as const;

/** A refusal has only the fields of the envelope, so a response that has this field says SUCCESS. */
export const RESPONSE_STATUS_SCHEMA = oneOf(
  RESPONSE_STATUSES,
  'SUCCESS; absent if `error` is true: then `errorMsg` says why.',
);
