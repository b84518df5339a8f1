/** Where a caller of the API watches one of its cameras for some minutes, without a share and without sending its key again. */

import type { Caller } from '../accounts/caller.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { AuditPrincipal } from '../store/audit.ts';
import type { Camera } from '../store/entities.ts';
import { cameraShownTo } from '../store/privacy-mask.ts';
import type { Principal } from './device-grant.ts';
import { SHARING_ERRORS } from './errors.ts';
import type { PreviewRequest, PreviewResponse } from './preview-request.ts';

export interface Preview {
  /** Names the preview when it is extended. */
  readonly grantText: string;
  /** The page. The grant is its fragment, which browsers never send. */
  readonly pageUrl: string;
  readonly playlistUrl: string;
  readonly socketUrl: string;
  /** null: the camera has no substream. */
  readonly subSocketUrl: string | null;
  readonly endsAtEpochMs: number;
}

export interface DevicePreviewsOptions {
  /** Fails CAMERA_NOT_FOUND. */
  readonly devices: { findCamera(orgUuid: Ruuid, uuid: Ruuid): Promise<{ readonly camera: Camera }> };
  readonly openPreview: (request: PreviewRequest) => Promise<PreviewResponse>;
  /** Under which viewers reach the media listener, without a trailing slash. */
  readonly mediaUrl: string;
}

const MS_PER_SEC = 1_000;

export class DevicePreviews {
  readonly #options: DevicePreviewsOptions;

  constructor(options: DevicePreviewsOptions) {
    this.#options = options;
  }

  /**
   * `grantText`: the grant of an earlier preview, which continues under the same URLs if it is still valid; null: a new one. Fails
   * CAMERA_NOT_FOUND, PREVIEW_NEEDS_KEY, PREVIEWS_TOO_OFTEN, PREVIEW_REFUSED.
   */
  async open(
    caller: Caller,
    cameraUuid: Ruuid,
    grantText: string | null,
    { sourceIp, userAgent }: Pick<AuditPrincipal, 'sourceIp' | 'userAgent'>,
  ): Promise<Preview> {
    const { orgUuid, onlyDevice } = caller;
    const principal = principalOf(caller);
    if (principal === null || onlyDevice !== null) throw new GatewayError(SHARING_ERRORS.PREVIEW_NEEDS_KEY);
    const { camera } = await this.#options.devices.findCamera(orgUuid, cameraUuid);
    const opened = await this.#options.openPreview({
      orgUuid,
      cameraUuid: camera.uuid,
      principal,
      grantText,
      actor: { ...caller.actor, scheme: principal.kind === 'person' ? 'person' : caller.scheme },
      address: sourceIp ?? '',
      userAgent,
    });
    if (!opened.allowed) throw refusalOf(opened);
    // A camera with its masks has one stream.
    const hasSub = camera.substreamUrl !== null && cameraShownTo(caller.role, camera) === camera.uuid;
    return this.#preview(opened.grantText, opened.endsAtEpochMs, hasSub);
  }

  #preview(grantText: string, endsAtEpochMs: number, hasSub: boolean): Preview {
    const { mediaUrl } = this.#options;
    const live = `${mediaUrl}/live/${grantText}`;
    const socket = live.replace(/^http/i, 'ws');
    return {
      grantText,
      endsAtEpochMs,
      pageUrl: `${mediaUrl}/preview#${grantText}`,
      playlistUrl: `${live}/${hasSub ? 'index' : 'file'}.m3u8`,
      socketUrl: `${socket}/ws`,
      subSocketUrl: hasSub ? `${socket}/wsl` : null,
    };
  }
}

/** null: a preview would rest on the key that granted the access token, and outlive the token. */
function principalOf({ principal }: Caller): Principal | null {
  switch (principal.kind) {
    case 'key':
      return { kind: 'key', uuid: principal.key.uuid };
    case 'person':
      return { kind: 'person', uuid: principal.session.uuid };
    case 'application':
    case 'page':
      return null;
  }
}

function refusalOf({ reason, retryAfterMs }: Extract<PreviewResponse, { allowed: false }>): GatewayError {
  if (reason !== 'too-many-opens') return new GatewayError(SHARING_ERRORS.PREVIEW_REFUSED, { reason });
  const retryAfterSec = Math.ceil((retryAfterMs ?? 0) / MS_PER_SEC);
  return new GatewayError(SHARING_ERRORS.PREVIEWS_TOO_OFTEN, { retryAfterSec });
}
