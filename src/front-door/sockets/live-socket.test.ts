import { beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { FFMPEG_ERRORS } from '../../ffmpeg/errors.ts';
import type { ViewerSession } from '../../sharing/viewer-session.ts';
import { STREAM_ERRORS } from '../../stream/media/errors.ts';
import { pictureOf } from '../../stream/pictures/picture-fixture.ts';
import { FakePictures } from '../fake-live-camera.ts';
import { PictureMessages } from '../pictures/picture-message.ts';
import { PictureSender } from '../pictures/picture-sender.ts';
import {
  CLOSE_TIMEOUT_MS,
  FIRST_MESSAGE_MS,
  LiveSocket,
  MAX_BEHIND_MS,
  MAX_MESSAGES_PER_LOOK,
  MAX_QUEUED_BYTES,
  PEER_TIMEOUT_MS,
} from './live-socket.ts';

/** Where the frame's type is in a message. */
const TYPE_AT = 12;
const FRAME_BYTES = 100_000;

let clock: FakeClock;
let pictures: FakePictures;
let session: ViewerSession;
let sent: Buffer[];
let log: string[];
let queuedBytes: number;
let question: Buffer;
let counts: { sentFrames: number; droppedFrames: number };
let socket: LiveSocket;

beforeEach(() => {
  clock = new FakeClock();
  pictures = new FakePictures();
  session = { waiting: new Set() } as unknown as ViewerSession;
  sent = [];
  log = [];
  queuedBytes = 0;
  question = Buffer.alloc(0);
  counts = { sentFrames: 0, droppedFrames: 0 };
  socket = new LiveSocket({
    session,
    clock,
    counts,
    feed: new PictureSender(pictures, new PictureMessages()),
    transport: {
      send: (bytes) => void sent.push(bytes),
      say: (text) => void log.push(text),
      bufferedBytes: () => queuedBytes,
      ping: (requested) => {
        question = requested;
        log.push('ping');
      },
      close: (code, reason) => void log.push(`close ${code} ${reason}`),
      reset: () => void log.push('reset'),
    },
    onSent: (_session, bytes) => void log.push(`sent ${bytes}`),
    onEnd: () => void log.push('end'),
  });
  socket.start();
});

/** Publishes frames: `K` for a key frame, `d` for another one. Returns which of them were sent. */
function publish(kinds: string): string {
  sent.length = 0;
  for (const [index, kind] of [...kinds].entries())
    pictures.publish(pictureOf(index, kind === 'K', FRAME_BYTES));
  return sent.map((message) => (message[TYPE_AT] === 0 ? 'K' : 'd')).join('');
}

const ends = () => log.filter((line) => !line.startsWith('sent') && line !== 'ping');

describe('a viewer of access units', () => {
  it('gets every frame from a key frame on', () => {
    expect(publish('ddKddKd')).toBe('KddKd');
    expect(counts).toEqual({ sentFrames: 5, droppedFrames: 0 });
    expect(log).toEqual(sent.map(({ length }) => `sent ${length}`));
  });

  it('skips to the next key frame when too much waits, and counts what it missed', () => {
    expect(publish('Kd')).toBe('Kd');
    queuedBytes = MAX_QUEUED_BYTES - FRAME_BYTES;
    expect(publish('ddK')).toBe('');
    queuedBytes = 0;
    expect(publish('ddKd')).toBe('Kd');
    expect(counts).toEqual({ sentFrames: 4, droppedFrames: 5 });
  });

  it('skips to the next key frame while frames do not reach it, wherever they wait', () => {
    publish('K');
    socket.look();
    clock.advance(MAX_BEHIND_MS);
    expect(publish('d')).toBe('d');
    clock.advance(1);
    expect(publish('dK')).toBe('');
    socket.noteResponse(question);
    expect(publish('dKd')).toBe('Kd');
    expect(counts.droppedFrames).toBe(3);
  });

  it('is asked again only when it has answered', () => {
    socket.look();
    socket.look();
    socket.noteResponse(question);
    socket.look();
    expect(log).toEqual(['ping', 'ping']);
  });

  it('is reset when it answers nothing', () => {
    publish('K');
    socket.look();
    clock.advance(PEER_TIMEOUT_MS);
    socket.look();
    expect(ends()).toEqual([]);
    clock.advance(1);
    socket.look();
    expect(ends()).toEqual(['end', 'reset']);
    expect([session.waiting.size, pictures.readers.size]).toEqual([0, 0]);
  });

  it('is reset when it answers what it was not asked, without reading', () => {
    publish('K');
    socket.look();
    const earlier = question;
    socket.noteResponse(question);
    socket.look();
    for (let waitedMs = 0; waitedMs <= PEER_TIMEOUT_MS; waitedMs += 1_000) {
      clock.advance(1_000);
      for (const response of [earlier, Buffer.alloc(0), Buffer.alloc(8)]) socket.noteResponse(response);
      socket.look();
    }
    expect(publish('dK')).toBe('');
    expect(ends()).toEqual(['end', 'reset']);
  });

  it('says whether it was sent anything, which proves that it plays', () => {
    expect(socket.look()).toBe(false);
    publish('K');
    expect([socket.look(), socket.look()]).toEqual([true, false]);
  });

  it.each([
    [
      'the access ends',
      () => socket.onCutOff({ allowed: false, reason: 'revoked', untilEpochMs: null }),
      '1008 revoked',
    ],
    [
      'the camera is off',
      () => pictures.fail(new GatewayError(STREAM_ERRORS.STREAM_OFFLINE)),
      '1013 camera-offline',
    ],
    [
      'a worker is missing',
      () =>
        pictures.fail(
          new GatewayError(STREAM_ERRORS.STREAM_OFFLINE, { cause: FFMPEG_ERRORS.FFMPEG_POOL_FULL.code }),
        ),
      '1013 busy',
    ],
    ['the gateway stops', () => socket.goAway(), '1001 restarting'],
    ['it sends bytes', () => socket.noteBytes(Buffer.alloc(1)), '1003 no-talk-back'],
    [
      'it talks too much',
      () => {
        for (let count = 0; count <= MAX_MESSAGES_PER_LOOK; count++) socket.noteMessage();
      },
      '1008 too-many-messages',
    ],
    [
      'it answers too much',
      () => {
        for (let count = 0; count <= MAX_MESSAGES_PER_LOOK; count++) socket.noteResponse(Buffer.alloc(0));
      },
      '1008 too-many-messages',
    ],
    [
      'no frame comes',
      () => {
        clock.advance(FIRST_MESSAGE_MS + 1);
        socket.look();
      },
      '1013 camera-offline',
    ],
  ])('is told why it ends when %s, and reset if it does not answer', (_case, end, close) => {
    end();
    socket.goAway();
    expect(publish('Kd')).toBe('');
    expect(ends()).toEqual(['end', `close ${close}`]);
    expect([session.waiting.size, socket.isOver]).toEqual([0, true]);
    clock.advance(CLOSE_TIMEOUT_MS);
    expect(ends().at(-1)).toBe('reset');
  });

  it('gets nothing more once its access ends, not even what waits for the network', () => {
    publish('K');
    queuedBytes = 1;
    socket.onCutOff({ allowed: false, reason: 'expired', untilEpochMs: null });
    expect(ends()).toEqual(['end', 'reset']);
  });

  it('may say a little, again and again', () => {
    for (let second = 0; second < 5; second++) {
      for (let count = 0; count < MAX_MESSAGES_PER_LOOK; count++) socket.noteMessage();
      socket.look();
    }
    expect(ends()).toEqual([]);
  });

  it('is forgotten when it leaves, and not reset after it answered the close frame', () => {
    socket.goAway();
    socket.lost();
    clock.advance(CLOSE_TIMEOUT_MS);
    expect(ends()).toEqual(['end', 'close 1001 restarting']);
  });
});
