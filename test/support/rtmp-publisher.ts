/**
 * A device that pushes RTMP, as small as it can be: handshake, the commands that encoders send, and messages in chunks
 * (Adobe RTMP Specification 1.0). For what ffmpeg does not do: enhanced RTMP, wrong keys on purpose, and nonsense.
 */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type AmfValue, amf0, chunksOf, uint32 } from './rtmp-bytes.ts';
import { until } from './until.ts';

const HANDSHAKE_BYTES = 1_536;
const CHUNK_BYTES = 4_096;

export class RtmpPublisher {
  readonly socket: Socket;
  /** Everything that came, as Latin-1: AMF strings can be searched for. */
  received = '';
  isClosed = false;
  receivedBytes = 0;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.receivedBytes += chunk.length;
      this.received = (this.received + chunk.toString('latin1')).slice(-65_536);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  /** TCP only. */
  static async connect(port: number): Promise<RtmpPublisher> {
    const publisher = new RtmpPublisher(connect({ port, host: '127.0.0.1' }));
    await once(publisher.socket, 'connect');
    return publisher;
  }

  /** Connected, and publishing or refused: see `received`. */
  static async publish(port: number, path: string): Promise<RtmpPublisher> {
    const publisher = await RtmpPublisher.connect(port);
    await publisher.handshake();
    const at = path.lastIndexOf('/');
    publisher.askToPublish(path.slice(0, at), path.slice(at + 1));
    await until(
      'an answer to publish',
      () => publisher.received.includes('NetStream.Publish.') || publisher.isClosed,
    );
    return publisher;
  }

  get isPublishing(): boolean {
    return this.received.includes('NetStream.Publish.Start') && !this.isClosed;
  }

  async handshake(): Promise<void> {
    this.socket.write(Buffer.concat([Buffer.of(3), Buffer.alloc(HANDSHAKE_BYTES, 1)]));
    await until('the handshake', () => this.receivedBytes >= 1 + 2 * HANDSHAKE_BYTES || this.isClosed);
    this.socket.write(Buffer.alloc(HANDSHAKE_BYTES, 2));
    this.message(2, 1, 0, uint32(CHUNK_BYTES), 128);
  }

  askToPublish(application: string, name: string): void {
    const object = { app: application, type: 'nonprivate', tcUrl: `rtmp://127.0.0.1/${application}` };
    this.command('connect', 1, object);
    this.command('releaseStream', 2, null, name);
    this.command('FCPublish', 3, null, name);
    this.command('createStream', 4, null);
    this.command('publish', 5, null, name, 'live');
  }

  command(...values: readonly AmfValue[]): void {
    this.message(3, 20, 0, Buffer.concat(values.map(amf0)));
  }

  video(timestampMs: number, payload: Buffer): void {
    this.message(6, 9, timestampMs, payload);
  }

  audio(timestampMs: number, payload: Buffer): void {
    this.message(4, 8, timestampMs, payload);
  }

  message(
    chunkStream: number,
    type: number,
    timestamp: number,
    payload: Buffer,
    chunkBytes = CHUNK_BYTES,
  ): void {
    this.socket.write(chunksOf(chunkStream, type, timestamp, payload, chunkBytes));
  }

  close(): void {
    this.socket.destroy();
  }
}
