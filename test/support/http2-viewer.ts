/** Viewers over HTTP/2, without decoding: blocking reloads, every hinted part, every failure recorded. */

import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { TestShare } from './gateway.ts';
import { readPlaylistText } from './playlist-text.ts';

export interface Http2Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders & IncomingHttpStatusHeader;
  readonly body: Buffer;
}

/** A connection that takes any certificate. Resolves when it is open. */
export async function openHttp2(url: string): Promise<ClientHttp2Session> {
  const session = connect(new URL(url).origin, { rejectUnauthorized: false });
  await once(session, 'connect');
  session.on('error', () => undefined);
  return session;
}

/** The Media Playlist of a new viewer of the share, for viewers that block; a bare one would first get a list of its own. */
export async function openHttp2Viewer(
  session: ClientHttp2Session,
  { m3u8Url }: Pick<TestShare, 'm3u8Url'>,
): Promise<string> {
  const { body } = await ask(session, m3u8Url);
  const line = body
    .toString()
    .split('\n')
    .find((text) => text !== '' && !text.startsWith('#'));
  const { href } = new URL(line!, m3u8Url);
  return href.replace(/\?first=\d+$/, '').replace('stream.m3u8', 'file.m3u8');
}

/** Rejects if the response breaks off. */
export async function ask(
  session: ClientHttp2Session,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Promise<Http2Response> {
  const { pathname, search } = new URL(url);
  const stream = session.request({ ':path': pathname + search, ...headers });
  if (body !== '') stream.end(body);
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const over = once(stream, 'close');
  const [answer] = (await once(stream, 'response')) as [Http2Response['headers']];
  await over;
  if (stream.rstCode !== 0) throw new Error(`stream reset: ${stream.rstCode}`);
  return { status: answer[':status'] ?? 0, headers: answer, body: Buffer.concat(chunks) };
}

/** The name in the certificate that a connection was opened with. */
export function certificateName(session: ClientHttp2Session): unknown {
  return (session.socket as TLSSocket).getPeerCertificate().subject.CN;
}

export class Http2Viewer {
  readonly failures: string[] = [];
  parts = 0;
  /** Names of the certificates that it saw. */
  readonly names = new Set<unknown>();
  readonly #playlistUrl: string;
  readonly #reconnects: boolean;
  readonly #done: Promise<void>;
  #isStopped = false;

  /** `reconnects`: for each part. */
  constructor(playlistUrl: string, { reconnects }: { readonly reconnects: boolean }) {
    this.#playlistUrl = playlistUrl;
    this.#reconnects = reconnects;
    this.#done = this.#play().catch((error: unknown) => {
      this.failures.push(String(error));
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#done;
  }

  async #play(): Promise<void> {
    let session = await this.#connect();
    let query = '';
    while (!this.#isStopped) {
      const playlist = await this.#expect(session, this.#playlistUrl + query, [200]);
      const { hint } = readPlaylistText(playlist.body.toString());
      query = `?_HLS_msn=${hint.msn}&_HLS_part=${hint.part}`;
      // The hinted part may never come, if its segment ends first: that is not a failure.
      const part = await this.#expect(session, new URL(hint.uri, this.#playlistUrl).href, [200, 404]);
      if (part.status === 200) this.parts += 1;
      if (!this.#reconnects) continue;
      session.close();
      session = await this.#connect();
    }
    session.close();
  }

  async #connect(): Promise<ClientHttp2Session> {
    const session = await openHttp2(this.#playlistUrl);
    this.names.add(certificateName(session));
    return session;
  }

  async #expect(
    session: ClientHttp2Session,
    url: string,
    allowed: readonly number[],
  ): Promise<Http2Response> {
    const response = await ask(session, url);
    if (!allowed.includes(response.status)) {
      this.failures.push(`${response.status} ${response.body.toString().slice(0, 200)}`);
    }
    return response;
  }
}
