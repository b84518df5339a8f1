/** The part of node-media-server 4.4.3 that guarded-rtmp.ts builds on; the package ships no types. */
declare module 'node-media-server/src/protocol/rtmp.js' {
  export interface RtmpMessage {
    readonly header: {
      fmt: number;
      cid: number;
      timestamp: number;
      length: number;
      type: number;
      stream_id: number;
    };
    /** Time of the message: absolute, or the previous one plus a delta. */
    clock: number;
    payload: Buffer;
    capacity: number;
    /** How much of the payload has arrived. */
    bytes: number;
  }

  /** Decoded from AMF 0: any field can be missing or of any type. */
  export interface RtmpCommand {
    cmd?: unknown;
    transId?: unknown;
    cmdObj?: unknown;
    streamName?: unknown;
  }

  /** One peer's handshake, chunk stream and commands. */
  export default class Rtmp {
    handshakeState: number;
    parserState: number;
    /** The header of the chunk under way, and its extended timestamp. */
    parserBuffer: Buffer;
    parserBytes: number;
    /** Length of the basic header, which `parserBuffer` begins with. */
    parserBasicBytes: number;
    parserPacket: RtmpMessage;
    inPackets: Map<number, RtmpMessage>;
    inChunkSize: number;
    /** The window that the peer requested by Window Acknowledgement Size. */
    ackSize?: number;
    streamId?: number;
    onOutputCallback: (bytes: Buffer) => void;
    parserData(chunk: Buffer): string | null;
    chunkRead(data: Buffer, start: number, length: number): string | null;
    packetParse(): void;
    packetAlloc(): void;
    packetHandler(): void;
    controlHandler(): void;
    invokeHandler(): void;
    dataHandler(): void;
    onConnect(command: RtmpCommand): void;
    onCreateStream(command: RtmpCommand): void;
    onPublish(command: RtmpCommand): void;
    onPlay(command: RtmpCommand): void;
    onDeleteStream(command: RtmpCommand): void;
    sendACK(receivedBytes: number): void;
    sendStatusMessage(streamId: number, level: string, code: string, description: string): void;
  }
}

declare module 'node-media-server/src/core/logger.js' {
  const logger: { log(message: string, level?: string): void };
  export default logger;
}
