/** Reasons for which a clip is refused, once and for all. */

import { type ErrorContext, GatewayError } from '../core/errors.ts';
import type { StoredUpload } from '../store/upload.ts';
import { UPLOAD_ERRORS } from './errors.ts';

/** Before what the code alone does not say. */
const SEPARATOR = ' ';

/** Whether no further attempt with the same file can succeed. */
export function isRefusal({ kind, code }: GatewayError): boolean {
  return (kind === 'peer-protocol' || kind === 'invalid-input') && Object.hasOwn(UPLOAD_ERRORS, code);
}

/** As it is stored: the code, and what a sender has to know of a clip that is too costly. */
export function refusalText({ code, context }: GatewayError): string {
  if (code !== UPLOAD_ERRORS.UPLOAD_TOO_COSTLY.code) return code;
  return `${code}${SEPARATOR}${JSON.stringify(context)}`;
}

/** Why an upload was refused, as it is stored. */
export function refusalOf({ refusal }: StoredUpload): GatewayError {
  const [code, ...context] = (refusal ?? '').split(SEPARATOR);
  const definition = Object.values(UPLOAD_ERRORS).find((each) => each.code === code);
  const known = context.length === 0 ? {} : (JSON.parse(context.join(SEPARATOR)) as ErrorContext);
  return new GatewayError(definition ?? UPLOAD_ERRORS.UPLOAD_DAMAGED, known);
}
