/** What a clip is refused for, once and for all. */

import { GatewayError } from '../core/errors.ts';
import type { StoredUpload } from '../store/upload.ts';
import { UPLOAD_ERRORS } from './errors.ts';

/** What no further attempt with the same file can change. */
export function isRefusal({ kind, code }: GatewayError): boolean {
  return (kind === 'peer-protocol' || kind === 'invalid-input') && Object.hasOwn(UPLOAD_ERRORS, code);
}

/** Why an upload was refused, as it is stored. */
export function refusalOf({ refusal }: StoredUpload): GatewayError {
  const definition = Object.values(UPLOAD_ERRORS).find(({ code }) => code === refusal);
  return new GatewayError(definition ?? UPLOAD_ERRORS.UPLOAD_DAMAGED, {});
}
