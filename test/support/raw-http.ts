/** HTTP that no client library would send: paths are not normalized, methods are not checked. */

import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** `path` is sent as it is. */
export async function rawRequest(
  base: string,
  path: string,
  options: { method?: string; headers?: http.OutgoingHttpHeaders; body?: string } = {},
): Promise<RawResponse> {
  const { hostname, port } = new URL(base);
  const { method = 'GET', headers = {}, body } = options;
  // Node adds a length automatically only for the methods that usually have a body.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const request = http.request({
    hostname,
    port,
    path,
    method,
    headers: { ...headers, ...length },
    agent: false,
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) };
}

/** Writes `bytes` to the listener and reads until it closes the connection. */
export async function rawBytes(base: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(base);
  const socket = net.connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  // A reset in the middle of our bytes is also a way of closing: only the response before it counts.
  socket.on('error', () => undefined);
  socket.end(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}
