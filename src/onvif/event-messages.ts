/**
 * Pull-point notifications: requests to a camera's event service and its subscriptions, and their responses (ONVIF Core
 * §9, WS-BaseNotification 1.3).
 */

import type { SoapMessage } from './soap.ts';
import { childrenOf, descendant, descendants, escapeXml, textOf, type XmlElement } from './xml-element.ts';

const EVENTS = 'http://www.onvif.org/ver10/events/wsdl';
const NOTIFICATION = 'http://docs.oasis-open.org/wsn/b-2';
const NOTIFICATION_ACTIONS = 'http://docs.oasis-open.org/wsn/bw-2/SubscriptionManager';

/** The most that is read of one response: more is not worth the memory of the gateway. */
const MAX_NOTIFICATIONS = 128;
const MAX_ITEMS = 16;
const MAX_PARAMETERS = 8;
const MAX_PARAMETER_CHARS = 1_024;
const MAX_TOPIC_CHARS = 256;
const MAX_VALUE_CHARS = 256;

/** Times are in seconds: some cameras read `PT10M` as ten seconds (home-assistant/core#92551). */
export function createPullPoint(lifetimeSec: number): SoapMessage {
  return {
    body:
      `<e:CreatePullPointSubscription xmlns:e="${EVENTS}"><e:InitialTerminationTime>PT${lifetimeSec}S` +
      '</e:InitialTerminationTime></e:CreatePullPointSubscription>',
    action: `${EVENTS}/EventPortType/CreatePullPointSubscriptionRequest`,
  };
}

export function pullMessages(timeoutSec: number): SoapMessage {
  return {
    body:
      `<e:PullMessages xmlns:e="${EVENTS}"><e:Timeout>PT${timeoutSec}S</e:Timeout>` +
      `<e:MessageLimit>${MAX_NOTIFICATIONS}</e:MessageLimit></e:PullMessages>`,
    action: `${EVENTS}/PullPointSubscription/PullMessagesRequest`,
  };
}

export function renewSubscription(lifetimeSec: number): SoapMessage {
  return {
    body: `<n:Renew xmlns:n="${NOTIFICATION}"><n:TerminationTime>PT${lifetimeSec}S</n:TerminationTime></n:Renew>`,
    action: `${NOTIFICATION_ACTIONS}/RenewRequest`,
  };
}

export const UNSUBSCRIBE: SoapMessage = {
  body: `<n:Unsubscribe xmlns:n="${NOTIFICATION}"/>`,
  action: `${NOTIFICATION_ACTIONS}/UnsubscribeRequest`,
};

/** Where a subscription's messages go. */
export interface SubscriptionReference {
  readonly address: string;
  /** XML that the header of each message must repeat (WS-Addressing 1.0 §2.3). */
  readonly parameters: string;
}

/** null if the camera does not return one. */
export function readSubscription(body: XmlElement): SubscriptionReference | null {
  const reference = descendant(body, 'SubscriptionReference');
  const address = reference === undefined ? null : textOf(reference, 'Address');
  if (reference === undefined || address === null) return null;
  const parameters = descendant(reference, 'ReferenceParameters')?.children ?? [];
  return { address, parameters: parameters.slice(0, MAX_PARAMETERS).map(parameterXml).join('') };
}

/** Written again, so that the gateway never returns a camera's text unchanged. */
function parameterXml({ name, namespace, text, children }: XmlElement): string {
  if (children.length > 0 || text.length > MAX_PARAMETER_CHARS) return '';
  if (!/^[A-Za-z_][\w.-]{0,100}$/.test(name)) return '';
  const declared = namespace === null ? '' : ` xmlns="${escapeXml(namespace)}"`;
  return `<${name}${declared}>${escapeXml(text.trim())}</${name}>`;
}

/** Something that a camera noticed, or its state at the time of the subscription. */
export interface OnvifNotification {
  /** Without prefixes, such as `RuleEngine/CellMotionDetector/Motion`. */
  readonly topic: string;
  /** `Initialized` is a state from before; null: the topic is not a property. */
  readonly operation: 'Initialized' | 'Changed' | 'Deleted' | null;
  /** Which of the camera's lenses, rules or inputs it is about. */
  readonly source: string;
  readonly data: ReadonlyMap<string, string>;
}

/** The notifications in a response to PullMessages, in the camera's order; unknown ones are left out. */
export function readNotifications(body: XmlElement): OnvifNotification[] {
  const messages = descendants(body, 'NotificationMessage').slice(0, MAX_NOTIFICATIONS);
  return messages.flatMap((message) => {
    const topic = (childrenOf(message, 'Topic')[0]?.text.trim() ?? '').slice(0, MAX_TOPIC_CHARS);
    const outer = childrenOf(message, 'Message')[0];
    const inner = outer === undefined ? undefined : childrenOf(outer, 'Message')[0];
    if (topic === '' || inner === undefined) return [];
    const operation = inner.attributes.get('PropertyOperation');
    return [
      {
        topic: topic.replace(/[^/:\s]*:/g, ''),
        operation:
          operation === 'Initialized' || operation === 'Changed' || operation === 'Deleted'
            ? operation
            : null,
        source: [...itemsOf(inner, 'Source')].map(([name, value]) => `${name}=${value}`).join(),
        data: itemsOf(inner, 'Data'),
      },
    ];
  });
}

function itemsOf(message: XmlElement, part: string): ReadonlyMap<string, string> {
  const items = new Map<string, string>();
  const element = childrenOf(message, part)[0];
  const simple = element === undefined ? [] : childrenOf(element, 'SimpleItem');
  for (const { attributes } of simple.slice(0, MAX_ITEMS)) {
    const name = attributes.get('Name');
    if (name !== undefined)
      items.set(name.slice(0, MAX_VALUE_CHARS), (attributes.get('Value') ?? '').slice(0, MAX_VALUE_CHARS));
  }
  return items;
}
