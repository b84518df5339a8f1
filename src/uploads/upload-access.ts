/**
 * The one decision about uploads: for announcing a clip, for each request about it, and again while its bytes come.
 * Everything that is not allowed is refused (docs/design/upload.md#access).
 */

import { type ErrorDefinition, GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ApiKeyScheme } from '../store/entities.ts';
import type { Role } from '../store/person.ts';
import { UPLOAD_ERRORS } from './errors.ts';

/** A key that was just checked, or that began the running upload. */
export interface Uploader {
  readonly keyUuid: Ruuid;
  readonly orgUuid: Ruuid;
}

/** The key and the camera of an upload as they are now. */
export interface UploadRights {
  /** null: revoked, or gone. */
  readonly key: { readonly orgUuid: Ruuid; readonly scheme: ApiKeyScheme; readonly role: Role } | null;
  /** null: it does not exist, or no longer does. */
  readonly camera: { readonly orgUuid: Ruuid } | null;
}

/** Asks for them: in memory, at any time. */
export interface UploadRightsSource {
  uploadRights(keyUuid: Ruuid, cameraUuid: Ruuid): UploadRights;
  /** Reads the store, also for a key that has made no request since the start. Rejects like the store. */
  storedRights(uploader: Uploader, cameraUuid: Ruuid): Promise<UploadRights>;
}

const UPLOADING_SCHEMES: ReadonlySet<ApiKeyScheme> = new Set(['api', 'device']);

/** null: allowed. A camera of another organization is as unknown as one that does not exist. */
export function decideUpload(uploader: Uploader, { key, camera }: UploadRights): ErrorDefinition | null {
  if (key === null || key.orgUuid !== uploader.orgUuid || !UPLOADING_SCHEMES.has(key.scheme)) {
    return UPLOAD_ERRORS.UPLOAD_CREDENTIAL_ENDED;
  }
  // Like the endpoints that take reports.
  if (key.role !== 'admin') return UPLOAD_ERRORS.UPLOAD_CREDENTIAL_ENDED;
  if (camera === null || camera.orgUuid !== uploader.orgUuid) return UPLOAD_ERRORS.UPLOAD_CAMERA_UNKNOWN;
  return null;
}

/** Fails UPLOAD_CREDENTIAL_ENDED, UPLOAD_CAMERA_UNKNOWN. */
export function expectAllowed(uploader: Uploader, rights: UploadRights): void {
  const refusal = decideUpload(uploader, rights);
  if (refusal !== null) throw new GatewayError(refusal, {});
}
