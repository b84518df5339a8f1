/** A listener for tests: Node's own WebSocket, which reads sound as clients of this API family do, and nothing else. */

export interface HeardPacket {
  /** When it begins, as the client counts. */
  readonly epochMs: number;
  /** Whether it is of the talker's own side. */
  readonly isFar: boolean;
  readonly packet: Buffer;
}

const PACKET_MS = 20;
const FAR_BIT = 0x80;

export class SoundClient {
  readonly packets: HeardPacket[] = [];
  /** Text messages. */
  readonly texts: string[] = [];
  /** Records of type 1. */
  readonly epochs: number[] = [];
  malformed = 0;
  /** Null while it is open: `1008 revoked`. */
  end: string | null = null;
  readonly #socket: WebSocket;
  #nextEpochMs = Number.NaN;

  private constructor(url: string, headers: Readonly<Record<string, string>>) {
    // Node's WebSocket sends headers, which the types of browsers do not know.
    this.#socket = new WebSocket(url, { headers } as unknown as string[]);
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') this.texts.push(data);
      else this.#read(Buffer.from(data as ArrayBuffer));
    });
    this.#socket.addEventListener('close', ({ code, reason }) => {
      this.end = `${code} ${reason}`.trim();
    });
  }

  /** Rejects if the server refuses it. `url`: with any scheme. */
  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<SoundClient> {
    const client = new SoundClient(url.replace(/^http/, 'ws'), headers);
    await new Promise<void>((resolve, reject) => {
      client.#socket.addEventListener('open', () => resolve());
      client.#socket.addEventListener('error', () => reject(new Error(`no WebSocket at ${url}`)));
    });
    return client;
  }

  say(message: string | Uint8Array<ArrayBuffer>): void {
    this.#socket.send(message);
  }

  leave(): void {
    this.#socket.close();
  }

  #read(message: Buffer): void {
    const type = message[0] ?? 0;
    const payload = message.subarray(4);
    if (message.length < 4 || payload.length !== message.readUIntBE(1, 3)) this.malformed++;
    else if (type === 1) {
      this.#nextEpochMs = Number(payload.readBigUInt64BE());
      this.epochs.push(this.#nextEpochMs);
    } else if (type !== 0) {
      this.packets.push({ epochMs: this.#nextEpochMs, isFar: (type & FAR_BIT) !== 0, packet: payload });
      this.#nextEpochMs += PACKET_MS;
    }
  }
}
