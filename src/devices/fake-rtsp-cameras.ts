/** Cameras for tests of what uses the probe: each responds at its URL as configured. */

import { GatewayError } from '../core/errors.ts';
import type { CredentialUrl } from '../core/secret.ts';
import { RTSP_ERRORS } from '../rtsp/errors.ts';
import { isCameraProtocol } from '../sources/network/camera-route.ts';
import { DIRECT_ERRORS } from '../sources/network/errors.ts';
import type { CameraProbe, OfferedMedia } from '../sources/probe.ts';
import type { ProbeCamera, ProbeReach } from './camera-prober.ts';

export interface FakeRtspCamera {
  /** `user:password`; absent: it requires none. */
  readonly login?: string;
  /** Fails with this, regardless of the login. */
  readonly failure?: 'unsupported' | 'broken';
  readonly hasAudio?: boolean;
}

const VIDEO: OfferedMedia = { kind: 'video', encodings: ['h264'] };
const JPEG_VIDEO: OfferedMedia = { kind: 'video', encodings: ['jpeg'] };
const AUDIO: OfferedMedia = { kind: 'audio', encodings: ['mpeg4-generic'] };

export class FakeRtspCameras {
  /** By URL without user info. */
  readonly byUrl = new Map<string, FakeRtspCamera>();
  /** The probe to use instead, for tests with cameras that listen; null: the ones above. */
  network: ProbeCamera | null = null;
  /** Every login that was tried, in order; null: no login. */
  readonly triedLogins: (string | null)[] = [];

  /** How each was opened, in order. */
  readonly reaches: ProbeReach[] = [];

  readonly probe = async (url: CredentialUrl, timeoutMs: number, reach: ProbeReach): Promise<CameraProbe> => {
    this.reaches.push(reach);
    if (this.network !== null) return this.network(url, timeoutMs, reach);
    const given = url.credentials();
    const login = given === null ? null : `${given.username}:${given.password.reveal()}`;
    this.triedLogins.push(login);
    const camera = this.byUrl.get(url.redacted());
    if (!isCameraProtocol(url.protocol))
      return failed('NOT_SUPPORTED', new GatewayError(DIRECT_ERRORS.DIRECT_BAD_URL));
    if (camera === undefined)
      return failed('NOT_REACHABLE', new GatewayError(DIRECT_ERRORS.DIRECT_UNREACHABLE));
    if (camera.failure === 'broken') return failed('UNKNOWN', new GatewayError(DIRECT_ERRORS.DIRECT_SILENT));
    if (camera.login !== undefined && camera.login !== login)
      return failed('NOT_AUTHENTICATED', new GatewayError(RTSP_ERRORS.RTSP_AUTH_FAILED));
    if (camera.failure === 'unsupported') {
      const error = new GatewayError(RTSP_ERRORS.RTSP_NO_SUPPORTED_VIDEO);
      return { ...failed('NOT_SUPPORTED', error), offered: [JPEG_VIDEO] };
    }
    const offered = camera.hasAudio === true ? [VIDEO, AUDIO] : [VIDEO];
    return { ...NOTHING, status: 'GOOD', error: null, offered, frameRateHz: 25, gopMs: 2_000 };
  };
}

const NOTHING = {
  offered: [],
  surplus: [],
  tracks: [],
  gopMs: null,
  frameRateHz: null,
  clockOffsetMs: null,
  clockReading: null,
  bitsPerSec: null,
  firstKeyFrameMs: null,
  transport: null,
  keyFrame: null,
};

function failed(status: CameraProbe['status'], error: GatewayError): CameraProbe {
  return { ...NOTHING, status, error };
}
