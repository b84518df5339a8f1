/**
 * RTSP over HTTP, as one byte stream (rtsp/tunnel-request.ts): a GET whose response is what the camera sends, and a POST
 * whose body is what we send.
 *
 * The POST is opened with the first bytes to send. If it is full, or the camera or a proxy closed it, the next bytes open
 * another one with the same cookie; a full one is closed first, because servers attach a POST only to a tunnel that has
 * none. What a POST took before it failed, and the camera said anything more, is sent once again: it may have been lost.
 * After an orderly close it is not: there are servers that close each POST when they have read a request.
 */

import { randomBytes } from 'node:crypto';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { CredentialUrl } from '../../core/secret.ts';
import { Authenticator } from '../../rtsp/authenticator.ts';
import { RTSP_ERRORS } from '../../rtsp/errors.ts';
import { type HttpResponseHead, HttpResponseHeadReader } from '../../rtsp/http-response-head.ts';
import {
  TUNNEL_COOKIE_CHARS,
  TUNNEL_POST_BYTES,
  type TunnelTarget,
  tunnelFault,
  tunnelRequest,
} from '../../rtsp/tunnel-request.ts';
import { type CameraConnection, type ConnectionEvents, MAX_UNSENT_BYTES } from './camera-connection.ts';
import { type ConnectionTarget, RtspConnection } from './rtsp-connection.ts';
import type { UdpEndpoints } from './udp-port-pair.ts';

/** Limit of a camera's response to a POST: a head, and a page that explains it. A longer one ends the tunnel. */
const MAX_POST_RESPONSE_BYTES = 16 * 1024;

/** One POST, from its connection on. */
interface Post {
  readonly connection: RtspConnection;
  readonly head: HttpResponseHeadReader;
  isOpen: boolean;
  hasResponse: boolean;
  bodyBytesLeft: number;
  responseBytes: number;
  readonly wasAuthorized: boolean;
}

export class TunnelConnection implements CameraConnection {
  readonly #target: ConnectionTarget;
  readonly #tunnel: TunnelTarget;
  readonly #events: ConnectionEvents;
  readonly #authenticator: Authenticator;
  readonly #cookie = randomBytes(TUNNEL_COOKIE_CHARS / 2).toString('hex');
  readonly #closed = Promise.withResolvers<void>();
  /** Every connection that is not closed yet. */
  readonly #sockets = new Set<RtspConnection>();
  #get: RtspConnection;
  #getTries = 0;
  /** null once the tunnel is open. */
  #getHead: HttpResponseHeadReader | null = null;
  #post: Post | null = null;
  #postTries = 0;
  /** A full POST is closing; the next one comes after it. */
  #isReplacing = false;
  /** Base64 text that no POST has taken yet. */
  #unsent: Buffer[] = [];
  /** Base64 text that POSTs have taken since the camera last sent anything. */
  #outstanding: Buffer[] = [];
  #hasRetried = false;
  #hasHeardSinceWrite = false;
  #isOver = false;

  constructor(target: ConnectionTarget, tunnel: TunnelTarget, url: CredentialUrl, events: ConnectionEvents) {
    this.#target = target;
    this.#tunnel = tunnel;
    this.#events = events;
    this.#authenticator = new Authenticator(url.credentials(), () => randomBytes(8).toString('hex'));
    this.#get = this.#openGet();
  }

  get addresses(): UdpEndpoints | null {
    return this.#get.addresses;
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  write(bytes: Uint8Array): boolean {
    if (this.#isOver || this.#getHead !== null) return true;
    const text = Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'));
    if (waitingBytes(this.#unsent) + waitingBytes(this.#outstanding) + text.length > MAX_UNSENT_BYTES)
      return false;
    this.#hasRetried = false;
    this.#hasHeardSinceWrite = false;
    this.#unsent.push(text);
    return this.#sendUnsent();
  }

  destroy(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
    this.#settle();
  }

  #open(target: ConnectionTarget, events: ConnectionEvents): RtspConnection {
    const connection = new RtspConnection(target, events);
    this.#sockets.add(connection);
    void connection.closed.then(() => {
      this.#sockets.delete(connection);
      this.#settle();
    });
    return connection;
  }

  #settle(): void {
    if (this.#isOver && this.#sockets.size === 0) this.#closed.resolve();
  }

  #openGet(): RtspConnection {
    const head = new HttpResponseHeadReader();
    this.#getHead = head;
    this.#getTries += 1;
    const authorization = this.#authenticator.authorize('GET', this.#tunnel.path);
    const connection: RtspConnection = this.#open(this.#target, {
      onConnected: () =>
        void connection.write(tunnelRequest('GET', this.#tunnel, this.#cookie, authorization)),
      onBytes: (chunk) => {
        if (this.#getHead === null) this.#received(chunk);
        else this.#readGetHead(head, chunk, authorization !== null);
      },
      onLost: (error) => this.#lose(error),
    });
    return connection;
  }

  #readGetHead(reader: HttpResponseHeadReader, chunk: Uint8Array, wasAuthorized: boolean): void {
    const head = this.#readHead(reader, chunk);
    if (head === null) return;
    if (head.statusCode === 401) {
      const request = { method: 'GET', tries: this.#getTries, wasAuthorized };
      const error = this.#authenticator.challenged(request, head.headers);
      if (error !== null) this.#lose(error);
      else {
        this.#get.destroy();
        this.#get = this.#openGet();
      }
      return;
    }
    const fault = tunnelFault(head);
    if (fault !== null) {
      this.#lose(fault);
      return;
    }
    if (wasAuthorized) this.#authenticator.accepted();
    this.#getHead = null;
    this.#events.onConnected();
    if (head.end < chunk.length) this.#received(chunk.subarray(head.end));
  }

  #received(chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#hasHeardSinceWrite = true;
    if (this.#outstanding.length > 0) this.#outstanding = [];
    this.#events.onBytes(chunk);
  }

  /** Returns false if the camera does not read its POST. */
  #sendUnsent(): boolean {
    const post = this.#post;
    if (post === null) {
      if (!this.#isReplacing) this.#post = this.#openPost();
      return true;
    }
    if (!post.isOpen) return true;
    while (this.#unsent.length > 0) {
      const text = this.#unsent[0]!;
      if (text.length > post.bodyBytesLeft) {
        this.#postTries = 0;
        this.#replace(post);
        return true;
      }
      this.#unsent.shift();
      this.#outstanding.push(text);
      post.bodyBytesLeft -= text.length;
      if (!post.connection.write(text)) return false;
    }
    return true;
  }

  #replace(post: Post): void {
    this.#post = null;
    this.#isReplacing = true;
    void post.connection.closed.then(() => {
      this.#isReplacing = false;
      if (!this.#isOver && this.#unsent.length > 0) this.#sendUnsent();
    });
    post.connection.finish();
  }

  #openPost(): Post {
    const authorization = this.#authenticator.authorize('POST', this.#tunnel.path);
    this.#postTries += 1;
    // The camera at the GET's end, even if its name has several addresses.
    const host = this.#get.addresses?.remote ?? this.#target.host;
    const post: Post = {
      connection: this.#open(
        { ...this.#target, host, tlsName: this.#target.tlsName ?? this.#target.host },
        {
          onConnected: () => {
            post.isOpen = true;
            post.connection.write(tunnelRequest('POST', this.#tunnel, this.#cookie, authorization));
            if (this.#post === post) this.#sendUnsent();
          },
          onBytes: (chunk) => this.#readPost(post, chunk),
          onLost: (error) => this.#postEnded(post, error),
        },
      ),
      head: new HttpResponseHeadReader(),
      isOpen: false,
      hasResponse: false,
      bodyBytesLeft: TUNNEL_POST_BYTES,
      responseBytes: 0,
      wasAuthorized: authorization !== null,
    };
    return post;
  }

  /** Servers answer a POST when it ends, if at all. An earlier answer is a refusal, or means nothing. */
  #readPost(post: Post, chunk: Uint8Array): void {
    post.responseBytes += chunk.length;
    if (post.responseBytes > MAX_POST_RESPONSE_BYTES) {
      this.#lose(new GatewayError(RTSP_ERRORS.RTSP_TUNNEL_REFUSED, { reason: 'post-response' }));
      return;
    }
    if (post.hasResponse || this.#post !== post) return;
    const head = this.#readHead(post.head, chunk);
    if (head === null || this.#isOver) return;
    post.hasResponse = true;
    if (head.statusCode === 401) this.#postChallenged(post, head);
    else if (head.statusCode >= 300) {
      const { statusCode } = head;
      this.#lose(new GatewayError(RTSP_ERRORS.RTSP_TUNNEL_REFUSED, { method: 'POST', statusCode }));
    }
  }

  /** Nothing of this POST was heard: all that it took is sent again, with the credentials. */
  #postChallenged(post: Post, head: HttpResponseHead): void {
    const { wasAuthorized } = post;
    const request = { method: 'POST', tries: this.#postTries, wasAuthorized };
    const error = this.#authenticator.challenged(request, head.headers);
    if (error !== null) {
      this.#lose(error);
      return;
    }
    this.#takeBack();
    this.#replace(post);
  }

  #postEnded(post: Post, error: GatewayError): void {
    if (this.#isOver || this.#post !== post) return;
    this.#post = null;
    this.#postTries = 0;
    const isOrderly = error.cause === undefined;
    if (!isOrderly) this.#takeBack();
    if (this.#unsent.length === 0) return;
    if (!this.#hasRetried) {
      this.#hasRetried = true;
      this.#sendUnsent();
    } else if (this.#hasHeardSinceWrite) {
      // Media keeps coming: a report or a keep-alive is lost, and the next one tries again.
      this.#unsent = [];
    } else this.#lose(error);
  }

  #takeBack(): void {
    this.#unsent = [...this.#outstanding, ...this.#unsent];
    this.#outstanding = [];
  }

  /** null: incomplete, or not HTTP, in which case the tunnel is lost. */
  #readHead(reader: HttpResponseHeadReader, chunk: Uint8Array): HttpResponseHead | null {
    try {
      return reader.push(chunk);
    } catch (error) {
      this.#lose(toGatewayError(error));
      return null;
    }
  }

  #lose(error: GatewayError): void {
    if (this.#isOver) return;
    this.destroy();
    this.#events.onLost(error);
  }
}

function waitingBytes(texts: readonly Buffer[]): number {
  let bytes = 0;
  for (const text of texts) bytes += text.length;
  return bytes;
}
