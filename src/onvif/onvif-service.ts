/** Where a camera's ONVIF service is, as people write it. */

import type { CredentialUrl } from '../core/secret.ts';
import type { OnvifLogin } from './soap.ts';

/** The path on nearly all cameras. */
export const ONVIF_SERVICE_PATH = '/onvif/device_service';

export interface OnvifService {
  /** Without login. */
  readonly service: URL;
  readonly login: OnvifLogin | null;
}

/** A URL without a path means the usual one. */
export function onvifServiceOf(url: CredentialUrl): OnvifService {
  const service = new URL(url.redacted());
  if (service.pathname === '/') service.pathname = ONVIF_SERVICE_PATH;
  return { service, login: url.credentials() };
}
