/**
 * One client of the real-time stream, from its first byte to its end: CONNECT, subscriptions, heart-beats, ERROR.
 * Knows no socket: bytes come in through `receive` and go out through a transport. A client that reads more slowly
 * than changes come in is cut off, so nothing piles up here.
 */

import type { Clock, TimerHandle } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { changeTopicOf } from './change-message.ts';
import { REALTIME_ERRORS } from './errors.ts';
import { HEART_BEAT, type StompFrame, type StompHeaders, writeStompFrame } from './stomp-frame.ts';
import { StompParser } from './stomp-parser.ts';

export const CONNECT_TIMEOUT_MS = 10_000;
export const MAX_SUBSCRIPTIONS = 8;
/** How much can wait in a client's socket before it is cut off. */
export const MAX_BUFFERED_BYTES = 1024 * 1024;
/** A client without heart-beats is pinged this often. */
export const PING_INTERVAL_MS = 30_000;
const MAX_SUBSCRIPTION_ID_CHARS = 128;
/** WebSocket close codes (RFC 6455 §7.4.1). */
export const CLOSE_NORMAL = 1_000;
export const CLOSE_GOING_AWAY = 1_001;
export const CLOSE_REFUSED = 1_008;

/** The carrier of a session's bytes. */
export interface StompTransport {
  /** Takes over `bytes`. */
  send(bytes: Buffer): void;
  /** Sent, but not yet with the operating system. */
  bufferedBytes(): number;
  /** Makes the client send anything at all, which is reported through `noteAlive`. */
  ping(): void;
  /** Closes in an orderly way, after the sent bytes. */
  close(code: number, reason: string): void;
  /** Closes immediately. */
  terminate(): void;
}

/** An authenticated client. */
export interface StompPrincipal {
  readonly orgUuid: Ruuid;
}

export interface StompSessionOptions<Principal extends StompPrincipal> {
  readonly transport: StompTransport;
  readonly clock: Clock;
  /** Decides about a CONNECT frame. Rejects with the reason for a refusal, which is sent to the client. */
  readonly admit: (connect: ReadonlyMap<string, string>) => Promise<Principal>;
  /** Called once, when nothing more will be sent; `error` is null for an orderly end. */
  readonly onEnd: (error: GatewayError | null) => void;
}

type State<Principal> =
  | { readonly state: 'new' }
  | { readonly state: 'admitting' }
  | { readonly state: 'open'; readonly principal: Principal }
  | { readonly state: 'ended' };

export class StompSession<Principal extends StompPrincipal = StompPrincipal> {
  readonly #options: StompSessionOptions<Principal>;
  readonly #parser = new StompParser();
  readonly #subscriptions = new Set<string>();
  #state: State<Principal> = { state: 'new' };
  /** The deadline of CONNECT, or the check of the client afterwards. */
  #watch: TimerHandle;
  #beat: TimerHandle | null = null;
  #lastReceivedMonoMs: number;
  #messages = 0;

  constructor(options: StompSessionOptions<Principal>) {
    this.#options = options;
    this.#lastReceivedMonoMs = options.clock.monoMs();
    this.#watch = options.clock.after(CONNECT_TIMEOUT_MS, () =>
      this.fail(new GatewayError(REALTIME_ERRORS.STOMP_CONNECT_TIMED_OUT)),
    );
  }

  /** The client's identity; null before CONNECT was accepted and after the end. */
  get principal(): Principal | null {
    return this.#state.state === 'open' ? this.#state.principal : null;
  }

  get subscriptions(): number {
    return this.#subscriptions.size;
  }

  /** Bytes from the client, cut anywhere; borrowed for the call. */
  receive(chunk: Buffer): void {
    if (this.#state.state === 'ended') return;
    this.noteAlive();
    try {
      for (const frame of this.#parser.push(chunk)) this.#take(frame);
    } catch (thrown) {
      this.fail(toGatewayError(thrown));
    }
  }

  /** The client showed that it is alive. */
  noteAlive(): void {
    this.#lastReceivedMonoMs = this.#options.clock.monoMs();
  }

  /** One MESSAGE for each of the client's subscriptions; all of them are to its organization's changes. */
  publish(body: Buffer): void {
    if (this.#state.state !== 'open') return;
    const destination = changeTopicOf(this.#state.principal.orgUuid);
    for (const id of this.#subscriptions) {
      this.#messages += 1;
      const isSent = this.#send(
        'MESSAGE',
        [
          ['subscription', id],
          ['message-id', String(this.#messages)],
          ['destination', destination],
          ['content-type', 'application/json'],
        ],
        body,
      );
      if (!isSent) return;
    }
  }

  /** Tells the client why, and closes. Does nothing if it is already closed. */
  fail(error: GatewayError, receipt?: string): void {
    if (this.#state.state === 'ended') return;
    const detail = Object.entries(error.context).map(([name, value]) => `${name}: ${value}\n`);
    const headers: [string, string][] = [
      ['version', '1.2'],
      ['message', error.message],
      ['code', error.code],
      ['content-type', 'text/plain'],
    ];
    if (receipt !== undefined) headers.push(['receipt-id', receipt]);
    const text = `${error.code}: ${error.message}\n${detail.join('')}`;
    if (!this.#send('ERROR', headers, Buffer.from(text))) return;
    this.#end(error);
    this.#options.transport.close(CLOSE_REFUSED, error.code);
  }

  /** The gateway is stopping. */
  goAway(): void {
    if (this.#state.state === 'ended') return;
    this.#end(null);
    this.#options.transport.close(CLOSE_GOING_AWAY, 'the gateway stops');
  }

  /** The transport was lost. */
  lost(): void {
    if (this.#state.state !== 'ended') this.#end(null);
  }

  #take(frame: StompFrame): void {
    const { state } = this.#state;
    if (state === 'ended') return;
    const isConnect = frame.command === 'CONNECT' || frame.command === 'STOMP';
    if (state === 'new' && isConnect) {
      void this.#connect(frame);
    } else if (state !== 'open') {
      throw new GatewayError(REALTIME_ERRORS.STOMP_NOT_CONNECTED);
    } else if (isConnect) {
      throw new GatewayError(REALTIME_ERRORS.STOMP_ALREADY_CONNECTED);
    } else {
      this.#takeOpen(frame);
    }
  }

  #takeOpen(frame: StompFrame): void {
    const receipt = frame.headers.get('receipt');
    try {
      this.#perform(frame);
    } catch (thrown) {
      this.fail(toGatewayError(thrown), receipt);
      return;
    }
    if (receipt !== undefined && !this.#send('RECEIPT', [['receipt-id', receipt]], null)) return;
    if (frame.command !== 'DISCONNECT') return;
    this.#end(null);
    this.#options.transport.close(CLOSE_NORMAL, '');
  }

  #perform({ command, headers }: StompFrame): void {
    switch (command) {
      case 'SUBSCRIBE':
        this.#subscribe(headers);
        return;
      case 'UNSUBSCRIBE':
        if (this.#subscriptions.delete(requiredHeader(headers, 'id'))) return;
        throw new GatewayError(REALTIME_ERRORS.SUBSCRIPTION_UNKNOWN);
      case 'DISCONNECT':
        return;
      default:
        throw new GatewayError(REALTIME_ERRORS.STOMP_COMMAND_UNSUPPORTED, { command });
    }
  }

  async #connect({ headers }: StompFrame): Promise<void> {
    this.#state = { state: 'admitting' };
    try {
      const versions = (headers.get('accept-version') ?? '1.0').split(',');
      if (!versions.includes('1.2')) throw new GatewayError(REALTIME_ERRORS.STOMP_VERSION_UNSUPPORTED);
      const beats = negotiateHeartBeats(headers.get('heart-beat'));
      if (beats === null) {
        throw new GatewayError(REALTIME_ERRORS.STOMP_HEADER_INVALID, { header: 'heart-beat' });
      }
      const principal = await this.#options.admit(headers);
      // The client may have left, or failed, during the check.
      if (this.#state.state === 'admitting') this.#open(principal, beats);
    } catch (thrown) {
      this.fail(toGatewayError(thrown));
    }
  }

  #open(principal: Principal, { outgoingMs, incomingMs }: HeartBeats): void {
    this.#state = { state: 'open', principal };
    this.#watch.cancel();
    const connected: StompHeaders = [
      ['version', '1.2'],
      ['heart-beat', `${SERVER_HEART_BEAT_MS},${SERVER_HEART_BEAT_MS}`],
      ['server', 'sluice'],
    ];
    if (!this.#send('CONNECTED', connected, null)) return;
    if (outgoingMs !== null) this.#beatEvery(outgoingMs);
    this.#watchOver(incomingMs ?? PING_INTERVAL_MS, incomingMs === null);
  }

  #subscribe(headers: ReadonlyMap<string, string>): void {
    const id = requiredHeader(headers, 'id');
    const destination = requiredHeader(headers, 'destination');
    if (id === '' || id.length > MAX_SUBSCRIPTION_ID_CHARS) {
      throw new GatewayError(REALTIME_ERRORS.STOMP_HEADER_INVALID, { header: 'id' });
    }
    if ((headers.get('ack') ?? 'auto') !== 'auto') {
      throw new GatewayError(REALTIME_ERRORS.STOMP_HEADER_INVALID, { header: 'ack' });
    }
    const { principal } = this;
    if (principal === null || destination !== changeTopicOf(principal.orgUuid)) {
      throw new GatewayError(REALTIME_ERRORS.TOPIC_NOT_ALLOWED);
    }
    if (this.#subscriptions.has(id)) throw new GatewayError(REALTIME_ERRORS.SUBSCRIPTION_ID_TAKEN);
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS) {
      throw new GatewayError(REALTIME_ERRORS.TOO_MANY_SUBSCRIPTIONS, { limit: MAX_SUBSCRIPTIONS });
    }
    this.#subscriptions.add(id);
  }

  #beatEvery(intervalMs: number): void {
    // A timer fires late rather than early, and the client may be strict: send well before the time is up.
    this.#beat = this.#options.clock.after(intervalMs * 0.8, () => {
      if (this.#sendBytes(HEART_BEAT)) this.#beatEvery(intervalMs);
    });
  }

  /** Cuts off a client that has been silent for two intervals. */
  #watchOver(intervalMs: number, isPinged: boolean): void {
    if (isPinged) this.#options.transport.ping();
    this.#watch = this.#options.clock.after(intervalMs, () => {
      const silentMs = this.#options.clock.monoMs() - this.#lastReceivedMonoMs;
      if (silentMs < 2 * intervalMs) this.#watchOver(intervalMs, isPinged);
      else this.fail(new GatewayError(REALTIME_ERRORS.STOMP_HEART_BEAT_MISSED));
    });
  }

  #send(command: string, headers: StompHeaders, body: Buffer | null): boolean {
    return this.#sendBytes(writeStompFrame(command, headers, body));
  }

  /** False if the client was closed because it does not read. */
  #sendBytes(bytes: Buffer): boolean {
    const { transport } = this.#options;
    if (transport.bufferedBytes() + bytes.length > MAX_BUFFERED_BYTES) {
      // No ERROR: it would wait behind everything that the client does not read.
      this.#end(
        new GatewayError(REALTIME_ERRORS.REALTIME_CLIENT_TOO_SLOW, { limitBytes: MAX_BUFFERED_BYTES }),
      );
      transport.terminate();
      return false;
    }
    transport.send(bytes);
    return true;
  }

  #end(error: GatewayError | null): void {
    this.#state = { state: 'ended' };
    this.#watch.cancel();
    this.#beat?.cancel();
    this.#subscriptions.clear();
    this.#options.onEnd(error);
  }
}

function requiredHeader(headers: ReadonlyMap<string, string>, header: string): string {
  const value = headers.get(header);
  if (value === undefined) throw new GatewayError(REALTIME_ERRORS.STOMP_HEADER_MISSING, { header });
  return value;
}

/** The server's abilities and wishes, in the terms of its CONNECTED frame: as often as a client requests, but no more often than this. */
const SERVER_HEART_BEAT_MS = 1_000;
/** Longer promises are worthless: such a client gets WebSocket pings. */
const LONGEST_USEFUL_MS = 60_000;

const HEART_BEAT_HEADER = /^([0-9]{1,9}),([0-9]{1,9})$/;

interface HeartBeats {
  /** The server sends something at least this often; null: it does not have to. */
  readonly outgoingMs: number | null;
  /** The client sends something at least this often; null: it made no promise. */
  readonly incomingMs: number | null;
}

/** STOMP 1.2, Heart-beating: the result of a client's `heart-beat` header; absent means `0,0`. null if the header is invalid. */
export function negotiateHeartBeats(header: string | undefined): HeartBeats | null {
  const match = HEART_BEAT_HEADER.exec(header ?? '0,0');
  if (match === null) return null;
  const [canMs, wantsMs] = [Number(match[1]), Number(match[2])];
  const incomingMs = canMs === 0 ? null : Math.max(canMs, SERVER_HEART_BEAT_MS);
  return {
    outgoingMs: wantsMs === 0 ? null : Math.max(wantsMs, SERVER_HEART_BEAT_MS),
    incomingMs: incomingMs !== null && incomingMs > LONGEST_USEFUL_MS ? null : incomingMs,
  };
}
