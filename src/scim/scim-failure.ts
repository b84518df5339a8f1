/** Failures as SCIM reports them (RFC 7644 §3.12). */

import { ACCOUNT_ERRORS } from '../accounts/errors.ts';
import { type ErrorDefinition, type ErrorKind, GatewayError } from '../core/errors.ts';
import { SCIM_ERRORS } from './errors.ts';

export const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

export interface ScimFailure {
  readonly status: number;
  /** A word of RFC 7644 §3.12, table 9; absent: none fits. */
  readonly scimType?: string;
}

const BY_KIND: Readonly<Record<ErrorKind, number>> = {
  'invalid-input': 400,
  unauthenticated: 401,
  'not-allowed': 403,
  'not-found': 404,
  conflict: 409,
  'rate-limited': 429,
  unavailable: 503,
  'peer-protocol': 502,
  'peer-refused': 502,
  timeout: 503,
  limit: 403,
  internal: 500,
};

const BY_CODE: Readonly<Record<string, ScimFailure>> = {
  [SCIM_ERRORS.SCIM_FILTER_INVALID.code]: { status: 400, scimType: 'invalidFilter' },
  [SCIM_ERRORS.SCIM_SYNTAX_INVALID.code]: { status: 400, scimType: 'invalidSyntax' },
  [SCIM_ERRORS.SCIM_VALUE_INVALID.code]: { status: 400, scimType: 'invalidValue' },
  [SCIM_ERRORS.SCIM_PATH_INVALID.code]: { status: 400, scimType: 'invalidPath' },
  [SCIM_ERRORS.SCIM_NO_TARGET.code]: { status: 400, scimType: 'noTarget' },
  [SCIM_ERRORS.SCIM_READ_ONLY.code]: { status: 400, scimType: 'mutability' },
  [SCIM_ERRORS.SCIM_TAKEN.code]: { status: 409, scimType: 'uniqueness' },
  [SCIM_ERRORS.SCIM_VERSION_CONFLICT.code]: { status: 412 },
  [SCIM_ERRORS.SCIM_TOO_LARGE.code]: { status: 413 },
  [SCIM_ERRORS.SCIM_NOT_SUPPORTED.code]: { status: 501 },
  [ACCOUNT_ERRORS.PERSON_EMAIL_TAKEN.code]: { status: 409, scimType: 'uniqueness' },
  [ACCOUNT_ERRORS.LAST_ADMIN.code]: { status: 403 },
};

export function scimFailureOf({ code, kind }: Pick<GatewayError, 'code' | 'kind'>): ScimFailure {
  return BY_CODE[code] ?? { status: BY_KIND[kind] };
}

/** `sentence`: says which value, path, or limit; it must not contain secrets. */
export function scimError(definition: ErrorDefinition, sentence?: string): GatewayError {
  return new GatewayError(definition, sentence === undefined ? {} : { sentence });
}

/** The body of an error, as responses and results of bulk operations contain it. */
export function scimErrorBody(error: GatewayError): ScimErrorBody {
  const { status, scimType } = scimFailureOf(error);
  const { sentence } = error.context;
  return {
    schemas: [ERROR_SCHEMA],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail: typeof sentence === 'string' && status < 500 ? sentence : error.message,
  };
}

export interface ScimErrorBody {
  readonly schemas: readonly string[];
  readonly status: string;
  readonly scimType?: string;
  readonly detail: string;
}
