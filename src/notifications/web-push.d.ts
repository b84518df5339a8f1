/** The parts of web-push 3 and http_ece 1 that are used; the packages ship no types. */
declare module 'web-push' {
  export interface RequestDetails {
    readonly endpoint: string;
    readonly headers: Readonly<Record<string, string | number>>;
    readonly body: Buffer;
  }
  export interface RequestOptions {
    readonly vapidDetails: {
      readonly subject: string;
      readonly publicKey: string;
      readonly privateKey: string;
    };
    readonly TTL: number;
    readonly urgency: 'high' | 'normal';
    readonly topic: string;
    readonly contentEncoding: 'aes128gcm';
  }
  const webPush: {
    generateRequestDetails(
      subscription: {
        readonly endpoint: string;
        readonly keys: { readonly p256dh: string; readonly auth: string };
      },
      payload: string,
      options: RequestOptions,
    ): RequestDetails;
  };
  export default webPush;
}

declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  export function decrypt(
    body: Buffer,
    options: { readonly version: 'aes128gcm'; readonly privateKey: ECDH; readonly authSecret: string },
  ): Buffer;
}
