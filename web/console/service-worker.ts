/**
 * The console's service worker: notifications, and a page that says that the gateway cannot be reached. It caches nothing else, so no old
 * console and no response of the API can come from it. A new version takes over as soon as the browser has it, and removes what earlier
 * ones left.
 *
 * A classic script, because not every browser has others: it imports nothing.
 */

export {};

/** The parts of the worker's world that are used; the library of types knows only that of pages. */
interface ExtendedEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchedEvent extends ExtendedEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface PushedEvent extends ExtendedEvent {
  readonly data: { json(): unknown } | null;
}
interface ClickedEvent extends ExtendedEvent {
  readonly action: string;
  readonly notification: Notification & { readonly data: { readonly alertUuid?: string } | null };
}
interface WindowPage {
  readonly url: string;
  readonly visibilityState: DocumentVisibilityState;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}
interface Worker {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: {
      readonly type: 'window';
      readonly includeUncontrolled: true;
    }): Promise<readonly WindowPage[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: ExtendedEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchedEvent) => void): void;
  addEventListener(type: 'push', listener: (event: PushedEvent) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: ClickedEvent) => void): void;
}

/** As push-message.ts sends it. */
interface PushContent {
  readonly alertUuid?: string;
  readonly title?: string;
  readonly text?: string;
  readonly deviceUuid?: string;
  readonly timestampMs?: number;
  readonly count?: number;
}

const worker = globalThis as unknown as Worker;
/** The gateway puts the hash of this script and its page here. */
const SHELL = 'sluice-shell-{{version}}';
/** Words in the person's language, which a page of the console leaves here (push-browser.ts). */
const WORDS = 'sluice-words';

const addressOf = (path: string): string => new URL(path, worker.registration.scope).href;

worker.addEventListener('install', (event) => {
  event.waitUntil(worker.skipWaiting());
  event.waitUntil(caches.open(SHELL).then((cache) => cache.add(addressOf('offline.html'))));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(
    caches.keys().then((names) => {
      const old = names.filter((name) => name !== SHELL && name !== WORDS);
      return Promise.all(old.map((name) => caches.delete(name)));
    }),
  );
  event.waitUntil(worker.clients.claim());
});

worker.addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate') return;
  event.respondWith(
    fetch(event.request).catch(async () => {
      const cache = await caches.open(SHELL);
      return (await cache.match(addressOf('offline.html'))) ?? Response.error();
    }),
  );
});

worker.addEventListener('push', (event) => {
  event.waitUntil(show(contentOf(event)));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const alertUuid = event.notification.data?.alertUuid ?? null;
  event.waitUntil(event.action === 'acknowledge' ? acknowledge(alertUuid) : open(alertUuid));
});

/** Browsers demand a notification for each message, also for one that cannot be read. */
function contentOf({ data }: PushedEvent): PushContent {
  try {
    const content = data?.json();
    return typeof content === 'object' && content !== null ? content : {};
  } catch {
    return {};
  }
}

async function show({
  alertUuid,
  title,
  text = '',
  deviceUuid = 'alert',
  timestampMs,
  count = 1,
}: PushContent): Promise<void> {
  const { acknowledge: acknowledgeText, more, newAlert } = await words();
  const counted = count > 1 ? `${text}\n${more.replace('{count}', String(count))}` : text;
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const options = {
    body: counted,
    // One for each camera: the newest.
    tag: deviceUuid,
    renotify: true,
    // The page that is seen has its own sound.
    silent: pages.some(({ visibilityState }) => visibilityState === 'visible'),
    icon: addressOf('icons/icon-192.png'),
    badge: addressOf('icons/badge-96.png'),
    data: alertUuid === undefined ? null : { alertUuid },
    ...(timestampMs === undefined ? {} : { timestamp: timestampMs }),
    actions: alertUuid === undefined ? [] : [{ action: 'acknowledge', title: acknowledgeText }],
  };
  await worker.registration.showNotification(title ?? newAlert, options);
}

async function words(): Promise<Readonly<Record<'acknowledge' | 'more' | 'newAlert', string>>> {
  const english = { acknowledge: 'Acknowledge', more: '{count} alerts', newAlert: 'New alert' };
  const known = await (await caches.open(WORDS)).match(addressOf('words'));
  return known === undefined ? english : { ...english, ...((await known.json()) as object) };
}

/** With the session of the person who is signed in here; without one, or without the role, the console opens. */
async function acknowledge(alertUuid: string | null): Promise<void> {
  const response = await fetch(addressOf('../api/event/acknowledgePolicyAlert'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-auth-scheme': 'console' },
    body: JSON.stringify({ alertUuid }),
  }).catch(() => null);
  if (response?.ok !== true) await open(alertUuid);
}

/** Brings an open console to the front, which shows the alert, or opens one. */
async function open(alertUuid: string | null): Promise<void> {
  const path = alertUuid === null ? 'alerts' : `alerts?alert=${encodeURIComponent(alertUuid)}`;
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find(({ url }) => url.startsWith(worker.registration.scope));
  if (page === undefined) {
    await worker.clients.openWindow(addressOf(path));
    return;
  }
  page.postMessage({ sluice: 'open', path });
  await page.focus();
}
