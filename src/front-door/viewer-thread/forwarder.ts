/**
 * Requests that the gateway's thread responds to. Each client's connection has connections of its own there, which begin
 * with who the client is (forwarded-connections.ts), so that limits, logs and cut-offs are the client's.
 */

import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { connectionOf } from '../../connections/connection.ts';
import { CLIENT_LIMITS, PROXY_LIMITS } from '../../connections/http2-sessions.ts';
import { GatewayError } from '../../core/errors.ts';
import { FRONT_DOOR_ERRORS } from '../response/errors.ts';
import { sendFailure } from '../response/refusal-response.ts';
import { preambleOf } from './forwarded-connections.ts';

/** Where the gateway's thread takes them. */
export interface ForwardAddress {
  readonly host: string;
  readonly port: number;
  /** Hexadecimal. */
  readonly secret: string;
}

/** Headers of one connection, not of its content (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
  // Node has already answered it.
  'expect',
]);

/** The requests of one client's connection. */
interface Upstream {
  /** Has as many connections as requests: none of them waits for another. */
  readonly agent: Agent;
  readonly maxRequests: number;
  requests: number;
}

const UPSTREAM = Symbol('upstream');

interface ClientSocket extends Socket {
  [UPSTREAM]?: Upstream;
}

export class Forwarder {
  readonly #address: ForwardAddress;

  constructor(address: ForwardAddress) {
    this.#address = address;
  }

  forward(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    // Its client left while the thread looked for its own media.
    if (reply.raw.destroyed) return;
    const upstream = this.#upstreamOf(raw.socket);
    if (upstream.requests >= upstream.maxRequests) {
      sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.TOO_MANY_FORWARDED));
      return;
    }
    upstream.requests += 1;
    const requested = sendRequest({
      ...this.#address,
      agent: upstream.agent,
      method: raw.method,
      path: raw.url,
      headers: requestHeaders(raw),
      setDefaultHeaders: false,
    });
    requested.on('response', (response) => pass(response, reply));
    requested.on('error', (error: NodeJS.ErrnoException) => {
      // It no longer listens, or it has reset its connection: so is the client's.
      if (error.code === 'ECONNREFUSED')
        sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.SHUTTING_DOWN));
      else breakOff(reply);
    });
    reply.raw.on('close', () => {
      upstream.requests -= 1;
      // A stream that was reset looks finished. After a complete response, this does nothing.
      if (!reply.raw.writableFinished || isOverHttp2(raw)) requested.destroy();
    });
    if (hasBody(raw)) raw.pipe(requested);
    else requested.end();
  }

  /** A WebSocket: from here on, bytes. */
  upgrade(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const upstream = this.#connect(request.socket);
    const lines = [`${request.method} ${request.url} HTTP/1.1`];
    for (let i = 0; i < request.rawHeaders.length; i += 2) {
      lines.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`);
    }
    upstream.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    if (head.length > 0) upstream.write(head);
    join(client, upstream);
  }

  #upstreamOf(socket: Socket): Upstream {
    const connection = connectionOf(socket);
    const client: ClientSocket = connection?.socket ?? socket;
    let upstream = client[UPSTREAM];
    if (upstream === undefined) {
      const agent = new Agent({ keepAlive: true });
      agent.createConnection = () => this.#connect(client);
      client.once('close', () => agent.destroy());
      // A connection without an origin is a trusted proxy's. Only pipelined requests of HTTP/1.1 can be more.
      const { streams } = connection?.origin === null ? PROXY_LIMITS : CLIENT_LIMITS;
      upstream = { agent, maxRequests: streams, requests: 0 };
      client[UPSTREAM] = upstream;
    }
    return upstream;
  }

  #connect(client: Socket): Socket {
    const { host, port, secret } = this.#address;
    const upstream = connect({ host, port, noDelay: true });
    upstream.write(preambleOf(secret, client.remoteAddress ?? ''));
    return upstream;
  }
}

/** A body has a length, or comes in chunks (RFC 9112 §6.3); over HTTP/2, it comes unless the headers end the stream. */
function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  if (isOverHttp2(request)) return !request.stream.endAfterHeaders;
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function isOverHttp2(
  request: IncomingMessage,
): request is IncomingMessage & { readonly stream: ServerHttp2Stream } {
  return request.httpVersionMajor === 2;
}

function requestHeaders(request: IncomingMessage): string[] {
  const kept = endToEnd(request.rawHeaders);
  const { host, ':authority': authority } = request.headers;
  if (host === undefined && typeof authority === 'string') kept.push('host', authority);
  const isSized = request.headers['content-length'] !== undefined;
  const isChunked = isOverHttp2(request)
    ? hasBody(request) && !isSized
    : request.headers['transfer-encoding'] !== undefined;
  if (isChunked) kept.push('transfer-encoding', 'chunked');
  return kept;
}

/** Names and values, flat and unchanged. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    // Those with a colon are HTTP/2's own (RFC 9113 §8.3).
    if (!rawHeaders[i]!.startsWith(':') && !HOP_BY_HOP.has(rawHeaders[i]!.toLowerCase()))
      kept.push(rawHeaders[i]!, rawHeaders[i + 1]!);
  }
  return kept;
}

function pass(response: IncomingMessage, reply: FastifyReply): void {
  reply.hijack();
  reply.raw.writeHead(response.statusCode!, endToEnd(response.rawHeaders));
  response.pipe(reply.raw);
  response.on('close', () => {
    if (!response.complete) breakOff(reply);
  });
}

function breakOff(reply: FastifyReply): void {
  reply.hijack();
  const { raw } = reply.request;
  if (isOverHttp2(raw)) reply.raw.destroy();
  else if (!raw.socket.destroyed) connectionOf(raw.socket)?.cut();
}

function join(client: Duplex, upstream: Socket): void {
  client.pipe(upstream).pipe(client);
  const end = () => {
    client.destroy();
    upstream.destroy();
  };
  for (const stream of [client, upstream]) stream.on('error', end).on('close', end);
}
