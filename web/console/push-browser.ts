/** Notifications of this browser: the service worker, and the subscription at the browser's push service. */

import { call } from './api.ts';
import { CONSOLE_BASE, place } from './places.ts';
import { t } from './words.ts';

/**
 * `insecure`: browsers have notifications only over https. `unsupported`: it has none, or, on an iPhone, only for an installed app.
 * `denied`: the person blocked them.
 */
export type PushState = 'insecure' | 'unsupported' | 'denied' | 'off' | 'on';

/** Whose notifications this browser shows: another person who signs in here must turn them on. */
const PERSON_KEY = 'sluice.push';
/** What the worker shows, in the person's language (service-worker.ts). */
const WORDS_CACHE = 'sluice-words';

/** Called at the start. A browser that has none, or blocks it, works without. */
export function registerWorker(): void {
  if (!('serviceWorker' in navigator)) return;
  navigator.serviceWorker
    .register(place('service-worker.js'), { scope: CONSOLE_BASE, updateViaCache: 'none' })
    .catch(() => undefined);
}

/** Calls the listener with a path within the console when a notification is to be shown. Returns what ends it. */
export function onOpenedNotification(listener: (path: string) => void): () => void {
  if (!('serviceWorker' in navigator)) return () => undefined;
  const { serviceWorker } = navigator;
  const onMessage = ({ data }: MessageEvent<unknown>): void => {
    const { sluice, path } = (data ?? {}) as { readonly sluice?: unknown; readonly path?: unknown };
    if (sluice === 'open' && typeof path === 'string' && path.startsWith('alerts')) listener(path);
  };
  serviceWorker.addEventListener('message', onMessage);
  // Only listeners that are set as a property start the queue on their own.
  serviceWorker.startMessages();
  return () => serviceWorker.removeEventListener('message', onMessage);
}

export async function readPushState(personUuid: string): Promise<PushState> {
  if (!isSecureContext) return 'insecure';
  if (!('serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis)) {
    return 'unsupported';
  }
  if (Notification.permission === 'denied') return 'denied';
  const isOn = localStorage.getItem(PERSON_KEY) === personUuid && (await subscription()) !== null;
  return isOn ? 'on' : 'off';
}

/** Asks the person for permission: call it for a press. Resolves with the state afterwards. Fails with a CallError, or like the browser. */
export async function turnOnPush(personUuid: string): Promise<PushState> {
  if ((await Notification.requestPermission()) !== 'granted') return readPushState(personUuid);
  const { applicationServerKey } = await call('console/beginPushSubscription');
  const { pushManager } = await navigator.serviceWorker.ready;
  const known = await pushManager.getSubscription();
  // Of another organization, whose key signs its notifications.
  if (known !== null && keyOf(known) !== applicationServerKey) await known.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  await send(made);
  await leaveWords();
  localStorage.setItem(PERSON_KEY, personUuid);
  return 'on';
}

/** Of this browser. The gateway removes a subscription that no longer works. */
export async function turnOffPush(): Promise<void> {
  localStorage.removeItem(PERSON_KEY);
  await (await subscription())?.unsubscribe();
}

/** After a sign-in: the gateway learns that the browser is still in use. Another person's notifications end. */
export async function renewPush(personUuid: string): Promise<void> {
  const owner = localStorage.getItem(PERSON_KEY);
  if (owner === null) return;
  const known = await subscription();
  if (owner !== personUuid || known === null || Notification.permission !== 'granted') {
    await turnOffPush();
    return;
  }
  await send(known);
  await leaveWords();
}

async function send(made: PushSubscription): Promise<void> {
  const { endpoint = '', keys = {} } = made.toJSON();
  await call('console/addPushSubscription', {
    endpoint,
    p256dh: keys.p256dh ?? '',
    auth: keys.auth ?? '',
  });
}

async function subscription(): Promise<PushSubscription | null> {
  if (!('serviceWorker' in navigator)) return null;
  const registration = await navigator.serviceWorker.getRegistration(CONSOLE_BASE);
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

/** base64url, as the gateway has it. */
function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

async function leaveWords(): Promise<void> {
  const words = {
    acknowledge: t('Acknowledge'),
    more: t('{count} alerts', { count: '{count}' }),
    newAlert: t('New alert'),
  };
  const cache = await caches.open(WORDS_CACHE);
  await cache.put(new URL('words', document.baseURI), new Response(JSON.stringify(words)));
}
