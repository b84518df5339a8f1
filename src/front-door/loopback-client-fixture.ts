/** HTTP over loopback for tests: paths are sent exactly as given, and a client can disconnect. */

import { Agent, type ClientRequest, type IncomingHttpHeaders, request } from 'node:http';

export interface LoopbackRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface LoopbackResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A request in progress. */
export interface LoopbackExchange {
  /** Rejects if the connection ends early. */
  readonly answer: Promise<LoopbackResponse>;
  /** The client disconnects. */
  leave(): void;
}

export class LoopbackClient {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: false });

  constructor(port: number) {
    this.#port = port;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<LoopbackResponse> {
    return this.begin(path, { headers }).answer;
  }

  begin(path: string, { method = 'GET', headers = {} }: LoopbackRequest = {}): LoopbackExchange {
    const options = { host: '127.0.0.1', port: this.#port, agent: this.#agent, path, method, headers };
    const outgoing = request(options);
    const answer = responseOf(outgoing);
    // A client that left does not wait for the response.
    answer.catch(() => undefined);
    outgoing.end();
    return { answer, leave: () => void outgoing.destroy() };
  }
}

function responseOf(outgoing: ClientRequest): Promise<LoopbackResponse> {
  return new Promise((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const { statusCode = 0, headers } = response;
        resolve({ statusCode, headers, body: Buffer.concat(chunks) });
      });
    });
  });
}
