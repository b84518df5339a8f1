/**
 * Browsers to which a person's notifications go (Web Push, RFC 8030), and the key with which the gateway signs them (VAPID, RFC 8292).
 * The endpoint and its keys let anyone send to the browser, so they are encrypted, and in no response.
 */

import { createECDH } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import type { ConsoleSession } from '../store/person.ts';
import { type Resource, type ResourceRepository, type RoomForMore, resourceKind } from '../store/resource.ts';
import type { Store } from '../store/store.ts';
import { ACCOUNT_ERRORS } from './errors.ts';

export interface PushSubscriptionBody {
  /** The session that subscribed last: the subscription ends with it, unless it only expires. */
  readonly sessionUuid: Ruuid;
  readonly userAgent: string | null;
}

/** The parent is the person, with whom it is removed; the name is the host of the push service. */
export type PushSubscription = Resource<PushSubscriptionBody>;

/** As browsers return it: binary values are base64url. */
export interface GivenSubscription {
  readonly endpoint: string;
  /** The browser's public key on P-256, uncompressed: 65 bytes. */
  readonly p256dh: string;
  /** 16 bytes. */
  readonly auth: string;
}

/** Both as base64url. */
export interface PushKeys {
  readonly publicKey: string;
  readonly privateKey: Secret;
}

export const PUSH_SUBSCRIPTIONS = resourceKind<PushSubscriptionBody>('pushSubscription');
const PUSH_KEYS = resourceKind<{ readonly publicKey: string }>('pushKey');
/** Without a visit to the console, it ends: as long as a session lasts at most. */
export const PUSH_SUBSCRIPTION_MS = 30 * 24 * 60 * 60_000;
export const MAX_ENDPOINT_LENGTH = 2_048;
const MAX_PER_PERSON = 10;
const P256_POINT_BYTES = 65;
const UNCOMPRESSED = 0x04;
const AUTH_BYTES = 16;

const full = (): GatewayError => new GatewayError(ACCOUNT_ERRORS.TOO_MANY_PUSH_SUBSCRIPTIONS);
const ROOMS: readonly RoomForMore[] = [
  { atMost: MAX_PER_PERSON, within: 'parent', full },
  { atMost: LIMITS.pushSubscriptions.perOrganization, within: 'organization', full },
];

export interface PushSubscriptionsOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly clock: Pick<Clock, 'epochMs'>;
}

export class PushSubscriptions {
  readonly #subscriptions: ResourceRepository<PushSubscriptionBody>;
  readonly #keys: ResourceRepository<{ readonly publicKey: string }>;
  readonly #clock: Pick<Clock, 'epochMs'>;

  constructor({ store, clock }: PushSubscriptionsOptions) {
    this.#subscriptions = store.resources.of(PUSH_SUBSCRIPTIONS);
    this.#keys = store.resources.of(PUSH_KEYS);
    this.#clock = clock;
  }

  /** The organization's keys, made once: of several gateways, the first one's. */
  async keys(orgUuid: Ruuid): Promise<PushKeys> {
    const uuid = deriveRuuid('push key', orgUuid);
    const known = await this.#keys.find(orgUuid, uuid);
    if (known?.secret != null) return { publicKey: known.body.publicKey, privateKey: known.secret };
    const made = createECDH('prime256v1');
    made.generateKeys();
    const nowMs = this.#clock.epochMs();
    const { after } = await this.#keys.change(
      orgUuid,
      uuid,
      (stored) =>
        stored ?? {
          uuid,
          orgUuid,
          name: '',
          parentUuid: null,
          body: { publicKey: made.getPublicKey('base64url') },
          secret: new Secret(made.getPrivateKey().toString('base64url')),
          createdAtMs: nowMs,
          updatedAtMs: nowMs,
        },
    );
    return { publicKey: after!.body.publicKey, privateKey: after!.secret! };
  }

  /** Adds a browser, or renews what is known of it. Fails PUSH_SUBSCRIPTION_INVALID, TOO_MANY_PUSH_SUBSCRIPTIONS. */
  async add(
    { orgUuid, uuid: sessionUuid, personUuid, userAgent }: ConsoleSession,
    given: GivenSubscription,
  ): Promise<PushSubscription> {
    const { host } = checkedEndpoint(given);
    const uuid = deriveRuuid('push subscription', `${orgUuid}\0${personUuid}\0${given.endpoint}`);
    const nowMs = this.#clock.epochMs();
    const decide = (known: PushSubscription | null): PushSubscription => ({
      uuid,
      orgUuid,
      name: host,
      parentUuid: personUuid,
      body: { sessionUuid, userAgent },
      secret: new Secret(JSON.stringify(given)),
      createdAtMs: known?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    });
    await this.#removeOld(orgUuid, personUuid);
    return (await this.#subscriptions.change(orgUuid, uuid, decide, ROOMS)).after!;
  }

  /** Those that still work, in the order in which they began. */
  async ofPerson(orgUuid: Ruuid, personUuid: Ruuid): Promise<PushSubscription[]> {
    const all = await this.#subscriptions.listByParent(orgUuid, personUuid);
    return all.filter((each) => !this.#isOld(each));
  }

  /** Everyone's. */
  async ofOrganization(orgUuid: Ruuid): Promise<PushSubscription[]> {
    if ((await this.#subscriptions.count(orgUuid)) === 0) return [];
    return (await this.#subscriptions.list(orgUuid)).filter((each) => !this.#isOld(each));
  }

  /** null: it was removed, or is too old. */
  async find(orgUuid: Ruuid, uuid: Ruuid): Promise<PushSubscription | null> {
    const found = await this.#subscriptions.find(orgUuid, uuid);
    return found === null || this.#isOld(found) ? null : found;
  }

  /** Fails PUSH_SUBSCRIPTION_NOT_FOUND, also if it is another person's. */
  async remove(orgUuid: Ruuid, personUuid: Ruuid, uuid: Ruuid): Promise<void> {
    const found = await this.#subscriptions.find(orgUuid, uuid);
    if (found?.parentUuid !== personUuid || !(await this.#subscriptions.remove(orgUuid, uuid))) {
      throw new GatewayError(ACCOUNT_ERRORS.PUSH_SUBSCRIPTION_NOT_FOUND);
    }
  }

  /** The push service says that the browser is gone. */
  async removeGone(orgUuid: Ruuid, uuid: Ruuid): Promise<void> {
    await this.#subscriptions.remove(orgUuid, uuid);
  }

  /** Someone ended the session: its browser gets nothing more. */
  async endOfSession({ orgUuid, personUuid, uuid }: ConsoleSession): Promise<void> {
    for (const { uuid: subscription, body } of await this.#subscriptions.listByParent(orgUuid, personUuid)) {
      if (body.sessionUuid === uuid) await this.#subscriptions.remove(orgUuid, subscription);
    }
  }

  #isOld({ updatedAtMs }: PushSubscription): boolean {
    return this.#clock.epochMs() - updatedAtMs > PUSH_SUBSCRIPTION_MS;
  }

  async #removeOld(orgUuid: Ruuid, personUuid: Ruuid): Promise<void> {
    for (const each of await this.#subscriptions.listByParent(orgUuid, personUuid)) {
      if (this.#isOld(each)) await this.#subscriptions.remove(orgUuid, each.uuid);
    }
  }
}

/** What a subscription needs to be sent to. */
export function subscriptionSecret({ secret }: PushSubscription): GivenSubscription | null {
  return secret === null ? null : (JSON.parse(secret.reveal()) as GivenSubscription);
}

/** Fails PUSH_SUBSCRIPTION_INVALID. The host's addresses are checked when the gateway connects. */
function checkedEndpoint({ endpoint, p256dh, auth }: GivenSubscription): URL {
  const url = endpoint.length <= MAX_ENDPOINT_LENGTH && URL.canParse(endpoint) ? new URL(endpoint) : null;
  const isGood =
    url !== null &&
    url.protocol === 'https:' &&
    url.username === '' &&
    url.password === '' &&
    url.hash === '' &&
    isPoint(p256dh) &&
    bytesOf(auth)?.length === AUTH_BYTES;
  if (!isGood) throw new GatewayError(ACCOUNT_ERRORS.PUSH_SUBSCRIPTION_INVALID);
  return url;
}

/** Whether it is on the curve: a key that is not would fail each time something is encrypted for it. */
function isPoint(text: string): boolean {
  const bytes = bytesOf(text);
  if (bytes?.length !== P256_POINT_BYTES || bytes[0] !== UNCOMPRESSED) return false;
  const own = createECDH('prime256v1');
  own.generateKeys();
  try {
    own.computeSecret(bytes);
    return true;
  } catch {
    return false;
  }
}

/** null: it is not base64url. */
function bytesOf(text: string): Buffer | null {
  return /^[\w-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : null;
}
