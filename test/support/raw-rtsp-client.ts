/** An RTSP client that does only what a test says: it can stop reading, and it keeps every packet and report. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { readRtcp, type SenderReport } from '../../src/rtp/rtcp/rtcp-reader.ts';
import type { RtspHeaderField } from '../../src/rtsp/headers.ts';
import type { RtspResponse } from '../../src/rtsp/message.ts';
import { RtspMessageReader } from '../../src/rtsp/message-reader.ts';
import { writeRequest } from '../../src/rtsp/message-writer.ts';
import { until } from './until.ts';

export class RawRtspClient {
  /** Of the first track. */
  readonly reports: SenderReport[] = [];
  packets = 0;
  isClosed = false;
  readonly #socket: Socket;
  readonly #reader: RtspMessageReader;
  readonly #responses: RtspResponse[] = [];
  #cseq = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#reader = new RtspMessageReader({
      onRequest: () => undefined,
      onResponse: (response) => this.#responses.push(response),
      onInterleaved: (channel, chunk, start, end) => {
        if (channel === 0) this.packets++;
        else {
          const onSenderReport = (report: SenderReport) => void this.reports.push(report);
          readRtcp(chunk, start, end, { onSenderReport, onBye: () => undefined });
        }
      },
    });
    socket.on('data', (chunk: Buffer) => this.#reader.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  static async connect(port: number): Promise<RawRtspClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new RawRtspClient(socket);
  }

  /** Nothing that comes back is read. */
  sayNonsense(bytes: string | Buffer): void {
    this.#reader.stop();
    this.#socket.write(bytes);
  }

  async request(method: string, url: string, fields: readonly RtspHeaderField[] = []): Promise<RtspResponse> {
    const at = this.#responses.length;
    this.#socket.write(writeRequest(method, url, [['CSeq', String(++this.#cseq)], ...fields]));
    await until(`a response to ${method}`, () => this.#responses.length > at || this.isClosed);
    const response = this.#responses[at];
    if (response === undefined) throw new Error(`no response to ${method}`);
    return response;
  }

  /** The first track. */
  async play(url: string): Promise<void> {
    const transport: RtspHeaderField = ['Transport', 'RTP/AVP/TCP;unicast;interleaved=0-1'];
    const steps = [
      await this.request('DESCRIBE', url),
      await this.request('SETUP', `${url}/trackID=0`, [transport]),
      await this.request('PLAY', url),
    ];
    const refused = steps.find(({ statusCode }) => statusCode !== 200);
    if (refused !== undefined) throw new Error(`${refused.statusCode} ${refused.reasonPhrase}`);
  }

  stopReading(): void {
    this.#socket.pause();
  }

  readAgain(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }
}
