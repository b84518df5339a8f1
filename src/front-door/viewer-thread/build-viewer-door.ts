/** The listener of a viewer thread: live HLS here, everything else by the gateway's thread. */

import type { FastifyInstance } from 'fastify';
import type { ConnectionLimits } from '../../connections/connection-table.ts';
import type { HttpListener } from '../../connections/http-listener.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { MirroredCameras } from '../../mirror/mirrored-cameras.ts';
import {
  addFailureResponses,
  createMediaServer,
  refuseWhenClosed,
  respondLivePlainly,
} from '../build-front-door.ts';
import { MediaResponses } from '../response/media-responses.ts';
import type { ShareTraffic } from '../response/share-traffic.ts';
import { WaitingRoom } from '../response/waiting-reply.ts';
import { type ForwardAddress, Forwarder } from './forwarder.ts';
import type { LeasedSessions } from './leased-sessions.ts';
import { type Desk, LiveRoutes } from './live-routes.ts';

export interface ViewerDoorOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly trustProxy: readonly string[];
  readonly connections: ConnectionLimits;
  readonly listener: HttpListener;
  readonly sessions: LeasedSessions;
  readonly cameras: MirroredCameras;
  readonly traffic: ShareTraffic;
  readonly desk: Desk;
  readonly gateway: ForwardAddress;
}

export interface ViewerDoor {
  readonly app: FastifyInstance;
  readonly room: WaitingRoom;
  readonly responses: MediaResponses;
}

/** Registers the routes without listening. Closing sends 503 to all waiting requests. */
export function buildViewerDoor(options: ViewerDoorOptions): ViewerDoor {
  const { clock, log, sessions, cameras, traffic, desk, gateway } = options;
  const app = createMediaServer(options);
  const room = new WaitingRoom(clock);
  const responses = new MediaResponses(clock, log);
  const forwarder = new Forwarder(gateway);
  respondLivePlainly(app, {
    sessions,
    room,
    responses,
    traffic,
    clock,
    playable: ({ cameraUuid }, name) => {
      const camera = cameras.get(cameraUuid);
      return camera?.hasFed(name) === true ? camera : null;
    },
  });
  app.addHook('preClose', async () => room.dismiss());
  refuseWhenClosed(app, room);
  addFailureResponses(app, log);
  // Bodies are forwarded unread.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  const forward: Forwarder['forward'] = (request, reply) => forwarder.forward(request, reply);
  new LiveRoutes({ room, responses, traffic, clock, sessions, cameras, desk, forward }).register(app);
  app.setNotFoundHandler((request, reply) => forward(request, reply));
  app.server.on('upgrade', (request, socket, head) => forwarder.upgrade(request, socket, head));
  return { app, room, responses };
}
