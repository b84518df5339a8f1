/** The byte stream to a camera: its RTSP connection, or a tunnel that stands for one. */

import type { GatewayError } from '../../core/errors.ts';
import type { UdpEndpoints } from './udp-port-pair.ts';

/** Called asynchronously; nothing is called after `destroy`. */
export interface ConnectionEvents {
  onConnected(): void;
  /** Borrowed until return. */
  onBytes(chunk: Uint8Array): void;
  /**
   * The connection failed or the camera closed it: DIRECT_UNREACHABLE, DIRECT_TLS_…,
   * DIRECT_CERTIFICATE_REFUSED or DIRECT_DISCONNECTED; a tunnel also RTSP_TUNNEL_REFUSED and the codes of authentication. Called once.
   */
  onLost(error: GatewayError): void;
}

export interface CameraConnection {
  /** The camera's address, and our own for reaching it; null before the connection is established. */
  readonly addresses: UdpEndpoints | null;
  /** `bytes` must not change afterwards. Returns false and sends nothing if the camera already has too much unread. */
  write(bytes: Uint8Array): boolean;
  /** Resolves when every socket is closed, by either side. */
  readonly closed: Promise<void>;
  /** Idempotent. */
  destroy(): void;
}

/** Limit on unread bytes to the camera; requests and RTCP are a few hundred bytes per second. */
export const MAX_UNSENT_BYTES = 64 * 1024;
