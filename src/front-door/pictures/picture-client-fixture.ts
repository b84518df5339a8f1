/** A real-time viewer for tests: Node's own WebSocket, with everything that it received. */

import { once } from 'node:events';
import { request } from 'node:http';

export interface ReceivedFrame {
  readonly isKey: boolean;
  readonly epochMs: number;
  /** Annex B. */
  readonly bytes: Buffer;
  readonly receivedEpochMs: number;
}

export class PictureClient {
  readonly frames: ReceivedFrame[] = [];
  /** Null while it is open: `1008 revoked`. */
  end: string | null = null;
  /** Resolves at its end. */
  readonly ended: Promise<void>;
  readonly #socket: WebSocket;

  private constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.addEventListener('message', ({ data }) => {
      this.frames.push(readPictureMessage(Buffer.from(data as ArrayBuffer), Date.now()));
    });
    this.ended = new Promise((resolve) => {
      this.#socket.addEventListener('close', ({ code, reason }) => {
        this.end = `${code} ${reason}`.trim();
        resolve();
      });
    });
  }

  /** Rejects if the server refuses it. `url`: with any scheme. */
  static async open(url: string): Promise<PictureClient> {
    const client = new PictureClient(url.replace(/^http/, 'ws'));
    const socket = client.#socket;
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error(`no WebSocket at ${url}`)));
    });
    return client;
  }

  get subprotocolsAndExtensions(): string {
    return this.#socket.protocol + this.#socket.extensions;
  }

  say(message: string | Uint8Array<ArrayBuffer>): void {
    this.#socket.send(message);
  }

  leave(): void {
    this.#socket.close();
  }
}

/** Reads the format of docs/guide/real-time-view.md. Throws for anything else. */
export function readPictureMessage(message: Buffer, receivedEpochMs = 0): ReceivedFrame {
  let epochMs: number | null = null;
  let at = 0;
  while (at + 4 <= message.length) {
    const type = message[at]!;
    const end = at + 4 + message.readUIntBE(at + 1, 3);
    const value = message.subarray(at + 4, end);
    at = end;
    if (type === 2) epochMs = Number(value.readBigUInt64BE());
    else if (type <= 1 && epochMs !== null && end === message.length) {
      return { isKey: type === 0, epochMs, bytes: value, receivedEpochMs };
    }
  }
  throw new Error(`not a frame: ${message.subarray(0, 32).toString('hex')}`);
}

export interface UpgradeResponse {
  readonly status: number;
  /** The body of a refusal. */
  readonly body: { readonly reason?: string };
}

/** The response to the handshake; an accepted connection is closed. `headers` are sent in addition to those of the upgrade. */
export async function askUpgrade(
  url: string,
  headers: Record<string, string> = {},
): Promise<UpgradeResponse> {
  const outgoing = request(url, {
    agent: false,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16, 1).toString('base64'),
      ...headers,
    },
  });
  outgoing.end();
  const accepted = once(outgoing, 'upgrade').then(([answer, socket]) => {
    socket.destroy();
    return { status: answer.statusCode as number, body: {} };
  });
  const refused = once(outgoing, 'response').then(async ([answer]) => {
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    return {
      status: answer.statusCode as number,
      body: JSON.parse(Buffer.concat(chunks).toString() || '{}'),
    };
  });
  return Promise.race([accepted, refused]);
}
