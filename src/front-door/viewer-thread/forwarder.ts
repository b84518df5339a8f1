/**
 * Requests that the gateway's thread responds to. Each client's connection has connections of its own there, which begin
 * with who the client is (forwarded-connections.ts), so that limits, logs and cut-offs are the client's.
 */

import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import { FRONT_DOOR_ERRORS } from '../errors.ts';
import { preambleOf } from '../forwarded-connections.ts';
import { sendFailure } from '../refusal-answer.ts';

/** Where the gateway's thread takes them. */
export interface ForwardAddress {
  readonly host: string;
  readonly port: number;
  /** Hexadecimal. */
  readonly secret: string;
}

/** Of one connection, not of what it carries (RFC 9110 §7.6.1). */
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
/** What a browser has under way on one connection of HTTP/2; with HTTP/1.1 it is one. */
const MAX_SOCKETS_PER_CLIENT = 64;

const AGENT = Symbol('agent');

interface ClientSocket extends Socket {
  [AGENT]?: Agent;
}

export class Forwarder {
  readonly #address: ForwardAddress;

  constructor(address: ForwardAddress) {
    this.#address = address;
  }

  forward(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const asked = sendRequest({
      ...this.#address,
      agent: this.#agentOf(raw.socket),
      method: raw.method,
      path: raw.url,
      headers: requestHeaders(raw),
      setDefaultHeaders: false,
    });
    asked.on('response', (answer) => pass(answer, reply));
    asked.on('error', (error: NodeJS.ErrnoException) => {
      // It no longer listens, or it has reset its connection: so is the client's.
      if (error.code === 'ECONNREFUSED')
        sendFailure(reply, new GatewayError(FRONT_DOOR_ERRORS.SHUTTING_DOWN));
      else breakOff(reply);
    });
    reply.raw.on('close', () => {
      if (!reply.raw.writableFinished) asked.destroy();
    });
    if (hasBody(raw)) raw.pipe(asked);
    else asked.end();
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

  #agentOf(client: ClientSocket): Agent {
    let agent = client[AGENT];
    if (agent === undefined) {
      const made = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS_PER_CLIENT });
      made.createConnection = () => this.#connect(client);
      client.once('close', () => made.destroy());
      client[AGENT] = made;
      agent = made;
    }
    return agent;
  }

  #connect(client: Socket): Socket {
    const { host, port, secret } = this.#address;
    const upstream = connect({ host, port, noDelay: true });
    upstream.write(preambleOf(secret, client.remoteAddress ?? ''));
    return upstream;
  }
}

/** A body has a length, or comes in chunks (RFC 9112 §6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function requestHeaders(request: IncomingMessage): string[] {
  const kept = endToEnd(request.rawHeaders);
  if (request.headers['transfer-encoding'] !== undefined) kept.push('transfer-encoding', 'chunked');
  return kept;
}

/** Names and values, flat, as they came. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!HOP_BY_HOP.has(rawHeaders[i]!.toLowerCase())) kept.push(rawHeaders[i]!, rawHeaders[i + 1]!);
  }
  return kept;
}

function pass(answer: IncomingMessage, reply: FastifyReply): void {
  reply.hijack();
  reply.raw.writeHead(answer.statusCode!, endToEnd(answer.rawHeaders));
  answer.pipe(reply.raw);
  answer.on('close', () => {
    if (!answer.complete) breakOff(reply);
  });
}

function breakOff(reply: FastifyReply): void {
  reply.hijack();
  const { socket } = reply.request.raw;
  if (!socket.destroyed) socket.resetAndDestroy();
}

function join(client: Duplex, upstream: Socket): void {
  client.pipe(upstream).pipe(client);
  const end = () => {
    client.destroy();
    upstream.destroy();
  };
  for (const stream of [client, upstream]) stream.on('error', end).on('close', end);
}
