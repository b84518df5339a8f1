/** A browser that subscribes to notifications and reads them, for tests: it really decrypts (RFC 8291). */

import { createECDH, randomBytes } from 'node:crypto';
import { decrypt } from 'http_ece';
import { newRuuid } from '../core/ruuid.ts';
import type { GivenSubscription } from './push-subscriptions.ts';

export interface PushBrowser {
  readonly given: GivenSubscription;
  /** The JSON that was encrypted for it; throws for any other body. */
  read(body: Buffer): unknown;
}

export function newPushBrowser(host = 'push.example.net'): PushBrowser {
  const keys = createECDH('prime256v1');
  keys.generateKeys();
  const auth = randomBytes(16).toString('base64url');
  return {
    given: {
      endpoint: `https://${host}/push/${newRuuid()}`,
      p256dh: keys.getPublicKey('base64url'),
      auth,
    },
    read: (body) =>
      JSON.parse(decrypt(body, { version: 'aes128gcm', privateKey: keys, authSecret: auth }).toString()),
  };
}
