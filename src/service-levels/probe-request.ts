/** One GET of the synthetic viewer, over HTTP/2 or HTTP/1.1: bounded in time and bytes. */

import type { IncomingMessage } from 'node:http';
import { type ClientHttp2Session, constants } from 'node:http2';
import { openResponse } from '../network/http-call.ts';
import type { ProbeConnections } from './probe-connections.ts';
import { failure, failureOf, ProbeBody, type ProbeResponse } from './probe-response.ts';

export interface ProbeRequest {
  readonly url: URL;
  readonly connections: ProbeConnections;
  /** Whether the body is wanted. */
  readonly isText: boolean;
  readonly timeoutMs: number;
  /** Ends with the run. */
  readonly signal: AbortSignal;
}

/** null: the server did not process the request, and it can be sent again (RFC 9113 §8.7). */
type Attempt = ProbeResponse | null;

const HEADERS = { 'user-agent': 'Sluice-Probe/1', accept: '*/*' };
/** Each but the first follows a connection that ended before the request was processed. */
const MAX_ATTEMPTS = 3;
/** The request never left: the connection ended just then. */
const UNSENT: ReadonlySet<string> = new Set(['ERR_HTTP2_GOAWAY_SESSION', 'ERR_HTTP2_INVALID_SESSION']);
const { NGHTTP2_CANCEL, NGHTTP2_HTTP_1_1_REQUIRED, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;

export async function probeRequest(wanted: ProbeRequest): Promise<ProbeResponse> {
  const { url, connections, timeoutMs } = wanted;
  const late = new AbortController();
  const signal = AbortSignal.any([wanted.signal, late.signal]);
  const timer = setTimeout(() => {
    late.abort();
    connections.giveUp(url);
  }, timeoutMs);
  try {
    const response = await untilProcessed({ ...wanted, signal });
    return late.signal.aborted ? failure('timeout') : response;
  } finally {
    clearTimeout(timer);
  }
}

async function untilProcessed(wanted: ProbeRequest): Promise<ProbeResponse> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS && !wanted.signal.aborted; attempt++) {
    let response: Attempt;
    try {
      const session = await wanted.connections.sessionFor(wanted.url);
      response = session === null ? await overHttp1(wanted) : await overHttp2(session, wanted);
    } catch (thrown) {
      return failureOf(thrown as NodeJS.ErrnoException);
    }
    if (response !== null) return response;
  }
  return failure('cut-off');
}

function overHttp2(session: ClientHttp2Session, wanted: ProbeRequest): Promise<Attempt> {
  const { url, connections, isText, signal } = wanted;
  if (session.closed || session.destroyed) return Promise.resolve(null);
  return new Promise((resolve) => {
    const stream = session.request({ ':path': url.pathname + url.search, ...HEADERS }, { signal });
    let body: ProbeBody | null = null;
    let failed: ProbeResponse | null = null;
    let isUnsent = false;
    let expectedBytes = 0;
    let endMonoMs: number | null = null;
    stream.on('response', (headers) => {
      connections.protocol = 'h2';
      body = new ProbeBody(headers[':status'] ?? 0, isText);
      expectedBytes = Number(headers['content-length'] ?? 0);
    });
    stream.on('data', (chunk: Buffer) => {
      if (failed !== null || body?.push(chunk) !== false) return;
      failed = failure('too-large');
      stream.close(NGHTTP2_CANCEL);
    });
    stream.on('end', () => {
      endMonoMs = performance.now();
    });
    stream.on('error', (thrown: NodeJS.ErrnoException) => {
      isUnsent = UNSENT.has(thrown.code ?? '');
      failed ??= body === null ? failureOf(thrown) : failure('cut-off');
    });
    // Node ends the body of a canceled stream as if it were complete; only `rstCode` reveals that it is not.
    stream.on('close', () => {
      const { rstCode } = stream;
      if (rstCode === NGHTTP2_HTTP_1_1_REQUIRED) connections.downgrade(url);
      const isUnprocessed = [NGHTTP2_REFUSED_STREAM, NGHTTP2_HTTP_1_1_REQUIRED].includes(rstCode!);
      const isComplete =
        rstCode === NGHTTP2_NO_ERROR && endMonoMs !== null && (body?.byteLength ?? 0) >= expectedBytes;
      if (body === null && (isUnsent || isUnprocessed)) resolve(null);
      else if (failed !== null) resolve(failed);
      else resolve(isComplete && body !== null ? body.toResponse(endMonoMs!) : failure('cut-off'));
    });
  });
}

async function overHttp1({ url, connections, isText, signal }: ProbeRequest): Promise<ProbeResponse> {
  const connection = { agent: connections.agentFor(url) };
  let response: IncomingMessage;
  try {
    response = await openResponse({ url, headers: HEADERS, signal, connection });
  } catch (thrown) {
    return failureOf(thrown as NodeJS.ErrnoException);
  }
  connections.protocol = 'http/1.1';
  const body = new ProbeBody(response.statusCode ?? 0, isText);
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (!body.push(chunk)) return failure('too-large');
    }
  } catch {
    return failure('cut-off');
  }
  return response.complete ? body.toResponse(performance.now()) : failure('cut-off');
}
