/**
 * `/live/<grant>/ws` and `/wsl`: access units of the main stream and the substream over WebSocket, with least delay; and
 * `/live/<grant>/opus/ws`: the main stream's sound; `/live/<grant>/talk/ws`: talk alone (docs/design/real-time.md). The grant in the path is the only credential, so pages of any origin may connect, as they
 * may fetch playlists. The same under `/media/<deviceUuid>/<region>/`, for a key or a federated session.
 */

import type { IncomingMessage } from 'node:http';
import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { connectionOf } from '../connections/connection.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { AccessRefused } from '../sharing/access-decision.ts';
import type { ViewerSession } from '../sharing/viewer-session.ts';
import { STREAM_ERRORS } from '../stream/media/errors.ts';
import type { LiveCamera } from '../stream/media/live-media.ts';
import { BY_CREDENTIALS, DEVICE_FOLDERS } from './device/device-routes.ts';
import type { PictureMessages } from './pictures/picture-message.ts';
import { PictureSender } from './pictures/picture-sender.ts';
import { FRONT_DOOR_ERRORS } from './response/errors.ts';
import { failureReasonOf, offlineError, sendFailure, sendRefused } from './response/refusal-response.ts';
import type { DeviceEntries, DeviceRequest, EntryRequest } from './session/device-entries.ts';
import type { FrontDoorParts } from './session/front-door-parts.ts';
import {
  CLOSE_POLICY,
  CLOSE_TRY_AGAIN_LATER,
  type SocketFeed,
  type SocketTransport,
} from './sockets/live-socket.ts';
import type { LiveSockets } from './sockets/live-sockets.ts';
import type { SoundMessages } from './sounds/sound-message.ts';
import { SoundSender, type TalkEntry } from './sounds/sound-sender.ts';
import type { TalkDesk } from './sounds/talk-desk.ts';
import { TalkFeed } from './sounds/talk-feed.ts';

/** What goes over a WebSocket, by its path, as clients of this API family know it. */
const STREAM_NAMES = { ws: 'main', wsl: 'sub', 'opus/ws': 'sound', 'talk/ws': 'talk' } as const;
type StreamKind = (typeof STREAM_NAMES)[keyof typeof STREAM_NAMES];
/** Viewers need not send messages. */
const MAX_CLIENT_MESSAGE_BYTES = 2_048;
/** All other requests get a plain response, whatever upgrade they request. */
const SOCKET_PATH =
  /^\/(?:live\/[\w-]{1,256}|media\/[\w.-]{1,256}\/[\w.-]{1,256}(?:\/ft\/[\w.~%-]{1,768})?)\/(?:wsl?|(?:opus|talk)\/ws)\/?(?:\?|$)/;
const BY_GRANT = { access: 'grant' } as const;
const SOCKET: EntryRequest = { contents: [], isSocket: true };

declare module 'fastify' {
  interface FastifyRequest {
    /** The grant of a viewer who requests a WebSocket. */
    viewerGrant: string;
  }
}

/** The part of the `ws` package's WebSocket that is used. */
interface ServerSocket {
  readonly bufferedAmount: number;
  send(data: Buffer | string, options: { binary: boolean }): void;
  ping(data: Buffer): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): void;
  on(event: 'ping' | 'close', listener: () => void): void;
  on(event: 'pong', listener: (data: Buffer) => void): void;
}

/** Whether a request that wants to be upgraded leads to a WebSocket. For Node's HTTP server. */
export function isSocketUpgrade(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket' && SOCKET_PATH.test(request.url ?? '');
}

/** The viewers of each kind, and the messages that they share. */
export interface SocketParts {
  readonly pictureSockets: LiveSockets;
  readonly soundSockets: LiveSockets;
  readonly pictureMessages: PictureMessages;
  readonly soundMessages: SoundMessages;
  readonly talkDesk: TalkDesk;
}

/** Registers in a scope of its own: the plugin's hooks run for these routes alone. */
export function registerSocketRoutes(
  app: FastifyInstance,
  parts: FrontDoorParts,
  sockets: SocketParts,
  entries: DeviceEntries | null,
): void {
  app.register(async (scope) => {
    await scope.register(websocket, {
      options: { maxPayload: MAX_CLIENT_MESSAGE_BYTES, perMessageDeflate: false },
      // A broken client is not news; the default would log the URL, which holds a grant.
      errorHandler: (_error, socket) => socket.terminate(),
      preClose: (done) => {
        scope.websocketServer.close();
        done();
      },
    });
    scope.decorateRequest('viewerGrant', '');
    for (const [name, kind] of Object.entries(STREAM_NAMES)) {
      const common = {
        method: 'GET' as const,
        handler: () => {
          throw new GatewayError(FRONT_DOOR_ERRORS.MEDIA_WEBSOCKET_EXPECTED);
        },
        wsHandler: (socket: ServerSocket, request: FastifyRequest) =>
          serve(parts, sockets, socket, request, kind),
      };
      scope.route({
        ...common,
        url: `/live/:grant/${name}`,
        config: BY_GRANT,
        onRequest: (request, reply, done) => {
          request.viewerGrant = (request.params as { grant: string }).grant;
          if (admit(parts, sockets, request, reply, kind)) done();
        },
      });
      if (entries === null) continue;
      for (const { folder } of DEVICE_FOLDERS) {
        scope.route({
          ...common,
          ...BY_CREDENTIALS,
          url: `${folder}/${name}`,
          onRequest: (request, reply, done) => {
            openDevice(entries, request, reply)
              .then((isOpened) => {
                if (isOpened && admit(parts, sockets, request, reply, kind)) done();
              })
              .catch((thrown: unknown) => sendFailure(reply, toGatewayError(thrown)));
          },
        });
      }
    }
  });
}

/** False: refused, and the response was sent. Rejects like the store. */
async function openDevice(
  entries: DeviceEntries,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const opened = await entries.open(request as DeviceRequest, reply, SOCKET);
  if (opened === null) return false;
  request.viewerGrant = opened.grantText;
  return true;
}

/** Before the upgrade, so that a refusal is an HTTP response with its reason. False: it was sent. */
function admit(
  parts: FrontDoorParts,
  sockets: SocketParts,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: StreamKind,
): boolean {
  try {
    const found = find(parts, sockets, request, kind);
    if ('feed' in found) return true;
    sendRefused(reply, found, parts.clock.epochMs());
  } catch (thrown) {
    sendFailure(reply, toGatewayError(thrown));
  }
  return false;
}

/** Decides again: time may have passed since the request. */
function serve(
  parts: FrontDoorParts,
  sockets: SocketParts,
  socket: ServerSocket,
  request: FastifyRequest,
  kind: StreamKind,
): void {
  try {
    const found = find(parts, sockets, request, kind);
    if (!('feed' in found)) {
      socket.close(CLOSE_POLICY, found.reason);
      return;
    }
    if (kind === 'main' || kind === 'sub') found.session.noteLive('websocket', kind);
    const places = placesOf(sockets, kind);
    const viewer = places.open(found.session, request.ip, found.feed, transportOf(socket, request));
    socket.on('message', (data, isBinary) => (isBinary ? viewer.noteBytes(data) : viewer.noteMessage()));
    socket.on('ping', () => viewer.noteMessage());
    socket.on('pong', (response) => viewer.noteResponse(response));
    socket.on('close', () => viewer.lost());
  } catch (thrown) {
    socket.close(CLOSE_TRY_AGAIN_LATER, failureReasonOf(toGatewayError(thrown)));
  }
}

/** What the viewer may watch or hear. Fails if it cannot be served now. Opens the camera. */
function find(
  { sessions, cameras, clock }: FrontDoorParts,
  sockets: SocketParts,
  request: FastifyRequest,
  kind: StreamKind,
): AccessRefused | { readonly session: ViewerSession; readonly feed: SocketFeed } {
  const session = sessions.access(request.viewerGrant, request);
  if (!session.allowed) return session;
  const camera = cameras.get(session.cameraUuid);
  if (camera === undefined) throw new GatewayError(FRONT_DOOR_ERRORS.CAMERA_ABSENT);
  if (kind === 'talk') {
    sockets.soundSockets.checkRoom(session, request.ip);
    return { session, feed: new TalkFeed(talkOf(sockets, session, clock)) };
  }
  const isSound = kind === 'sound';
  if (isSound && session.audience !== 'sound') throw new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND);
  camera.touch(isSound ? 'units' : session.audience, session.urgency);
  // Clients with credentials write `wsl` for `ws` without knowing whether there is a substream.
  const isByDevice = 'device' in (request.params as object);
  const feed = isSound
    ? soundOf(camera, sockets, session, clock)
    : picturesOf(camera, sockets, kind, isByDevice);
  const state = camera.status();
  if (state.state === 'offline') throw offlineError(state, clock.epochMs());
  if (!isSound && camera.hasPicture() === false) throw new GatewayError(STREAM_ERRORS.STREAM_NO_PICTURE);
  placesOf(sockets, kind).checkRoom(session, request.ip);
  return { session, feed };
}

function picturesOf(
  camera: LiveCamera,
  { pictureMessages }: SocketParts,
  profile: 'main' | 'sub',
  isByDevice: boolean,
): SocketFeed {
  const pictures = camera.pictures(profile) ?? (isByDevice ? camera.pictures('main') : null);
  if (pictures === null) throw new GatewayError(FRONT_DOOR_ERRORS.MEDIA_NOT_FOUND);
  return new PictureSender(pictures, pictureMessages);
}

function soundOf(camera: LiveCamera, sockets: SocketParts, session: ViewerSession, clock: Clock): SocketFeed {
  if (camera.hasAudio() === false) throw new GatewayError(STREAM_ERRORS.STREAM_NO_SOUND);
  return new SoundSender(camera.sounds, sockets.soundMessages, talkOf(sockets, session, clock));
}

function talkOf({ talkDesk }: SocketParts, session: ViewerSession, clock: Clock): TalkEntry {
  return { enter: (say) => talkDesk.enter(session, say), nowMonoMs: () => clock.monoMs() };
}

function placesOf({ pictureSockets, soundSockets }: SocketParts, kind: StreamKind): LiveSockets {
  return kind === 'main' || kind === 'sub' ? pictureSockets : soundSockets;
}

function transportOf(socket: ServerSocket, request: FastifyRequest): SocketTransport {
  const connection = request.raw.socket;
  return {
    send: (bytes) => socket.send(bytes, { binary: true }),
    say: (text) => socket.send(text, { binary: false }),
    bufferedBytes: () => socket.bufferedAmount,
    ping: (question) => socket.ping(question),
    close: (code, reason) => socket.close(code, reason),
    reset: () => connectionOf(connection)?.cut() ?? connection.destroy(),
  };
}
