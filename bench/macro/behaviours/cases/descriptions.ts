/** Session descriptions as cameras write them, and some that describe nothing to play. RFC 8866, RFC 2326 appendix C. */

import { type Behaviour, plays, type Reading, refused } from '../behaviour.ts';
import { camera, type SoundKind } from '../cameras.ts';
import { editing, editingHead, portOf, read, settingUp, write } from '../responses.ts';

const group = 'descriptions';

type Edit = (sdp: string) => string;

const replacing =
  (from: string | RegExp, to: string): Edit =>
  (sdp) =>
    sdp.replace(from, to);
const replacingAll =
  (from: string | RegExp, to: string): Edit =>
  (sdp) =>
    sdp.replaceAll(from, to);
const appending =
  (text: string): Edit =>
  (sdp) =>
    sdp + text;

const METADATA =
  'm=application 0 RTP/AVP 107\r\na=rtpmap:107 vnd.onvif.metadata/90000\r\na=control:trackID=9\r\n';
const HEVC = 'm=video 0 RTP/AVP 98\r\na=rtpmap:98 H265/90000\r\na=control:trackID=9\r\n';
const SECOND_H264 = 'm=video 0 RTP/AVP 98\r\na=rtpmap:98 H264/90000\r\na=control:trackID=9\r\n';

const PLAYING: Readonly<Record<string, Edit>> = {
  'line feeds only': replacingAll('\r\n', '\n'),
  'spaces at the ends of lines': replacingAll('\r\n', ' \r\n'),
  'empty lines between': replacingAll('\r\nm=', '\r\n\r\nm='),
  'no line ending on the last line': (sdp) => sdp.trimEnd(),
  'a NUL at the end': appending('\0'),
  'no s=, no t=': (sdp) => sdp.replace(/s=[^\r]*\r\n/, '').replace(/t=[^\r]*\r\n/, ''),
  'no o=': replacing(/o=[^\r]*\r\n/, ''),
  'no control of the session': replacing('a=control:*\r\n', ''),
  'control of the session twice': replacing('a=control:*', 'a=control:*\r\na=control:*'),
  'ports that are not 0': (sdp) =>
    sdp.replace('m=video 0', 'm=video 49170').replace('m=audio 0', 'm=audio 49172'),
  'ports with a count': replacing('m=video 0', 'm=video 0/2'),
  'rtpmap in lower case': replacing('H264/90000', 'h264/90000'),
  'rtpmap with a channel count': replacing('H264/90000', 'H264/90000/1'),
  'fmtp before rtpmap': replacing(/(a=rtpmap:96[^\r]*\r\n)(a=fmtp:96[^\r]*\r\n)/, '$2$1'),
  'fmtp that ends in a semicolon': replacing(/(a=fmtp:96 [^\r]*)/, '$1;'),
  'fmtp with spaces': replacingAll(';', ' ; '),
  'fmtp in capitals': replacing('packetization-mode', 'PACKETIZATION-MODE'),
  'no packetization-mode': replacing('packetization-mode=1;', ''),
  'packetization-mode 0': replacing('packetization-mode=1', 'packetization-mode=0'),
  'a wrong profile-level-id': replacing(/profile-level-id=[0-9A-F]+/, 'profile-level-id=42001E'),
  'a short profile-level-id': replacing(/profile-level-id=[0-9A-F]+/, 'profile-level-id=64'),
  'no frame rate': replacing(/a=framerate:[^\r]*\r\n/, ''),
  'a frame rate of 0': replacing(/a=framerate:[^\r]*/, 'a=framerate:0.000000'),
  'bandwidths and dimensions': replacing('a=framerate', 'b=AS:5000\r\na=x-dimensions:320,180\r\na=framerate'),
  'RTP/AVP/TCP': replacingAll('RTP/AVP', 'RTP/AVP/TCP'),
  'RTP/AVPF': replacingAll('RTP/AVP', 'RTP/AVPF'),
  'several payload types': replacing('RTP/AVP 96', 'RTP/AVP 96 99 35'),
  recvonly: replacingAll(/a=control:trackID/g, 'a=recvonly\r\na=control:trackID'),
  sendonly: replacing('a=control:trackID=0', 'a=sendonly\r\na=control:trackID=0'),
  'a track of ONVIF metadata': appending(METADATA),
  'ONVIF metadata first': replacing('m=video', `${METADATA}m=video`),
  'H.265 beside H.264': appending(HEVC),
  'a second video': appending(SECOND_H264),
  'audio before the video': (sdp) => {
    const [head, video, audio] = sdp.split(/(?=^m=)/m);
    return `${head}${audio}${video}`;
  },
  'fmtp of the video in the audio section': (sdp) => {
    const fmtp = /a=fmtp:96 [^\r]*\r\n/.exec(sdp)![0];
    return sdp.replace(fmtp, '') + fmtp;
  },
  'a line of 8 kB': appending(`a=x-vendor:${'v'.repeat(8_000)}\r\n`),
  '300 attributes': appending('a=x-vendor:1\r\n'.repeat(300)),
  'characters beyond ASCII': replacing('s=Synthetic camera', 's=Kamera Süd 前门'),
};

const WITHOUT_SOUND: Readonly<Record<string, Edit>> = {
  'one track without a control': replacing('a=control:trackID=0\r\n', ''),
  'one track, no control at all': (sdp) => sdp.replaceAll(/a=control:[^\r]*\r\n/g, ''),
};

const NO_VIDEO = ['RTSP_NO_SUPPORTED_VIDEO', 'FFMPEG_NO_VIDEO', 'FFMPEG_EXITED', 'FFMPEG_STALLED'];

const REFUSED: Readonly<Record<string, readonly [Edit, readonly string[]]>> = {
  nothing: [() => '', [...NO_VIDEO, 'SDP_INVALID', 'RTSP_BAD_RESPONSE']],
  'no track': [(sdp) => sdp.slice(0, sdp.indexOf('m=')), [...NO_VIDEO, 'SDP_INVALID']],
  'a web page': [() => '<html><body>Login</body></html>', [...NO_VIDEO, 'SDP_INVALID']],
};

const edited = (name: string, edit: Edit, reading: Reading, sound: SoundKind = 'AAC'): Behaviour =>
  plays(
    { group, name, reading, start: camera({ sound, habits: { describe: edit, ...settingUp('trackID=9') } }) },
    { sound: sound === 'none' ? 'absent' : 'heard' },
  );

/** Those that ffmpeg can read too. */
const OF_WORKERS = [
  'line feeds only',
  'ports that are not 0',
  'no packetization-mode',
  'a track of ONVIF metadata',
  'no control of the session',
  'bandwidths and dimensions',
];

const dropping = (header: string) =>
  editingHead('DESCRIBE', (line) => (line.toLowerCase().startsWith(header.toLowerCase()) ? null : line));
const basing = (base: (port: string) => string) =>
  editingHead('DESCRIBE', (line, request) =>
    line.startsWith('Content-Base') ? `Content-Base: ${base(portOf(request))}` : line,
  );

const BASES = {
  'no Content-Base': dropping('Content-Base'),
  'Content-Location instead': editingHead('DESCRIBE', (line) =>
    line.replace('Content-Base', 'Content-Location'),
  ),
  'Content-Base without a slash at its end': basing((port) => `rtsp://127.0.0.1:${port}/stream`),
  'Content-Base without a scheme (Anjvision)': basing((port) => `127.0.0.1:${port}/stream/`),
  'Content-Base with an address behind NAT': basing(() => 'rtsp://192.168.77.1:554/stream/'),
  'Content-Base without a port': basing(() => 'rtsp://127.0.0.1/stream/'),
  'absolute controls': editing('DESCRIBE', ({ head, body }, request) => ({
    head,
    body: body.replaceAll(
      'a=control:trackID',
      `a=control:rtsp://127.0.0.1:${portOf(request)}/stream/trackID`,
    ),
  })),
  'absolute controls with another host': editing('DESCRIBE', ({ head, body }) => ({
    head,
    body: body.replaceAll('a=control:trackID', 'a=control:rtsp://192.168.77.1:554/stream/trackID'),
  })),
  'controls with a leading slash': editing('DESCRIBE', ({ head, body }) => ({
    head,
    body: body.replaceAll('a=control:trackID', 'a=control:/trackID'),
  })),
  'an absolute control of the session': editing('DESCRIBE', ({ head, body }, request) => ({
    head,
    body: body.replace('a=control:*', `a=control:rtsp://127.0.0.1:${portOf(request)}/stream/`),
  })),
  'no Content-Type': dropping('Content-Type'),
  'Content-Type with a charset': editingHead('DESCRIBE', (line) =>
    line.replace('application/sdp', 'application/sdp; charset=utf-8'),
  ),
} as const;

const bases: readonly Behaviour[] = [
  ...Object.entries(BASES).map(([name, habits]) =>
    plays({ group, name, reading: 'tcp', start: camera({ habits }) }, { sound: 'heard' }),
  ),
  ...(['no Content-Base', 'absolute controls'] as const).map((name) =>
    plays({ group, name, reading: 'worker', start: camera({ habits: BASES[name] }) }),
  ),
  plays({
    group,
    name: 'a query in the URL (Dahua)',
    reading: 'tcp',
    start: camera({ requestedPath: '/stream?channel=1&subtype=0' }),
  }),
  plays({
    group,
    name: 'a slash at the end of the URL',
    reading: 'tcp',
    start: camera({ requestedPath: '/stream/' }),
  }),
  plays({
    group,
    name: 'Content-Length in lower case',
    reading: 'tcp',
    start: camera({
      habits: {
        connection: () => ({
          respond: (request, response) => {
            if (request.method !== 'DESCRIBE') return response;
            const written = write(read(response)).toString('latin1');
            return Buffer.from(written.replace('Content-Length', 'content-length'), 'latin1');
          },
        }),
      },
    }),
  }),
];

const encrypted = refused(
  {
    group,
    name: 'encrypted media only',
    reading: 'tcp',
    start: camera({ habits: { describe: replacingAll('RTP/AVP', 'RTP/SAVP') } }),
  },
  ['RTSP_NO_SUPPORTED_VIDEO'],
  8,
  { engine: 'direct' },
);

export const cases: readonly Behaviour[] = [
  encrypted,
  ...Object.entries(PLAYING).map(([name, edit]) => edited(name, edit, 'tcp')),
  ...OF_WORKERS.map((name) => edited(name, PLAYING[name]!, 'worker')),
  ...Object.entries(WITHOUT_SOUND).map(([name, edit]) => edited(name, edit, 'tcp', 'none')),
  ...bases,
  ...Object.entries(REFUSED).map(([name, [edit, codes]]) =>
    refused({ group, name, reading: 'tcp', start: camera({ habits: { describe: edit } }) }, codes, 20),
  ),
];
