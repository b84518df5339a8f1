/** The behavior of node-media-server 4.4.3 that guarded-rtmp.ts relies on, and what it adds. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { amf0, chunksOf } from '../../../test/support/rtmp-bytes.ts';
import { GatewayError } from '../../core/errors.ts';
import {
  GuardedRtmp,
  type GuardedRtmpEvents,
  MAX_BYTES_BEFORE_PUBLISH,
  MAX_COMMAND_BYTES,
  MAX_MEDIA_BYTES,
} from './guarded-rtmp.ts';

const VIDEO = 9;
const AUDIO = 8;
const COMMAND = 20;
const HANDSHAKE = Buffer.concat([Buffer.of(3), Buffer.alloc(1_536, 1), Buffer.alloc(1_536, 2)]);
const CONNECT = command('connect', 1, { app: 'live', tcUrl: 'rtmp://h/live' });
const PUBLISH = command('publish', 5, null, 'some-key?x=1', 'live');

function command(...values: Parameters<typeof amf0>[0][]): Buffer {
  return chunksOf(3, COMMAND, 0, Buffer.concat(values.map(amf0)), 128);
}

class Peer implements GuardedRtmpEvents {
  readonly rtmp = new GuardedRtmp(this);
  output = Buffer.alloc(0);
  readonly paths: string[] = [];
  readonly messages: [kind: string, timestamp: number, bytes: string][] = [];
  unpublished = 0;
  accepts = true;

  onOutput(bytes: Buffer): void {
    this.output = Buffer.concat([this.output, bytes]);
  }
  onPublish(path: string): void {
    this.paths.push(path);
    if (this.accepts) this.rtmp.accept();
  }
  onVideo(timestamp: number, message: Uint8Array): void {
    this.messages.push(['video', timestamp, Buffer.from(message).toString('latin1')]);
  }
  onAudio(timestamp: number, message: Uint8Array): void {
    this.messages.push(['audio', timestamp, Buffer.from(message).toString('latin1')]);
  }
  onUnpublish(): void {
    this.unpublished += 1;
  }

  static publishing(): Peer {
    const peer = new Peer();
    for (const bytes of [HANDSHAKE, CONNECT, command('createStream', 4, null), PUBLISH])
      peer.rtmp.push(bytes);
    expect(peer.output.includes('NetStream.Publish.Start')).toBe(true);
    return peer;
  }

  /** The code that it fails with; null: it does not. */
  failure(...pieces: readonly Buffer[]): string | null {
    return this.#failureOf(() => {
      for (const bytes of pieces) this.rtmp.push(bytes);
    });
  }

  /** The same of a key that is accepted now. */
  lateFailure(): string | null {
    return this.paths.length === 0 ? null : this.#failureOf(() => this.rtmp.accept());
  }

  #failureOf(parse: () => void): string | null {
    try {
      parse();
    } catch (error) {
      if (error instanceof GatewayError)
        return `${error.code} ${error.context.reason ?? error.context.limit ?? ''}`;
      throw error;
    }
    return null;
  }
}

describe('a publisher', () => {
  it('is asked for its path, without the query, before it is told that it publishes', () => {
    const peer = new Peer();
    peer.accepts = false;
    for (const bytes of [HANDSHAKE, CONNECT, command('createStream', 4, null), PUBLISH])
      peer.rtmp.push(bytes);
    expect(peer.paths).toEqual(['live/some-key']);
    expect(peer.output.includes('NetConnection.Connect.Success')).toBe(true);
    expect(peer.output.includes('NetStream.Publish')).toBe(false);
    peer.rtmp.push(chunksOf(6, VIDEO, 0, Buffer.from('too early'), 128));
    peer.rtmp.refuse('NetStream.Publish.BadName', 'No.');
    expect(peer.output.includes('NetStream.Publish.BadName')).toBe(true);
    expect(peer.output.includes('some-key')).toBe(false);
    expect(peer.messages).toEqual([]);
  });

  it('is heard from its first frame on, however late its key is accepted', () => {
    const frame = 'v'.repeat(MAX_COMMAND_BYTES + 1);
    const early = chunksOf(6, VIDEO, 0, Buffer.from(frame), 128);
    const asking = Buffer.concat([HANDSHAKE, CONNECT, PUBLISH]);
    // In one piece, and cut around the end of `publish`.
    for (const cut of [0, asking.length - 1, asking.length, asking.length + 1, asking.length + 500]) {
      const sent = Buffer.concat([asking, early]);
      const peer = new Peer();
      peer.accepts = false;
      peer.rtmp.push(sent.subarray(0, cut));
      peer.rtmp.push(sent.subarray(cut));
      // The socket's own.
      sent.fill(0);
      expect([peer.paths, peer.messages]).toEqual([['live/some-key'], []]);
      peer.rtmp.accept();
      expect(peer.messages).toEqual([['video', 0, frame]]);
    }
  });

  it('that breaks the rules before its key is accepted fails then', () => {
    const peer = new Peer();
    peer.accepts = false;
    expect(peer.failure(HANDSHAKE, CONNECT, PUBLISH, PUBLISH)).toBeNull();
    expect(peer.lateFailure()).toBe('RTMP_BAD_MESSAGE publish twice');
  });

  it('sends messages in chunks of any size, byte by byte', () => {
    const peer = Peer.publishing();
    const size = Buffer.alloc(4);
    size.writeUInt32BE(10);
    const text = 'a frame of more than one chunk';
    const bytes = Buffer.concat([
      chunksOf(2, 1, 0, size, 128),
      chunksOf(6, VIDEO, 40, Buffer.from(text), 10),
      chunksOf(4, AUDIO, 0x1000000, Buffer.from('sound after 4.6 hours'), 10),
    ]);
    for (const byte of bytes) peer.rtmp.push(Buffer.of(byte));
    expect(peer.messages).toEqual([
      ['video', 40, text],
      ['audio', 0x1000000, 'sound after 4.6 hours'],
    ]);
  });

  it('is heard after 49.7 days of deltas, when the library drops everything', () => {
    const peer = Peer.publishing();
    peer.rtmp.push(chunksOf(6, VIDEO, 0xfffffff0, Buffer.from('a'), 128));
    const delta = Buffer.of(0x40 | 6, 0, 0, 40, 0, 0, 1, VIDEO, 0x62);
    peer.rtmp.push(Buffer.concat([delta, delta]));
    expect(peer.messages.map(([, timestamp]) => timestamp)).toEqual([0xfffffff0, 24, 64]);
  });

  describe('with timestamps beyond 24 bits', () => {
    const LATE = 0x1000000;
    /** Each frame is another one, of two chunks and three bytes, of one byte, or of whole chunks. */
    const frameOf = (index: number) => Buffer.alloc([259, 1, 256, 129][index % 4]!, 97 + index);
    const messages = (stream: number, type: number, isRepeated: boolean) =>
      Array.from({ length: 9 }, (_, index) =>
        chunksOf(stream, type, LATE + 40 * index, frameOf(index), 128, isRepeated),
      );
    const expected = (kind: string) =>
      Array.from({ length: 9 }, (_, index) => [kind, LATE + 40 * index, frameOf(index).toString('latin1')]);

    it.each([
      ['that each chunk repeats (Adobe, ffmpeg, OBS)', true],
      ['that only the first chunk of a message has (older librtmp, recorders)', false],
    ])('is understood: %s', (_title, isRepeated) => {
      const bytes = Buffer.concat(messages(6, VIDEO, isRepeated));
      for (const size of [bytes.length, 1, 3, 128, 131]) {
        const peer = Peer.publishing();
        for (let at = 0; at < bytes.length; at += size) peer.rtmp.push(bytes.subarray(at, at + size));
        expect(peer.messages).toEqual(expected('video'));
      }
    });

    it('is understood where the chunk streams differ, and when a stream goes back to 24 bits', () => {
      const peer = Peer.publishing();
      const [video, audio] = [messages(6, VIDEO, false), messages(4, AUDIO, true)];
      for (let index = 0; index < video.length; index++)
        peer.rtmp.push(Buffer.concat([video[index]!, audio[index]!]));
      peer.rtmp.push(chunksOf(6, VIDEO, 40, frameOf(0), 128));
      expect(peer.messages.filter(([kind]) => kind === 'audio')).toEqual(expected('audio'));
      const last = ['video', 40, frameOf(0).toString('latin1')];
      expect(peer.messages.filter(([kind]) => kind === 'video')).toEqual([...expected('video'), last]);
    });

    it('is understood where chunks of several streams alternate', () => {
      const [video, audio] = [6, 4].map((stream) =>
        chunksOf(stream, stream === 6 ? VIDEO : AUDIO, LATE, frameOf(0), 128, false),
      );
      const cut = 12 + 4 + 128;
      const peer = Peer.publishing();
      const parts = [
        video!.subarray(0, cut),
        audio!.subarray(0, cut),
        video!.subarray(cut),
        audio!.subarray(cut),
      ];
      peer.rtmp.push(Buffer.concat(parts));
      expect(peer.messages).toEqual([expected('video')[0], expected('audio')[0]]);
    });

    it('is understood where a message has no header, and so adds the same again', () => {
      const peer = Peer.publishing();
      const [first] = messages(6, VIDEO, false);
      // A chunk of type 3, of the same length.
      peer.rtmp.push(Buffer.concat([first!, Buffer.of(0xc6), frameOf(0).subarray(0, 128), Buffer.of(0xc6)]));
      peer.rtmp.push(
        Buffer.concat([frameOf(0).subarray(0, 128), Buffer.of(0xc6), frameOf(0).subarray(0, 3)]),
      );
      expect(peer.messages.map(([, timestamp]) => timestamp)).toEqual([LATE, 2 * LATE]);
      expect(peer.messages[1]![2]).toBe(frameOf(0).toString('latin1'));
    });
  });

  it('learns how much was received', () => {
    const peer = Peer.publishing();
    const before = peer.output.length;
    const frame = chunksOf(6, VIDEO, 0, Buffer.alloc(600_000), 128);
    peer.rtmp.push(frame);
    peer.rtmp.push(frame);
    const acknowledgement = peer.output.subarray(before);
    expect([acknowledgement.length, acknowledgement[7]]).toEqual([16, 3]);
    expect(acknowledgement.readUInt32BE(12)).toBeGreaterThan(1_200_000);
  });

  it('can stop publishing', () => {
    const peer = Peer.publishing();
    peer.rtmp.push(command('deleteStream', 6, null, 1));
    expect(peer.unpublished).toBe(1);
  });
});

describe('a peer that breaks the rules fails', () => {
  const inMessage = (length: number) => {
    const whole = chunksOf(6, VIDEO, 0, Buffer.alloc(1_000), 128);
    const again = Buffer.of(0x40 | 6, 0, 0, 0, length >> 16, (length >> 8) & 0xff, length & 0xff, VIDEO);
    return Buffer.concat([whole.subarray(0, 12 + 128), again, Buffer.alloc(64)]);
  };
  const chunkSize = (size: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(size);
    return chunksOf(2, 1, 0, bytes, 128);
  };
  const header = (chunkStream: number, type: number, length: number) =>
    chunksOf(chunkStream, type, 0, Buffer.alloc(length), 0xffffff).subarray(0, 12);

  it.each<[string, string, Buffer]>([
    // The library would go back to bytes that it has read, and take them for headers.
    ['a message that becomes shorter halfway', 'RTMP_BAD_MESSAGE message interrupted', inMessage(10)],
    ['a message that becomes longer halfway', 'RTMP_BAD_MESSAGE message interrupted', inMessage(2_000)],
    ['a chunk size of 0', 'RTMP_BAD_MESSAGE chunk size', chunkSize(0)],
    ['a chunk size beyond 31 bits', 'RTMP_BAD_MESSAGE chunk size', chunkSize(0x80000000)],
    ['a chunk size without a number', 'RTMP_BAD_MESSAGE chunk size', chunksOf(2, 1, 0, Buffer.of(1), 128)],
    ['a frame of 16 MiB', 'RTMP_LIMIT message-bytes', header(6, VIDEO, 0xfffff0)],
    ['a command of 64 KiB', 'RTMP_LIMIT message-bytes', header(3, COMMAND, 65_536)],
    [
      'frames of 8 MiB on several chunk streams',
      'RTMP_LIMIT buffered-bytes',
      Buffer.concat(
        [5, 6].map((stream) =>
          chunksOf(stream, VIDEO, 0, Buffer.alloc(MAX_MEDIA_BYTES), 1e9).subarray(0, 140),
        ),
      ),
    ],
    [
      'many chunk streams',
      'RTMP_LIMIT chunk-streams',
      Buffer.concat(Array.from({ length: 20 }, (_, at) => chunksOf(10 + at, VIDEO, 0, Buffer.of(1), 128))),
    ],
    [
      'a continuation of nothing',
      'RTMP_BAD_MESSAGE chunk stream without a beginning',
      Buffer.alloc(9, 0xc0 | 9),
    ],
    ['an aggregate', 'RTMP_BAD_MESSAGE aggregate message', chunksOf(6, 22, 0, Buffer.of(1), 128)],
    ['a second publish', 'RTMP_BAD_MESSAGE publish twice', PUBLISH],
    ['play', 'RTMP_PLAY_REFUSED ', command('play', 6, null, 'some-key')],
    ['a command cut short', 'RTMP_BAD_MESSAGE parser', chunksOf(3, COMMAND, 0, Buffer.of(0, 1), 128)],
    [
      'many commands',
      'RTMP_LIMIT commands',
      Buffer.concat(Array.from({ length: 100 }, () => command('createStream', 4, null))),
    ],
  ])('%s', (_title, expected, bytes) => {
    expect(Peer.publishing().failure(bytes)).toBe(expected);
  });

  it.each<[string, string, Buffer[]]>([
    ['another protocol', 'RTMP_BAD_MESSAGE version', [Buffer.from('GET / HTTP/1.1\r\n\r\n')]],
    [
      'connect without an application',
      'RTMP_BAD_MESSAGE connect without an application',
      [HANDSHAKE, command('connect', 1, null)],
    ],
    ['publish before connect', 'RTMP_BAD_MESSAGE publish before connect', [HANDSHAKE, PUBLISH]],
    [
      'an object in place of a name',
      'RTMP_BAD_MESSAGE stream name',
      [HANDSHAKE, CONNECT, command('publish', 5, null, { a: 'b' })],
    ],
    [
      'much without publishing',
      'RTMP_LIMIT bytes-before-publish',
      [
        HANDSHAKE,
        CONNECT,
        ...Array<Buffer>(40).fill(chunksOf(6, VIDEO, 0, Buffer.alloc(MAX_BYTES_BEFORE_PUBLISH / 32), 128)),
      ],
    ],
    ['a large frame before that', 'RTMP_LIMIT message-bytes', [HANDSHAKE, header(6, VIDEO, 100_000)]],
  ])('before it publishes: %s', (_title, expected, pieces) => {
    expect(new Peer().failure(...pieces)).toBe(expected);
  });

  it('with any bytes: by a documented code, with bounded work', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .tuple(
          fc.integer({ min: 2, max: 20 }),
          fc.integer({ min: 0, max: 25 }),
          fc.uint8Array({ maxLength: 200 }),
        )
        .map(([stream, type, payload]) => chunksOf(stream, type, 0, Buffer.from(payload), 128)),
      fc.constantFrom(CONNECT, PUBLISH, command('createStream', 4, null), inMessage(50)),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.boolean(),
        fc.boolean(),
        (pieces, isPublishing, isLate) => {
          const peer = isPublishing ? Peer.publishing() : new Peer();
          if (!isPublishing) peer.rtmp.push(HANDSHAKE);
          peer.accepts = !isLate;
          let failure = peer.failure(...pieces.map((bytes) => Buffer.from(bytes)));
          if (isLate && !isPublishing) failure ??= peer.lateFailure();
          if (failure !== null) expect(failure).toMatch(/^RTMP_(?:BAD_MESSAGE|LIMIT|PLAY_REFUSED) /);
          const heldBytes = [...peer.rtmp.inPackets.values()].reduce(
            (sum, { capacity }) => sum + capacity,
            0,
          );
          expect(heldBytes).toBeLessThan(10 * 1_048_576);
        },
      ),
      randomRuns(500),
    );
  });
});
