/** The event service of a fake ONVIF camera, for tests: subscriptions, of which one at a time is pulled from. */

import { descendant, type XmlElement } from '../../onvif/xml-element.ts';
import {
  type FakeNotification,
  type FakeResponse,
  fault,
  NOT_SUPPORTED,
  notificationOf,
  ok,
} from './fake-onvif-responses.ts';

export interface FakePullPointHabits {
  /** It answers a pull immediately, even with nothing. */
  readonly isHasty?: boolean;
  /** It names the subscription in the header instead of the URL, as Axis cameras do. */
  readonly namesInHeader?: boolean;
  /** It does not know Renew. */
  readonly cannotRenew?: boolean;
}

const EXPIRED = fault(400, ['InvalidArgVal'], 'Subscription expired');

export class FakePullPoint {
  /** How many subscriptions were made. */
  subscribed = 0;
  renewed = 0;
  unsubscribed = 0;
  pulls = 0;
  /** Those that the camera knows, by their numbers. */
  readonly #known = new Set<string>();
  readonly #habits: FakePullPointHabits;
  readonly #address: () => string;
  #waiting: FakeNotification[] = [];
  #pulled: (() => void) | null = null;
  #raw: string | null = null;

  constructor(habits: FakePullPointHabits, address: () => string) {
    this.#habits = habits;
    this.#address = address;
  }

  get isSubscribed(): boolean {
    return this.#known.size > 0;
  }

  notify(...notifications: FakeNotification[]): void {
    this.#waiting.push(...notifications);
    this.#wake();
  }

  /** The next pull is answered with this. */
  respondRaw(fields: string): void {
    this.#raw = fields;
    this.#wake();
  }

  /** The camera restarts: it no longer knows any subscription. */
  forget(): void {
    this.#known.clear();
    this.#wake();
  }

  close(): void {
    this.#wake();
  }

  answer(path: string, message: XmlElement, name: string): FakeResponse | Promise<FakeResponse> {
    const { namesInHeader = false, cannotRenew = false } = this.#habits;
    if (name === 'CreatePullPointSubscription') return this.#subscribe(name, namesInHeader);
    const header = descendant(message, 'SubscriptionId');
    const inHeader = header?.namespace === 'urn:axis' ? header.text : '';
    const number = namesInHeader ? inHeader : (/^\/onvif\/subscription\?n=(\d+)$/.exec(path)?.[1] ?? '');
    if (!this.#known.has(number) || descendant(message, 'Action') === undefined) return EXPIRED;
    switch (name) {
      case 'PullMessages':
        return this.#pull(name, number);
      case 'Renew':
        if (cannotRenew) return NOT_SUPPORTED;
        this.renewed += 1;
        return ok(name, '');
      case 'Unsubscribe':
        this.unsubscribed += 1;
        this.#known.delete(number);
        this.#wake();
        return ok(name, '');
      default:
        return NOT_SUPPORTED;
    }
  }

  #subscribe(name: string, namesInHeader: boolean): FakeResponse {
    this.subscribed += 1;
    this.#known.add(String(this.subscribed));
    const id = `<x:SubscriptionId xmlns:x="urn:axis">${this.subscribed}</x:SubscriptionId>`;
    const parameters = `<w:ReferenceParameters xmlns:w="w">${namesInHeader ? id : ''}</w:ReferenceParameters>`;
    const address = `${this.#address()}${namesInHeader ? '' : `?n=${this.subscribed}`}`;
    return ok(
      name,
      `<t:SubscriptionReference><t:Address>${address}</t:Address>${parameters}</t:SubscriptionReference>`,
    );
  }

  async #pull(name: string, number: string): Promise<FakeResponse> {
    this.pulls += 1;
    if (this.#waiting.length === 0 && this.#raw === null && this.#habits.isHasty !== true) {
      await new Promise<void>((resolve) => {
        this.#pulled = resolve;
      });
    }
    if (!this.#known.has(number)) return EXPIRED;
    const fields = this.#raw ?? this.#waiting.map(notificationOf).join('');
    this.#raw = null;
    this.#waiting = [];
    return ok(name, fields);
  }

  #wake(): void {
    this.#pulled?.();
    this.#pulled = null;
  }
}
