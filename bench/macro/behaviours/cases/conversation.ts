/** RTSP conversations: responses, sessions, transports, redirects, and what cameras send unasked. RFC 2326 */

import type { RtspRequest } from '../../../../src/rtsp/message.ts';
import type { CameraHabits, ConnectionHabits } from '../../../../src/synthetic-camera/habits.ts';
import { type Behaviour, plays, playsAgain, refused } from '../behaviour.ts';
import { type CameraOptions, camera } from '../cameras.ts';
import { editing, editingHead, portOf, read, reply, responding, write } from '../responses.ts';

const group = 'conversation';

/** Lines of all responses. */
function editingAll(edit: (line: string) => string | null): CameraHabits {
  return responding((_request, response) => {
    const { head, body } = read(response);
    return write({ head: head.map(edit).filter((line) => line !== null), body });
  });
}

const refusing = (method: string, status: string, lines: readonly string[] = []): CameraHabits =>
  responding((request, response) => (request.method === method ? reply(request, status, lines) : response));

const dropping = (method: string, header: string): CameraHabits =>
  editingHead(method, (line) => (line.startsWith(header) ? null : line));

/** Sends bytes between the packets, every `everyNth` frame; `bytes` counts them. */
function interjecting(everyNth: number, bytes: (count: number) => Buffer): CameraHabits {
  return {
    connection: () => {
      let frames = 0;
      return {
        packets: (packets) => {
          frames += 1;
          return frames % everyNth === 0 ? [bytes(frames / everyNth), ...packets] : packets;
        },
      };
    },
  };
}

const request = (line: string, count: number, more = ''): Buffer =>
  Buffer.from(`${line} RTSP/1.0\r\nCSeq: ${count}\r\n${more}\r\n`);

/** RFC 2326 §10.3: a new description during the session. */
function announcement(count: number): Buffer {
  const head = request('ANNOUNCE rtsp://x/', count, 'Content-Type: application/sdp\r\nContent-Length: 5\r\n');
  return Buffer.concat([head, Buffer.from('v=0\r\n')]);
}

/** Responds to PLAY only when the media of ten frames has been sent. */
function playingBeforeTheResponse(): CameraHabits {
  return {
    connection: (): ConnectionHabits => {
      let held: Buffer | null = null;
      let frames = 0;
      return {
        respond: (requested, response) => {
          if (requested.method !== 'PLAY') return response;
          held = response;
          return null;
        },
        packets: (packets) => {
          frames += 1;
          if (frames !== 10 || held === null) return packets;
          return [...packets, held];
        },
      };
    },
  };
}

/** The media of each track on other channels than the client requested. */
function choosingChannels(first: number): CameraHabits {
  return {
    connection: () => ({
      respond: (requested, response) => {
        if (requested.method !== 'SETUP') return response;
        const { head, body } = read(response);
        return write({
          head: head.map((line) =>
            line.replace(
              /interleaved=(\d+)-(\d+)/,
              (_all, rtp, rtcp) => `interleaved=${Number(rtp) + first}-${Number(rtcp) + first}`,
            ),
          ),
          body,
        });
      },
      packets: (packets) => {
        for (const packet of packets) packet[1] = packet[1]! + first;
        return packets;
      },
    }),
  };
}

/** Redirects from another path to the one with the stream. */
function redirecting(status: string): CameraOptions {
  const location = (requested: RtspRequest) => `Location: rtsp://127.0.0.1:${portOf(requested)}/stream`;
  const habits = responding((requested, response) =>
    requested.method === 'DESCRIBE' && requested.uri.endsWith('/moved')
      ? reply(requested, status, [location(requested)])
      : response,
  );
  return { habits, requestedPath: '/moved' };
}

/** The first connection gets this, later ones the stream. */
function firstTime(first: NonNullable<ConnectionHabits['respond']>): CameraHabits {
  return { connection: (index) => (index === 0 ? { respond: first } : {}) };
}

const PLAYING: Readonly<Record<string, CameraOptions>> = {
  'GET_PARAMETER is not known': {
    habits: refusing('GET_PARAMETER', '501 Not Implemented'),
    sessionTimeoutSec: 4,
  },
  'GET_PARAMETER is not allowed': {
    habits: refusing('GET_PARAMETER', '405 Method Not Allowed'),
    sessionTimeoutSec: 4,
  },
  'GET_PARAMETER is refused': {
    habits: refusing('GET_PARAMETER', '451 Parameter Not Understood'),
    sessionTimeoutSec: 4,
  },
  'GET_PARAMETER is not offered': {
    habits: editingHead('OPTIONS', (line) => line.replace(', GET_PARAMETER', '')),
    sessionTimeoutSec: 4,
  },
  'GET_PARAMETER gets no response': {
    habits: responding((requested, response) => (requested.method === 'GET_PARAMETER' ? null : response)),
    sessionTimeoutSec: 4,
  },
  'a session of two seconds': { sessionTimeoutSec: 2 },
  'a session of a day': { sessionTimeoutSec: 86_400 },
  'OPTIONS is not known': { habits: refusing('OPTIONS', '501 Not Implemented') },
  'OPTIONS is not allowed': { habits: refusing('OPTIONS', '405 Method Not Allowed') },
  'OPTIONS without Public': { habits: dropping('OPTIONS', 'Public') },
  'no RTP-Info': { habits: dropping('PLAY', 'RTP-Info') },
  'an empty RTP-Info': { habits: editingHead('PLAY', (line) => line.replace(/^RTP-Info:.*/, 'RTP-Info: ')) },
  'RTP-Info with rtptime=-1': {
    habits: editingHead('PLAY', (line) => line.replaceAll(/rtptime=\d+/g, 'rtptime=-1')),
  },
  'RTP-Info with rtptime=0': {
    habits: editingHead('PLAY', (line) => line.replaceAll(/rtptime=\d+/g, 'rtptime=0')),
  },
  'RTP-Info with relative URLs': {
    habits: editingHead('PLAY', (line) => line.replaceAll(/url=rtsp:[^;]*\//g, 'url=')),
  },
  'RTP-Info with another session number': {
    habits: editingHead('PLAY', (line) => line.replaceAll(/seq=\d+/g, 'seq=1')),
  },
  'no Range': { habits: dropping('PLAY', 'Range') },
  'no Session in the response to PLAY': { habits: dropping('PLAY', 'Session') },
  'a session without a timeout': { habits: editingAll((line) => line.replace(/;timeout=\d+/, '')) },
  'a timeout with spaces': { habits: editingAll((line) => line.replace(/;timeout=(\d+)/, '; timeout = $1')) },
  'header names in lower case': {
    habits: editingAll((line) => line.replace(/^[\w-]+:/, (name) => name.toLowerCase())),
  },
  'header names in capitals': {
    habits: editingAll((line) => line.replace(/^[\w-]+:/, (name) => name.toUpperCase())),
  },
  'no space after the colon': { habits: editingAll((line) => line.replace(/: /, ':')) },
  'thirty more headers': {
    habits: editing('DESCRIBE', ({ head, body }) => ({
      head: [...head, ...new Array<string>(30).fill('X-More: 1')],
      body,
    })),
  },
  'line feeds only': {
    habits: responding((_requested, response) => write(read(response), '\n')),
  },
  'an empty line before each response': {
    habits: responding((_requested, response) => Buffer.concat([Buffer.from('\r\n'), response])),
  },
  'a reason phrase that is empty': {
    habits: editingAll((line) => line.replace(/^RTSP\/1.0 200 OK/, 'RTSP/1.0 200 ')),
  },
  'no reason phrase': { habits: editingAll((line) => line.replace(/^RTSP\/1.0 200 OK/, 'RTSP/1.0 200')) },
  '100 Continue first': {
    habits: responding((requested, response) =>
      requested.method === 'DESCRIBE'
        ? Buffer.concat([reply(requested, '100 Continue'), response])
        : response,
    ),
  },
  'Transport in capitals': { habits: editingHead('SETUP', (line) => line.replace('unicast', 'UNICAST')) },
  'Transport without unicast': { habits: editingHead('SETUP', (line) => line.replace('unicast;', '')) },
  'Transport without channels': {
    habits: editingHead('SETUP', (line) => line.replace(/;interleaved=\d+-\d+/, '')),
  },
  'Transport with mode="PLAY"': {
    habits: editingHead('SETUP', (line) => (line.startsWith('Transport') ? `${line};mode="PLAY"` : line)),
  },
  'Transport with a padded ssrc (Hikvision)': {
    habits: editingHead('SETUP', (line) => line.replace(/ssrc=\w+/, 'ssrc=')),
  },
  'Transport with ssrc=0 (H264DVR)': {
    habits: editingHead('SETUP', (line) => line.replace(/ssrc=\w+/, 'ssrc=0')),
  },
  'Transport with a semicolon at its end (Laureii)': {
    habits: editingHead('SETUP', (line) => (line.startsWith('Transport') ? `${line};` : line)),
  },
  'channels that the camera chooses': { habits: choosingChannels(10) },
  'media before the response to PLAY': { habits: playingBeforeTheResponse() },
  'the camera asks OPTIONS': { habits: interjecting(25, (count) => request('OPTIONS *', count)) },
  'the camera asks GET_PARAMETER': {
    habits: interjecting(25, (count) => request('GET_PARAMETER rtsp://x/', count, 'Session: 1\r\n')),
  },
  'the camera announces': { habits: interjecting(50, announcement) },
  'a response without a request': {
    habits: interjecting(25, (count) => Buffer.from(`RTSP/1.0 200 OK\r\nCSeq: ${9_000 + count}\r\n\r\n`)),
  },
  'frames on channels that were not set up': {
    habits: interjecting(5, () => Buffer.from([0x24, 77, 0, 4, 1, 2, 3, 4])),
  },
  'empty frames': { habits: interjecting(5, () => Buffer.from([0x24, 0, 0, 0])) },
  'moved permanently (301)': redirecting('301 Moved Permanently'),
  'moved temporarily (302)': redirecting('302 Found'),
  'see other (303)': redirecting('303 See Other'),
  'one session at a time': { maxClients: 1 },
};

/** Refused once, then the stream: how soon it plays depends on the backoff. */
const SECOND_TIME: Readonly<Record<string, CameraHabits>> = {
  '503 at first': firstTime((requested) => reply(requested, '503 Service Unavailable')),
  '453 at first': firstTime((requested) => reply(requested, '453 Not Enough Bandwidth')),
  '500 at first': firstTime((requested) => reply(requested, '500 Internal Server Error')),
  '454 in SETUP at first': firstTime((requested, response) =>
    requested.method === 'SETUP' ? reply(requested, '454 Session Not Found') : response,
  ),
  'says nothing at first': firstTime(() => null),
};

const REFUSED: Readonly<Record<string, readonly [CameraOptions, readonly string[]]>> = {
  'no such path': [{ requestedPath: '/nowhere' }, ['RTSP_NOT_FOUND']],
  forbidden: [{ habits: refusing('DESCRIBE', '403 Forbidden') }, ['RTSP_REFUSED', 'RTSP_AUTH_FAILED']],
  'no session left': [{ maxClients: 0 }, ['RTSP_BUSY']],
  'redirected to itself forever': [
    { habits: responding((requested) => reply(requested, '302 Found', [`Location: ${requested.uri}`])) },
    ['RTSP_REDIRECT_REFUSED'],
  ],
  'redirected to the web': [
    { habits: responding((requested) => reply(requested, '302 Found', ['Location: http://127.0.0.1:1/'])) },
    ['RTSP_REDIRECT_REFUSED'],
  ],
  'redirected to nowhere': [
    { habits: responding((requested) => reply(requested, '302 Found')) },
    ['RTSP_REDIRECT_REFUSED', 'RTSP_BAD_RESPONSE'],
  ],
  'never responds': [{ habits: responding(() => null) }, ['RTSP_TIMEOUT', 'DIRECT_CONNECT_TIMEOUT']],
  'never responds to PLAY': [
    {
      habits: responding((requested, response) => (requested.method === 'PLAY' ? null : response)),
      faults: { stallAfterMs: 0 },
    },
    ['RTSP_TIMEOUT', 'DIRECT_CONNECT_TIMEOUT', 'STREAM_SILENT'],
  ],
  'responds in HTTP': [
    { habits: responding(() => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')) },
    ['RTSP_FRAMING', 'RTSP_BAD_RESPONSE'],
  ],
  'responds with another CSeq': [
    { habits: editingAll((line) => line.replace(/^CSeq: .*/, 'CSeq: 77777')) },
    ['RTSP_TIMEOUT', 'RTSP_BAD_RESPONSE'],
  ],
};

export const cases: readonly Behaviour[] = [
  ...Object.entries(PLAYING).map(([name, options]) =>
    plays(
      { group, name, reading: 'tcp', start: camera(options) },
      { watchSec: options.sessionTimeoutSec === undefined ? 8 : 10 },
    ),
  ),
  ...['a session of two seconds', 'no RTP-Info', 'header names in lower case', 'one session at a time'].map(
    (name) => plays({ group, name, reading: 'worker', start: camera(PLAYING[name]!) }),
  ),
  ...[
    'a session of two seconds',
    'GET_PARAMETER is not known',
    'no RTP-Info',
    'Transport with ssrc=0 (H264DVR)',
    'Transport with a padded ssrc (Hikvision)',
    'Transport with mode="PLAY"',
  ].map((name) => plays({ group, name, reading: 'udp', start: camera(PLAYING[name]!) })),
  ...Object.entries(SECOND_TIME).map(([name, habits]) =>
    plays({ group, name, reading: 'tcp', start: camera({ habits }) }, { startWithinSec: 12 }),
  ),
  playsAgain(
    {
      group,
      name: 'the camera ends the session (TEARDOWN)',
      reading: 'tcp',
      start: camera({ habits: interjecting(150, (count) => request('TEARDOWN rtsp://x/', count)) }),
    },
    6,
  ),
  playsAgain(
    {
      group,
      name: 'the camera sends the client elsewhere (REDIRECT)',
      reading: 'tcp',
      start: camera({ habits: interjecting(150, (count) => request('REDIRECT rtsp://x/', count)) }),
    },
    8,
  ),
  ...Object.entries(REFUSED).map(([name, [options, codes]]) =>
    refused({ group, name, reading: 'tcp', start: camera(options) }, codes, 24),
  ),
];
