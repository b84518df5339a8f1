/**
 * A notification as a push service gets it: encrypted for the browser (RFC 8291), signed with the organization's key (RFC 8292). The library
 * is loaded with the first one: most gateways never send any.
 */

import { createHash } from 'node:crypto';
import type { GivenSubscription, PushKeys } from '../accounts/push-subscriptions.ts';
import type { Ruuid } from '../core/ruuid.ts';

/** What the browser shows. It has nothing that opens anything: who clicks must be signed in. */
export interface PushContent {
  readonly alertUuid: Ruuid;
  /** What happened, in words. */
  readonly title: string;
  /** The camera and its location. */
  readonly text: string;
  readonly deviceUuid: Ruuid;
  readonly timestampMs: number;
  /** Alerts of this camera since the last notification, this one included. */
  readonly count: number;
}

export interface PushRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A push service keeps it so long for a browser that it cannot reach. */
const TTL_SEC = 3_600;
/** RFC 8030 §5.4: at most 32 characters of base64url. */
const TOPIC_CHARS = 32;
/** Push services take 4,096 bytes, with what encryption adds. */
const MAX_TEXT_CHARS = 200;

/** `subject`: where the operator of a push service finds who sends, an https URL or a mailto URL. */
export async function pushRequest(
  { endpoint, ...keys }: GivenSubscription,
  { publicKey, privateKey }: PushKeys,
  subject: string,
  content: PushContent,
): Promise<PushRequest> {
  const { default: webPush } = await import('web-push');
  const shown = { ...content, title: shortened(content.title), text: shortened(content.text) };
  const { headers, body } = webPush.generateRequestDetails({ endpoint, keys }, JSON.stringify(shown), {
    vapidDetails: { subject, publicKey, privateKey: privateKey.reveal() },
    TTL: TTL_SEC,
    urgency: 'high',
    topic: topicOf(content.deviceUuid),
    contentEncoding: 'aes128gcm',
  });
  // The caller of the request sets its length.
  const sent = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  return {
    url: new URL(endpoint),
    headers: Object.fromEntries(sent.filter(([name]) => name !== 'content-length')),
    body,
  };
}

/** A later notification of the same camera replaces one that the service still keeps. */
function topicOf(deviceUuid: Ruuid): string {
  return createHash('sha256').update(deviceUuid).digest('base64url').slice(0, TOPIC_CHARS);
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= MAX_TEXT_CHARS ? text : `${characters.slice(0, MAX_TEXT_CHARS - 1).join('')}…`;
}
