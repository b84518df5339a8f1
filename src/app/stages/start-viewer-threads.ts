/** Puts the viewer threads in front of the front door, which then takes the requests that they forward. */

import type { FastifyInstance } from 'fastify';
import type { CertificateWatch } from '../../connections/certificate-watch.ts';
import type { ShareTraffic } from '../../front-door/response/share-traffic.ts';
import {
  acceptForwarded,
  newForwardingSecret,
} from '../../front-door/viewer-thread/forwarded-connections.ts';
import type { ViewerSessions } from '../../sharing/viewer-sessions.ts';
import type { Secrets } from '../config/secrets.ts';
import { boundPort, expectFree, listen, localUrl } from '../process/listening.ts';
import { resolveFormat } from '../process/logging.ts';
import { ViewerThreads } from '../viewer-threads/viewer-threads.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { type MediaStage, packagerLimits } from './start-media.ts';

const LOOPBACK = '127.0.0.1';
/**
 * Share of the media listener's descriptors: idle clients cannot keep others from the responses of the gateway's thread.
 */
const FORWARDING_SHARE = 1 / 3;

interface Doors {
  readonly frontDoor: FastifyInstance;
  readonly sessions: ViewerSessions;
  readonly traffic: ShareTraffic;
  /** Certificate of the media listener; null: no TLS. */
  readonly certificate: CertificateWatch | null;
}

export interface StartedViewerThreads {
  readonly threads: ViewerThreads;
  /** Resolves with the URL of the media listener. Fails with CLI_LISTEN_FAILED. */
  listen(): Promise<string>;
  close(): Promise<void>;
}

export function startViewerThreads(
  { config, clock, log, logControl }: GatewayOptions,
  { hub, descriptors }: MediaStage,
  { frontDoor, sessions, traffic, certificate }: Doors,
  { mediaPathKey }: Pick<Secrets, 'mediaPathKey'>,
): StartedViewerThreads {
  const secret = newForwardingSecret();
  const { viewers: count } = config.threads;
  const { maxConnections, maxPerAddress, maxDescriptor } = descriptors.media;
  const forForwarding = Math.floor(maxConnections * FORWARDING_SHARE);
  // The kernel divides connections evenly.
  const connections = {
    maxConnections: Math.ceil((maxConnections - forForwarding) / count),
    maxPerAddress: Math.ceil(maxPerAddress / count),
    maxDescriptor: maxDescriptor - forForwarding,
  };
  acceptForwarded(frontDoor.server, secret, clock);
  const threads = new ViewerThreads({
    count,
    sessions,
    cameras: hub,
    clock,
    log,
    data: () => ({
      listen: config.listen.media,
      trustProxy: config.trustProxy,
      connections,
      listener: {
        certificate: certificate?.current ?? null,
        isHttp2Plain: config.h2c.media,
        hasProxyHeader: config.proxyProtocol.media,
      },
      limits: packagerLimits(config),
      sharedPaths: { key: mediaPathKey, lifeMs: config.cdnRotationMs },
      gateway: { host: LOOPBACK, port: boundPort(frontDoor)!, secret },
      log: { level: config.log.level, format: resolveFormat(config.log.format) },
    }),
    onSent: (session, bytes) => traffic.count(session, bytes, sessions),
    onPlaylists: (playlists) => {
      traffic.playlists += playlists;
    },
    onTouch: ({ cameraUuid, interest, urgency }) => hub.get(cameraUuid)?.touch(interest, urgency),
    onLogged: (line) => logControl?.memory.add('gateway', line),
  });
  certificate?.onChange((changed) => threads.setCertificate(changed));
  return {
    threads,
    async listen() {
      await listen(frontDoor, { host: LOOPBACK, port: 0 }, null);
      await expectFree(config.listen.media);
      const port = await threads.start();
      return config.public.mediaUrl ?? localUrl(config.listen.media.host, port, certificate !== null);
    },
    close() {
      // Those whose requests wait here would keep the threads waiting.
      frontDoor.waitingRoom.dismiss();
      frontDoor.pictureSockets.dismiss();
      frontDoor.soundSockets.dismiss();
      return threads.close();
    },
  };
}
