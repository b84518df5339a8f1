/**
 * Header blocks that are the same for thousands of responses. Node checks and joins each header of each response, which takes longer than
 * everything else that a playlist needs in this process before it is written. Here the text is made once, and handed to Node's response as
 * the block that it would have made itself: `_header`, in which Node keeps it until it is written (lib/_http_outgoing.js). Unusual
 * responses get their headers from Node.
 */

import { type IncomingMessage, type OutgoingHttpHeader, type ServerResponse, STATUS_CODES } from 'node:http';
import { connectionOf } from '../../connections/connection.ts';
import { systemClock } from '../../core/clock.ts';

/** Node's fields in a response over HTTP/1.1. */
interface Http1Response extends ServerResponse {
  _header: string | null;
  readonly _keepAliveTimeout: number;
  readonly _expect_continue?: boolean;
  readonly maxRequestsOnConnectionReached?: boolean;
}

const STATUS_LINE = 'HTTP/1.1 200 OK\r\n';
const CONNECTION = 'connection';

/** Headers that Node adds: the same for all responses of one second. */
let tail = '';
let tailSec = -1;
let tailKeepAliveMs = -1;

/** Header lines of names and values, flat. They must be valid: they are not checked again. */
export function headerLines(list: readonly OutgoingHttpHeader[]): string {
  let lines = '';
  for (let i = 0; i < list.length; i += 2) lines += `${list[i]}: ${list[i + 1]}\r\n`;
  return lines;
}

/**
 * Begins a response with status 200 whose headers are `lines`, with its content-length among them; the body follows with `end`.
 * False: Node has to make the head. Hot.
 */
export function beginPrepared(request: IncomingMessage, response: ServerResponse, lines: string): boolean {
  const raw = response as Http1Response;
  const isUsual =
    request.httpVersionMajor === 1 &&
    raw.shouldKeepAlive &&
    raw._header === null &&
    raw._expect_continue !== true &&
    raw.maxRequestsOnConnectionReached !== true &&
    // Set when the listener closes.
    !raw.hasHeader(CONNECTION) &&
    // Requests that tests inject have no connection.
    connectionOf(request.socket) !== undefined;
  if (!isUsual) return false;
  raw._header = STATUS_LINE + lines + tailOf(raw._keepAliveTimeout);
  return true;
}

/** A whole head, for responses that are sent without Node's. `keepAliveMs` null: the connection ends with it. */
export function wholeHead(status: number, lines: string, keepAliveMs: number | null): string {
  const statusLine = status === 200 ? STATUS_LINE : `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  if (keepAliveMs !== null) return statusLine + lines + tailOf(keepAliveMs);
  const date = new Date(systemClock.epochMs()).toUTCString();
  return `${statusLine}${lines}Date: ${date}\r\nConnection: close\r\n\r\n`;
}

function tailOf(keepAliveMs: number): string {
  const nowEpochMs = systemClock.epochMs();
  const nowSec = Math.floor(nowEpochMs / 1_000);
  if (nowSec !== tailSec || keepAliveMs !== tailKeepAliveMs) {
    [tailSec, tailKeepAliveMs] = [nowSec, keepAliveMs];
    const date = `Date: ${new Date(nowEpochMs).toUTCString()}\r\n`;
    tail = `${date}Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1_000)}\r\n\r\n`;
  }
  return tail;
}
