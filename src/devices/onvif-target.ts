/** How the ONVIF service of a known camera is reached. */

import { type OnvifService, onvifServiceOf } from '../onvif/onvif-service.ts';
import type { AddressClaim } from '../sources/network/camera-address.ts';
import { parseTlsTrust, type TlsTrust } from '../sources/network/tls-trust.ts';
import type { Camera } from '../store/entities.ts';
import { isOperatorsCamera } from './operators-camera.ts';

export interface OnvifTarget extends OnvifService {
  /** `no-local` for a camera of the API, unless the operator allows such. */
  readonly rule: AddressClaim;
  readonly tls: TlsTrust;
  /** The URL of its main stream, without login. */
  readonly streamUrl: string;
}

/** null: no ONVIF service of the camera is known. */
export function onvifTargetOf(camera: Camera): OnvifTarget | null {
  const { onvifUrl, rtspUrl, orgUuid } = camera;
  if (onvifUrl === null) return null;
  const rule = { reach: isOperatorsCamera(camera) ? 'anywhere' : 'no-local', orgUuid } as const;
  const tls = parseTlsTrust(camera.tls) ?? 'verify';
  return { ...onvifServiceOf(onvifUrl), rule, tls, streamUrl: rtspUrl.redacted() };
}

/** Whether both lead to the same camera in the same way. */
export function isSameTarget(a: OnvifTarget, b: OnvifTarget): boolean {
  return (
    a.service.href === b.service.href &&
    a.login?.username === b.login?.username &&
    a.login?.password.reveal() === b.login?.password.reveal() &&
    a.rule.reach === b.rule.reach &&
    a.tls === b.tls &&
    a.streamUrl === b.streamUrl
  );
}
