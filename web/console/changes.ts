/**
 * Changes as the gateway announces them (STOMP over WebSocket). A list reads its content once and then
 * follows the changes. It reads its content again whenever it starts to follow, because the gateway queues
 * nothing for disconnected clients.
 */

import { computed, signal } from '@preact/signals';
import { Client, type IFrame } from '@stomp/stompjs';
import { API_BASE } from './places.ts';
import { parsePlain } from './plain-json.ts';
import { lastResponseEpochMs, noteResponse, silentSinceEpochMs } from './signs-of-life.ts';

export interface Change {
  readonly entity: string;
  readonly entityUuid: string;
  readonly type: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly deviceUuid: string | null;
  readonly update: Readonly<Record<string, unknown>> | null;
}

/** `live`: the page follows the gateway. `stale`: it may be outdated since `sinceEpochMs`. */
export type Freshness =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'stale'; readonly sinceEpochMs: number; readonly reason: string | null };

export const freshness = signal<Freshness>({ kind: 'connecting' });

/** Since when the page may be outdated, by the gateway's clock; null: it is current, or not yet read. */
export const staleSinceEpochMs = computed(() =>
  freshness.value.kind === 'stale' ? freshness.value.sinceEpochMs : silentSinceEpochMs.value,
);

/** The gateway beats as often. After two beats that did not come, the connection counts as lost, at the third at the latest. */
const BEAT_MS = 3_000;
/** A gateway that hangs accepts a connection, and never opens it. */
const OPEN_MS = 8_000;
const RECONNECT_MS = 1_000;
const MAX_RECONNECT_MS = 15_000;

type ChangeListener = (change: Change) => void;
const changeListeners = new Set<ChangeListener>();
const liveListeners = new Set<(isFirst: boolean) => void>();
let client: Client | null = null;

/** Returns what ends it. */
export function onChange(listener: ChangeListener): () => void {
  changeListeners.add(listener);
  return () => changeListeners.delete(listener);
}

/**
 * Calls the listener when the gateway begins to announce changes, at first and after each interruption: earlier readings
 * may be outdated. Returns a function that ends it.
 */
export function onLive(listener: (isFirst: boolean) => void): () => void {
  liveListeners.add(listener);
  return () => liveListeners.delete(listener);
}

/** Follows the changes of the organization until `stopFollowing`. `onLost`: called for every connection that ends or fails. */
export function follow(orgUuid: string, onLost: () => void): void {
  stopFollowing();
  const url = new URL('websocket', API_BASE);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  let hasBeenLive = false;
  const started = new Client({
    webSocketFactory: () => listenTo(new WebSocket(url, started.stompVersions.protocolVersions())),
    connectHeaders: { 'x-auth-scheme': 'console' },
    reconnectDelay: RECONNECT_MS,
    maxReconnectDelay: MAX_RECONNECT_MS,
    connectionTimeout: OPEN_MS,
    heartbeatIncoming: BEAT_MS,
    heartbeatOutgoing: 10_000,
    // The end of a connection to a gateway that hangs takes a minute.
    discardWebsocketOnCommFailure: true,
    onConnect: () => {
      started.subscribe(`/topic/change/${orgUuid}`, ({ body }) => announce(parsePlain(body) as Change));
      freshness.value = { kind: 'live' };
      for (const listener of liveListeners) listener(!hasBeenLive);
      hasBeenLive = true;
    },
    onStompError: ({ headers }: IFrame) => becomeStale(headers.message ?? null),
    onWebSocketClose: () => {
      if (client !== started) return;
      becomeStale(null);
      onLost();
    },
  });
  client = started;
  started.activate();
}

export function stopFollowing(): void {
  const stopped = client;
  client = null;
  void stopped?.deactivate();
  freshness.value = { kind: 'connecting' };
}

/** All messages are signs of life, beats too. */
function listenTo(socket: WebSocket): WebSocket {
  socket.addEventListener('message', noteResponse);
  return socket;
}

function announce(change: Change): void {
  for (const listener of changeListeners) listener(change);
}

function becomeStale(reason: string | null): void {
  if (client === null) return;
  const current = freshness.value;
  if (current.kind === 'stale') {
    if (reason !== null) freshness.value = { ...current, reason };
    return;
  }
  freshness.value = { kind: 'stale', sinceEpochMs: lastResponseEpochMs(), reason };
}
