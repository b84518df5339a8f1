/** RTSP messages as values (RFC 2326 §4, §6, §7). */

import type { RtspHeaders } from './headers.ts';

export interface RtspRequest {
  /** As written; methods are case-sensitive (RFC 2326 §6.1). */
  readonly method: string;
  readonly uri: string;
  /** `1.0`. */
  readonly version: string;
  readonly headers: RtspHeaders;
  /** Owned by the receiver; empty when there is none. */
  readonly body: Uint8Array;
}

export interface RtspResponse {
  readonly statusCode: number;
  readonly reasonPhrase: string;
  readonly version: string;
  readonly headers: RtspHeaders;
  /** Owned by the receiver; empty when there is none. */
  readonly body: Uint8Array;
}
